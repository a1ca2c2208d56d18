//! The fates of runs: by which edits they were inserted, deleted and formatted.
//!
//! A fate is what one edit did to runs that shared an earlier fate, which is its parent. So fates form trees: a root is an
//! insert, and the path from it to a fate tells all that happened to the fate's runs. Runs with the same past share one
//! fate; a run that is split needs no new one; and what an edit did is found as the fates that it made and all that lies
//! below them.

use super::order::number;
use super::runs::Run;
use crate::text::Attributes;

/// No fate, no run, no attributes.
pub(super) const NONE: u32 = u32::MAX;
/// The fate of the starting text. Its edit is none, and always active.
pub(super) const START: u32 = 0;
/// The edit that inserted the starting text.
pub(super) const START_EDIT: u32 = u32::MAX;

/// All fates. A parent comes before its children, and an edit's own fates lie together.
#[derive(Debug, Clone)]
pub(super) struct Fates {
    fates: Vec<Fate>,
    attributes: Vec<Attributes>,
}

/// What one edit did to runs.
#[derive(Debug, Clone)]
pub(super) struct Fate {
    pub(super) parent: u32,
    pub(super) edit: u32,
    pub(super) deed: Deed,
    /// The flip that went over it last.
    pub(super) seen: u32,
    /// The newest child, and the next older child of the same parent.
    newest_child: u32,
    older_sibling: u32,
    /// The first of the runs whose fate ends here.
    first_run: u32,
}

/// What an edit can do to a run. Attributes are given by their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    /// Inserted it, with these attributes.
    Insert(u32),
    /// Deleted it.
    Delete,
    /// Laid this patch over its attributes.
    Set(u32),
}

impl Fates {
    /// Makes the fate of the starting text.
    pub(super) fn new() -> Self {
        let mut fates = Self {
            fates: Vec::new(),
            attributes: Vec::new(),
        };
        fates.add(NONE, START_EDIT, Deed::Insert(NONE));
        fates
    }

    pub(super) fn len(&self) -> usize {
        self.fates.len()
    }

    /// Goes over all fates in the order of their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Fate> {
        self.fates.iter()
    }

    pub(super) fn get(&self, fate: u32) -> &Fate {
        &self.fates[fate as usize]
    }

    /// Notes that a flip goes over a fate.
    pub(super) fn see(&mut self, fate: u32, flip: u32) {
        self.fates[fate as usize].seen = flip;
    }

    /// Keeps attributes or a patch; returns their number.
    pub(super) fn keep(&mut self, attributes: Option<&Attributes>) -> u32 {
        attributes.map_or(NONE, |attributes| {
            self.attributes.push(attributes.clone());
            number(self.attributes.len() - 1)
        })
    }

    /// Returns the attributes of a number.
    pub(super) fn attributes(&self, number: u32) -> Option<&Attributes> {
        self.attributes.get(number as usize)
    }

    /// Returns the fate of runs of a fate to which an edit does a deed.
    pub(super) fn below(&mut self, parent: u32, edit: u32, deed: Deed) -> u32 {
        // An edit's runs come up one after the other: if this was met before, then lately.
        match self.fates.get(self.get(parent).newest_child as usize) {
            Some(child) if child.edit == edit && child.deed == deed => self.get(parent).newest_child,
            _ => self.add(parent, edit, deed),
        }
    }

    /// Returns a new fate of runs that an edit inserts.
    pub(super) fn insert(&mut self, edit: u32, attributes: u32) -> u32 {
        self.add(NONE, edit, Deed::Insert(attributes))
    }

    /// Goes over the children of a fate.
    pub(super) fn children(&self, parent: u32) -> impl Iterator<Item = u32> {
        let mut next = self.get(parent).newest_child;
        std::iter::from_fn(move || {
            let child = self.fates.get(next as usize)?;
            Some(std::mem::replace(&mut next, child.older_sibling))
        })
    }

    /// Returns a fate and all above it, the root last.
    pub(super) fn path(&self, fate: u32) -> impl Iterator<Item = &Fate> {
        let mut next = fate;
        std::iter::from_fn(move || {
            let fate = self.fates.get(next as usize)?;
            next = fate.parent;
            Some(fate)
        })
    }

    /// Goes over the runs whose fate ends here.
    pub(super) fn runs<'a>(&self, fate: u32, runs: &'a [Run]) -> impl Iterator<Item = u32> + use<'a> {
        let mut next = self.get(fate).first_run;
        std::iter::from_fn(move || {
            let run = runs.get(next as usize)?;
            Some(std::mem::replace(&mut next, run.next))
        })
    }

    /// Says whether any run's fate ends here.
    pub(super) fn has_runs(&self, fate: u32) -> bool {
        self.get(fate).first_run != NONE
    }

    /// Enters a run under its fate.
    pub(super) fn enter(&mut self, run: u32, runs: &mut [Run]) {
        let fate = &mut self.fates[runs[run as usize].fate as usize];
        let next = std::mem::replace(&mut fate.first_run, run);
        if let Some(next) = runs.get_mut(next as usize) {
            next.previous = run;
        }
        let run = &mut runs[run as usize];
        (run.previous, run.next) = (NONE, next);
    }

    /// Gives a run another fate.
    pub(super) fn change(&mut self, run: u32, fate: u32, runs: &mut [Run]) {
        let Run {
            fate: old,
            previous,
            next,
            ..
        } = runs[run as usize];
        match runs.get_mut(previous as usize) {
            Some(previous) => previous.next = next,
            None => self.fates[old as usize].first_run = next,
        }
        if let Some(next) = runs.get_mut(next as usize) {
            next.previous = previous;
        }
        runs[run as usize].fate = fate;
        self.enter(run, runs);
    }

    /// Returns about how many bytes of memory they take.
    pub(super) fn weight(&self) -> usize {
        let attributes: usize = self.attributes.iter().map(|it| it.canonical().len()).sum();
        // Held as text and as JSON, which takes several times the room.
        self.fates.capacity() * size_of::<Fate>() + 4 * attributes
    }

    fn add(&mut self, parent: u32, edit: u32, deed: Deed) -> u32 {
        let new = number(self.fates.len());
        let older_sibling = match self.fates.get_mut(parent as usize) {
            Some(parent) => std::mem::replace(&mut parent.newest_child, new),
            None => NONE,
        };
        self.fates.push(Fate {
            parent,
            edit,
            deed,
            seen: 0,
            newest_child: NONE,
            older_sibling,
            first_run: NONE,
        });
        new
    }
}
