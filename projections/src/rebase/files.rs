//! Files followed through what was committed since: by identity, not by path.

use std::borrow::Cow;
use std::collections::HashMap;

use super::committed::{Committed, Events};
use super::field::Said;
use super::owner::Change;
use super::standing::Standing;
use crate::code::{CodeOp, Path};
use crate::delta::Delta;
use crate::json::Json;
use crate::text::TextDelta;

/// Which file it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Identity {
    /// The one that had this path at the base.
    Base(Path),
    /// One that came since, by the event.
    New(usize),
    /// One that the delta adds.
    Mine(Path),
}

/// What became of a file of the base.
#[derive(Clone, Debug)]
struct Fate {
    /// Where it is now.
    place: Option<Path>,
    edits: Vec<TextDelta>,
    edited: Vec<usize>,
    renamed: Option<usize>,
    removed: Option<(usize, Path)>,
}

/// The files of a page, as far as somebody touched them.
pub(super) struct Files {
    fates: HashMap<Path, Fate>,
    /// Which file has a path at the head; those that nobody touched are left out.
    at_head: HashMap<Path, Option<Identity>>,
    /// Which file has a path in the delta; those that it did not touch are left out.
    in_delta: HashMap<Path, Option<Identity>>,
    /// The event by which a path came to be taken.
    makers: HashMap<Path, usize>,
    entries: Vec<(usize, Json, Json)>,
    cancelled: Vec<bool>,
}

impl Files {
    /// Goes over the events once.
    pub(super) fn follow(over: &[Committed<'_>]) -> Files {
        let mut files = Files {
            fates: HashMap::new(),
            at_head: HashMap::new(),
            in_delta: HashMap::new(),
            makers: HashMap::new(),
            entries: Vec::new(),
            cancelled: cancelled(over),
        };
        for (event, committed) in over.iter().enumerate() {
            if let (Delta::Code(ops), Delta::Code(inverse)) = (committed.delta, committed.inverse) {
                let pairs = ops.iter().zip(inverse.iter().rev());
                pairs.for_each(|(op, inverse)| files.take(event, committed.undoes, over, op, inverse));
            }
        }
        files
    }

    /// Tells which file the delta means by a path.
    pub(super) fn identity(&self, path: &Path) -> Identity {
        let known = self.in_delta.get(path).cloned().flatten();
        known.unwrap_or_else(|| Identity::Base(path.clone()))
    }

    /// Gives the path of a file at the head, or the event that removed it.
    pub(super) fn place(&self, identity: &Identity) -> Result<Path, usize> {
        match identity {
            Identity::Mine(path) => Ok(path.clone()),
            Identity::Base(path) => match self.fates.get(path) {
                None => Ok(path.clone()),
                Some(Fate { place: Some(place), .. }) => Ok(place.clone()),
                Some(fate) => Err(fate.removed.as_ref().map_or(0, |(event, _)| *event)),
            },
            Identity::New(event) => Err(*event),
        }
    }

    /// Gives the event that renamed a file since, if it has another path now.
    pub(super) fn renamed(&self, identity: &Identity) -> Option<usize> {
        let Identity::Base(path) = identity else {
            return None;
        };
        let fate = self.fates.get(path)?;
        fate.renamed.filter(|_| fate.place.as_ref() != Some(path))
    }

    pub(super) fn was_renamed(&self, identity: &Identity) -> bool {
        self.renamed(identity).is_some()
    }

    /// Gives the last event that edited or renamed a file and is no part of an edit and its undo.
    pub(super) fn edited(&self, identity: &Identity) -> Option<usize> {
        let Identity::Base(path) = identity else {
            return None;
        };
        let fate = self.fates.get(path)?;
        let edited = fate
            .edited
            .iter()
            .copied()
            .filter(|event| !self.cancelled.get(*event).is_some_and(|it| *it));
        edited.chain(self.renamed(identity)).max()
    }

    /// Gives the others' edits of a file.
    pub(super) fn edits(&mut self, identity: &Identity) -> Option<&mut Vec<TextDelta>> {
        match identity {
            Identity::Base(path) => self.fates.get_mut(path).map(|fate| &mut fate.edits),
            _ => None,
        }
    }

    /// Gives the event by which a path came to be taken.
    pub(super) fn maker(&self, path: &Path) -> Option<usize> {
        self.makers.get(path).copied()
    }

    /// Goes over what events set the entry to.
    pub(super) fn entry_changes(&self) -> impl Iterator<Item = Change<'_>> {
        let said = |json| Said::Value(Some(Cow::Borrowed(json)));
        self.entries.iter().map(move |(event, old, new)| Change {
            event: *event,
            old: said(old),
            new: said(new),
        })
    }

    /// Gives the entry from before the events.
    pub(super) fn entry_before(&self) -> Option<Json> {
        self.entries.first().map(|(_, old, _)| old.clone())
    }

    /// Writes down that the delta adds a file.
    pub(super) fn add(&mut self, path: &Path) {
        self.in_delta.insert(path.clone(), Some(Identity::Mine(path.clone())));
    }

    /// Writes down that the delta removes a file.
    pub(super) fn remove(&mut self, path: &Path) {
        self.in_delta.insert(path.clone(), None);
    }

    /// Writes down that the delta knows a file by another path, and that it has the path `now` at the head.
    pub(super) fn rename(&mut self, path: &Path, to: &Path, now: &Path) {
        let identity = match self.identity(path) {
            Identity::Base(base) => {
                let fate = self.fates.entry(base.clone()).or_insert_with(|| Fate::untouched(&base));
                (fate.place, fate.renamed) = (Some(now.clone()), None);
                Identity::Base(base)
            }
            _ => Identity::Mine(now.clone()),
        };
        self.in_delta.insert(path.clone(), None);
        self.in_delta.insert(to.clone(), Some(identity));
    }

    fn take(&mut self, event: usize, undoes: &[u64], over: &[Committed<'_>], op: &CodeOp, inverse: &CodeOp) {
        match (op, inverse) {
            (CodeOp::AddFile { path, .. }, _) => {
                let back = self.comes_back(path, undoes, over);
                let identity = back.map_or(Identity::New(event), Identity::Base);
                self.put(event, path, identity);
            }
            (CodeOp::RemoveFile { path }, _) => {
                let identity = self.head_identity(path);
                self.at_head.insert(path.clone(), None);
                self.with_fate(&identity, |fate| {
                    (fate.place, fate.removed) = (None, Some((event, path.clone())));
                });
            }
            (CodeOp::RenameFile { path, to }, _) => {
                let identity = self.head_identity(path);
                self.at_head.insert(path.clone(), None);
                self.with_fate(&identity, |fate| fate.renamed = Some(event));
                self.put(event, to, identity);
            }
            (CodeOp::EditFile { path, delta }, _) => {
                let identity = self.head_identity(path);
                self.with_fate(&identity, |fate| {
                    fate.edits.push(delta.clone());
                    fate.edited.push(event);
                });
            }
            (CodeOp::SetEntry { path: new }, CodeOp::SetEntry { path: old }) => {
                let json = |path: &Option<Path>| path.as_deref().map_or(Json::Null, Json::from);
                self.entries.push((event, json(old), json(new)));
            }
            _ => {}
        }
    }

    fn put(&mut self, event: usize, path: &Path, identity: Identity) {
        self.makers.insert(path.clone(), event);
        self.with_fate(&identity, |fate| {
            (fate.place, fate.removed) = (Some(path.clone()), None)
        });
        self.at_head.insert(path.clone(), Some(identity));
    }

    /// Finds the file that an undo of its removal brings back.
    fn comes_back(&self, path: &Path, undoes: &[u64], over: &[Committed<'_>]) -> Option<Path> {
        let undone = |event: usize| over.get(event).is_some_and(|event| undoes.contains(&event.version));
        let mut fates = self.fates.iter();
        let found = fates.find(|(_, fate)| {
            fate.removed
                .as_ref()
                .is_some_and(|(event, last)| undone(*event) && last == path)
        });
        found.map(|(base, _)| base.clone())
    }

    fn head_identity(&self, path: &Path) -> Identity {
        self.at_head
            .get(path)
            .cloned()
            .flatten()
            .unwrap_or_else(|| Identity::Base(path.clone()))
    }

    fn with_fate(&mut self, identity: &Identity, change: impl FnOnce(&mut Fate)) {
        if let Identity::Base(base) = identity {
            change(self.fates.entry(base.clone()).or_insert_with(|| Fate::untouched(base)));
        }
    }
}

impl Fate {
    fn untouched(path: &Path) -> Fate {
        Fate {
            place: Some(path.clone()),
            edits: Vec::new(),
            edited: Vec::new(),
            renamed: None,
            removed: None,
        }
    }
}

/// Tells which events are undone again, or undo what is among the events itself.
fn cancelled(over: &[Committed<'_>]) -> Vec<bool> {
    let standing = Standing::of(over.iter().map(|event| (event.version, event.undoes)));
    let first = Events::new(over).version(0).unwrap_or(u64::MAX);
    let undoes = |event: &Committed<'_>| !event.undoes.is_empty() && event.undoes.iter().all(|target| *target >= first);
    over.iter()
        .map(|event| standing.is_undone(event.version) || undoes(event))
        .collect()
}
