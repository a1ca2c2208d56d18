//! Bringing back nodes that an event removed, and taking away those that it created.

use super::births::Births;
use super::comings::node_left;
use super::plan::{SkipReason, UndoNoteKind};
use super::planner::{Hitch, Planner};
use super::refs;
use super::setters::Part;
use crate::delta::Delta;
use crate::design::{DesignOp, GeometryPatch, Id, NewNode, Number, Placement, Position, Siblings, Side};
use crate::order::OrderKey;
use crate::rebase::{ConflictKind, Field, Subject, child_of, comes, subject_of};

impl Planner<'_> {
    /// Brings a node back, with its id, below its parent or the nearest ancestor that is left.
    pub(super) fn return_node(&mut self, node: &NewNode, position: &Position, siblings: Option<&Siblings>) {
        let subject = Subject::Node(node.id.clone());
        if subject.exists(&self.work) {
            return self.skip(SkipReason::AlreadyThere, &subject, String::new());
        }
        if let Some(event) = self.creation_undone(&subject) {
            return self.conflict(
                ConflictKind::CreateUndone,
                &subject,
                Hitch {
                    event: Some(event),
                    ..Hitch::default()
                },
            );
        }
        let mut node = node.clone();
        let own = node.id.clone();
        let gone = |id: &str| self.gone_since(id).filter(|id| *id != own);
        for (pointer, id) in refs::strip(&mut node.props, gone) {
            let event = self.trail.remover(&Subject::Node(id.clone()));
            self.conflict(
                ConflictKind::RefMissing { id },
                &subject,
                Hitch {
                    pointer,
                    event,
                    ..Hitch::default()
                },
            );
        }
        let position = match position {
            Position::Keyed(key) => self.under_ancestor(&mut node, key, siblings),
            position => position.clone(),
        };
        self.comes_back(subject);
        self.emit(DesignOp::AddNode {
            node,
            position,
            siblings: None,
        });
    }

    /// Notes that something comes back to the life that the event ended.
    pub(super) fn comes_back(&mut self, subject: Subject) {
        let life = Births::of(&self.trail, &subject).brought_back(&self.switched);
        self.returned.insert(subject, life);
    }

    /// Says whether something is in another life than that in which the event left it: somebody else has made it anew.
    pub(super) fn is_another(&self, subject: &Subject) -> bool {
        let births = Births::of(&self.trail, subject);
        births.at(self.target) != births.now()
    }

    /// Gives the event that has undone the creation of something since, or has undone its coming back.
    pub(super) fn creation_undone(&self, subject: &Subject) -> Option<usize> {
        let adds = |op: &DesignOp| comes(op) && subject_of(op).as_ref() == Some(subject);
        let births = Births::of(&self.trail, subject);
        let life = births.before(self.target);
        for (index, event) in self.request.history[..self.target].iter().enumerate().rev() {
            let Delta::Design(ops) = event.delta else {
                continue;
            };
            if births.at(index) != life || !ops.iter().any(adds) {
                continue;
            }
            if self.undone_since.contains(&event.version) {
                return self.undoer(event.version);
            }
            if event.undoes.is_empty() {
                // The life begins here.
                return None;
            }
        }
        None
    }

    /// Gives the last compensation of an event.
    pub(super) fn undoer(&self, version: u64) -> Option<usize> {
        let events = &self.trail.events;
        (0..events.len())
            .rev()
            .find(|event| events.undoes(*event).contains(&version))
    }

    /// Puts a node below the nearest ancestor that is left, and gives its place there.
    fn under_ancestor(&mut self, node: &mut NewNode, key: &OrderKey, siblings: Option<&Siblings>) -> Position {
        let mut stands = key.clone();
        let mut topmost = None;
        while let Some(parent) = node.parent.clone().filter(|parent| self.work.node(parent).is_none()) {
            topmost = Some(parent.clone());
            let Some((above, order)) = self.last_content(&parent) else {
                node.parent = None;
                break;
            };
            // Where it lies on the page stays, as if the parent had been ungrouped.
            node.geometry = shifted(node, &above);
            (node.parent, stands) = (above.parent, order);
        }
        let Some(topmost) = topmost else {
            return self.place_back(node.parent.as_ref(), key, siblings);
        };
        self.note(UndoNoteKind::Reparented, &Subject::Node(node.id.clone()), "/parentId");
        // Where the topmost of those that are gone stood; behind those that came back to that place before.
        let last = self.stand_ins.insert(topmost, node.id.clone());
        match last.filter(|last| child_of(&self.work, node.parent.as_ref(), last).is_some()) {
            Some(last) => after(&last),
            None => self.place_back(node.parent.as_ref(), &stands, None),
        }
    }

    /// Gives a node as it was before it was last removed, and its order key.
    fn last_content(&self, id: &Id) -> Option<(NewNode, OrderKey)> {
        let found = self.trail.search(|op, inverse| match (op, inverse?) {
            (
                DesignOp::RemoveNode { id: removed },
                DesignOp::AddNode {
                    node,
                    position: Position::Keyed(key),
                    ..
                },
            ) if removed == id => Some((node.clone(), key.clone())),
            _ => None,
        });
        found.map(|(_, content)| content)
    }

    /// Takes away a node that the event created, unless others edited it, made it anew or put something into it.
    pub(super) fn take_node_away(&mut self, id: &Id, done: &[DesignOp]) {
        let subject = Subject::Node(id.clone());
        let (edited, child) = {
            let Some(node) = self.work.node(id) else {
                return;
            };
            let left = match done {
                [add @ DesignOp::AddNode { node: made, .. }, later @ ..] => node_left(made, add, later),
                _ => None,
            };
            let edited =
                left.as_ref() != Some(node.content()) || self.is_another(&subject) || self.is_reordered(&subject);
            (
                edited,
                self.work.children_of(Some(id)).next().map(|child| child.id().clone()),
            )
        };
        if (edited || child.is_some()) && !self.request.force {
            let first = self.target + 1;
            let event = match child {
                Some(child) if !edited => self.trail.mover(&child),
                _ => self.trail.touches(&subject, first).last().map(|touch| touch.event),
            };
            return self.conflict(
                ConflictKind::EditedSince,
                &subject,
                Hitch {
                    event,
                    ..Hitch::default()
                },
            );
        }
        if edited || child.is_some() {
            self.note(UndoNoteKind::Forced, &subject, "");
        }
        for id in self.work.bottom_up(id) {
            self.emit(DesignOp::RemoveNode { id });
        }
    }

    /// Says whether somebody else has given a node another place among its siblings since the event.
    fn is_reordered(&self, subject: &Subject) -> bool {
        let parents = self.setters(subject, Field::Parent, Part::Value);
        let orders = self.setters(subject, Field::Order, Part::Within(&parents));
        orders
            .owner_in(parents.owner())
            .is_some_and(|owner| owner > self.target)
    }

    /// Gives the place where a node stood: its old key, also if another has the same by now; then the ids tell the
    /// order. So it does not matter in which order things are undone. After a rebalance, where the old key no longer
    /// lies between the siblings of that time, those tell.
    pub(super) fn place_back(&self, parent: Option<&Id>, key: &OrderKey, siblings: Option<&Siblings>) -> Position {
        let first = self.target + 1;
        if let Some(siblings) = siblings.filter(|_| self.trail.rebalanced(first)) {
            let noted = |id: &Option<Id>| id.as_ref().and_then(|id| child_of(&self.work, parent, id));
            match (noted(&siblings.left), noted(&siblings.right)) {
                (Some(left), _) if left.order() >= key => return after(left.id()),
                (_, Some(right)) if right.order() <= key => return before(right.id()),
                (Some(left), None) if siblings.right.is_some() => return after(left.id()),
                (None, Some(right)) if siblings.left.is_some() => return before(right.id()),
                _ => {}
            }
        }
        Position::Keyed(key.clone())
    }
}

fn after(id: &Id) -> Position {
    Position::Placed(Placement::After(id.clone()))
}

fn before(id: &Id) -> Position {
    Position::Placed(Placement::Before(id.clone()))
}

/// Adds the place of a parent that is gone to that of a child. What would not be finite stays.
fn shifted(node: &NewNode, parent: &NewNode) -> crate::design::Geometry {
    let mut patch: GeometryPatch = node.geometry.to_patch();
    for side in [Side::X, Side::Y] {
        let offset = parent.geometry.get(side).to_f64();
        if offset != 0.0
            && let Some(number) = Number::from_f64(node.geometry.get(side).to_f64() + offset)
        {
            patch.set(side, number);
        }
    }
    crate::design::Geometry::new(Side::ALL.map(|side| patch.get(side).cloned().unwrap_or(Number::ZERO)))
}
