//! Bases: whether a write was made from the head, from an earlier version, or from none that was.

use recto_projections::rebase::Conflict;
use recto_store::{Limit, PageKey};

use crate::cache::Loaded;
use crate::error::{Missed, ReadError, WriteError};
use crate::event::PageEvent;
use crate::head::{Base, HeadInfo};
use crate::service::Pages;

/// The most missed events that a refusal carries, however small they are.
const MISSED_EVENTS_MAX: usize = 1000;

/// What the writer of a stale write needs to try again.
#[derive(Debug)]
pub struct Stale {
    /// The version the write was made from.
    pub base: Base,
    /// Where the page stands.
    pub head: HeadInfo,
    /// What was committed since.
    pub missed: Missed,
    /// What stands in the way of a rebase, where one was tried.
    pub conflicts: Vec<Conflict>,
    /// Whether the write could be rebased.
    pub rebase: Rebasable,
}

/// Whether a stale write could be brought to the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rebasable {
    /// It could: send it again and ask for that.
    Yes,
    /// Conflicts stand in the way.
    Conflicts,
    /// Too much was committed since.
    TooFar,
    /// Writes of this sort are never rebased, and none is over a deletion of the page.
    Never,
}

impl Pages {
    /// The base must be the head: older is stale, and anything else never was.
    pub(crate) async fn check_base(&self, page: &PageKey, on: &Loaded, base: Base) -> Result<(), WriteError> {
        if self.is_head(page, on, base).await? {
            return Ok(());
        }
        Err(self.stale(page, on, base, Vec::new(), Rebasable::Never).await?)
    }

    /// Whether a base is the head; false where it is older.
    ///
    /// # Errors
    /// [`WriteError::BaseUnknown`] for a base that never was.
    pub(crate) async fn is_head(&self, page: &PageKey, on: &Loaded, base: Base) -> Result<bool, WriteError> {
        let head = on.head;
        if base == head.base() {
            return Ok(true);
        }
        let known = base.version >= 1
            && base.version < head.version
            && self.event_at(page, base.version).await?.event.epoch == base.epoch;
        if known {
            Ok(false)
        } else {
            Err(WriteError::BaseUnknown { base, head })
        }
    }

    /// The refusal of a stale write, with all that its writer needs to try again.
    pub(crate) async fn stale(
        &self,
        page: &PageKey,
        on: &Loaded,
        base: Base,
        conflicts: Vec<Conflict>,
        rebase: Rebasable,
    ) -> Result<WriteError, ReadError> {
        let head = on.head;
        let missed = self.missed(page, base.version, head.version).await?;
        metrics::counter!("recto_conflicts_total", "kind" => "stale").increment(1);
        for conflict in &conflicts {
            metrics::counter!("recto_conflicts_total", "kind" => conflict.kind.code()).increment(1);
        }
        Ok(WriteError::Stale(Box::new(Stale {
            base,
            head,
            missed,
            conflicts,
            rebase,
        })))
    }

    /// The events after a base, as many as a refusal may carry, and at least where to go on.
    async fn missed(&self, page: &PageKey, base: u64, head: u64) -> Result<Missed, ReadError> {
        let mut room = self.settings().missed_bytes_max;
        let mut missed = Missed::default();
        let limit = Limit {
            entries: MISSED_EVENTS_MAX,
            bytes: room,
        };
        for event in self.store().events(page, base, limit).await? {
            let event = PageEvent::new(page, event);
            let bytes = event.event.delta.len() + event.event.inverse.len();
            if bytes > room {
                break;
            }
            room -= bytes;
            missed.events.push(event);
        }
        let reached = missed.events.last().map_or(base, PageEvent::version);
        missed.more_after = (reached < head).then_some(reached);
        Ok(missed)
    }
}
