//! What stands in the way of an undo on a CODE page, and why the weave refuses an edit.

use thiserror::Error;

use crate::code::Path;
use crate::fault::Rule;
use crate::text::weave::{EditId, WeaveError};

/// What an undo does to a file in which something was written since.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnConflict {
    /// Leaves the file where it is, and says so.
    #[default]
    Keep,
    /// Takes it away with all that was written; undoing that brings all of it back.
    Force,
}

/// Something that an undo came upon in a CODE page.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CodeConflict {
    /// A file would come to a path at which another one is. It stays where it is, or away.
    PathTaken {
        /// The path.
        path: Path,
    },
    /// A file would go away, but it was edited or renamed since. It stays.
    EditedSince {
        /// Its path.
        path: Path,
        /// The newest event that did so.
        event: EditId,
    },
    /// Attributes would go away that a later event needs to be able to set others. All attributes stay as they are.
    AttributesNeeded {
        /// That event.
        event: EditId,
    },
    /// A text was undone in a file that is not there. It shows when the file comes back.
    FileRemoved {
        /// The path that the file had.
        path: Path,
    },
    /// A file stays away, though the removal is undone, because its creation was undone too.
    CreateUndone {
        /// The path that the file had.
        path: Path,
    },
    /// A rename was undone, but a later one gave the file its path. It keeps that.
    RenamedSince {
        /// Its path.
        path: Path,
    },
}

/// Why a weave of a CODE page refuses something. It is then as it was.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CodeWeaveError {
    /// As for a weave of one text.
    #[error(transparent)]
    Weave(#[from] WeaveError),
    /// An operation does not fit the page as it shows.
    #[error("operation {op}: {rule}")]
    Refused {
        /// The operation's index.
        op: usize,
        /// The rule that it breaks.
        rule: Rule,
    },
}

impl CodeConflict {
    /// Returns the stable code, in snake case.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::PathTaken { .. } => "path_taken",
            Self::EditedSince { .. } => "edited_since",
            Self::AttributesNeeded { .. } => "attributes_needed",
            Self::FileRemoved { .. } => "target_removed",
            Self::CreateUndone { .. } => "create_undone",
            Self::RenamedSince { .. } => "overwritten",
        }
    }

    /// Says whether something was left as it is. Else it was undone, but something else keeps that from showing.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::PathTaken { .. } | Self::EditedSince { .. } | Self::AttributesNeeded { .. }
        )
    }
}

impl CodeWeaveError {
    /// Returns the stable code, in snake case.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Weave(error) => error.code(),
            Self::Refused { rule, .. } => rule.code(),
        }
    }
}
