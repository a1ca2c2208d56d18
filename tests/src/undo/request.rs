//! Any request to the service, to be sent any number of times.

use recto_pages::{Pages, Preview, ReplaceValue, RestorePage, SetDeleted, SubmitDeltas, UndoPage, WriteError, Written};

/// A request.
#[derive(Clone, Debug)]
pub enum Request {
    /// Deltas.
    Submit(SubmitDeltas),
    /// A whole value.
    Replace(ReplaceValue),
    /// The page goes or comes back.
    SetDeleted(SetDeleted),
    /// An undo or a redo.
    Undo(UndoPage),
    /// A restore.
    Restore(RestorePage),
}

impl Request {
    /// Sends it.
    ///
    /// # Errors
    /// Those of the service.
    pub async fn send(self, pages: &Pages) -> Result<Written, WriteError> {
        match self {
            Self::Submit(submit) => pages.submit(submit).await,
            Self::Replace(replace) => pages.replace(replace).await,
            Self::SetDeleted(set) => pages.set_deleted(set).await,
            Self::Undo(undo) => pages.undo(undo).await,
            Self::Restore(restore) => pages.restore(restore).await,
        }
    }

    /// Asks what it would do; `None` where that cannot be asked.
    pub async fn preview(self, pages: &Pages) -> Option<Result<Preview, WriteError>> {
        match self {
            Self::Undo(undo) => Some(pages.preview_undo(undo).await),
            Self::Restore(restore) => Some(pages.preview_restore(restore).await),
            Self::Submit(_) | Self::Replace(_) | Self::SetDeleted(_) => None,
        }
    }

    /// Who sends it.
    pub fn actor(&self) -> String {
        let caller = match self {
            Self::Submit(submit) => &submit.caller,
            Self::Replace(replace) => &replace.caller,
            Self::SetDeleted(set) => &set.caller,
            Self::Undo(undo) => &undo.caller,
            Self::Restore(restore) => &restore.caller,
        };
        caller.actor.to_string()
    }
}
