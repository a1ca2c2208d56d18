//! The history of a file: its text, and what edits did to its place.

use crate::code::Path;
use crate::text::weave::{EditId, Weave};

/// A file that an event named. Its number is its place in the vector of all of them.
#[derive(Debug, Clone)]
pub(super) struct FileHistory {
    pub(super) weave: Weave,
    /// The path that it had at the start of the weave; `None` if an edit added it.
    started_at: Option<Path>,
    /// In the order of the edits, at most one of each.
    deeds: Vec<PlaceDeed>,
}

/// What an edit did to the place of a file.
#[derive(Debug, Clone)]
pub(super) struct PlaceDeed {
    pub(super) event: EditId,
    /// The path at which it added the file, or to which it renamed it.
    pub(super) path: Option<Path>,
    pub(super) added: bool,
    pub(super) removed: bool,
    pub(super) active: bool,
    /// What `active` becomes when a switch is done.
    pub(super) shall: bool,
}

impl FileHistory {
    pub(super) fn new(weave: Weave, started_at: Option<Path>) -> Self {
        Self {
            weave,
            started_at,
            deeds: Vec::new(),
        }
    }

    /// Returns the path at which the file is, or (`shall`) shall be when a switch is done; `None` if it is not there.
    pub(super) fn path(&self, shall: bool) -> Option<Path> {
        let active = |deed: &&PlaceDeed| deed.is_active(shall);
        let removed = self.deeds.iter().filter(active).any(|deed| deed.removed);
        (self.is_created(shall) && !removed).then(|| self.path_if_there(shall))
    }

    /// Returns the path at which the file is when it is there.
    pub(super) fn path_if_there(&self, shall: bool) -> Path {
        let added = self.deeds.iter().filter(|deed| deed.added);
        let active = self.deeds.iter().filter(|deed| deed.is_active(shall));
        let mut named = added.chain(active).filter_map(|deed| deed.path.as_ref());
        named
            .next_back()
            .or(self.started_at.as_ref())
            .cloned()
            .unwrap_or_else(|| Path::from(""))
    }

    /// Says whether the edit that added the file, if one did, is active.
    pub(super) fn is_created(&self, shall: bool) -> bool {
        self.deeds
            .iter()
            .filter(|deed| deed.added)
            .all(|deed| deed.is_active(shall))
    }

    pub(super) fn add_deed(&mut self, deed: PlaceDeed) {
        self.deeds.push(deed);
    }

    /// Returns the newest event that did something to the file's place.
    pub(super) fn newest_deed(&self) -> Option<EditId> {
        self.deeds.last().map(|deed| deed.event)
    }

    /// Returns the event that added the file; `None` if it was there at the start of the weave.
    pub(super) fn added_by(&self) -> Option<EditId> {
        self.deeds.iter().find(|deed| deed.added).map(|deed| deed.event)
    }

    /// Returns what an event did to the file's place.
    pub(super) fn deed(&self, event: EditId) -> Option<&PlaceDeed> {
        self.deed_number(event).map(|number| &self.deeds[number])
    }

    /// Says what becomes of what an event did to the file's place when a switch is done.
    pub(super) fn set_shall(&mut self, event: EditId, shall: bool) {
        if let Some(number) = self.deed_number(event) {
            self.deeds[number].shall = shall;
        }
    }

    /// Does the switch.
    pub(super) fn settle(&mut self) {
        self.deeds.iter_mut().for_each(|deed| deed.active = deed.shall);
    }

    /// Returns the newest event after another one that shall have named the file: edited, renamed or removed it.
    pub(super) fn named_after(&self, event: EditId, text_shall: impl Fn(EditId) -> bool) -> Option<EditId> {
        let deeds = self.deeds.iter().rev().filter(|deed| deed.shall).map(|deed| deed.event);
        let edits = self
            .weave
            .edits
            .iter()
            .rev()
            .map(|edit| edit.id)
            .filter(|edit| text_shall(*edit));
        deeds
            .take(1)
            .chain(edits.take(1))
            .filter(|newest| *newest > event)
            .max()
    }

    /// Returns the text, plain.
    pub(super) fn text(&self) -> String {
        self.weave.plain()
    }

    pub(super) fn weight(&self) -> usize {
        size_of::<Self>() + self.weave.weight() + self.deeds.capacity() * size_of::<PlaceDeed>()
    }

    fn deed_number(&self, event: EditId) -> Option<usize> {
        self.deeds.binary_search_by_key(&event, |deed| deed.event).ok()
    }
}

impl PlaceDeed {
    pub(super) fn is_active(&self, shall: bool) -> bool {
        if shall { self.shall } else { self.active }
    }
}
