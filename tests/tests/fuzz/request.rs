//! Requests to the service, which can be sent again, and what their answers hold.

use bytes::Bytes;
use recto_pages::projections::{Digest, Json};
use recto_pages::{
    Base, CreatePage, Operation, Pages, Preview, ReplaceValue, Report, RestorePage, SetDeleted, SubmitDeltas, UndoPage,
    WriteError, Written,
};

/// A command.
#[derive(Clone, Debug)]
pub(crate) enum Request {
    Create(CreatePage),
    Submit(SubmitDeltas),
    Replace(ReplaceValue),
    SetDeleted(SetDeleted),
    Undo(UndoPage),
    Restore(RestorePage),
}

/// What stays the same at every sending of a command.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    pub operation: Operation,
    pub version: u64,
    pub epoch: u64,
    pub time_ms: i64,
    pub hash: [u8; 32],
    pub events: Vec<Bare>,
    pub report: Report,
}

/// An event without what depends on the clock.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bare {
    pub version: u64,
    pub kind: u8,
    pub cause: Option<u64>,
    pub flags: u32,
    pub delta: Bytes,
    pub inverse: Bytes,
    pub digest: [u8; 32],
}

impl Request {
    pub(crate) async fn send(&self, pages: &Pages) -> Result<Written, WriteError> {
        match self.clone() {
            Self::Create(create) => pages.create(create).await,
            Self::Submit(submit) => pages.submit(submit).await,
            Self::Replace(replace) => pages.replace(replace).await,
            Self::SetDeleted(set) => pages.set_deleted(set).await,
            Self::Undo(undo) => pages.undo(undo).await,
            Self::Restore(restore) => pages.restore(restore).await,
        }
    }

    /// What the command would do, where the service can say so.
    pub(crate) async fn preview(&self, pages: &Pages) -> Option<Result<Preview, WriteError>> {
        match self.clone() {
            Self::Undo(undo) => Some(pages.preview_undo(undo).await),
            Self::Restore(restore) => Some(pages.preview_restore(restore).await),
            _ => None,
        }
    }

    /// The same command as its sender would send it from another base.
    pub(crate) fn rebased(&self, other: Base) -> Self {
        let mut again = self.clone();
        match &mut again {
            Self::Create(_) => {}
            Self::Submit(SubmitDeltas { base, .. })
            | Self::Replace(ReplaceValue { base, .. })
            | Self::SetDeleted(SetDeleted { base, .. })
            | Self::Undo(UndoPage { base, .. })
            | Self::Restore(RestorePage { base, .. }) => *base = other,
        }
        again
    }

    /// One line that tells all that matters.
    pub(crate) fn line(&self) -> String {
        let at = |base: &Base| format!("base {}.{}", base.version, base.epoch);
        match self {
            Self::Create(create) => format!("create {} {}", create.kind, create.value.to_json()),
            Self::Submit(submit) => {
                let deltas: Vec<Json> = submit
                    .deltas
                    .iter()
                    .map(recto_pages::projections::Delta::to_json)
                    .collect();
                let deltas = Json::Array(deltas);
                let (who, turn) = (&submit.caller.actor, &submit.caller.turn);
                format!(
                    "{who} {turn:?} {} submit {:?} {deltas}",
                    at(&submit.base),
                    submit.options
                )
            }
            Self::Replace(replace) => {
                format!(
                    "{} {} replace {}",
                    replace.caller.actor,
                    at(&replace.base),
                    replace.value
                )
            }
            Self::SetDeleted(set) => format!("{} {} deleted={}", set.caller.actor, at(&set.base), set.deleted),
            Self::Undo(undo) => {
                let verb = if undo.redo { "redo" } else { "undo" };
                let (policy, force) = (undo.policy, undo.force);
                let who = &undo.caller.actor;
                format!(
                    "{who} {} {verb} {:?} {policy:?} force={force}",
                    at(&undo.base),
                    undo.target
                )
            }
            Self::Restore(restore) => {
                format!(
                    "{} {} restore {}",
                    restore.caller.actor,
                    at(&restore.base),
                    restore.version
                )
            }
        }
    }
}

impl Answer {
    pub(crate) fn of(written: &Written) -> Self {
        let bare = |event: &recto_pages::PageEvent| {
            let event = &event.event;
            Bare {
                version: event.version,
                kind: event.kind,
                cause: event.cause.map(|cause| cause.version),
                flags: event.flags,
                delta: event.delta.clone(),
                inverse: event.inverse.clone(),
                digest: event.digest,
            }
        };
        Self {
            operation: written.operation,
            version: written.version,
            epoch: written.epoch,
            time_ms: written.time_ms,
            hash: written.hash,
            events: written.events.iter().map(bare).collect(),
            report: written.report.clone(),
        }
    }

    /// The digest of the state after it, if it made an event.
    pub(crate) fn digest(&self) -> Option<Digest> {
        self.events.last().map(|event| Digest::from_bytes(event.digest))
    }
}
