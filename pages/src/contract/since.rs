//! What others did since a page was read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use recto_projections::design::{DesignOp, Id};
use recto_projections::words::describe;
use recto_projections::{Delta, Json, Value};
use recto_store::PageKey;
use serde_json::json;

use super::refusal::ContractRefusal;
use crate::actor::Caller;
use crate::cache::Loaded;
use crate::decoded::{Decoded, payload_bytes};
use crate::error::{ReadError, WriteError};
use crate::event::{EventKind, PageEvent};
use crate::head::Base;
use crate::load::Way;
use crate::rebase::{REBASE_BYTES_MAX, hides};
use crate::service::Pages;
use crate::stale::Rebasable;

/// The most sentences about one node.
const NODE_WORDS_MAX: usize = 5;

/// The events since a read, decoded.
pub(super) struct Since {
    pub events: Vec<Decoded>,
    /// The indexes of the events of others, by node.
    foreign: BTreeMap<Id, Vec<usize>>,
}

/// Whose events are not somebody else's: those of the same actor in the same turn. A name alone does not tell two
/// sessions apart, and what another session did was not read.
#[derive(Clone, Debug)]
pub(super) struct Own {
    actor: String,
    turn: Option<String>,
}

/// The events since a read, or why a merge does not go over them.
pub(super) enum Between {
    Events(Since),
    Barred(Rebasable),
}

impl Own {
    pub(super) fn of(caller: &Caller) -> Self {
        Self {
            actor: caller.actor.to_string(),
            turn: caller.turn.as_ref().map(ToString::to_string),
        }
    }

    pub(super) fn made(&self, actor: &str, turn: Option<&str>) -> bool {
        self.turn.is_some() && self.turn.as_deref() == turn && self.actor == actor
    }
}

impl Since {
    /// Takes the events of a DESIGN page, and tells those of `own` from the others.
    pub(super) fn new(events: Vec<Decoded>, own: &Own) -> Self {
        let mut foreign: BTreeMap<Id, Vec<usize>> = BTreeMap::new();
        let of_others = |(_, event): &(usize, &Decoded)| !own.made(event.actor(), event.turn());
        for (index, event) in events.iter().enumerate().filter(of_others) {
            for id in touched(&event.delta) {
                let touches = foreign.entry(id.clone()).or_default();
                if touches.last() != Some(&index) {
                    touches.push(index);
                }
            }
        }
        Self { events, foreign }
    }

    /// The nodes that others touched.
    pub(super) fn foreign(&self) -> impl Iterator<Item = &Id> {
        self.foreign.keys()
    }

    /// Whether others touched a node.
    pub(super) fn is_foreign(&self, id: &str) -> bool {
        self.foreign.contains_key(id)
    }

    /// Says of a node what others did to it: the newest event, and all of them in words.
    pub(super) fn tell(&self, id: &str, base: &Value, now: &Value) -> Json {
        let events = self.foreign.get(id).into_iter().flatten();
        let events: Vec<&Decoded> = events.filter_map(|index| self.events.get(*index)).collect();
        let words = events.iter().flat_map(|event| describe(&only(&event.delta, id), base));
        let words: Vec<String> = words.take(NODE_WORDS_MAX).collect();
        let there = |value: &Value| matches!(value, Value::Design(design) if design.node(id).is_some());
        let change = match (there(base), there(now)) {
            (true, false) => "removed",
            (false, true) => "added",
            _ => "edited",
        };
        let newest = events.last();
        json!({
            "node": id,
            "code": change,
            "detail": words.join("; "),
            "version": newest.map(|event| event.version),
            "actor": newest.map(|event| event.actor()),
        })
    }
}

impl Pages {
    /// The events since a base, for a merge.
    pub(super) async fn since(
        &self,
        page: &PageKey,
        base: Base,
        on: &Arc<Loaded>,
        own: &Own,
    ) -> Result<Between, ReadError> {
        if on.head.version.saturating_sub(base.version) > self.settings().rebase_events_max {
            return Ok(Between::Barred(Rebasable::TooFar));
        }
        let versions = base.version + 1..=on.head.version;
        let Some(events) = self.events_within(page, versions, REBASE_BYTES_MAX).await? else {
            return Ok(Between::Barred(Rebasable::TooFar));
        };
        let restores = |event: &PageEvent| matches!(event.kind(), Ok(EventKind::Restore));
        if events.iter().any(|event| hides(event) || restores(event)) {
            return Ok(Between::Barred(Rebasable::Never));
        }
        let (kind, own, bytes) = (on.meta.kind, own.clone(), payload_bytes(&events));
        let decode = move || Ok(Since::new(Decoded::read_all(&events, kind)?, &own));
        let since: Result<Since, ReadError> = self.compute(bytes, decode).await?;
        since.map(Between::Events)
    }

    /// The refusal of a write that was made from an older read and is not brought to the head.
    pub(super) async fn stale_read(
        &self,
        page: &PageKey,
        on: &Arc<Loaded>,
        base: Base,
        rebase: Rebasable,
    ) -> Result<WriteError, ReadError> {
        let stale = match self.stale(page, on, base, Vec::new(), rebase).await? {
            WriteError::Stale(stale) => stale,
            other => return Ok(other),
        };
        let then = self.state_at(page, on, base.version, Way::Nearest).await?.value;
        let now = on.value.clone();
        let words = self
            .compute(now.weight(), move || {
                // What no delta can say is not told.
                then.diff(&now).map(|delta| describe(&delta, &then)).unwrap_or_default()
            })
            .await?;
        Ok(ContractRefusal::StaleRead { stale, words }.into())
    }
}

/// The nodes that a delta adds, removes, moves or changes.
pub(super) fn touched(delta: &Delta) -> impl Iterator<Item = &Id> {
    let ops = match delta {
        Delta::Design(ops) => ops.as_slice(),
        _ => &[],
    };
    ops.iter().filter_map(node_of)
}

/// The node that an operation is about.
pub(super) fn node_of(op: &DesignOp) -> Option<&Id> {
    match op {
        DesignOp::AddNode { node, .. } => Some(&node.id),
        DesignOp::RemoveNode { id }
        | DesignOp::SetNode { id, .. }
        | DesignOp::MoveNode { id, .. }
        | DesignOp::EditText { id, .. }
        | DesignOp::AddToSet { id, .. }
        | DesignOp::RemoveFromSet { id, .. } => Some(id),
        _ => None,
    }
}

/// The nodes below which a delta puts others.
pub(super) fn parents(delta: &Delta) -> BTreeSet<&Id> {
    let ops = match delta {
        Delta::Design(ops) => ops.as_slice(),
        _ => &[],
    };
    ops.iter()
        .filter_map(|op| match op {
            DesignOp::AddNode { node, .. } => node.parent.as_ref(),
            DesignOp::MoveNode {
                parent: Some(Some(parent)),
                ..
            } => Some(parent),
            _ => None,
        })
        .collect()
}

fn only(delta: &Delta, id: &str) -> Delta {
    match delta {
        Delta::Design(ops) => Delta::Design(
            ops.iter()
                .filter(|op| node_of(op).is_some_and(|node| &**node == id))
                .cloned()
                .collect(),
        ),
        other => other.clone(),
    }
}
