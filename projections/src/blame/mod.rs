//! Blame: which event wrote what stands there now.
//!
//! Of a DESIGN page [`DesignBlame`] finds the event that last wrote each field of a node, or that last touched each node,
//! going over the events from the newest to the oldest and only as far as needed. Of a text the
//! [weave](crate::text::weave::Weave::blame) knows the event of every letter; [`lines()`] sums that up by line.

mod design;
mod lines;

pub use design::{Blamed, DesignBlame};
pub use lines::{LineBlame, lines};
