//! Files followed through what was committed since: by identity, not by path.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::committed::{Committed, Events};
use super::field::Said;
use super::file_text::{Deed, FileText};
use super::owner::Change;
use super::standing::Standing;
use crate::code::{CodeOp, CodeValue, Path};
use crate::delta::Delta;
use crate::json::Json;
use crate::text::TextDelta;

/// Which file it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Identity {
    /// The one that had this path at the base.
    Base(Path),
    /// One that came since, by the event, at this path.
    New(usize, Path),
    /// One that the delta adds.
    Mine(Path),
}

/// What became of a file.
#[derive(Clone, Debug)]
struct Fate<'a> {
    /// Where it is now.
    place: Option<Path>,
    /// Where it is at the head.
    place_at_head: Option<Path>,
    text: FileText<'a>,
    /// What has to be gone over by edits of the text, once that was asked for.
    theirs: Option<Vec<TextDelta>>,
    /// The event that gave it its path.
    renamed: Option<usize>,
    renames: Vec<Rename>,
    removed: Option<(usize, Path)>,
}

/// A rename: the path that it took from the file, and the event that had given it that one.
#[derive(Clone, Debug)]
struct Rename {
    event: usize,
    from: Path,
    renamed: Option<usize>,
}

/// The files of a page, as far as somebody touched them.
pub(super) struct Files<'a> {
    over: &'a [Committed<'a>],
    fates: HashMap<Identity, Fate<'a>>,
    /// Which file has a path at the head; those that nobody touched are left out.
    at_head: HashMap<Path, Option<Identity>>,
    /// Which file has a path in the delta; those that it did not touch are left out.
    in_delta: HashMap<Path, Option<Identity>>,
    /// The event by which a path came to be taken.
    makers: HashMap<Path, usize>,
    entries: Vec<(usize, Json, Json)>,
    cancelled: Vec<bool>,
}

impl<'a> Files<'a> {
    /// Goes over the events once.
    pub(super) fn follow(over: &'a [Committed<'a>]) -> Files<'a> {
        let mut files = Files {
            over,
            fates: HashMap::new(),
            at_head: HashMap::new(),
            in_delta: HashMap::new(),
            makers: HashMap::new(),
            entries: Vec::new(),
            cancelled: cancelled(over),
        };
        for (event, committed) in over.iter().enumerate() {
            if let (Delta::Code(ops), Delta::Code(inverse)) = (committed.delta, committed.inverse) {
                let adds = ops.iter().any(|op| matches!(op, CodeOp::AddFile { .. }));
                let taken_back = if adds { taken_back(over, event) } else { HashSet::new() };
                let pairs = ops.iter().zip(inverse.iter().rev());
                pairs.for_each(|(op, inverse)| files.take(event, &taken_back, op, inverse));
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
            Identity::Base(path) => match self.fates.get(identity) {
                None => Ok(path.clone()),
                Some(Fate { place: Some(place), .. }) => Ok(place.clone()),
                Some(fate) => Err(fate.removed.as_ref().map_or(0, |(event, _)| *event)),
            },
            Identity::New(event, _) => Err(*event),
        }
    }

    /// Gives the path at the head of the file that had a path at the base, if it is there.
    pub(super) fn path_at_head<'p>(&'p self, path: &'p Path) -> Option<&'p Path> {
        match self.fates.get(&Identity::Base(path.clone())) {
            Some(fate) => fate.place_at_head.as_ref(),
            None => Some(path),
        }
    }

    /// Gives the event that renamed a file since, if it has another path now.
    pub(super) fn renamed(&self, identity: &Identity) -> Option<usize> {
        let Identity::Base(path) = identity else {
            return None;
        };
        let fate = self.fates.get(identity)?;
        fate.renamed.filter(|_| fate.place.as_ref() != Some(path))
    }

    pub(super) fn was_renamed(&self, identity: &Identity) -> bool {
        self.renamed(identity).is_some()
    }

    /// Gives the last event that edited or renamed a file and is no part of an edit and its undo.
    pub(super) fn edited(&self, identity: &Identity) -> Option<usize> {
        let fate = self.fates.get(identity)?;
        let cancelled = |event: &usize| self.cancelled.get(*event).is_some_and(|it| *it);
        let edited = fate.text.edited().filter(|event| !cancelled(event));
        edited.chain(self.renamed(identity)).max()
    }

    /// Gives what others did to the text of a file, to be gone over in order.
    pub(super) fn edits(&mut self, identity: &Identity, head: &CodeValue) -> Option<&mut Vec<TextDelta>> {
        let fate = self.fates.get_mut(identity)?;
        let text = head.file(fate.place_at_head.as_ref()?)?;
        Some(fate.theirs.get_or_insert_with(|| fate.text.theirs(self.over, text)))
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
                let identity = Identity::Base(base);
                self.with_fate(&identity, |fate| (fate.place, fate.renamed) = (Some(now.clone()), None));
                identity
            }
            _ => Identity::Mine(now.clone()),
        };
        self.in_delta.insert(path.clone(), None);
        self.in_delta.insert(to.clone(), Some(identity));
    }

    fn take(&mut self, event: usize, taken_back: &HashSet<usize>, op: &'a CodeOp, inverse: &'a CodeOp) {
        match (op, inverse) {
            (CodeOp::AddFile { path, text }, _) => {
                let back = self.comes_back(path, text, taken_back);
                let identity = back.unwrap_or_else(|| Identity::New(event, path.clone()));
                self.put(event, path, &identity);
                self.with_fate(&identity, |fate| fate.text.push(event, Deed::Returned(text)));
            }
            (CodeOp::RemoveFile { path }, CodeOp::AddFile { text, .. }) => {
                let identity = self.head_identity(path);
                self.at_head.insert(path.clone(), None);
                self.with_fate(&identity, |fate| {
                    (fate.place, fate.place_at_head) = (None, None);
                    fate.removed = Some((event, path.clone()));
                    fate.text.push(event, Deed::Removed(text));
                });
            }
            (CodeOp::RenameFile { path, to }, _) => {
                let identity = self.head_identity(path);
                self.at_head.insert(path.clone(), None);
                let undoes = self.over[event].undoes;
                let over = self.over;
                self.with_fate(&identity, |fate| {
                    fate.rename(event, path, to, |event| undoes.contains(&over[event].version));
                });
                self.put(event, to, &identity);
            }
            (CodeOp::EditFile { path, delta }, CodeOp::EditFile { delta: inverse, .. }) => {
                let identity = self.head_identity(path);
                self.with_fate(&identity, |fate| fate.text.push(event, Deed::Edited { delta, inverse }));
            }
            (CodeOp::SetEntry { path: new }, CodeOp::SetEntry { path: old }) => {
                let json = |path: &Option<Path>| path.as_deref().map_or(Json::Null, Json::from);
                self.entries.push((event, json(old), json(new)));
            }
            _ => {}
        }
    }

    fn put(&mut self, event: usize, path: &Path, identity: &Identity) {
        self.makers.insert(path.clone(), event);
        self.with_fate(identity, |fate| {
            (fate.place, fate.removed) = (Some(path.clone()), None);
            fate.place_at_head = fate.place.clone();
        });
        self.at_head.insert(path.clone(), Some(identity.clone()));
    }

    /// Finds the file that is no other one though it is added: a compensation brings it back, of the events `taken_back`,
    /// one of which removed it. It comes to the path that it has by then; of several the likeliest is taken.
    fn comes_back(&self, path: &Path, text: &str, taken_back: &HashSet<usize>) -> Option<Identity> {
        if taken_back.is_empty() {
            return None;
        }
        let away = self.fates.iter().filter(|(_, fate)| fate.place_at_head.is_none());
        let concerned = away.filter(|(_, fate)| fate.text.removers().any(|event| taken_back.contains(&event)));
        let likely = |identity: &Identity, fate: &Fate<'_>| {
            let last = fate.removed.as_ref().is_some_and(|(_, last)| last == path);
            let was = fate.text.removed() == Some(text);
            (last, identity.first_path() == path, was)
        };
        let first = concerned.max_by(|(a, a_fate), (b, b_fate)| {
            let likelier = likely(a, a_fate).cmp(&likely(b, b_fate));
            likelier.then_with(|| b.cmp(a))
        });
        first.map(|(identity, _)| identity.clone())
    }

    fn head_identity(&self, path: &Path) -> Identity {
        self.at_head
            .get(path)
            .cloned()
            .flatten()
            .unwrap_or_else(|| Identity::Base(path.clone()))
    }

    fn with_fate(&mut self, identity: &Identity, change: impl FnOnce(&mut Fate<'a>)) {
        if !matches!(identity, Identity::Mine(_)) {
            let fate = self.fates.entry(identity.clone());
            change(fate.or_insert_with(|| Fate::untouched(identity.first_path())));
        }
    }
}

impl Identity {
    /// Gives the path at which it was first.
    fn first_path(&self) -> &Path {
        match self {
            Identity::Base(path) | Identity::New(_, path) | Identity::Mine(path) => path,
        }
    }
}

impl Fate<'_> {
    fn untouched(path: &Path) -> Self {
        Fate {
            place: Some(path.clone()),
            place_at_head: Some(path.clone()),
            text: FileText::default(),
            theirs: None,
            renamed: None,
            renames: Vec::new(),
            removed: None,
        }
    }

    /// Takes a rename in. One that takes another one back leaves the path to whoever gave it before that.
    fn rename(&mut self, event: usize, from: &Path, to: &Path, undoes: impl Fn(usize) -> bool) {
        let back = |rename: &&Rename| undoes(rename.event) && rename.from == *to;
        let renamed = match self.renames.iter().find(back) {
            Some(rename) => rename.renamed,
            None => Some(event),
        };
        let renamed = std::mem::replace(&mut self.renamed, renamed);
        let from = from.clone();
        self.renames.push(Rename { event, from, renamed });
    }
}

/// Gives the events that an event takes back or lets stand again: those that it undoes, those that these undid, and so on.
fn taken_back(over: &[Committed<'_>], event: usize) -> HashSet<usize> {
    let mut found = HashSet::new();
    let mut open = vec![event];
    while let Some(event) = open.pop() {
        let targets = over[event].undoes.iter();
        let known = targets.filter_map(|target| over.binary_search_by_key(target, |event| event.version).ok());
        open.extend(known.filter(|target| found.insert(*target)));
    }
    found
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
