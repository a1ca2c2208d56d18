//! A field of a DESIGN page followed through the events: what makes it a register, its [`Setters`].

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::births::Births;
use super::setters::{Part, Setters, Setting, switch};
use crate::design::{DesignOp, DesignValue, Side};
use crate::json::Json;
use crate::rebase::{Field, Said, Subject, Touch, Trail, comes, has, parent_json, rewound, said, same};

/// A field being followed through the events.
struct Follower<'f> {
    trail: &'f Trail<'f>,
    field: Field<'f>,
    part: Part<'f>,
    now: Option<Json>,
    is_there: bool,
    /// For a parent: the numbers of the place, now and when the node last was in an era.
    sides: [Option<Json>; 5],
    sides_of: HashMap<Option<usize>, [Option<Json>; 5]>,
    setters: Setters,
    /// What was set in the other lives of the node, by what began them.
    lives: HashMap<Option<usize>, Life>,
}

/// What was set in one life of a node.
#[derive(Default)]
struct Life {
    start: Option<Json>,
    set: BTreeMap<usize, Setting>,
    standing: BTreeSet<usize>,
    sides_of: HashMap<Option<usize>, [Option<Json>; 5]>,
}

/// Follows a field through all events, those planned included. `head` is the page after those committed; `life` is the
/// one that counts, if not that of now.
pub(super) fn follow(
    trail: &Trail<'_>,
    head: &DesignValue,
    subject: &Subject,
    field: Field<'_>,
    part: Part<'_>,
    life: Option<Option<usize>>,
) -> Setters {
    let touches: Vec<_> = trail
        .touches(subject, 0)
        .filter(|touch| concerns(touch.op, field) && !trail.only_rekeys(*touch))
        .collect();
    let committed = trail.events.past().len();
    let start_of = |field| {
        let past = touches.iter().rev().skip_while(|touch| touch.event >= committed);
        past.fold(value_of(head, subject, field), |now, touch| match touch.inverse {
            Some(inverse) if !matches!((part, said(inverse, field)), (Part::List, Said::Inside)) => {
                rewound(now, inverse, field)
            }
            _ => now,
        })
    };
    let start = start_of(field);
    let sides = match field {
        Field::Parent => Side::ALL.map(|side| start_of(Field::Side(side))),
        _ => Default::default(),
    };
    let mut follower = Follower {
        trail,
        field,
        part,
        now: start.clone(),
        is_there: true,
        sides_of: HashMap::from([(None, sides.clone())]),
        sides,
        setters: Setters {
            start,
            birth: None,
            set: BTreeMap::new(),
            standing: BTreeSet::new(),
            owners: Vec::new(),
            left: HashMap::new(),
            births: Births::of(trail, subject),
        },
        lives: HashMap::new(),
    };
    let mut compensations = trail
        .switchers(touches.iter().map(|touch| touch.event))
        .into_iter()
        .peekable();
    let mut touches = touches.into_iter().peekable();
    loop {
        let next = [touches.peek().map(|touch| touch.event), compensations.peek().copied()];
        let Some(event) = next.into_iter().flatten().min() else {
            break;
        };
        compensations.next_if_eq(&event);
        let of_event = std::iter::from_fn(|| touches.next_if(|touch| touch.event == event));
        follower.take(event, of_event);
    }
    if let Some(life) = life {
        follower.enter(life);
    }
    follower.setters
}

impl<'f> Follower<'f> {
    fn take<'t>(&mut self, event: usize, touches: impl Iterator<Item = Touch<'t>>) {
        let is_edit = self.trail.events.undoes(event).is_empty();
        let (mut is_set, mut is_touched) = (false, false);
        let mut start = self.now.clone();
        for touch in touches {
            is_touched |= !matches!(said(touch.op, self.field), Said::Nothing);
            if is_edit && comes(touch.op) {
                self.leave(event, is_set, start.as_ref());
            }
            is_set |= self.touch(touch.op);
            if is_edit && comes(touch.op) {
                self.begin(event);
                is_set = false;
                start = self.now.clone();
            } else if comes(touch.op) {
                self.enter(self.setters.births.at(event));
            }
        }
        is_set &= !(is_edit && self.is_put_in_again(start.as_ref()));
        let before = self.setters.owner();
        let switched = self.setters.switch(self.trail.switched(event));
        for life in self.lives.values_mut() {
            switch(&life.set, &mut life.standing, self.trail.switched(event));
        }
        let era = match self.part {
            Part::Within(eras) => eras.owner_after(event),
            Part::Value | Part::List => None,
        };
        if is_edit {
            if is_set {
                self.set(event, era);
            }
        } else if self.is_there && !(self.is_as_it_follows(era) && (is_touched || self.is_place_of(before))) {
            if is_set {
                self.set(event, era);
            } else if !matches!(self.part, Part::List) {
                let back: Vec<_> = switched.iter().rev().map(|(event, stands)| (*event, !stands)).collect();
                self.setters.switch(&back);
            }
        }
        let owner = self.setters.owner();
        if matches!(self.field, Field::Parent) {
            self.sides_of.insert(owner, self.sides.clone());
        }
        if self.setters.owners.last().is_none_or(|(_, last)| *last != owner) {
            self.setters.owners.push((event, owner));
        }
    }

    /// Ends a life in an edit that begins another: what the edit did before is of the one that ends.
    fn leave(&mut self, event: usize, is_set: bool, start: Option<&Json>) {
        if is_set && !self.is_put_in_again(start) {
            let era = match self.part {
                Part::Within(eras) => eras.left.get(&event).copied().flatten(),
                Part::Value | Part::List => None,
            };
            self.set(event, era);
        }
        self.setters.left.insert(event, self.setters.owner());
    }

    /// Begins a life with the value of now.
    fn begin(&mut self, event: usize) {
        self.enter(Some(event));
        self.setters.start = self.now.clone();
        self.setters.set.clear();
        self.setters.standing.clear();
    }

    /// Who takes a value out and puts the same in again sets no value.
    fn is_put_in_again(&self, start: Option<&Json>) -> bool {
        let is_value = matches!((self.field, self.part), (Field::At(_), Part::Value));
        is_value && same(start, self.now.as_ref())
    }

    /// Follows an operation; says whether it sets the field to another value.
    fn touch(&mut self, op: &DesignOp) -> bool {
        if matches!(self.field, Field::Parent) {
            for (side, now) in Side::ALL.into_iter().zip(&mut self.sides) {
                *now = rewound(now.take(), op, Field::Side(side));
            }
        }
        match (said(op, self.field), self.part) {
            (Said::Nothing, _) | (Said::Inside, Part::List) => false,
            (Said::Gone, _) => {
                self.is_there = false;
                false
            }
            _ => {
                let is_back = !std::mem::replace(&mut self.is_there, true);
                let before = self.now.take();
                self.now = rewound(before.clone(), op, self.field);
                // In another era the same number is another place; of a list, or a text, only a part may be known.
                is_back
                    || matches!(self.part, Part::Within(_) | Part::List)
                    || !same(before.as_ref(), self.now.as_ref())
            }
        }
    }

    /// Says whether a parent that a compensation has not touched is that of another era only where the place is the same.
    fn is_place_of(&self, before: Option<usize>) -> bool {
        let owner = self.setters.owner();
        let known = || self.sides_of.get(&owner).is_none_or(|sides| *sides == self.sides);
        !matches!(self.field, Field::Parent) || owner == before || known()
    }

    /// Goes on with a life of the node; one that is new begins with the value of now.
    fn enter(&mut self, birth: Option<usize>) {
        if self.setters.birth == birth {
            return;
        }
        let next = self.lives.remove(&birth).unwrap_or_else(|| Life {
            start: self.now.clone(),
            ..Life::default()
        });
        let last = Life {
            start: std::mem::replace(&mut self.setters.start, next.start),
            set: std::mem::replace(&mut self.setters.set, next.set),
            standing: std::mem::replace(&mut self.setters.standing, next.standing),
            sides_of: std::mem::replace(&mut self.sides_of, next.sides_of),
        };
        let birth = std::mem::replace(&mut self.setters.birth, birth);
        self.lives.insert(birth, last);
    }

    fn is_as_it_follows(&self, era: Option<usize>) -> bool {
        let now = self.now.as_ref();
        match self.part {
            Part::Value => same(now, self.setters.value_at(usize::MAX)),
            Part::List => now.is_some() == self.setters.value_at(usize::MAX).is_some(),
            Part::Within(_) => same(now, self.setters.value_in(usize::MAX, era)),
        }
    }

    fn set(&mut self, event: usize, era: Option<usize>) {
        let value = self.now.clone();
        self.setters.set.insert(event, Setting { value, era });
        self.setters.standing.insert(event);
    }
}

/// Says whether an operation matters to a field: the numbers of the place do to the parent.
pub(super) fn concerns(op: &DesignOp, field: Field<'_>) -> bool {
    let is_place = matches!((op, field), (DesignOp::MoveNode { .. }, Field::Parent));
    is_place || !matches!(said(op, field), Said::Nothing)
}

/// Gives the value of a field on a page.
pub(super) fn value_of(page: &DesignValue, subject: &Subject, field: Field<'_>) -> Option<Json> {
    let node = || match subject {
        Subject::Node(id) => page.node(id),
        _ => None,
    };
    match field {
        Field::At(pointer) => subject.read(page, pointer),
        Field::Element(pointer, element) => {
            let list = subject.read(page, pointer)?;
            has(list.as_array()?, element).then_some(Json::Bool(true))
        }
        Field::Parent => Some(parent_json(node()?.parent().map(AsRef::as_ref))),
        Field::Order => Some(Json::from(node()?.order().as_str())),
        Field::Side(side) => Some(node()?.geometry().get(side).to_json()),
        Field::Place => None,
    }
}
