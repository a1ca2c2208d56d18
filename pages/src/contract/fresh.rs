//! The token for the next write after this one: the same page or window, at the new version, without what others changed
//! in between, for that was not read. It follows from the token, the stream and the answer alone, so a retry gets it too.

use recto_projections::Delta;
use recto_projections::design::DesignOp;
use recto_store::PageKey;

use super::Completeness;
use super::since::{Own, Since, node_of};
use super::token::{ReadToken, TOKEN_NODES_MAX, lineage_of};
use crate::answer::Written;
use crate::decoded::Decoded;
use crate::error::{ReadError, WriteError};
use crate::event::{EventKind, PageEvent};
use crate::head::Base;
use crate::rebase::{REBASE_BYTES_MAX, hides};
use crate::service::Pages;

impl Pages {
    /// Makes the token, sealed; nothing where the page has to be read again.
    pub(super) async fn token_after(
        &self,
        token: &ReadToken,
        written: &Written,
        own: &Own,
    ) -> Result<Option<String>, WriteError> {
        if token.base.version >= written.version {
            // A retry came with a newer token, or nothing changed.
            return Ok(Some(self.seal(token).await?));
        }
        let mut next = token.clone();
        next.base = Base {
            version: written.version,
            epoch: written.epoch,
        };
        next.lineage = lineage_of(&written.hash);
        let first = written.events.first().map_or(written.version + 1, PageEvent::version);
        if first > token.base.version + 1
            && !self
                .forget_foreign(&mut next, token.base.version, first, written, own)
                .await?
        {
            return Ok(None);
        }
        if next.completeness == Completeness::Window {
            for event in &written.events {
                follow(&mut next, event)?;
            }
        }
        if next.nodes.len() > TOKEN_NODES_MAX {
            return Ok(None);
        }
        Ok(Some(self.seal(&next).await?))
    }

    /// Takes out of a window what others changed between two versions; false where it is not a window, or more happened
    /// than is looked at.
    async fn forget_foreign(
        &self,
        next: &mut ReadToken,
        after: u64,
        before: u64,
        written: &Written,
        own: &Own,
    ) -> Result<bool, ReadError> {
        let page: &PageKey = &written.page;
        if next.completeness == Completeness::Full || before - after > self.settings().rebase_events_max {
            return Ok(false);
        }
        let Some(events) = self
            .events_within(page, after + 1..=before - 1, REBASE_BYTES_MAX)
            .await?
        else {
            return Ok(false);
        };
        let restores = |event: &PageEvent| matches!(event.kind(), Ok(EventKind::Restore));
        if events.iter().any(|event| hides(event) || restores(event)) {
            return Ok(false);
        }
        let made = |event: &&PageEvent| own.made(&event.event.actor, event.event.turn.as_deref());
        for event in events.iter().filter(made) {
            follow(next, event)?;
        }
        // Making order keys short again changes no node.
        let events = events
            .into_iter()
            .filter(|event| !matches!(event.kind(), Ok(EventKind::Rebalance)));
        let events: Vec<PageEvent> = events.collect();
        let since = Since::new(Decoded::read_all(&events, written.kind)?, own);
        since.foreign().for_each(|id| next.nodes.remove(id));
        Ok(true)
    }
}

/// Takes in what an event of the agent's own added and removed.
fn follow(next: &mut ReadToken, event: &PageEvent) -> Result<(), ReadError> {
    if matches!(event.kind()?, EventKind::Rebalance) {
        return Ok(());
    }
    let Some(Delta::Design(ops)) = event.delta()? else {
        return Ok(());
    };
    for op in &ops {
        match (op, node_of(op)) {
            (DesignOp::AddNode { .. }, Some(id)) => next.nodes.add(id),
            (DesignOp::RemoveNode { .. }, Some(id)) => next.nodes.remove(id),
            _ => {}
        }
    }
    Ok(())
}
