//! An event of a page, and what its bytes mean.

use std::sync::Arc;

use recto_projections::{Delta, Digest};
use recto_store::{Event, PageKey};

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
}

impl EventKind {
    /// The stored code.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Create => 1,
            Self::Edit => 2,
            Self::Delete => 3,
            Self::Undelete => 4,
            Self::Rebalance => 5,
        }
    }

    /// The kind of a stored code; `None` for one that this build does not know.
    #[must_use]
    pub fn from_code(code: u8) -> Option<Self> {
        [Self::Create, Self::Edit, Self::Delete, Self::Undelete, Self::Rebalance]
            .into_iter()
            .find(|kind| kind.code() == code)
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
        }
    }

    /// Whether `undo` can ever take such an event back.
    #[must_use]
    pub fn is_undoable(self) -> bool {
        matches!(self, Self::Edit)
    }

    /// Whether events of this kind carry a delta and its inverse.
    #[must_use]
    pub fn has_delta(self) -> bool {
        !matches!(self, Self::Delete | Self::Undelete)
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
    pub(crate) fn new(page: &PageKey, event: Event) -> Self {
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
