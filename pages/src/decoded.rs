//! Events with their payloads decoded, as rebase and undo go over them.

use recto_projections::rebase::{Committed, Nature};
use recto_projections::{Delta, Kind};

use crate::error::ReadError;
use crate::event::{EventFlags, EventKind, PageEvent};

/// An event, decoded.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub version: u64,
    pub delta: Delta,
    pub inverse: Delta,
    pub forced: bool,
    actor: String,
    turn: Option<String>,
    nature: Nature,
    undoes: Option<u64>,
    /// About how many bytes of memory it takes.
    weight: usize,
}

/// What a decoded payload takes in memory, against its bytes as stored.
const SPREAD: usize = 4;

impl Decoded {
    /// Decodes an event of a page of this kind. One without a delta has an empty one.
    pub(crate) fn read(event: &PageEvent, kind: Kind) -> Result<Self, ReadError> {
        let what = event.kind()?;
        Ok(Self {
            version: event.version(),
            delta: event.delta()?.unwrap_or_else(|| Delta::empty(kind)),
            inverse: event.inverse()?.unwrap_or_else(|| Delta::empty(kind)),
            forced: event.flags().has(EventFlags::FORCED),
            actor: event.event.actor.clone(),
            turn: event.event.turn.clone(),
            nature: match what {
                EventKind::Restore => Nature::Restore,
                EventKind::Rebalance => Nature::Rebalance,
                _ => Nature::Edit,
            },
            weight: size_of::<Self>() + SPREAD * (event.event.delta.len() + event.event.inverse.len()),
            undoes: event
                .cause()
                .filter(|_| matches!(what, EventKind::Undo | EventKind::Redo)),
        })
    }

    pub(crate) fn read_all(events: &[PageEvent], kind: Kind) -> Result<Vec<Self>, ReadError> {
        events.iter().map(|event| Self::read(event, kind)).collect()
    }

    /// The versions that the event takes back.
    pub(crate) fn undoes(&self) -> &[u64] {
        self.undoes.as_slice()
    }

    /// The versions that the event takes back in a history that begins at a version. A compensation of something older
    /// is an edit there: what it is of can no longer be told apart, and is not asked for.
    pub(crate) fn undoes_since(&self, first: u64) -> &[u64] {
        match self.undoes {
            Some(of) if of < first => &[],
            _ => self.undoes(),
        }
    }

    /// Who made the event.
    pub(crate) fn actor(&self) -> &str {
        &self.actor
    }

    /// The turn that it belongs to.
    pub(crate) fn turn(&self) -> Option<&str> {
        self.turn.as_deref()
    }

    pub(crate) fn weight(&self) -> usize {
        self.weight
    }

    pub(crate) fn committed(&self) -> Committed<'_> {
        Committed {
            version: self.version,
            actor: &self.actor,
            delta: &self.delta,
            inverse: &self.inverse,
            nature: self.nature,
            undoes: self.undoes(),
        }
    }
}

/// How many bytes of payload events hold.
pub(crate) fn payload_bytes(events: &[PageEvent]) -> usize {
    events
        .iter()
        .map(|event| event.event.delta.len() + event.event.inverse.len())
        .sum()
}
