//! The operations on a CODE page.

use super::Path;
use crate::patch::Patch;
use crate::text::TextDelta;

/// One operation of a CODE delta.
#[derive(Clone, Debug, PartialEq)]
pub enum CodeOp {
    /// Adds a file.
    AddFile {
        /// Its path.
        path: Path,
        /// Its text.
        text: String,
    },
    /// Removes a file.
    RemoveFile {
        /// Its path.
        path: Path,
    },
    /// Gives a file another path. An entry that names it names it afterwards too.
    RenameFile {
        /// Its path.
        path: Path,
        /// Its new path.
        to: Path,
    },
    /// Edits a file.
    EditFile {
        /// Its path.
        path: Path,
        /// Plain inserts, retains and deletes, in UTF-16 units.
        delta: TextDelta,
    },
    /// Sets the entry, or takes it away.
    SetEntry {
        /// Its path.
        path: Option<Path>,
    },
    /// Sets and takes away attributes.
    SetAttributes {
        /// Pointers below the attributes.
        patch: Patch,
    },
}
