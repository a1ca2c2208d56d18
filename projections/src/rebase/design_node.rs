//! Nodes of a DESIGN page that come, go and move over what others did to them.

use super::conflict::ConflictKind;
use super::design::{Clash, Run, Verdict};
use super::field::{Field, parent_json};
use super::outcome::NoteKind;
use super::subject::Subject;
use crate::design::{DesignOp, GeometryPatch, Id, NewNode, Position, Siblings, Side};
use crate::json::Json;
use crate::order::OrderKey;

impl Run<'_> {
    pub(super) fn add_node(&mut self, node: &NewNode, position: &Position, siblings: Option<&Siblings>) {
        let subject = Subject::Node(node.id.clone());
        if self.is_taken(&subject, &node.id) {
            let event = self.trail.mover(&node.id).or_else(|| self.trail.remover(&subject));
            self.conflict(
                ConflictKind::IdTaken,
                &subject,
                Clash {
                    event,
                    ..Clash::default()
                },
            );
            return self.void(subject);
        }
        if !self.has_parent(&subject, node.parent.as_ref()) {
            return self.void(subject);
        }
        let position = self.position(&node.id, node.parent.as_ref(), position, siblings);
        self.removed.remove(&subject);
        self.added.insert(subject);
        self.emit(DesignOp::AddNode {
            node: node.clone(),
            position,
            siblings: None,
        });
    }

    fn is_taken(&self, subject: &Subject, id: &Id) -> bool {
        let own = self.removed.contains(subject);
        let existed = || self.options.existed.is_some_and(|existed| existed(id));
        subject.exists(&self.work) || (!own && (self.trail.touches(subject, 0).next().is_some() || existed()))
    }

    /// Says whether the new parent is there, and if it was removed since, why not. One that never was is left to the
    /// apply.
    fn has_parent(&mut self, subject: &Subject, parent: Option<&Id>) -> bool {
        let Some(parent) = parent else { return true };
        let above = Subject::Node(parent.clone());
        if above.exists(&self.work) || self.removed.contains(&above) {
            return true;
        }
        let Some(event) = self.trail.remover(&above) else {
            return true;
        };
        let mine = Some(Json::from(&**parent));
        let clash = Clash {
            pointer: Field::Parent.pointer(),
            mine,
            event: Some(event),
            ..Clash::default()
        };
        self.conflict(ConflictKind::ParentRemoved, subject, clash);
        false
    }

    pub(super) fn remove_node(&mut self, id: &Id) {
        let subject = Subject::Node(id.clone());
        let own = self.added.contains(&subject);
        let edited = if own { None } else { self.trail.edited(&subject, 0) };
        let child = self.work.children_of(Some(id)).next().map(|child| child.id().clone());
        let event = edited.or_else(|| self.trail.mover(&child?));
        let Some(event) = event else {
            self.removed.insert(subject);
            return self.emit(DesignOp::RemoveNode { id: id.clone() });
        };
        if !self.options.force {
            return self.conflict(
                ConflictKind::EditedSince,
                &subject,
                Clash {
                    event: Some(event),
                    ..Clash::default()
                },
            );
        }
        let version = self.trail.events.version(event);
        self.findings.note(NoteKind::Forced, &subject, "").version = version;
        for id in self.work.bottom_up(id) {
            self.removed.insert(Subject::Node(id.clone()));
            self.emit(DesignOp::RemoveNode { id });
        }
    }

    pub(super) fn move_node(
        &mut self,
        id: &Id,
        parent: Option<&Option<Id>>,
        position: Option<&Position>,
        siblings: Option<&Siblings>,
        geometry: &GeometryPatch,
    ) {
        let subject = Subject::Node(id.clone());
        let Some(node) = self.work.node(id) else {
            // It never was there: the apply says so.
            let op = DesignOp::MoveNode {
                id: id.clone(),
                parent: parent.cloned(),
                position: position.cloned(),
                siblings: None,
                geometry: geometry.clone(),
            };
            return self.emit(op);
        };
        let base_parent = match self.taken(&subject, Field::Parent) {
            None => node.parent().cloned(),
            Some(_) => self.base_parent(&subject, node.parent()),
        };
        let target = parent.cloned().unwrap_or_else(|| base_parent.clone());
        let theirs = [Field::Parent, Field::Order]
            .into_iter()
            .chain(Side::ALL.map(Field::Side));
        let theirs: Vec<usize> = theirs.filter_map(|field| self.taken(&subject, field)).collect();
        let unit = target != base_parent || self.taken(&subject, Field::Parent).is_some();
        let asked = Move {
            id,
            subject: &subject,
            base_parent,
            target,
            position,
            siblings,
            geometry,
        };
        match theirs.into_iter().max().filter(|_| unit) {
            Some(event) => self.move_unit(&asked, event),
            None => self.move_fields(&asked, parent),
        }
    }

    /// Both moved the node, and one of them to another parent: the whole move is one or the other's.
    fn move_unit(&mut self, asked: &Move<'_>, event: usize) {
        if self.stands_there(asked) {
            return self.findings.drop(asked.subject, "");
        }
        let theirs = self.work.node(asked.id).map(|node| node.to_json());
        let theirs = theirs.and_then(|json| json.get("parentId").cloned());
        let clash = Clash {
            pointer: Field::Parent.pointer(),
            before: Some(parent_json(asked.base_parent.as_deref())),
            mine: Some(parent_json(asked.target.as_deref())),
            theirs,
            event: Some(event),
        };
        if self.decide(ConflictKind::MovedSince, asked.subject, clash) == Verdict::LeaveTheirs {
            return;
        }
        let geometry = self.base_geometry(asked);
        let order = match asked.target == asked.base_parent {
            true => self.base_order(asked.subject).map(Position::Keyed),
            false => None,
        };
        self.emit_move(
            asked,
            Some(asked.target.clone()),
            asked.position.cloned().or(order),
            geometry,
        );
    }

    fn stands_there(&self, asked: &Move<'_>) -> bool {
        let Some(node) = self.work.node(asked.id) else {
            return false;
        };
        let geometry = Side::ALL.into_iter().all(|side| {
            asked
                .geometry
                .get(side)
                .is_none_or(|number| node.geometry().get(side) == number)
        });
        let order = match asked.position {
            None => true,
            Some(Position::Keyed(key)) => node.order() == key,
            Some(Position::Placed(_)) => false,
        };
        node.parent() == asked.target.as_ref() && geometry && order
    }

    /// Both keep the parent, or nobody else moved the node: field by field.
    fn move_fields(&mut self, asked: &Move<'_>, parent: Option<&Option<Id>>) {
        let mut geometry = GeometryPatch::default();
        for side in Side::ALL {
            if let Some(number) = asked.geometry.get(side)
                && self.keeps_place(asked, Field::Side(side), Some(number.to_json()))
            {
                geometry.set(side, number.clone());
            }
        }
        let key = match asked.position {
            Some(Position::Keyed(key)) => Some(Json::from(key.as_str())),
            _ => None,
        };
        let position = asked
            .position
            .filter(|_| self.keeps_place(asked, Field::Order, key))
            .cloned();
        let target = parent.is_some().then(|| asked.target.clone());
        let nothing = geometry.is_empty() && position.is_none() && asked.target == asked.base_parent;
        if !nothing {
            self.emit_move(asked, target, position, geometry);
        }
    }

    /// Says whether a field of the place is to be set. `mine` is nothing where the value is not known yet.
    fn keeps_place(&mut self, asked: &Move<'_>, field: Field<'_>, mine: Option<Json>) -> bool {
        let Some(event) = self.taken(asked.subject, field) else {
            return true;
        };
        let theirs = self.work.node(asked.id).map(|node| match field {
            Field::Side(side) => node.geometry().get(side).to_json(),
            _ => Json::from(node.order().as_str()),
        });
        if mine.is_some() && mine == theirs {
            self.findings.drop(asked.subject, field.pointer());
            return false;
        }
        let before = self.trail.before(asked.subject, field, 0, theirs.clone());
        let clash = Clash {
            pointer: field.pointer(),
            before,
            mine,
            theirs,
            event: Some(event),
        };
        self.decide(ConflictKind::MovedSince, asked.subject, clash) == Verdict::TakeMine
    }

    fn emit_move(
        &mut self,
        asked: &Move<'_>,
        parent: Option<Option<Id>>,
        position: Option<Position>,
        geometry: GeometryPatch,
    ) {
        let target = asked.target.as_ref();
        if !self.has_parent(asked.subject, target) || self.makes_cycle(asked) {
            return;
        }
        let position = position.map(|position| self.position(asked.id, target, &position, asked.siblings));
        self.emit(DesignOp::MoveNode {
            id: asked.id.clone(),
            parent,
            position,
            siblings: None,
            geometry,
        });
    }

    fn makes_cycle(&mut self, asked: &Move<'_>) -> bool {
        let Some(target) = asked
            .target
            .as_ref()
            .filter(|target| self.work.is_within(target, asked.id))
        else {
            return false;
        };
        let path = std::iter::successors(self.work.node(target), |node| self.work.node(node.parent()?));
        let path = path.take_while(|node| node.id() != asked.id);
        let event = path.filter_map(|node| self.trail.mover(node.id())).max();
        let mine = Some(Json::from(&**target));
        let clash = Clash {
            pointer: Field::Parent.pointer(),
            mine,
            event,
            ..Clash::default()
        };
        self.conflict(ConflictKind::Cycle, asked.subject, clash);
        true
    }

    fn base_parent(&self, subject: &Subject, now: Option<&Id>) -> Option<Id> {
        let now = parent_json(now.map(AsRef::as_ref));
        let base = self.trail.before(subject, Field::Parent, 0, Some(now));
        base.as_ref().and_then(Json::as_str).map(Into::into)
    }

    fn base_order(&self, subject: &Subject) -> Option<OrderKey> {
        let base = self.trail.before(subject, Field::Order, 0, None)?;
        OrderKey::parse(base.as_str()?).ok()
    }

    /// Gives the geometry as the delta would have left it at its base, in full.
    fn base_geometry(&self, asked: &Move<'_>) -> GeometryPatch {
        let Some(node) = self.work.node(asked.id) else {
            return asked.geometry.clone();
        };
        let mut geometry = node.geometry().to_patch();
        for side in Side::ALL {
            let now = node.geometry().get(side).to_json();
            let base = self.trail.before(asked.subject, Field::Side(side), 0, Some(now));
            if let Some(Json::Number(base)) = base
                && let Ok(number) = crate::design::Number::from_json(&base)
            {
                geometry.set(side, number);
            }
            if let Some(number) = asked.geometry.get(side) {
                geometry.set(side, number.clone());
            }
        }
        geometry
    }
}

/// A move as the delta asks for it.
struct Move<'a> {
    id: &'a Id,
    subject: &'a Subject,
    base_parent: Option<Id>,
    /// The parent that the delta leaves the node with.
    target: Option<Id>,
    position: Option<&'a Position>,
    siblings: Option<&'a Siblings>,
    geometry: &'a GeometryPatch,
}
