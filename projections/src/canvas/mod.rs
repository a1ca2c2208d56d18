//! Where the nodes of a DESIGN page lie on it: their frames, what meets a viewport, and a free place for one more.
//!
//! A geometry is local to the parent, and a rotation turns a node with all that lies in it around its middle, as CSS does.
//! So a frame is found by walking down from the page, and is the box around the turned corners.

mod claim;
mod frame;
mod view;

pub use claim::{CLAIM_GAP, CLAIM_ROW, claim, corner, covered, row_width};
pub use frame::{Frame, frames};
pub use view::{leaves, meeting, shown};

use crate::design::{DesignValue, Id};

/// The preset of a whiteboard: a board without an edge, of which a part is looked at.
pub const WHITEBOARD: &str = "whiteboard";
/// The attribute that names the preset of a page.
pub const PRESET: &str = "presetId";
/// The type of a group.
pub(crate) const GROUP: &str = "group";

/// Says whether a page is a whiteboard.
pub fn is_whiteboard(value: &DesignValue) -> bool {
    value.attributes().get(PRESET).and_then(serde_json::Value::as_str) == Some(WHITEBOARD)
}

/// Gives the nodes that lie below a node, and the node itself, children before their parents; none where it is not there.
pub fn subtree(value: &DesignValue, id: &str) -> Vec<Id> {
    value.bottom_up(id)
}
