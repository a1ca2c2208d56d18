//! What one event takes out and puts in again. It may have changed nothing but the place among the keys, or elements; that
//! goes back too.

use std::collections::HashSet;

use super::planner::Planner;
use crate::design::{DesignOp, Id};
use crate::json::Json;
use crate::patch::Patch;
use crate::pointer::Pointer;
use crate::rebase::{Subject, has, subject_of};

impl Planner<'_> {
    /// Lets a field that has its value already go back to its place, where the stored inverse takes it out and puts it in
    /// again. `is_own` says that it is there and nobody has set it since.
    pub(super) fn key_back(&mut self, subject: &Subject, pointer: &Pointer, is_own: bool) {
        if !is_own || !self.is_put_in_again(subject, pointer) {
            return;
        }
        let field = (subject.clone(), pointer.to_string());
        if self.set_later.contains(&field) {
            self.put_last.insert(field.clone());
        }
        self.set_back.insert(field);
    }

    /// Gives the places of the keys that a stored patch puts in again behind all others, where they stand elsewhere now.
    pub(super) fn last_places(&self, subject: &Subject, stored: &Patch) -> Vec<(Pointer, usize)> {
        let again = stored.set.iter().map(|(pointer, _)| pointer).filter(|pointer| {
            let has_place = stored.at.iter().any(|(placed, _)| placed == *pointer);
            !has_place && self.put_last.contains(&(subject.clone(), pointer.to_string()))
        });
        let place = |pointer: &Pointer| {
            let (parent, key) = pointer.split_last()?;
            let keys = subject.keys(&self.work, parent)?;
            let last = keys.len().checked_sub(1)?;
            (keys[last] != key && keys.iter().any(|other| *other == key)).then(|| (pointer.clone(), last))
        };
        again.filter_map(place).collect()
    }

    /// Says whether the stored inverse takes a field out, from the operation of now on, and puts it in again.
    pub(super) fn is_put_in_again(&self, subject: &Subject, pointer: &Pointer) -> bool {
        let mut own = self.rest.iter().filter(|op| subject_of(op).as_ref() == Some(subject));
        own.any(|op| patch_of(op).is_some_and(|patch| patch.unset.contains(pointer)))
            && own.any(|op| patch_of(op).is_some_and(|patch| sets(patch, pointer)))
    }

    /// Says whether the stored inverse puts an element into a set again, after the operation of now.
    pub(super) fn is_element_put_in_again(&self, id: &Id, pointer: &Pointer, value: &Json) -> bool {
        self.rest.iter().skip(1).any(|op| match op {
            DesignOp::AddToSet {
                id: other,
                pointer: at,
                values,
                ..
            } => other == id && at == pointer && has(values, value),
            _ => false,
        })
    }
}

/// Gives the fields that an operation takes out and later ones put in again: so they come to stand behind the others.
pub(super) fn set_later(op: &DesignOp, later: &[DesignOp]) -> HashSet<(Subject, String)> {
    let (Some(patch), Some(subject)) = (patch_of(op), subject_of(op)) else {
        return HashSet::new();
    };
    let sets = |op: &DesignOp, pointer| {
        patch_of(op).is_some_and(|patch| sets(patch, pointer)) && subject_of(op).as_ref() == Some(&subject)
    };
    let again = patch
        .unset
        .iter()
        .filter(|pointer| later.iter().any(|op| sets(op, pointer)));
    again.map(|pointer| (subject.clone(), pointer.to_string())).collect()
}

fn sets(patch: &Patch, pointer: &Pointer) -> bool {
    patch.set.iter().any(|(set, _)| set == pointer)
}

fn patch_of(op: &DesignOp) -> Option<&Patch> {
    match op {
        DesignOp::SetNode { patch, .. } | DesignOp::SetAttributes { patch } | DesignOp::SetBackground { patch, .. } => {
            Some(patch)
        }
        _ => None,
    }
}
