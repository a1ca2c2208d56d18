//! Bringing deltas that were made from an earlier version to the head.

use std::sync::Arc;

use recto_projections::rebase::{Conflict, Options, Rebased, rebase_all};
use recto_projections::{Delta, Kind};
use recto_store::PageKey;

use crate::cache::Loaded;
use crate::decoded::{Decoded, payload_bytes};
use crate::error::ReadError;
use crate::event::{EventKind, PageEvent};
use crate::head::Base;
use crate::service::Pages;
use crate::submit::SubmitOptions;

/// The most bytes of events that a rebase goes over.
pub(crate) const REBASE_BYTES_MAX: usize = 64 * 1024 * 1024;

/// What came of a rebase.
pub(crate) enum Rebasing {
    /// Each delta applies to what the one before it leaves, the first one to the head.
    Done(Vec<Rebased>),
    /// Nothing is accepted.
    Conflicts(Vec<Conflict>),
    /// More was committed since than the settings allow to go over.
    TooFar,
    /// The page was deleted since: what was made before that does not pass.
    DeletedSince,
}

impl Pages {
    pub(crate) async fn rebase(
        &self,
        page: &PageKey,
        base: Base,
        on: &Arc<Loaded>,
        deltas: &Arc<Vec<Delta>>,
        options: SubmitOptions,
    ) -> Result<Rebasing, ReadError> {
        if on.head.version - base.version > self.settings().rebase_events_max {
            return Ok(Rebasing::TooFar);
        }
        // A sheet is never rebased: what was committed since need not be looked at.
        let versions = match on.meta.kind {
            Kind::Sheet => on.head.version..=on.head.version,
            _ => base.version + 1..=on.head.version,
        };
        let Some(events) = self.events_within(page, versions, REBASE_BYTES_MAX).await? else {
            return Ok(Rebasing::TooFar);
        };
        if events.iter().any(hides) {
            return Ok(Rebasing::DeletedSince);
        }
        let (on, deltas) = (Arc::clone(on), Arc::clone(deltas));
        self.compute(payload_bytes(&events), move || {
            let over = Decoded::read_all(&events, on.meta.kind)?;
            let over: Vec<_> = over.iter().map(Decoded::committed).collect();
            let options = Options {
                on_overwrite: options.on_overwrite,
                force: options.force,
                ..Options::default()
            };
            Ok(match rebase_all(&deltas, &over, &on.value, &options) {
                Ok(rebased) => Rebasing::Done(rebased),
                Err(conflicts) => Rebasing::Conflicts(conflicts),
            })
        })
        .await?
    }
}

/// Whether an event deleted the page or brought it back: nothing made before it passes unseen.
pub(crate) fn hides(event: &PageEvent) -> bool {
    matches!(event.kind(), Ok(EventKind::Delete | EventKind::Undelete))
}
