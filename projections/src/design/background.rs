//! Attributes of the page, and the list of backgrounds among them.

use super::apply::Run;
use super::node::Id;
use super::op::{Background, DesignOp, Placement, Siblings};
use super::read::check_background;
use super::{BACKGROUNDS, DesignValue};
use crate::fault::{Invalid, Limited, Rule};
use crate::flaw::{Flaw, at_most};
use crate::json::{self, Json, JsonMap};
use crate::limits::BACKGROUNDS_MAX;
use crate::patch::{self, Patch, PatchRef, Root};
use crate::pointer::{Pointer, holds};
use crate::wire::check_type;

const LIST: &str = "/backgrounds";
/// Two levels stand above a background: the attributes and the list.
const BACKGROUND_ABOVE: usize = 2;

impl Run<'_> {
    pub(super) fn set_attributes(&mut self, patch: &Patch) -> Result<(), Flaw> {
        check_writable(patch)?;
        let mut map = self.value.attributes.map.clone();
        if map
            .get(BACKGROUNDS)
            .and_then(Json::as_array)
            .is_some_and(|list| !list.is_empty())
        {
            check_list_untouched(patch)?;
        }
        let patched = patch::apply(&mut map, &PatchRef::of(patch), Root { skip: 0, above: 0 })?;
        if patched.delta.is_empty() {
            return Ok(());
        }
        self.value.put_attributes(map);
        let set = |patch| DesignOp::SetAttributes { patch };
        self.commit(|_| Some((set(patched.delta), set(patched.inverse))));
        Ok(())
    }

    pub(super) fn add_background(&mut self, background: &Background, placement: &Placement) -> Result<(), Flaw> {
        background.check().map_err(|flaw| flaw.under("/background"))?;
        if !self.value.attributes.map.contains_key(BACKGROUNDS) {
            let pointer = Pointer::parse(LIST).map_err(|_| Rule::NotWritable)?;
            self.set_attributes(&Patch {
                set: vec![(pointer, Json::Array(Vec::new()))],
                ..Patch::default()
            })?;
        }
        let mut list = self.list();
        let id: Id = background.id().into();
        if place_of(&list, &id).is_some() {
            return Err(Flaw::new("/background/id", Rule::IdTaken { id: id.to_string() }));
        }
        at_most(Limited::Backgrounds, BACKGROUNDS_MAX, list.len() + 1)?;
        let index = index_for(&list, placement)?;
        list.insert(index, Json::Object(background.0.clone()));
        let siblings = siblings_at(&list, index);
        self.put_list(list);
        self.commit(|_| {
            let placement = placement_by(&siblings);
            let op = DesignOp::AddBackground {
                background: background.clone(),
                placement,
                siblings: Some(siblings),
            };
            Some((op, DesignOp::RemoveBackground { id }))
        });
        Ok(())
    }

    pub(super) fn remove_background(&mut self, id: &Id) -> Result<(), Flaw> {
        let mut list = self.list();
        let index = self.index_of(&list, id)?;
        let siblings = siblings_at(&list, index);
        let Json::Object(old) = list.remove(index) else {
            return Err(missing(id));
        };
        self.put_list(list);
        self.commit(|_| {
            let (placement, background) = (placement_by(&siblings), Background(old));
            let inverse = DesignOp::AddBackground {
                background,
                placement,
                siblings: Some(siblings),
            };
            Some((DesignOp::RemoveBackground { id: id.clone() }, inverse))
        });
        Ok(())
    }

    pub(super) fn set_background(&mut self, id: &Id, patch: &Patch) -> Result<(), Flaw> {
        let mut list = self.list();
        let index = self.index_of(&list, id)?;
        check_background_writable(patch)?;
        let Json::Object(map) = &mut list[index] else {
            return Err(missing(id));
        };
        let patched = patch::apply(
            map,
            &PatchRef::of(patch),
            Root {
                skip: 0,
                above: BACKGROUND_ABOVE,
            },
        )?;
        if patched.delta.is_empty() {
            return Ok(());
        }
        self.put_list(list);
        let set = |patch| DesignOp::SetBackground { id: id.clone(), patch };
        self.commit(|_| Some((set(patched.delta), set(patched.inverse))));
        Ok(())
    }

    pub(super) fn move_background(&mut self, id: &Id, placement: &Placement) -> Result<(), Flaw> {
        let mut list = self.list();
        let from = self.index_of(&list, id)?;
        let before = siblings_at(&list, from);
        let background = list.remove(from);
        let to = index_for(&list, placement)?;
        list.insert(to, background);
        if from == to {
            return Ok(());
        }
        let after = siblings_at(&list, to);
        self.put_list(list);
        let moving = |siblings: Siblings| DesignOp::MoveBackground {
            id: id.clone(),
            placement: placement_by(&siblings),
            siblings: Some(siblings),
        };
        self.commit(|_| Some((moving(after), moving(before))));
        Ok(())
    }

    fn list(&self) -> Vec<Json> {
        self.value.backgrounds().to_vec()
    }

    fn index_of(&self, list: &[Json], id: &Id) -> Result<usize, Flaw> {
        place_of(list, id).ok_or_else(|| missing(id))
    }

    fn put_list(&mut self, list: Vec<Json>) {
        let mut map = self.value.attributes.map.clone();
        map.insert(BACKGROUNDS.into(), Json::Array(list));
        self.value.put_attributes(map);
    }
}

impl DesignValue {
    /// Gives the backgrounds in their order, each an object with an `id` and a `type`.
    pub fn backgrounds(&self) -> &[Json] {
        self.attributes
            .map
            .get(BACKGROUNDS)
            .and_then(Json::as_array)
            .map_or(&[], Vec::as_slice)
    }
}

impl Background {
    /// Takes a JSON object with an `id` and a `type`.
    ///
    /// # Errors
    /// [`Invalid`] if one of the two is missing or not valid, or the object breaks a limit.
    pub fn new(map: JsonMap) -> Result<Background, Invalid> {
        Background::read(map, "")
    }

    pub(super) fn read(map: JsonMap, place: &str) -> Result<Background, Invalid> {
        let background = Background(map);
        background.check().map_err(|flaw| flaw.into_invalid(place))?;
        check_background(background.as_map(), place)?;
        Ok(background)
    }

    fn check(&self) -> Result<(), Flaw> {
        json::check_map(&self.0, BACKGROUND_ABOVE)
    }
}

/// Refuses pointers that [`DesignOp::SetAttributes`] may not write: into the list of backgrounds.
pub(super) fn check_writable(patch: &Patch) -> Result<(), Flaw> {
    let empty = |value: &Json| value.as_array().is_some_and(Vec::is_empty);
    for (pointer, value) in &patch.set {
        let text = pointer.as_str();
        let rule = match holds(LIST, text) {
            _ if text.is_empty() => Rule::NotWritable,
            true if text != LIST || !empty(value) => Rule::BackgroundsByOperation,
            _ => continue,
        };
        return Err(Flaw::from(rule).under_key(text).under("/set"));
    }
    let inside =
        |pointer: &Pointer| pointer.as_str().is_empty() || (holds(LIST, pointer.as_str()) && pointer.as_str() != LIST);
    match patch.unset.iter().position(inside) {
        Some(index) => Err(Flaw::new(format!("/unset/{index}"), Rule::BackgroundsByOperation)),
        None => Ok(()),
    }
}

/// Refuses pointers that [`DesignOp::SetBackground`] may not write: the id, and anything but a string as the type.
pub(super) fn check_background_writable(patch: &Patch) -> Result<(), Flaw> {
    for (pointer, value) in &patch.set {
        let checked = match (pointer.as_str(), value) {
            ("/type", Json::String(kind)) => check_type(kind),
            ("" | "/type", _) => Err(Rule::NotWritable),
            (text, _) if holds("/id", text) => Err(Rule::NotWritable),
            _ => Ok(()),
        };
        checked.map_err(|rule| Flaw::from(rule).under_key(pointer.as_str()).under("/set"))?;
    }
    let fixed = |pointer: &Pointer| pointer.as_str().is_empty() || ["/id", "/type"].contains(&pointer.as_str());
    match patch.unset.iter().position(fixed) {
        Some(index) => Err(Flaw::new(format!("/unset/{index}"), Rule::NotWritable)),
        None => Ok(()),
    }
}

/// Refuses to set or take away a list that is not empty.
fn check_list_untouched(patch: &Patch) -> Result<(), Flaw> {
    if let Some((pointer, _)) = patch.set.iter().find(|(pointer, _)| pointer.as_str() == LIST) {
        return Err(Flaw::from(Rule::BackgroundsByOperation)
            .under_key(pointer.as_str())
            .under("/set"));
    }
    match patch.unset.iter().position(|pointer| pointer.as_str() == LIST) {
        Some(index) => Err(Flaw::new(format!("/unset/{index}"), Rule::BackgroundsByOperation)),
        None => Ok(()),
    }
}

fn missing(id: &Id) -> Flaw {
    Flaw::new("/id", Rule::BackgroundMissing { id: id.to_string() })
}

fn id_at(list: &[Json], index: usize) -> Option<Id> {
    list.get(index)?.get("id")?.as_str().map(Into::into)
}

fn place_of(list: &[Json], id: &str) -> Option<usize> {
    list.iter()
        .position(|background| background.get("id").and_then(Json::as_str) == Some(id))
}

fn index_for(list: &[Json], placement: &Placement) -> Result<usize, Flaw> {
    let beside = |id: &Id, at: &str| {
        place_of(list, id).ok_or_else(|| Flaw::new(at, Rule::SiblingMissing { id: id.to_string() }))
    };
    match placement {
        Placement::First => Ok(0),
        Placement::Last => Ok(list.len()),
        Placement::After(id) => Ok(beside(id, "/placement/after")? + 1),
        Placement::Before(id) => beside(id, "/placement/before"),
    }
}

fn siblings_at(list: &[Json], index: usize) -> Siblings {
    Siblings {
        left: index.checked_sub(1).and_then(|left| id_at(list, left)),
        right: id_at(list, index + 1),
    }
}

/// The place that leads back between two siblings.
fn placement_by(siblings: &Siblings) -> Placement {
    siblings.left.clone().map_or(Placement::First, Placement::After)
}
