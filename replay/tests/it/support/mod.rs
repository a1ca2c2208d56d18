//! A data folder with a small story on four pages, and the tool run on it.

mod story;
mod tool;

pub(crate) use self::story::{Folder, id};
pub(crate) use self::tool::{Ran, recto, recto_in};
