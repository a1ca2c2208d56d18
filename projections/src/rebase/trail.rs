//! What events did to the things that a delta is about: found in one pass over them, then asked field by field.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::committed::{Committed, Events, Nature};
use super::field::{Field, said};
use super::owner::{Change, Ownership};
use super::subject::{Subject, comes, goes, subject_of};
use super::switches::Switches;
use crate::delta::Delta;
use crate::design::{DesignOp, Id, Placement, Position};
use crate::json::Json;
use crate::order::OrderKey;

/// The events, with the places where they touch the subjects of interest.
pub(crate) struct Trail<'a> {
    pub(crate) events: Events<'a>,
    /// Planned compensations: each operation with its inverse.
    planned: Vec<Vec<(DesignOp, DesignOp)>>,
    marks: HashMap<Subject, Vec<Mark>>,
    /// Where nodes and backgrounds of interest come and go.
    comings: HashMap<Subject, Vec<Mark>>,
    undone: HashSet<u64>,
    switches: Switches,
    /// What every event lets stand, or not, by the events' indices; nothing for those that are no compensations.
    switched: HashMap<usize, Vec<(usize, bool)>>,
    /// The compensations that switch an event, in order.
    switchers: HashMap<usize, Vec<usize>>,
}

/// Where an event touches something.
#[derive(Clone, Copy, Debug)]
struct Mark {
    event: usize,
    op: usize,
}

/// An operation of an event that touches something.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch<'t> {
    pub(crate) event: usize,
    pub(crate) op: &'t DesignOp,
    pub(crate) inverse: Option<&'t DesignOp>,
}

/// Where a node stood before it went away from there.
pub(crate) struct Stood {
    pub(crate) parent: Option<Id>,
    pub(crate) order: OrderKey,
}

impl<'a> Trail<'a> {
    /// Goes over events once. Later questions are answered for the subjects that `interest` names.
    pub(crate) fn new<'o>(past: &'a [Committed<'a>], interest: impl IntoIterator<Item = &'o DesignOp>) -> Trail<'a> {
        let mut marks = HashMap::new();
        interest.into_iter().for_each(|op| mention(op, &mut marks));
        let events = Events::new(past);
        let undone = events.undone(&events.compensations());
        let mut trail = Trail {
            events,
            planned: Vec::new(),
            marks,
            comings: HashMap::new(),
            undone,
            switches: Switches::default(),
            switched: HashMap::new(),
            switchers: HashMap::new(),
        };
        trail
            .events
            .compensations()
            .into_iter()
            .for_each(|event| trail.switch(event));
        for (event, committed) in past.iter().enumerate() {
            let Delta::Design(ops) = committed.delta else {
                continue;
            };
            ops.iter()
                .enumerate()
                .for_each(|(index, op)| trail.mark(event, index, op));
        }
        trail
    }

    /// Appends a compensation of events that is planned.
    pub(crate) fn plan(&mut self, undoes: Vec<u64>, ops: Vec<(DesignOp, DesignOp)>) {
        let event = self.events.plan(undoes);
        ops.iter()
            .enumerate()
            .for_each(|(index, (op, _))| self.mark(event, index, op));
        self.planned.push(ops);
        self.switch(event);
        self.undone = self.events.undone(&self.events.compensations());
    }

    /// Goes over what touches a subject in events from `first` on, in order.
    pub(crate) fn touches(&self, subject: &Subject, first: usize) -> impl DoubleEndedIterator<Item = Touch<'_>> {
        let marks = self.marks.get(subject).map_or(&[][..], Vec::as_slice);
        let from = marks.partition_point(|mark| mark.event < first);
        marks[from..].iter().filter_map(|mark| self.touch(*mark))
    }

    /// Goes over what creates a node or a background, brings it back, or removes it, in order.
    pub(crate) fn comings(&self, subject: &Subject) -> impl Iterator<Item = Touch<'_>> {
        let marks = self.comings.get(subject).map_or(&[][..], Vec::as_slice);
        marks.iter().filter_map(|mark| self.touch(*mark))
    }

    /// Gives the event that has taken a field since `first`, if one has.
    pub(crate) fn taken(&self, subject: &Subject, field: Field<'_>, first: usize) -> Option<usize> {
        let changes = self
            .touches(subject, first)
            .filter_map(|touch| self.change(touch, field));
        Ownership::follow(changes, &self.events).owner
    }

    /// As [`Trail::taken`], but text edits of the field do not count.
    pub(crate) fn replaced(&self, subject: &Subject, field: Field<'_>, first: usize) -> Option<usize> {
        let touches = self
            .touches(subject, first)
            .filter(|touch| !matches!(touch.op, DesignOp::EditText { .. }));
        let changes = touches.filter_map(|touch| self.change(touch, field));
        Ownership::follow(changes, &self.events).owner
    }

    /// Gives the events that an event lets stand, or not.
    pub(crate) fn switched(&self, event: usize) -> &[(usize, bool)] {
        self.switched.get(&event).map_or(&[], Vec::as_slice)
    }

    /// Gives the events that the undo of an event lets stand, or not; itself among them.
    pub(crate) fn switched_by_undo_of(&self, event: usize) -> Vec<(usize, bool)> {
        let target = [self.events.key(event)];
        self.indexed(self.switches.clone().take(u64::MAX, &target))
    }

    fn switch(&mut self, event: usize) {
        let switched = self.switches.take(self.events.key(event), self.events.undoes(event));
        let switched = self.indexed(switched);
        for (other, _) in &switched {
            self.switchers.entry(*other).or_default().push(event);
        }
        self.switched.insert(event, switched);
    }

    /// Gives the compensations that let some events stand, or not; in order.
    pub(crate) fn switchers(&self, events: impl Iterator<Item = usize>) -> BTreeSet<usize> {
        let switchers = events.filter_map(|event| self.switchers.get(&event));
        switchers.flatten().copied().collect()
    }

    fn indexed(&self, switched: Vec<(u64, bool)>) -> Vec<(usize, bool)> {
        let known = switched.into_iter();
        known
            .filter_map(|(version, stands)| Some((self.events.index(version)?, stands)))
            .collect()
    }

    /// Gives the last event from `first` on that touches a subject and is no part of an edit and its undo.
    pub(crate) fn edited(&self, subject: &Subject, first: usize) -> Option<usize> {
        let counts =
            |touch: &Touch<'_>| !self.is_cancelled(touch.event) && !goes(touch.op) && !self.only_rekeys(*touch);
        self.touches(subject, first).rev().find(counts).map(|touch| touch.event)
    }

    /// Gives the last event that removed a subject.
    pub(crate) fn remover(&self, subject: &Subject) -> Option<usize> {
        let removes = |op: &DesignOp| match (op, subject) {
            (DesignOp::RemoveNode { id }, Subject::Node(subject)) => id == subject,
            (DesignOp::RemoveBackground { id }, Subject::Background(subject)) => id == subject,
            _ => false,
        };
        self.search(|op, _| removes(op).then_some(())).map(|(event, ())| event)
    }

    /// Gives the last event that put a node somewhere.
    pub(crate) fn mover(&self, node: &Id) -> Option<usize> {
        self.search(|op, _| match op {
            DesignOp::AddNode { node: new, .. } if new.id == *node => Some(()),
            DesignOp::MoveNode {
                id, parent: Some(_), ..
            } if id == node => Some(()),
            _ => None,
        })
        .map(|(event, ())| event)
    }

    /// Tells where a node stood before it was last removed or moved to another parent.
    pub(crate) fn stood(&self, node: &Id) -> Option<Stood> {
        self.search(|op, inverse| match (op, inverse?) {
            (
                DesignOp::RemoveNode { id },
                DesignOp::AddNode {
                    node: old,
                    position: Position::Keyed(order),
                    ..
                },
            ) if id == node => Some(Stood {
                parent: old.parent.clone(),
                order: order.clone(),
            }),
            (
                DesignOp::MoveNode { id, .. },
                DesignOp::MoveNode {
                    parent: Some(parent),
                    position: Some(Position::Keyed(order)),
                    ..
                },
            ) if id == node => Some(Stood {
                parent: parent.clone(),
                order: order.clone(),
            }),
            _ => None,
        })
        .map(|(_, stood)| stood)
    }

    /// Gives the nodes that events put to a place, those left out whose keys were only made short.
    pub(crate) fn placed(&self) -> HashSet<Id> {
        let mut placed = HashSet::new();
        for event in 0..self.events.len() {
            if self.events.is_rebalance(event) {
                continue;
            }
            for (op, _) in self.ops(event) {
                match op {
                    DesignOp::AddNode { node, .. } => drop(placed.insert(node.id.clone())),
                    DesignOp::MoveNode {
                        id, position: Some(_), ..
                    } => drop(placed.insert(id.clone())),
                    _ => {}
                }
            }
        }
        placed
    }

    /// Gives those of some nodes that were there before the events from `first` on, and were removed by one of them. One
    /// pass over these.
    pub(crate) fn went_away(&self, nodes: &HashSet<Id>, first: usize) -> HashSet<Id> {
        let mut goes_first = HashMap::new();
        for (op, _) in (first..self.events.len()).flat_map(|event| self.ops(event)) {
            let (id, goes) = match op {
                DesignOp::RemoveNode { id } => (id, true),
                DesignOp::AddNode { node, .. } => (&node.id, false),
                _ => continue,
            };
            if nodes.contains(id) {
                goes_first.entry(id.clone()).or_insert(goes);
            }
        }
        let gone = goes_first.into_iter().filter(|(_, goes)| *goes);
        gone.map(|(id, _)| id).collect()
    }

    /// Says whether order keys were made short in an event from `first` on.
    pub(crate) fn rebalanced(&self, first: usize) -> bool {
        self.events
            .past()
            .iter()
            .skip(first)
            .any(|event| event.nature == Nature::Rebalance)
    }

    /// Gives what the newest event that has it answers, with that event.
    pub(crate) fn search<T>(
        &self,
        mut answer: impl FnMut(&DesignOp, Option<&DesignOp>) -> Option<T>,
    ) -> Option<(usize, T)> {
        (0..self.events.len()).rev().find_map(|event| {
            let mut ops: Vec<_> = self.ops(event).collect();
            ops.reverse();
            ops.into_iter()
                .find_map(|(op, inverse)| answer(op, inverse))
                .map(|found| (event, found))
        })
    }

    /// Gives the value that a field had before the events from `first` on, from the one that it has now.
    pub(crate) fn before(&self, subject: &Subject, field: Field<'_>, first: usize, now: Option<Json>) -> Option<Json> {
        let touches = self
            .touches(subject, first)
            .rev()
            .filter(|touch| self.change(*touch, field).is_some());
        touches.fold(now, |now, touch| match touch.inverse {
            Some(inverse) => super::rewind::rewound(now, inverse, field),
            None => now,
        })
    }

    /// Says whether an event is undone again, or undoes what is among the events itself.
    fn is_cancelled(&self, event: usize) -> bool {
        let first = self.events.past().first().map_or(u64::MAX, |event| event.version);
        let undoes = self.events.undoes(event);
        self.undone.contains(&self.events.key(event))
            || (!undoes.is_empty() && undoes.iter().all(|target| *target >= first))
    }

    /// Says whether order keys were only made short.
    pub(crate) fn only_rekeys(&self, touch: Touch<'_>) -> bool {
        self.events.is_rebalance(touch.event)
    }

    fn change<'t>(&self, touch: Touch<'t>, field: Field<'_>) -> Option<Change<'t>> {
        let new = said(touch.op, field);
        if matches!(new, super::field::Said::Nothing) || self.only_rekeys(touch) {
            return None;
        }
        let old = touch
            .inverse
            .map_or(super::field::Said::Inside, |inverse| said(inverse, field));
        Some(Change {
            event: touch.event,
            old,
            new,
        })
    }

    fn touch(&self, mark: Mark) -> Option<Touch<'_>> {
        let (op, inverse) = self.op(mark.event, mark.op)?;
        Some(Touch {
            event: mark.event,
            op,
            inverse,
        })
    }

    fn op(&self, event: usize, index: usize) -> Option<(&DesignOp, Option<&DesignOp>)> {
        let Some(committed) = self.events.past().get(event) else {
            let (op, inverse) = self.planned.get(event - self.events.past().len())?.get(index)?;
            return Some((op, Some(inverse)));
        };
        let Delta::Design(ops) = committed.delta else {
            return None;
        };
        Some((ops.get(index)?, pair(committed, ops.len(), index)))
    }

    fn ops(&self, event: usize) -> impl Iterator<Item = (&DesignOp, Option<&DesignOp>)> {
        (0..).map_while(move |index| self.op(event, index))
    }

    fn mark(&mut self, event: usize, op: usize, done: &DesignOp) {
        let Some(subject) = subject_of(done) else {
            return;
        };
        let Some(marks) = self.marks.get_mut(&subject) else {
            return;
        };
        marks.push(Mark { event, op });
        if comes(done) || goes(done) {
            self.comings.entry(subject).or_default().push(Mark { event, op });
        }
    }
}

/// Gives the operation of the inverse that pairs with one of the delta.
pub(crate) fn pair<'a>(committed: &Committed<'a>, ops: usize, index: usize) -> Option<&'a DesignOp> {
    match committed.inverse {
        Delta::Design(inverse) if inverse.len() == ops => inverse.get(ops - 1 - index),
        _ => None,
    }
}

/// Adds the subjects that an operation mentions: what it is about, and beside what it is put.
fn mention(op: &DesignOp, marks: &mut HashMap<Subject, Vec<Mark>>) {
    let beside = match op {
        DesignOp::AddBackground { placement, .. } | DesignOp::MoveBackground { placement, .. } => beside(placement),
        _ => None,
    };
    // The list of backgrounds comes with the first and may go with the last.
    let list = matches!(op, DesignOp::RemoveBackground { .. }).then_some(Subject::Attributes);
    let beside = beside.map(|id| Subject::Background(id.clone()));
    let all = subject_of(op).into_iter().chain(beside).chain(list);
    for subject in all {
        marks.entry(subject).or_default();
    }
}

fn beside(placement: &Placement) -> Option<&Id> {
    match placement {
        Placement::After(id) | Placement::Before(id) => Some(id),
        Placement::First | Placement::Last => None,
    }
}
