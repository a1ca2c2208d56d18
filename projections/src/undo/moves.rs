//! Moving nodes back.
//!
//! A parent and a geometry are one unit: where one of the two moves, the event's or a later one, changed the parent, the
//! node goes back as a whole or stays. Where both kept it, each field of the place is by itself. A place among the
//! siblings of a parent that the node leaves again means nothing any more: it stands in nobody's way.

use super::plan::{Policy, UndoNoteKind};
use super::planner::{Hitch, Planner};
use crate::design::{DesignOp, GeometryPatch, Id, Number, Position, Siblings, Side};
use crate::json::Json;
use crate::rebase::{ConflictKind, Field, Said, Subject, parent_json};

impl Planner<'_> {
    /// Moves a node back as a stored operation says.
    pub(super) fn move_back(&mut self, id: &Id, stored: &DesignOp) {
        let subject = Subject::Node(id.clone());
        let unit = self.unit(&subject, stored);
        let DesignOp::MoveNode {
            parent,
            position,
            siblings,
            geometry,
            ..
        } = unit.as_ref().unwrap_or(stored)
        else {
            return;
        };
        match parent {
            Some(parent) => self.whole_back(
                &subject,
                id,
                parent.as_ref(),
                position.as_ref(),
                siblings.as_ref(),
                geometry,
            ),
            None => self.places_back(&subject, id, position.as_ref(), siblings.as_ref(), geometry),
        }
    }

    /// Where the one who had moved the node to the old parent is undone too, its own old place is the one to go back to.
    fn unit(&self, subject: &Subject, stored: &DesignOp) -> Option<DesignOp> {
        let DesignOp::MoveNode {
            id, parent: Some(_), ..
        } = stored
        else {
            return None;
        };
        let mut found = None;
        let mut end = self.target;
        loop {
            let owner = self.trail.owned_before(subject, Field::Parent, end).owner?;
            let key = self.trail.events.key(owner);
            if !self.since.undone.contains(&key) {
                return found;
            }
            let mut touches = self
                .trail
                .touches(subject, owner)
                .take_while(|touch| touch.event == owner);
            let inverse = touches.find_map(|touch| match touch.inverse {
                Some(
                    op @ DesignOp::MoveNode {
                        id: moved,
                        parent: Some(_),
                        ..
                    },
                ) if moved == id => Some(op.clone()),
                _ => None,
            });
            let Some(inverse) = inverse else { return found };
            (found, end) = (Some(inverse), owner);
        }
    }

    fn whole_back(
        &mut self,
        subject: &Subject,
        id: &Id,
        parent: Option<&Id>,
        position: Option<&Position>,
        siblings: Option<&Siblings>,
        geometry: &GeometryPatch,
    ) {
        let Some(node) = self.work.node(id) else {
            return;
        };
        let there = |side: Side| {
            geometry
                .get(side)
                .is_none_or(|number| node.geometry().get(side) == number)
        };
        if node.parent() == parent && Side::ALL.into_iter().all(there) && !self.changes_order(id, position) {
            return;
        }
        let hitch = Hitch {
            pointer: Field::Parent.pointer(),
            wanted: Some(parent_json(parent.map(AsRef::as_ref))),
            now: Some(parent_json(node.parent().map(AsRef::as_ref))),
            event: None,
        };
        let fields = std::iter::once(Field::Parent).chain(Side::ALL.map(Field::Side));
        if let Some(event) = fields.filter_map(|field| self.taken(subject, field)).max() {
            return self.conflict(
                ConflictKind::MovedSince,
                subject,
                Hitch {
                    event: Some(event),
                    ..hitch
                },
            );
        }
        if let Some(parent) = parent {
            if self.work.node(parent).is_none() {
                let event = self.trail.remover(&Subject::Node(parent.clone()));
                return self.conflict(ConflictKind::ParentRemoved, subject, Hitch { event, ..hitch });
            }
            if self.work.is_within(parent, id) {
                let event = self.trail.mover(parent);
                return self.conflict(ConflictKind::Cycle, subject, Hitch { event, ..hitch });
            }
        }
        let position = self.position_back(parent, position, siblings);
        let (id, parent, geometry) = (id.clone(), Some(parent.cloned()), geometry.clone());
        self.emit(DesignOp::MoveNode {
            id,
            parent,
            position,
            siblings: None,
            geometry,
        });
    }

    fn places_back(
        &mut self,
        subject: &Subject,
        id: &Id,
        position: Option<&Position>,
        siblings: Option<&Siblings>,
        stored: &GeometryPatch,
    ) {
        let Some(node) = self.work.node(id) else {
            return;
        };
        let parent = node.parent().cloned();
        if let Some(event) = self.taken(subject, Field::Parent) {
            let hitch = Hitch {
                pointer: Field::Parent.pointer(),
                event: Some(event),
                ..Hitch::default()
            };
            return self.conflict(ConflictKind::MovedSince, subject, hitch);
        }
        let mut geometry = GeometryPatch::default();
        for side in Side::ALL {
            if let Some(number) = stored.get(side)
                && let Some(Json::Number(number)) = self.side_back(subject, id, side, number)
                && let Ok(number) = Number::from_json(&number)
            {
                geometry.set(side, number);
            }
        }
        let position = match position {
            Some(position) if self.order_goes_back(subject, id, position) => {
                self.position_back(parent.as_ref(), Some(position), siblings)
            }
            _ => None,
        };
        if position.is_some() || !geometry.is_empty() {
            self.emit(DesignOp::MoveNode {
                id: id.clone(),
                parent: None,
                position,
                siblings: None,
                geometry,
            });
        }
    }

    /// Gives the number to set a field of the geometry back to, if it is to be.
    fn side_back(&mut self, subject: &Subject, id: &Id, side: Side, stored: &Number) -> Option<Json> {
        let now = self.work.node(id)?.geometry().get(side).to_json();
        let wanted = self.wanted_in_place(subject, Field::Side(side), stored.to_json());
        (now != wanted && self.may_set_back(subject, Field::Side(side), &wanted, now)).then_some(wanted)
    }

    fn order_goes_back(&mut self, subject: &Subject, id: &Id, position: &Position) -> bool {
        let Some(now) = self.work.node(id).map(|node| Json::from(node.order().as_str())) else {
            return false;
        };
        let Position::Keyed(key) = position else {
            return true;
        };
        let wanted = Json::from(key.as_str());
        now != wanted && self.may_set_back(subject, Field::Order, &wanted, now)
    }

    /// Says whether a field of the place may be set back: nobody has set it since, or that does not matter.
    fn may_set_back(&mut self, subject: &Subject, field: Field<'_>, wanted: &Json, now: Json) -> bool {
        let Some(event) = self.taken(subject, field) else {
            return true;
        };
        if self.request.policy == Policy::Restore {
            self.note(UndoNoteKind::Restored, subject, field.pointer());
            return true;
        }
        let hitch = Hitch {
            pointer: field.pointer(),
            wanted: Some(wanted.clone()),
            now: Some(now),
            event: Some(event),
        };
        self.conflict(ConflictKind::MovedSince, subject, hitch);
        false
    }

    /// As [`Planner::wanted`], but not from before the node last came below another parent: a number means nothing there.
    fn wanted_in_place(&self, subject: &Subject, field: Field<'_>, stored: Json) -> Json {
        let reparents = |op: &DesignOp| matches!(op, DesignOp::MoveNode { parent: Some(_), .. });
        let before = self
            .trail
            .touches(subject, 0)
            .take_while(|touch| touch.event < self.target);
        let first = before
            .filter(|touch| reparents(touch.op))
            .last()
            .map_or(0, |touch| touch.event + 1);
        let owned = self.trail.owned_between(subject, field, first, self.target);
        match owned.given_back(&self.since, &self.trail.events) {
            Some(Said::Value(Some(value))) => value.into_owned(),
            _ => stored,
        }
    }

    fn changes_order(&self, id: &Id, position: Option<&Position>) -> bool {
        match (self.work.node(id), position) {
            (Some(node), Some(Position::Keyed(key))) => node.order() != key,
            (_, position) => position.is_some(),
        }
    }

    fn position_back(
        &self,
        parent: Option<&Id>,
        position: Option<&Position>,
        siblings: Option<&Siblings>,
    ) -> Option<Position> {
        Some(match position? {
            Position::Keyed(key) => self.place_back(parent, key, siblings),
            position => position.clone(),
        })
    }
}
