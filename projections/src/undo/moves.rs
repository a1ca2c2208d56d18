//! Moving nodes back.
//!
//! A parent and a geometry are one unit: where one of the two moves, the event's or a later one, changed the parent, the
//! node goes back as a whole or stays. Where both kept it, each field of the place is by itself. A place among the
//! siblings of a parent that the node leaves again means nothing any more: it stands in nobody's way.

use super::follower::value_of;
use super::plan::{Policy, UndoNoteKind};
use super::planner::{Hitch, Planner};
use super::setters::{Part, Setters};
use crate::design::{DesignOp, GeometryPatch, Id, Number, Position, Side};
use crate::json::Json;
use crate::order::OrderKey;
use crate::rebase::{ConflictKind, Field, Subject, parent_json};

/// Where a node shall be.
struct Place {
    parent: Option<Id>,
    position: Option<Position>,
    geometry: GeometryPatch,
}

impl Planner<'_> {
    /// Moves a node back to where the newest brought it who stands. `op` is of the event, or is its stored inverse.
    pub(super) fn move_back(&mut self, id: &Id, op: &DesignOp, is_inverse: bool) {
        let subject = Subject::Node(id.clone());
        let (parents, top) = self.switched_setters(&subject, Field::Parent, Part::Value);
        match top {
            // Where the parent is left, so are the numbers that mean something below the other one.
            Some(_) if self.was_left(&subject, Field::Parent, &parents, None) => self.remember = true,
            Some(top) => self.whole_back(&subject, id, &parents, top, op, is_inverse),
            None => self.places_back(&subject, id, &parents, op),
        }
    }

    fn whole_back(
        &mut self,
        subject: &Subject,
        id: &Id,
        parents: &Setters,
        top: usize,
        op: &DesignOp,
        is_inverse: bool,
    ) {
        let field = (subject.clone(), Field::Parent.pointer());
        if self.settled.contains(&field) {
            return;
        }
        let place = self.place_then(subject, parents, top, op);
        if let Some(parent) = &place.parent
            && self.coming.contains(parent)
        {
            // Until that node is back, as far as the stored inverse leads.
            if is_inverse {
                self.emit(op.clone());
            }
            return;
        }
        self.settled.insert(field);
        let Some(node) = self.work.node(id) else {
            return;
        };
        let there = |side: Side| {
            let wanted = place.geometry.get(side);
            wanted.is_none_or(|number| node.geometry().get(side) == number)
        };
        let moves = node.parent() != place.parent.as_ref() || !Side::ALL.into_iter().all(there);
        let stays = !moves && !self.changes_order(id, place.position.as_ref());
        if stays {
            self.remember = true;
            return;
        }
        if let Some((kind, event)) = self.in_the_way(subject, id, parents, top, place.parent.as_ref()) {
            let hitch = Hitch {
                pointer: Field::Parent.pointer(),
                wanted: Some(parent_json(place.parent.as_deref())),
                now: Some(parent_json(node.parent().map(AsRef::as_ref))),
                event,
            };
            return self.conflict(kind, subject, hitch);
        }
        let position = self.position_back(place.parent.as_ref(), place.position, op);
        self.emit(DesignOp::MoveNode {
            id: id.clone(),
            parent: Some(place.parent),
            position,
            siblings: None,
            geometry: place.geometry,
        });
    }

    /// Gives where the node was brought last by those that stand: its place in that era, not in the one that it leaves.
    fn place_then(&self, subject: &Subject, parents: &Setters, top: usize, op: &DesignOp) -> Place {
        let parent = parents.value_at(top).and_then(Json::as_str).map(Id::from);
        let era = parents.owner_at(top);
        let (orders, _) = self.switched_setters(subject, Field::Order, Part::Within(parents));
        let key = orders.value_in(usize::MAX, era).and_then(Json::as_str);
        let (mut position, mut geometry) = match op {
            DesignOp::MoveNode { position, geometry, .. } => (position.clone(), geometry.clone()),
            _ => Default::default(),
        };
        if let Some(key) = key.and_then(|key| OrderKey::parse(key).ok()) {
            position = Some(Position::Keyed(key));
        }
        for side in Side::ALL {
            let (sides, _) = self.switched_setters(subject, Field::Side(side), Part::Within(parents));
            if let Some(number) = sides.value_in(usize::MAX, era).and_then(number) {
                geometry.set(side, number);
            }
        }
        Place {
            parent,
            position,
            geometry,
        }
    }

    /// Gives what keeps a node from going back as a whole.
    fn in_the_way(
        &self,
        subject: &Subject,
        id: &Id,
        parents: &Setters,
        top: usize,
        parent: Option<&Id>,
    ) -> Option<(ConflictKind, Option<usize>)> {
        let sides = Side::ALL.map(|side| {
            let (sides, _) = self.switched_setters(subject, Field::Side(side), Part::Within(parents));
            sides.owner_in(parents.owner_after(usize::MAX))
        });
        let owners = sides.into_iter().chain([parents.owner()]).flatten();
        let later = owners.filter(|owner| *owner > top).max();
        if later.is_some() && !self.returned.contains_key(subject) {
            return Some((ConflictKind::MovedSince, later));
        }
        let parent = parent?;
        if self.work.node(parent).is_none() {
            let remover = self.trail.remover(&Subject::Node(parent.clone()));
            return Some((ConflictKind::ParentRemoved, remover));
        }
        let is_cycle = self.work.is_within(parent, id);
        is_cycle.then(|| (ConflictKind::Cycle, self.trail.mover(parent)))
    }

    fn places_back(&mut self, subject: &Subject, id: &Id, parents: &Setters, op: &DesignOp) {
        let DesignOp::MoveNode {
            position: named,
            geometry: sides,
            ..
        } = op
        else {
            return;
        };
        let Some(parent) = self.work.node(id).map(|node| node.parent().cloned()) else {
            return;
        };
        let mut geometry = GeometryPatch::default();
        for side in Side::ALL {
            if sides.get(side).is_some()
                && let Some(number) = self
                    .one_back(subject, Field::Side(side), parents)
                    .as_ref()
                    .and_then(number)
            {
                geometry.set(side, number);
            }
        }
        let mut position = None;
        if named.is_some()
            && let Some(Json::String(key)) = self.one_back(subject, Field::Order, parents)
            && let Ok(key) = OrderKey::parse(&key)
        {
            position = self.position_back(parent.as_ref(), Some(Position::Keyed(key)), op);
        }
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

    /// Gives what to set a field of the place back to, if it is to be.
    fn one_back(&mut self, subject: &Subject, field: Field<'_>, parents: &Setters) -> Option<Json> {
        let era = parents.owner();
        let (setters, top) = self.switched_setters(subject, field, Part::Within(parents));
        let top = top?;
        if !self.is_open(subject, field.pointer()) {
            return None;
        }
        if self.was_left(subject, field, &setters, None) {
            self.remember = true;
            return None;
        }
        if setters.era_of(top) != era {
            let hitch = Hitch {
                pointer: Field::Parent.pointer(),
                event: era.or_else(|| parents.last_change()),
                ..Hitch::default()
            };
            self.conflict(ConflictKind::MovedSince, subject, hitch);
            return None;
        }
        let wanted = setters.value_in(top, era)?.clone();
        let now = value_of(&self.work, subject, field)?;
        if now == wanted {
            self.remember = true;
            return None;
        }
        let later = setters.owner_in(era).filter(|owner| *owner > top);
        if self.was_left(subject, field, &setters, later) {
            self.remember = true;
            return None;
        }
        self.may_set_back(subject, field, &wanted, now, later).then_some(wanted)
    }

    /// Says whether a field of the place may be set back: nobody has set it since, or that does not matter.
    fn may_set_back(
        &mut self,
        subject: &Subject,
        field: Field<'_>,
        wanted: &Json,
        now: Json,
        later: Option<usize>,
    ) -> bool {
        let Some(event) = later.filter(|_| !self.returned.contains_key(subject)) else {
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

    fn changes_order(&self, id: &Id, position: Option<&Position>) -> bool {
        match (self.work.node(id), position) {
            (Some(node), Some(Position::Keyed(key))) => node.order() != key,
            (_, position) => position.is_some(),
        }
    }

    /// Gives the place of a key. The siblings of that time are those of the operation that names the same.
    fn position_back(&self, parent: Option<&Id>, position: Option<Position>, op: &DesignOp) -> Option<Position> {
        let siblings = match op {
            DesignOp::MoveNode {
                position: stored,
                siblings,
                ..
            } if *stored == position => siblings.as_ref(),
            _ => None,
        };
        Some(match position? {
            Position::Keyed(key) => self.place_back(parent, &key, siblings),
            position => position,
        })
    }
}

fn number(json: &Json) -> Option<Number> {
    match json {
        Json::Number(number) => Number::from_json(number).ok(),
        _ => None,
    }
}
