//! A field of a DESIGN page as a register: who set it to what, and who of them stands. Its value is what the newest of
//! those set.
//!
//! A node's life begins with its creation: what that set is there from the start, also where the creation is undone. A
//! compensation that brings the node back returns to the life that it was in; who set the field in another is no setter.
//! Who sets a field to the value that it has is no setter. A compensation sets nothing itself as long as it leaves what
//! follows from who stands. Where it could not change the field at all, because something stood in its way, it has
//! switched nobody here.
//!
//! The numbers of a place, and the order, mean something below one parent only. So they are set within an *era*, which
//! begins with the event that brought the node below that parent; those of another era do not count.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::births::Births;
use crate::json::Json;

/// The events that set a field, by their indices.
pub(super) struct Setters {
    /// The value before the first event, or that with which the node was created.
    pub(super) start: Option<Json>,
    /// The event that began the life that the node is in.
    pub(super) birth: Option<usize>,
    pub(super) set: BTreeMap<usize, Setting>,
    pub(super) standing: BTreeSet<usize>,
    /// Who the field belonged to after the events where that changed.
    pub(super) owners: Vec<(usize, Option<usize>)>,
    /// Who it belonged to when an edit ended a life and began another.
    pub(super) left: HashMap<usize, Option<usize>>,
    pub(super) births: Births,
}

/// What one event set.
pub(super) struct Setting {
    pub(super) value: Option<Json>,
    pub(super) era: Option<usize>,
}

/// What of a field is followed.
#[derive(Clone, Copy)]
pub(super) enum Part<'e> {
    /// Its value, also where a part of it is set.
    Value,
    /// Whether there is a list at all, whatever it holds.
    List,
    /// Its value in the eras of these.
    Within(&'e Setters),
}

impl Setters {
    /// Lets events stand, or not; gives those for which that is new.
    pub(super) fn switch(&mut self, switched: &[(usize, bool)]) -> Vec<(usize, bool)> {
        switch(&self.set, &mut self.standing, switched)
    }

    /// Gives the newest event that set the field and stands.
    pub(super) fn owner(&self) -> Option<usize> {
        self.standing.last().copied()
    }

    /// As [`Setters::owner`], in an era.
    pub(super) fn owner_in(&self, era: Option<usize>) -> Option<usize> {
        self.newest(usize::MAX, era)
    }

    /// Gives the newest event that set the field, stands, and is no newer than `top`.
    pub(super) fn owner_at(&self, top: usize) -> Option<usize> {
        self.standing.range(..=top).next_back().copied()
    }

    /// Gives what the newest event set that stands and is no newer than `top`.
    pub(super) fn value_at(&self, top: usize) -> Option<&Json> {
        match self.owner_at(top) {
            Some(owner) => self.set.get(&owner)?.value.as_ref(),
            None => self.start.as_ref(),
        }
    }

    /// As [`Setters::value_at`], in an era; nothing where nobody is known to have set it in that.
    pub(super) fn value_in(&self, top: usize, era: Option<usize>) -> Option<&Json> {
        match (self.newest(top, era), era) {
            (Some(owner), _) => self.set.get(&owner)?.value.as_ref(),
            (None, None) => self.start.as_ref(),
            // Who began an era has begun it, also where an undo of that found the node in somebody's way.
            (None, Some(era)) => self.set.get(&era)?.value.as_ref(),
        }
    }

    /// Says whether the life that the node is in now began after an event.
    pub(super) fn is_younger_than(&self, event: usize) -> bool {
        self.birth.is_some_and(|birth| birth > event)
    }

    /// Says whether the life that counts is that from before an event, or after it.
    pub(super) fn is_of_life(&self, event: usize, before: bool) -> bool {
        let life = match before {
            true => self.births.before(event),
            false => self.births.at(event),
        };
        life == self.birth
    }

    /// Gives the era in which an event set the field.
    pub(super) fn era_of(&self, event: usize) -> Option<usize> {
        self.set.get(&event)?.era
    }

    fn newest(&self, top: usize, era: Option<usize>) -> Option<usize> {
        let mut standing = self.standing.range(..=top).rev().copied();
        standing.find(|event| self.era_of(*event) == era)
    }

    /// Gives the last event that changed to whom the field belongs.
    pub(super) fn last_change(&self) -> Option<usize> {
        self.owners.last().map(|(event, _)| *event)
    }

    /// Gives the owner after an event; after all that have happened, for the highest number.
    pub(super) fn owner_after(&self, event: usize) -> Option<usize> {
        let known = self.owners.partition_point(|(at, _)| *at <= event);
        self.owners.get(known.checked_sub(1)?)?.1
    }
}

/// Lets setters stand, or not; gives those for which that is new.
pub(super) fn switch(
    set: &BTreeMap<usize, Setting>,
    standing: &mut BTreeSet<usize>,
    switched: &[(usize, bool)],
) -> Vec<(usize, bool)> {
    let mut new = Vec::new();
    for (event, stands) in switched {
        let is_new = match stands {
            true => set.contains_key(event) && standing.insert(*event),
            false => standing.remove(event),
        };
        if is_new {
            new.push((*event, *stands));
        }
    }
    new
}
