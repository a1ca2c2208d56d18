//! What a command will do: the events to be, each with its inverse tried on the state it was made for.

use bytes::Bytes;
use recto_projections::{Delta, Digest, Value};
use recto_store::RecordWrite;

use crate::actor::Actor;
use crate::contract::Charge;
use crate::error::WriteError;
use crate::event::{EventFlags, EventKind};
use crate::report::Report;
use crate::temporary::refuse_temporary;

/// What a command will do: the events, and the state after them. No step: nothing changes.
#[derive(Debug)]
pub(crate) struct Plan {
    pub steps: Vec<Step>,
    pub value: Value,
    /// The page's epoch after the events, where they raise it.
    pub epoch: Option<u64>,
    pub report: Report,
    /// What the command costs, where it makes an event.
    pub charge: Option<Charge>,
    /// Records that must agree with the events.
    pub records: Vec<RecordWrite>,
}

/// One event to be.
#[derive(Debug)]
pub(crate) struct Step {
    pub nature: StepNature,
    pub delta: Bytes,
    pub inverse: Bytes,
    pub digest: Digest,
}

/// What an event is beside its payload.
#[derive(Clone, Debug)]
pub(crate) struct StepNature {
    pub kind: EventKind,
    /// Who is named in the event, where it is not the caller.
    pub actor: Option<Actor>,
    /// The version that it answers to.
    pub cause: Option<u64>,
    pub flags: EventFlags,
}

impl StepNature {
    pub(crate) fn plain(kind: EventKind) -> Self {
        Self {
            kind,
            actor: None,
            cause: None,
            flags: EventFlags::NONE,
        }
    }

    pub(crate) fn caused(kind: EventKind, version: u64) -> Self {
        Self {
            cause: Some(version),
            ..Self::plain(kind)
        }
    }
}

impl Plan {
    /// Nothing yet.
    pub(crate) fn on(value: &Value) -> Self {
        Self {
            steps: Vec::new(),
            value: value.clone(),
            epoch: None,
            report: Report::default(),
            charge: None,
            records: Vec::new(),
        }
    }

    /// Adds the event of one delta, and returns the delta as committed; none where it changes
    /// nothing. `index` is the delta's in the request.
    pub(crate) fn add(
        &mut self,
        index: usize,
        delta: &Delta,
        nature: &StepNature,
    ) -> Result<Option<Delta>, WriteError> {
        let before = self.value.clone();
        let applied = self
            .value
            .apply(delta)
            .map_err(|fault| WriteError::Illegal { delta: index, fault })?;
        // What takes itself back is no change either.
        if applied.delta.is_empty() || self.value.digest() == before.digest() {
            self.value = before;
            return Ok(None);
        }
        let mut back = self.value.clone();
        if back.replay(&applied.inverse).is_err() || back.digest() != before.digest() {
            return Err(WriteError::InverseBroken { delta: index });
        }
        self.push(nature, &applied.delta, &applied.inverse)?;
        Ok(Some(applied.delta))
    }

    /// Adds an event that changes nothing visible.
    pub(crate) fn add_unseen(&mut self, nature: &StepNature) -> Result<(), WriteError> {
        let nothing = Delta::empty(self.value.kind());
        self.push(nature, &nothing, &nothing)
    }

    /// Makes order keys that grew over their limit short again, in the same commit.
    pub(crate) fn rebalance_long_keys(&mut self, committed: &[Delta]) -> Result<(), WriteError> {
        let Value::Design(design) = &self.value else {
            return Ok(());
        };
        let mut ops = Vec::new();
        for delta in committed {
            let Delta::Design(done) = delta else { continue };
            for parent in design.wanting_rebalance(done) {
                ops.extend(design.rebalance(parent.as_ref()));
            }
        }
        if ops.is_empty() {
            return Ok(());
        }
        let nature = StepNature {
            actor: Some(Actor::system()),
            ..StepNature::plain(EventKind::Rebalance)
        };
        self.add(self.steps.len(), &Delta::Design(ops), &nature).map(drop)
    }

    fn push(&mut self, nature: &StepNature, delta: &Delta, inverse: &Delta) -> Result<(), WriteError> {
        let encoded = delta.to_bytes().and_then(|delta| Ok((delta, inverse.to_bytes()?)));
        let (delta, inverse) = encoded.map_err(|fault| WriteError::Unencodable { fault })?;
        self.steps.push(Step {
            nature: nature.clone(),
            delta: delta.into(),
            inverse: inverse.into(),
            digest: self.value.digest(),
        });
        Ok(())
    }
}

/// Plans deltas that somebody sent, one after the other, each an event of the same nature.
pub(crate) fn plan_deltas<'a>(
    value: &Value,
    deltas: impl IntoIterator<Item = &'a Delta>,
    nature: &StepNature,
) -> Result<Plan, WriteError> {
    let mut plan = Plan::on(value);
    let mut committed = Vec::new();
    for (index, delta) in deltas.into_iter().enumerate() {
        refuse_temporary(index, delta)?;
        committed.extend(plan.add(index, delta, nature)?);
    }
    plan.rebalance_long_keys(&committed)?;
    Ok(plan)
}
