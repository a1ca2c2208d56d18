//! Text, shared by DOC and CODE: deltas in UTF-16 units, and a persistent text that they are applied to.
//!
//! ```text
//! TextDelta   a list of TextOp in normal form         RichText   a rope of text, Attributes and Embeds
//!   compose, transform, invert, slice                   apply → inverse   digest   diff → TextDelta
//!   from_json, to_json, from_stored, to_stored          from_document, to_document, from_stored, to_stored
//! ```
//!
//! What always holds:
//!
//! - A boundary never lies inside a surrogate pair or past the end; what would put it there is refused with a
//!   [`TextFault`], never clamped.
//! - [`RichText::apply`] is all or nothing and returns the exact inverse.
//! - A document holds inserts only, none of them with a null attribute.
//! - Values are equal when they are written the same: numbers keep their digits, objects the order of their keys;
//!   attributes as a whole are sorted by name.
//! - The digest tells the text and nothing of how it came about.

mod apply;
mod apply_plain;
mod attributes;
mod compose;
mod cursor;
mod delta;
mod diff;
mod embed;
mod fault;
mod hash;
mod invert;
mod op;
mod rich_text;
mod rope;
mod stored;
mod transform;
mod units;
pub mod weave;
mod wire;

pub use apply_plain::apply_plain;
pub use attributes::Attributes;
pub use delta::TextDelta;
pub use diff::diff_plain;
pub use embed::Embed;
pub use fault::{InvalidReason, TextFault, TextInvalid};
pub use hash::TextDigest;
pub use op::{Content, TextOp};
pub use rich_text::RichText;
pub use rope::Piece;
pub use stored::{StoredDelta, StoredFault, StoredOp};
pub use units::units;
