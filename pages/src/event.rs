//! An event of a page, and what its bytes mean.

use std::sync::Arc;

use recto_projections::manager::{Deed, Header};
use recto_projections::{Delta, Digest};
use recto_store::{Event, PageKey};

use crate::actor::{Actor, ActorKind};
use crate::error::ReadError;

/// The version of the payloads that this build writes into events.
pub(crate) const PAYLOAD_SCHEMA: u16 = 1;

/// What an event did to its page. The codes are stored; none is ever used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The page came to be. The delta leads from the empty value of its kind.
    Create,
    /// A delta was applied.
    Edit,
    /// The page was hidden. No delta.
    Delete,
    /// The page came back. No delta.
    Undelete,
    /// Order keys that had grown long were made short. By the system; not undoable.
    Rebalance,
    /// An event was taken back: the cause.
    Undo,
    /// An undo was taken back: the cause.
    Redo,
    /// The page went back to an earlier version: the cause. It raises the epoch.
    Restore,
    /// What an agent did, in the stream of a chat. No delta.
    Trajectory,
}

/// What an event carries beside its payload, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventFlags(u32);

impl EventFlags {
    /// No flag.
    pub const NONE: Self = Self(0);
    /// A compensation that took away what others had changed since. To replay it needs the same.
    pub const FORCED: Self = Self(1);
    /// An edit that `undo` does not take back.
    pub const NOT_UNDOABLE: Self = Self(2);

    /// The stored bits.
    #[must_use]
    pub fn bits(self) -> u32 {
        self.0
    }

    /// Whether all flags of another set are in this one.
    #[must_use]
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl EventKind {
    const ALL: [Self; 9] = [
        Self::Create,
        Self::Edit,
        Self::Delete,
        Self::Undelete,
        Self::Rebalance,
        Self::Undo,
        Self::Redo,
        Self::Restore,
        Self::Trajectory,
    ];

    /// The stored code.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Create => 1,
            Self::Edit => 2,
            Self::Delete => 3,
            Self::Undelete => 4,
            Self::Rebalance => 5,
            Self::Undo => 6,
            Self::Redo => 7,
            Self::Restore => 8,
            Self::Trajectory => 16,
        }
    }

    /// The kind of a stored code; `None` for one that this build does not know.
    #[must_use]
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }

    /// The name in answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Edit => "edit",
            Self::Delete => "delete",
            Self::Undelete => "undelete",
            Self::Rebalance => "rebalance",
            Self::Undo => "undo",
            Self::Redo => "redo",
            Self::Restore => "restore",
            Self::Trajectory => "trajectory",
        }
    }

    /// Whether an undo, or the redo of one, can ever take such an event back.
    #[must_use]
    pub fn is_undoable(self) -> bool {
        matches!(self, Self::Edit | Self::Undo | Self::Redo | Self::Restore)
    }

    /// Whether events of this kind carry a delta and its inverse.
    #[must_use]
    pub fn has_delta(self) -> bool {
        !matches!(self, Self::Delete | Self::Undelete | Self::Trajectory)
    }
}

/// An event with the page it belongs to. Its payload is decoded when somebody asks.
#[derive(Clone, Debug)]
pub struct PageEvent {
    /// The page.
    pub page: PageKey,
    /// The event as stored.
    pub event: Arc<Event>,
}

impl PageEvent {
    /// An event of a page.
    #[must_use]
    pub fn new(page: &PageKey, event: Event) -> Self {
        Self {
            page: page.clone(),
            event: Arc::new(event),
        }
    }

    /// The page's version that this event made.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.event.version
    }

    /// The version that an undo or redo takes back; none for other events.
    ///
    /// # Errors
    /// [`ReadError::Corrupt`] for a kind that this build does not know.
    pub(crate) fn undoes(&self) -> Result<Option<u64>, ReadError> {
        let takes_back = matches!(self.kind()?, EventKind::Undo | EventKind::Redo);
        Ok(self.cause().filter(|_| takes_back))
    }

    /// What the event did.
    ///
    /// # Errors
    /// [`ReadError::Corrupt`] for a code that this build does not know.
    pub fn kind(&self) -> Result<EventKind, ReadError> {
        EventKind::from_code(self.event.kind).ok_or_else(|| ReadError::Corrupt {
            version: self.event.version,
            what: format!("event kind {} is not known to this version of Recto", self.event.kind),
        })
    }

    /// The version that a compensation takes back, or that a restore goes back to.
    #[must_use]
    pub fn cause(&self) -> Option<u64> {
        self.event.cause.map(|cause| cause.version)
    }

    /// What the event carries beside its payload.
    #[must_use]
    pub fn flags(&self) -> EventFlags {
        EventFlags(self.event.flags)
    }

    /// Whether an undo, or the redo of one, can ever take the event back.
    #[must_use]
    pub fn is_undoable(&self) -> bool {
        self.kind().is_ok_and(EventKind::is_undoable) && !self.flags().has(EventFlags::NOT_UNDOABLE)
    }

    /// The event as the HistoryManager sees it.
    #[must_use]
    pub fn header(&self) -> Header<'_> {
        let event = &*self.event;
        Header {
            version: event.version,
            actor: &event.actor,
            turn: event.turn.as_deref(),
            command: event.command.as_str(),
            deed: self.deed(),
        }
    }

    fn deed(&self) -> Deed {
        let by_system = || {
            self.event
                .actor
                .parse::<Actor>()
                .is_ok_and(|actor| actor.kind() == ActorKind::System)
        };
        match (self.kind(), self.cause()) {
            (Ok(EventKind::Undo), Some(of)) => Deed::Undo { of },
            (Ok(EventKind::Redo), Some(of)) => Deed::Redo { of },
            (Ok(EventKind::Edit | EventKind::Restore), _) if self.is_undoable() && !by_system() => Deed::Edit,
            _ => Deed::Other,
        }
    }

    /// The delta; `None` where the kind of event has none.
    ///
    /// # Errors
    /// [`ReadError::Corrupt`] where the bytes do not decode.
    pub fn delta(&self) -> Result<Option<Delta>, ReadError> {
        self.decode(&self.event.delta)
    }

    /// The inverse of the delta; `None` where the kind of event has none.
    ///
    /// # Errors
    /// [`ReadError::Corrupt`] where the bytes do not decode.
    pub fn inverse(&self) -> Result<Option<Delta>, ReadError> {
        self.decode(&self.event.inverse)
    }

    /// The digest of the state that this event made.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::from_bytes(self.event.digest)
    }

    fn decode(&self, bytes: &[u8]) -> Result<Option<Delta>, ReadError> {
        if !self.kind()?.has_delta() {
            return Ok(None);
        }
        Delta::from_bytes(bytes)
            .map(Some)
            .map_err(|fault| ReadError::undecodable(self.event.version, &fault))
    }
}
