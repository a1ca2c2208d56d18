//! The patch that leads from one object to another: at the deepest objects that differ, arrays whole.

use std::collections::HashMap;

use super::Patch;
use crate::json::{Json, JsonMap, same};
use crate::pointer::Pointer;
use crate::sequence::longest_increasing;
use crate::text::{TextDelta, TextOp, diff_plain, units};

/// Strings of at most so many UTF-16 units are always set whole.
const EDIT_MIN_UNITS: usize = 64;

/// Whether strings that share much are edited rather than set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Editing {
    /// Long strings that share much get a text delta.
    Strings,
    /// Every value is set whole.
    Nothing,
}

/// What leads from one object to another.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) patch: Patch,
    pub(crate) edits: Vec<(Pointer, TextDelta)>,
}

/// Finds what leads from one object to another; `pointer` leads to both.
pub(crate) fn diff(from: &JsonMap, to: &JsonMap, pointer: &Pointer, editing: Editing) -> Found {
    let mut search = Search {
        found: Found::default(),
        editing,
    };
    // Keys are short enough for a pointer to each key of the top to fit, so nothing is left over here.
    let _ = search.objects(from, to, pointer);
    search.found
}

/// A pointer below an object does not fit: the object has to be set whole.
struct PointerTooLong;

struct Search {
    found: Found,
    editing: Editing,
}

impl Search {
    fn objects(&mut self, from: &JsonMap, to: &JsonMap, at: &Pointer) -> Result<(), PointerTooLong> {
        for key in from.keys().filter(|key| !to.contains_key(key.as_str())) {
            self.found.patch.unset.push(child(at, key)?);
        }
        for (key, new) in to {
            let pointer = child(at, key)?;
            match from.get(key) {
                Some(old) => self.values(old, new, pointer),
                None => self.found.patch.set.push((pointer, new.clone())),
            }
        }
        self.order(from, to, at)
    }

    fn values(&mut self, old: &Json, new: &Json, at: Pointer) {
        match (old, new) {
            (Json::Object(from), Json::Object(to)) => {
                let kept = self.mark();
                if self.objects(from, to, &at).is_err() {
                    self.back_to(kept);
                    self.found.patch.set.push((at, new.clone()));
                }
            }
            (Json::String(from), Json::String(to)) if from != to => match self.edit(from, to) {
                Some(edit) => self.found.edits.push((at, edit)),
                None => self.found.patch.set.push((at, new.clone())),
            },
            (old, new) if !same(old, new) => self.found.patch.set.push((at, new.clone())),
            _ => {}
        }
    }

    /// Makes a text delta, where that is much smaller than the new text.
    fn edit(&self, from: &str, to: &str) -> Option<TextDelta> {
        if self.editing == Editing::Nothing || units(from).min(units(to)) <= EDIT_MIN_UNITS {
            return None;
        }
        let delta = diff_plain(from, to);
        let inserted: usize = delta
            .ops()
            .iter()
            .filter(|op| matches!(op, TextOp::Insert { .. }))
            .map(TextOp::len)
            .sum();
        (inserted <= units(to) / 2).then_some(delta)
    }

    /// Says where keys go that would not come to stand right by themselves: as few as possible.
    fn order(&mut self, from: &JsonMap, to: &JsonMap, at: &Pointer) -> Result<(), PointerTooLong> {
        let places: HashMap<&str, usize> = to
            .keys()
            .enumerate()
            .map(|(place, key)| (key.as_str(), place))
            .collect();
        let kept = from.keys().filter(|key| places.contains_key(key.as_str()));
        let new = to.keys().filter(|key| !from.contains_key(key.as_str()));
        let after: Vec<&String> = kept.chain(new).collect();
        let wanted: Vec<usize> = after.iter().map(|key| places[key.as_str()]).collect();
        for ((key, place), stays) in after.iter().zip(&wanted).zip(longest_increasing(&wanted)) {
            if !stays {
                self.found.patch.at.push((child(at, key)?, *place));
            }
        }
        Ok(())
    }

    fn mark(&self) -> [usize; 4] {
        let Found { patch, edits } = &self.found;
        [patch.set.len(), patch.unset.len(), patch.at.len(), edits.len()]
    }

    fn back_to(&mut self, [set, unset, at, edits]: [usize; 4]) {
        self.found.patch.set.truncate(set);
        self.found.patch.unset.truncate(unset);
        self.found.patch.at.truncate(at);
        self.found.edits.truncate(edits);
    }
}

fn child(at: &Pointer, key: &str) -> Result<Pointer, PointerTooLong> {
    at.child(key).ok_or(PointerTooLong)
}
