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
