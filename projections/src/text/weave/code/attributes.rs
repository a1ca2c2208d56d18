//! Attributes: what the active patches make of the first ones.

use crate::json::{self, JsonMap};
use crate::patch::{self, Editing, Patch, PatchRef, Root};
use crate::pointer::Pointer;
use crate::text::weave::EditId;

/// The attributes, and which patches edits laid over them.
#[derive(Debug, Clone)]
pub(super) struct AttributeHistory {
    start: JsonMap,
    now: JsonMap,
    /// In the order of the edits; an edit can have several.
    setters: Vec<Setter>,
}

#[derive(Debug, Clone)]
struct Setter {
    event: EditId,
    patch: Patch,
    active: bool,
}

impl AttributeHistory {
    pub(super) fn new(start: JsonMap) -> Self {
        Self {
            now: start.clone(),
            start,
            setters: Vec::new(),
        }
    }

    pub(super) fn now(&self) -> &JsonMap {
        &self.now
    }

    /// Takes in an edit's patches, and what they make of the attributes.
    pub(super) fn set(&mut self, event: EditId, patches: Vec<Patch>, now: JsonMap) {
        self.setters.extend(patches.into_iter().map(|patch| Setter {
            event,
            patch,
            active: true,
        }));
        self.now = now;
    }

    pub(super) fn is_active(&self, event: EditId) -> bool {
        self.setters.iter().any(|setter| setter.event == event && setter.active)
    }

    /// Checks that all patches that are active after a switch can be laid over each other; returns the first event of which
    /// that is not so.
    pub(super) fn in_the_way(&self, shall: impl Fn(EditId) -> Option<bool>) -> Option<EditId> {
        self.folded(|setter| shall(setter.event).unwrap_or(setter.active)).err()
    }

    /// Switches edits' patches; returns the patch that leads from what was to what is.
    pub(super) fn switch(&mut self, shall: impl Fn(EditId) -> Option<bool>) -> Option<Patch> {
        for setter in &mut self.setters {
            setter.active = shall(setter.event).unwrap_or(setter.active);
        }
        // It was found out that they can be laid over each other; else everything stays.
        let now = self.folded(|setter| setter.active).ok()?;
        let was = std::mem::replace(&mut self.now, now);
        let root = Pointer::parse("").ok()?;
        Some(patch::diff(&was, &self.now, &root, Editing::Nothing).patch)
    }

    pub(super) fn weight(&self) -> usize {
        let size = |setter: &Setter| {
            let values = setter.patch.set.iter().map(|(_, value)| json::text(value).len());
            size_of::<Setter>() + 4 * values.sum::<usize>()
        };
        json::map_weight(&self.now) + self.setters.iter().map(size).sum::<usize>()
    }

    /// Lays active patches over the first attributes; the error is the event of the first that cannot be.
    fn folded(&self, is_active: impl Fn(&Setter) -> bool) -> Result<JsonMap, EditId> {
        let mut map = self.start.clone();
        for setter in self.setters.iter().filter(|setter| is_active(setter)) {
            lay(&mut map, &setter.patch).map_err(|_| setter.event)?;
        }
        Ok(map)
    }
}

/// Lays a patch over attributes. On an error they may be half changed.
pub(super) fn lay(map: &mut JsonMap, patch: &Patch) -> Result<(), crate::fault::Rule> {
    let root = Root { skip: 0, above: 0 };
    patch::apply(map, &PatchRef::of(patch), root)
        .map(drop)
        .map_err(|flaw| flaw.rule)
}
