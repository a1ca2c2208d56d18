//! A recorded run: the events of a page, and what the agent did.

use std::collections::HashSet;

use recto_pages::{EventFlags, EventKind};
use recto_projections::Delta;
use recto_projections::design::DesignOp;

use super::trajectory::{Answer, Call, Line, Slot, Trajectory};
use crate::history::Found;

/// A recorded run.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The page.
    pub page: &'a str,
    /// Its events, in order.
    pub steps: &'a [Step],
    /// What the agent did, where that was recorded.
    pub trajectory: Option<&'a Trajectory>,
}

/// An event, as rules look at it.
#[derive(Clone, Debug)]
pub struct Step {
    /// The version it made.
    pub version: u64,
    /// What it did.
    pub kind: EventKind,
    /// Who made it.
    pub actor: String,
    /// In which turn.
    pub turn: Option<String>,
    /// By which command.
    pub command: String,
    /// The version that an undo, redo or restore answers to.
    pub cause: Option<u64>,
    /// Whether it took away what others had changed since, as asked.
    pub forced: bool,
    /// The change; `None` where the kind of event has none.
    pub delta: Option<Delta>,
    /// The change that takes it back.
    pub inverse: Option<Delta>,
}

impl Step {
    /// Reads an event.
    ///
    /// # Errors
    /// The reason why it cannot be read.
    pub fn read(found: &Found) -> Result<Self, String> {
        let page_event = match found {
            Found::Event(event) => event,
            Found::Damaged(damaged) => return Err(damaged.reason.clone()),
        };
        let event = &page_event.event;
        let told = |fault: recto_pages::ReadError| fault.to_string();
        Ok(Self {
            version: event.version,
            kind: page_event.kind().map_err(told)?,
            actor: event.actor.clone(),
            turn: event.turn.clone(),
            command: event.command.to_string(),
            cause: page_event.cause(),
            forced: page_event.flags().has(EventFlags::FORCED),
            delta: page_event.delta().map_err(told)?,
            inverse: page_event.inverse().map_err(told)?,
        })
    }

    /// The operations on nodes; none of another kind of page.
    pub(super) fn design_ops(&self) -> &[DesignOp] {
        ops_of(self.delta.as_ref())
    }

    /// The operations on nodes that take it back.
    pub(super) fn inverse_ops(&self) -> &[DesignOp] {
        ops_of(self.inverse.as_ref())
    }

    /// The nodes that it adds.
    pub(super) fn added(&self) -> impl Iterator<Item = &str> {
        self.design_ops().iter().filter_map(|op| match op {
            DesignOp::AddNode { node, .. } => Some(&*node.id),
            _ => None,
        })
    }

    /// The nodes that it removes.
    pub(super) fn removed(&self) -> impl Iterator<Item = &str> {
        self.design_ops().iter().filter_map(|op| match op {
            DesignOp::RemoveNode { id } => Some(&**id),
            _ => None,
        })
    }

    /// Whether it takes something back, or goes back.
    pub(super) fn is_compensation(&self) -> bool {
        matches!(self.kind, EventKind::Undo | EventKind::Redo | EventKind::Restore)
    }
}

impl<'a> Run<'a> {
    /// The calls that are about this page, or do not say about which.
    pub(super) fn calls(self) -> impl Iterator<Item = Line<&'a Call>> {
        let calls = self.trajectory.into_iter().flat_map(Trajectory::calls);
        calls.filter(move |call| self.is_here(call.it.page.as_deref()))
    }

    /// The slots of this page, as often as they are told.
    pub(super) fn slots(self) -> impl Iterator<Item = Line<&'a Slot>> {
        let slots = self.trajectory.into_iter().flat_map(Trajectory::slots);
        slots.filter(move |slot| self.is_here(slot.it.page.as_deref()))
    }

    /// The results of calls that are about this page, each with its call.
    pub(super) fn results(self) -> impl Iterator<Item = (Line<&'a Call>, Line<&'a Answer>)> {
        let trajectory = self.trajectory;
        self.calls().filter_map(move |call| {
            let result = trajectory?.result_of(&call.it.id)?;
            self.is_here(result.it.page.as_deref()).then_some((call, result))
        })
    }

    /// The events of a command.
    pub(super) fn steps_of(self, command: &str) -> impl Iterator<Item = &'a Step> {
        self.steps.iter().filter(move |step| step.command == command)
    }

    /// The commands that the trajectory knows of.
    pub(super) fn commands(self) -> HashSet<&'a str> {
        let calls = self.calls().filter_map(|call| call.it.command.as_deref());
        let slots = self.slots().map(|slot| slot.it.command.as_str());
        calls.chain(slots).collect()
    }

    fn is_here(self, page: Option<&str>) -> bool {
        page.is_none_or(|page| page == self.page)
    }
}

fn ops_of(delta: Option<&Delta>) -> &[DesignOp] {
    match delta {
        Some(Delta::Design(ops)) => ops,
        _ => &[],
    }
}
