//! Text shared by DOC and CODE: rich-text deltas in UTF-16 units, and a persistent text that they are applied to.

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
mod json;
mod op;
mod rich_text;
mod rope;
mod stored;
mod transform;
mod units;
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
