//! The story and the tool, as the other test program has them.

#[path = "../it/support/story.rs"]
mod story;
#[path = "../it/support/tool.rs"]
mod tool;

pub(crate) use self::story::{Folder, Writer, id};
pub(crate) use self::tool::{Ran, recto};
