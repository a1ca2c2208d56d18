//! What changed in the fields of one thing.

use std::borrow::Cow;
use std::collections::HashMap;

use super::phrase::{counted, listed, value, word};
use crate::design::{GeometryPatch, Side};
use crate::json::Json;
use crate::patch::Patch;
use crate::pointer::Pointer;

/// How many fields are told with their values.
const VALUES_MAX: usize = 2;
/// How many fields are named before the rest is counted.
const NAMES_MAX: usize = 6;

/// Fields of one thing that are set or taken away, in the order in which they come up.
#[derive(Default)]
pub(super) struct Fields<'a> {
    /// By label; the value is `None` where the field is taken away.
    changes: Vec<(String, Option<Cow<'a, Json>>)>,
    places: HashMap<String, usize>,
    /// Keys only went to other places.
    reordered: bool,
}

impl<'a> Fields<'a> {
    pub(super) fn patch(&mut self, patch: &'a Patch) {
        self.patch_but(patch, |_| false);
    }

    /// Takes in a patch but for some pointers.
    pub(super) fn patch_but(&mut self, patch: &'a Patch, skip: impl Fn(&Pointer) -> bool) {
        for (pointer, json) in patch.set.iter().filter(|(pointer, _)| !skip(pointer)) {
            self.change(label(pointer), Some(Cow::Borrowed(json)));
        }
        for pointer in patch.unset.iter().filter(|pointer| !skip(pointer)) {
            self.change(label(pointer), None);
        }
        self.reordered |= patch.at.iter().any(|(pointer, _)| !skip(pointer));
    }

    pub(super) fn geometry(&mut self, geometry: &GeometryPatch, sides: &[Side]) {
        for side in sides {
            if let Some(number) = geometry.get(*side) {
                self.change(side.as_str().to_owned(), Some(Cow::Owned(number.to_json())));
            }
        }
    }

    /// Says what changed; nothing if nothing did.
    pub(super) fn sentence(&self, whose: &str) -> Option<String> {
        let reordered = self.reordered.then(|| format!("reordered the properties of {whose}"));
        match self.changes.as_slice() {
            [] => reordered,
            few if few.len() <= VALUES_MAX && few.iter().any(|(_, json)| json.is_some()) => {
                Some(with_values(few, whose))
            }
            many => Some(by_name(many, whose)),
        }
    }

    fn change(&mut self, label: String, json: Option<Cow<'a, Json>>) {
        match self.places.get(&label) {
            Some(place) => self.changes[*place].1 = json,
            None => {
                self.places.insert(label.clone(), self.changes.len());
                self.changes.push((label, json));
            }
        }
    }
}

/// Gives the pointer to a property as it is called: without `/props`, and with dots.
pub(super) fn label(pointer: &Pointer) -> String {
    let segments: Vec<_> = pointer.segments().collect();
    let segments = match segments.as_slice() {
        [first, below @ ..] if first == "props" && !below.is_empty() => below,
        all => all,
    };
    word(&segments.join("."))
}

/// `set x of "hero" to 10 and removed y`.
fn with_values(changes: &[(String, Option<Cow<'_, Json>>)], whose: &str) -> String {
    let (mut phrases, mut setting, mut named): (Vec<String>, Option<bool>, bool) = (Vec::new(), None, false);
    for (label, json) in changes {
        let verb = match (json.is_some(), setting) {
            (sets, Some(before)) if sets == before => "",
            (true, _) => "set ",
            (false, _) => "removed ",
        };
        let of = if named { String::new() } else { format!(" of {whose}") };
        let to = json
            .as_deref()
            .map(|json| format!(" to {}", value(json)))
            .unwrap_or_default();
        phrases.push(format!("{verb}{label}{of}{to}"));
        (setting, named) = (Some(json.is_some()), true);
    }
    listed(&phrases)
}

/// `changed x, y and fill of "hero"`.
fn by_name(changes: &[(String, Option<Cow<'_, Json>>)], whose: &str) -> String {
    let shown = if changes.len() > NAMES_MAX {
        NAMES_MAX - 1
    } else {
        NAMES_MAX
    };
    let mut names: Vec<String> = changes.iter().take(shown).map(|(label, _)| label.clone()).collect();
    if changes.len() > shown {
        names.push(counted(changes.len() - shown, "more field"));
    }
    let all_gone = changes.iter().all(|(_, json)| json.is_none());
    let verb = if all_gone { "removed" } else { "changed" };
    format!("{verb} {} of {whose}", listed(&names))
}
