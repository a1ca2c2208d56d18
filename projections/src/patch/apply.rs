//! Applying a patch to an object: parent by parent, in time proportional to the objects touched.

use std::collections::HashMap;

use super::{Patch, check_overlap};
use crate::fault::{Limited, Rule};
use crate::flaw::{Flaw, at_most};
use crate::json::{self, Json, JsonMap};
use crate::limits::POINTER_MAX_BYTES;
use crate::pointer::Pointer;
use crate::sequence::merge_at;

/// A patch by reference.
#[derive(Default)]
pub(crate) struct PatchRef<'a> {
    pub(crate) set: Vec<(&'a Pointer, &'a Json)>,
    pub(crate) unset: Vec<&'a Pointer>,
    pub(crate) at: Vec<(&'a Pointer, usize)>,
}

/// What a patch did: as committed, and its inverse. Both are empty if it changed nothing.
#[derive(Default)]
pub(crate) struct Patched {
    pub(crate) delta: Patch,
    pub(crate) inverse: Patch,
}

/// Where the object stands that a patch is applied to.
#[derive(Clone, Copy)]
pub(crate) struct Root {
    /// How many keys of each pointer lead to the object.
    pub(crate) skip: usize,
    /// How many levels stand above the object.
    pub(crate) above: usize,
}

/// The part of a patch that is about the keys of one object, as indices into the patch.
#[derive(Default)]
struct Group {
    set: Vec<usize>,
    unset: Vec<usize>,
    at: Vec<usize>,
}

/// What of a patch really changed something, by its indices.
struct Effects {
    set: Vec<bool>,
    unset: Vec<bool>,
    at: Vec<bool>,
}

impl<'a> PatchRef<'a> {
    /// Refers to a whole patch.
    pub(crate) fn of(patch: &'a Patch) -> PatchRef<'a> {
        PatchRef {
            set: patch.set.iter().map(|(pointer, value)| (pointer, value)).collect(),
            unset: patch.unset.iter().collect(),
            at: patch.at.iter().map(|(pointer, index)| (pointer, *index)).collect(),
        }
    }

    /// Keeps what changed something.
    fn committed(&self, effects: &Effects) -> Patch {
        let set = self.set.iter().zip(&effects.set).filter(|(_, effective)| **effective);
        let unset = self
            .unset
            .iter()
            .zip(&effects.unset)
            .filter(|(_, effective)| **effective);
        let at = self.at.iter().zip(&effects.at).filter(|(_, effective)| **effective);
        Patch {
            set: set
                .map(|((pointer, value), _)| ((*pointer).clone(), (*value).clone()))
                .collect(),
            unset: unset.map(|(pointer, _)| (*pointer).clone()).collect(),
            at: at.map(|((pointer, index), _)| ((*pointer).clone(), *index)).collect(),
        }
    }
}

/// Applies a patch to an object. On an error the object may be half changed: give a copy.
pub(crate) fn apply(object: &mut JsonMap, patch: &PatchRef<'_>, root: Root) -> Result<Patched, Flaw> {
    check_overlap(patch)?;
    let mut effects = Effects {
        set: vec![false; patch.set.len()],
        unset: vec![false; patch.unset.len()],
        at: vec![false; patch.at.len()],
    };
    let mut inverse = Patch::default();
    for (parent, group) in groups(patch)? {
        let found = find(object, parent, root.skip).or_else(|rule| missing(rule, &group, patch))?;
        let Some(object) = found else { continue };
        let above = root.above + 1 + parent.split('/').skip(1 + root.skip).count();
        Keys {
            object,
            patch,
            group: &group,
            above,
        }
        .change(&mut effects, &mut inverse)?;
    }
    Ok(Patched {
        delta: patch.committed(&effects),
        inverse,
    })
}

/// Sorts a patch by the objects whose keys it names, in the order in which they come up.
fn groups<'a>(patch: &PatchRef<'a>) -> Result<Vec<(&'a str, Group)>, Flaw> {
    let mut groups: Vec<(&str, Group)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut place = |pointer: &'a Pointer| -> Result<usize, Flaw> {
        let (parent, _) = pointer.split_last().ok_or(Rule::NotWritable)?;
        Ok(*places.entry(parent).or_insert_with(|| {
            groups.push((parent, Group::default()));
            groups.len() - 1
        }))
    };
    let set: Vec<usize> = patch
        .set
        .iter()
        .map(|(pointer, _)| place(pointer))
        .collect::<Result<_, _>>()?;
    let unset: Vec<usize> = patch
        .unset
        .iter()
        .map(|pointer| place(pointer))
        .collect::<Result<_, _>>()?;
    let at: Vec<usize> = patch
        .at
        .iter()
        .map(|(pointer, _)| place(pointer))
        .collect::<Result<_, _>>()?;
    set.into_iter()
        .enumerate()
        .for_each(|(index, place)| groups[place].1.set.push(index));
    unset
        .into_iter()
        .enumerate()
        .for_each(|(index, place)| groups[place].1.unset.push(index));
    at.into_iter()
        .enumerate()
        .for_each(|(index, place)| groups[place].1.at.push(index));
    Ok(groups)
}

/// Finds the object that a pointer leads to.
fn find<'a>(root: &'a mut JsonMap, pointer: &str, skip: usize) -> Result<Option<&'a mut JsonMap>, Rule> {
    let mut object = root;
    for segment in pointer.split('/').skip(1 + skip) {
        let key = segment.replace("~1", "/").replace("~0", "~");
        object = match object.get_mut(&key) {
            Some(Json::Object(next)) => next,
            Some(Json::Array(_)) => return Err(Rule::ArrayIndex),
            Some(_) => return Err(Rule::NotAnObject),
            None => return Err(Rule::PathMissing),
        };
    }
    Ok(Some(object))
}

/// Finding no object is no fault where nothing is to be set: what shall go is not there. A position is only a hint.
fn missing<'a>(rule: Rule, group: &Group, patch: &PatchRef<'_>) -> Result<Option<&'a mut JsonMap>, Flaw> {
    if let Some(index) = group.set.first() {
        return Err(Flaw::from(rule).under_key(patch.set[*index].0.as_str()).under("/set"));
    }
    match group.unset.first() {
        Some(index) if rule != Rule::PathMissing => Err(Flaw::new(format!("/unset/{index}"), rule)),
        _ => Ok(None),
    }
}

/// The keys of one object, being changed.
struct Keys<'a, 'b> {
    object: &'a mut JsonMap,
    patch: &'a PatchRef<'b>,
    group: &'a Group,
    /// How many levels stand above its values.
    above: usize,
}

impl Keys<'_, '_> {
    fn change(mut self, effects: &mut Effects, inverse: &mut Patch) -> Result<(), Flaw> {
        let before = self.order();
        let removed = self.unset(effects);
        let created = self.set(effects, inverse)?;
        let moved = self.place(effects);
        if removed.is_empty() && created.is_empty() && !moved {
            return Ok(());
        }
        self.put_back(&before, removed, created, effects, inverse);
        Ok(())
    }

    fn order(&self) -> Vec<String> {
        let structural = !self.group.unset.is_empty() || !self.group.at.is_empty();
        if structural {
            self.object.keys().cloned().collect()
        } else {
            Vec::new()
        }
    }

    /// Takes keys out; gives what was there, in its order.
    fn unset(&mut self, effects: &mut Effects) -> Vec<(Pointer, Json)> {
        let mut wanted: HashMap<String, usize> = HashMap::new();
        for &index in &self.group.unset {
            let key = last_key(self.patch.unset[index]);
            if self.object.contains_key(&key) {
                effects.unset[index] = true;
                wanted.insert(key, index);
            }
        }
        if wanted.is_empty() {
            return Vec::new();
        }
        let mut removed = Vec::new();
        for (key, value) in std::mem::take(self.object) {
            match wanted.get(&key) {
                Some(index) => removed.push((self.patch.unset[*index].clone(), value)),
                None => drop(self.object.insert(key, value)),
            }
        }
        removed
    }

    /// Sets keys; gives the pointers of those that were not there.
    fn set(&mut self, effects: &mut Effects, inverse: &mut Patch) -> Result<Vec<Pointer>, Flaw> {
        let mut created = Vec::new();
        for &index in &self.group.set {
            let (pointer, value) = self.patch.set[index];
            let key = last_key(pointer);
            let flaw = |flaw: Flaw| flaw.under_key(pointer.as_str()).under("/set");
            check_pointer(pointer, &key).map_err(Flaw::from).map_err(flaw)?;
            json::check(value, self.above).map_err(flaw)?;
            match self.object.get_mut(&key) {
                Some(old) if json::same(old, value) => {}
                Some(old) => {
                    inverse
                        .set
                        .push((pointer.clone(), std::mem::replace(old, value.clone())));
                    effects.set[index] = true;
                }
                None => {
                    self.object.insert(key, value.clone());
                    created.push(pointer.clone());
                    effects.set[index] = true;
                }
            }
        }
        Ok(created)
    }

    /// Puts keys at the indices named; says whether that changed their order.
    fn place(&mut self, effects: &mut Effects) -> bool {
        let mut wanted: HashMap<String, usize> = HashMap::new();
        for &index in &self.group.at {
            let key = last_key(self.patch.at[index].0);
            if self.object.contains_key(&key) {
                wanted.insert(key, index);
            }
        }
        if wanted.is_empty() {
            return false;
        }
        let before: Vec<String> = self.object.keys().cloned().collect();
        let (mut rest, mut placed) = (Vec::new(), Vec::new());
        for (key, value) in std::mem::take(self.object) {
            match wanted.get(&key) {
                Some(index) => placed.push((*index, key, value)),
                None => rest.push((key, value)),
            }
        }
        // Of two that want the same index, the one that the patch names first comes first.
        placed.sort_by_key(|(index, _, _)| *index);
        let at = |index: usize| self.patch.at[index].1;
        let placed = placed
            .into_iter()
            .map(|(index, key, value)| (at(index), (key, value)))
            .collect();
        self.object.extend(merge_at(rest, placed));
        let moved = !self.object.keys().eq(before.iter());
        if moved {
            wanted.values().for_each(|index| effects.at[*index] = true);
        }
        moved
    }

    /// Writes down how the keys come back, with their indices where they would not come back to their places by
    /// themselves.
    fn put_back(
        &self,
        before: &[String],
        removed: Vec<(Pointer, Json)>,
        created: Vec<Pointer>,
        effects: &Effects,
        inverse: &mut Patch,
    ) {
        if !before.is_empty() && !self.comes_back(before, &removed, &created) {
            let places: HashMap<&str, usize> = before
                .iter()
                .enumerate()
                .map(|(index, key)| (key.as_str(), index))
                .collect();
            let moved = self.group.at.iter().filter(|index| effects.at[**index]);
            let moved = moved.map(|index| self.patch.at[*index].0);
            for pointer in removed.iter().map(|(pointer, _)| pointer).chain(moved) {
                if let Some(place) = places.get(last_key(pointer).as_str()) {
                    inverse.at.push((pointer.clone(), *place));
                }
            }
        }
        inverse.set.extend(removed);
        inverse.unset.extend(created);
    }

    /// Says whether taking away what was created and putting back what was removed, at the end, restores the order.
    fn comes_back(&self, before: &[String], removed: &[(Pointer, Json)], created: &[Pointer]) -> bool {
        let created: std::collections::HashSet<String> = created.iter().map(last_key).collect();
        let kept = self
            .object
            .keys()
            .filter(|key| !created.contains(key.as_str()))
            .cloned();
        kept.chain(removed.iter().map(|(pointer, _)| last_key(pointer)))
            .eq(before.iter().cloned())
    }
}

fn check_pointer(pointer: &Pointer, key: &str) -> Result<(), Rule> {
    at_most(Limited::PointerBytes, POINTER_MAX_BYTES, pointer.as_str().len())?;
    json::check_key(key)
}

fn last_key(pointer: &Pointer) -> String {
    pointer
        .split_last()
        .map(|(_, key)| key.into_owned())
        .unwrap_or_default()
}
