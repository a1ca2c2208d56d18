//! What a write or a read can be refused with. Each variant says what its caller can do.

use recto_projections::{ApplyError, CodecError, DiffError, Invalid, Kind};
use recto_store::{Id, Place, ReadError as StoreReadError};

use crate::contract::ContractRefusal;
use crate::event::PageEvent;
use crate::head::{Base, HeadInfo};
use crate::stale::Stale;
use crate::undo::UndoRefusal;

/// Why a command changed nothing. In every case but [`WriteError::OutcomeUnknown`] the
/// bytes on disk are as they were.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// No such page in this workspace.
    #[error("there is no page {page:?} in this workspace; create it first")]
    PageNotFound {
        /// The id that was asked for.
        page: String,
    },
    /// The page is deleted; its history is kept.
    #[error("page {page:?} was deleted at version {}; undelete it to write to it again", head.version)]
    PageDeleted {
        /// The page.
        page: String,
        /// Where its stream stands.
        head: HeadInfo,
    },
    /// The id is kept for what is no page.
    #[error("no page is called {page:?}: such names are those of chats; choose another id")]
    NameOfAChat {
        /// The id.
        page: String,
    },
    /// Another page has this id already.
    #[error("page {page:?} exists already, made otherwise; read it, or choose another id")]
    PageExists {
        /// The page.
        page: String,
        /// Where its stream stands.
        head: HeadInfo,
    },
    /// The page has another kind than the write is for.
    #[error("page {page:?} is of kind {actual}, and the write is for {given}")]
    WrongKind {
        /// The page.
        page: String,
        /// The kind of the page.
        actual: Kind,
        /// The kind of the write.
        given: Kind,
    },
    /// The base is a version that never was.
    #[error("version {}.{} of this page never was; its head is {}.{}: read the page again", base.version, base.epoch, head.version, head.epoch)]
    BaseUnknown {
        /// The base as given.
        base: Base,
        /// Where the stream stands.
        head: HeadInfo,
    },
    /// The write was made from a stale read.
    #[error("the write was made from version {}, and the page is at version {}: apply the missed events, and send it again from there", .0.base.version, .0.head.version)]
    Stale(Box<Stale>),
    /// An agent may not write to a page of this kind.
    #[error("a {kind} page is not writable by an agent")]
    NotForAgents {
        /// The kind of the page.
        kind: Kind,
    },
    /// A delta breaks a rule.
    #[error("delta {delta}: {fault}")]
    Illegal {
        /// Which delta of the request, from 0.
        delta: usize,
        /// The operation, the place and the rule.
        fault: ApplyError,
    },
    /// A reference that nobody else can follow.
    #[error("delta {delta}: `{field}` begins with {scheme:?}; upload the file, and name its asset")]
    TemporaryReference {
        /// Which delta of the request, from 0.
        delta: usize,
        /// The field in which it stands.
        field: String,
        /// What it begins with.
        scheme: &'static str,
    },
    /// The JSON is no value of the page's kind.
    #[error(transparent)]
    Invalid(Invalid),
    /// The new value differs from the old one in more than one delta can hold.
    #[error(transparent)]
    NoDiff(#[from] DiffError),
    /// The command id was used for another request.
    #[error("command id {command} was used for another request; send a new id with a new request")]
    CommandIdReused {
        /// The command id.
        command: Id,
    },
    /// A request without a delta.
    #[error("a write holds at least one delta")]
    Empty,
    /// More than a limit allows.
    #[error("{what} is limited to {limit}, and this is {got}; send less at a time")]
    TooLarge {
        /// What is limited, with its unit.
        what: String,
        /// The limit.
        limit: u64,
        /// What was sent.
        got: u64,
    },
    /// The inverse of a delta did not lead back. A fault of Recto: nothing was appended.
    #[error(
        "the inverse of delta {delta} does not lead back to the state before it; nothing was written: please report this"
    )]
    InverseBroken {
        /// Which delta of the request, from 0.
        delta: usize,
    },
    /// A delta cannot be encoded.
    #[error("a delta is larger than an event can be: {fault}; send it in parts")]
    Unencodable {
        /// What the encoder says.
        fault: CodecError,
    },
    /// The commit may or may not have happened.
    #[error(
        "whether command {command} was written is not known; ask for its outcome, or send it again with the same id"
    )]
    OutcomeUnknown {
        /// The command id.
        command: Id,
    },
    /// Surely not written; the same request may pass later.
    #[error("the store does not take writes now: {reason}; try again later with the same command id")]
    Unavailable {
        /// Why.
        reason: String,
    },
    /// There is nothing that the undo or redo could take back as asked.
    #[error(transparent)]
    Undo(#[from] UndoRefusal),
    /// What was read, or what was written, is against the contract.
    #[error(transparent)]
    Contract(Box<ContractRefusal>),
    /// Reading what the write builds on failed.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// The events between a base and the head, up to a size.
#[derive(Debug, Default)]
pub struct Missed {
    /// The first of them, in order.
    pub events: Vec<PageEvent>,
    /// Where to go on reading, where they did not fit.
    pub more_after: Option<u64>,
}

/// Why a read has no answer.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// No such page in this workspace.
    #[error("there is no page {page:?} in this workspace")]
    PageNotFound {
        /// The id that was asked for.
        page: String,
    },
    /// The page is deleted; its history is kept.
    #[error("page {page:?} was deleted at version {}; its history can still be read", head.version)]
    PageDeleted {
        /// The page.
        page: String,
        /// Where its stream stands.
        head: HeadInfo,
    },
    /// The page has no such version.
    #[error("page has versions 1 to {head}; version {version} is not one of them")]
    NoSuchVersion {
        /// The version asked for.
        version: u64,
        /// The newest version.
        head: u64,
    },
    /// The page did not exist at that time.
    #[error("the page did not exist yet at that time; its first version is of {first_ms} ms")]
    BeforeFirst {
        /// The time of version 1, in ms since 1970.
        first_ms: i64,
    },
    /// No receipt with this command id.
    #[error(
        "no command {command} is recorded in this workspace: it was never sent here, or it was refused and left nothing"
    )]
    CommandNotFound {
        /// The command id.
        command: Id,
    },
    /// The command id was used on several pages.
    #[error("command {command} is recorded for several pages; name one of them")]
    CommandAmbiguous {
        /// The command id.
        command: Id,
        /// The pages.
        pages: Vec<String>,
    },
    /// What is stored is not what was written.
    #[error("stored bytes are damaged at version {version}: {what}; run verify on this page")]
    Corrupt {
        /// The version at fault.
        version: u64,
        /// What is wrong with it.
        what: String,
    },
    /// The page holds no such thing at that version.
    #[error("{what}: a {kind} page has none such at version {version}")]
    NothingThere {
        /// What was asked for.
        what: String,
        /// The version.
        version: u64,
        /// The kind of the page.
        kind: Kind,
    },
    /// Two states differ in more than one delta can hold.
    #[error("the difference cannot be told as one delta: {fault}; compare versions that are closer")]
    NoDiff {
        /// Why.
        fault: DiffError,
    },
    /// The store does not answer now.
    #[error("the store cannot be read now: {reason}")]
    Unavailable {
        /// Why.
        reason: String,
    },
}

impl From<ContractRefusal> for WriteError {
    fn from(refusal: ContractRefusal) -> Self {
        Self::Contract(Box::new(refusal))
    }
}

impl From<StoreReadError> for ReadError {
    fn from(fault: StoreReadError) -> Self {
        match &fault {
            StoreReadError::Corrupt { at, .. } => Self::Corrupt {
                version: version_of(at),
                what: fault.to_string(),
            },
            StoreReadError::Unavailable(reason) => Self::Unavailable {
                reason: reason.to_string(),
            },
        }
    }
}

/// The version that a place of the store belongs to; 0 where it belongs to none.
fn version_of(place: &Place) -> u64 {
    match place {
        Place::Event { version, .. } | Place::Snapshot { version, .. } => *version,
        _ => 0,
    }
}

impl ReadError {
    pub(crate) fn undecodable(version: u64, fault: &CodecError) -> Self {
        Self::Corrupt {
            version,
            what: fault.to_string(),
        }
    }
}
