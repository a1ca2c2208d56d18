//! Rebasing the operations of a CODE page. Files are followed by identity: an edit goes to where its file is now.

use std::cell::OnceCell;
use std::collections::HashMap;

use super::code_base::{self, lay};
use super::committed::{Committed, Events};
use super::conflict::{Conflict, ConflictKind};
use super::doc::over_texts;
use super::field::{Said, map_at, patched, same};
use super::files::{Files, Identity};
use super::findings::{Accepted, Findings};
use super::outcome::{NoteKind, OnOverwrite, Options, Rebased};
use super::owner::{Change, Ownership};
use super::subject::Subject;
use crate::code::{CodeOp, CodeValue, Path};
use crate::delta::Delta;
use crate::json::{Json, JsonMap};
use crate::patch::{Patch, PatchRef};
use crate::text::TextDelta;

/// Rebases deltas onto the head, of which the first was made at the base and each other one on what the one before left.
pub(super) fn rebase(
    deltas: &[&[CodeOp]],
    over: &[Committed<'_>],
    head: &CodeValue,
    options: &Options<'_>,
) -> Result<Vec<Rebased>, Vec<Conflict>> {
    let mut run = Run {
        events: Events::new(over),
        files: Files::follow(over),
        head,
        options,
        made: HashMap::new(),
        attributes: None,
        attributes_at_base: OnceCell::new(),
        out: Accepted::new(deltas.len()),
        findings: Findings::default(),
    };
    for (delta, ops) in deltas.iter().enumerate() {
        for (index, op) in ops.iter().enumerate() {
            (run.findings.delta, run.findings.op) = (delta, index);
            run.one(op);
        }
    }
    run.findings.into_results(run.out.into_deltas(Delta::Code))
}

/// Deltas being rebased: what is said of "the delta" here goes for all of them together.
struct Run<'a> {
    events: Events<'a>,
    files: Files<'a>,
    head: &'a CodeValue,
    options: &'a Options<'a>,
    /// The paths that the delta made or freed so far.
    made: HashMap<Path, bool>,
    /// The attributes at the head with what the delta made of them so far, once that was asked for; and those at the base.
    attributes: Option<JsonMap>,
    attributes_at_base: OnceCell<Option<JsonMap>>,
    out: Accepted<CodeOp>,
    findings: Findings,
}

#[derive(Default)]
struct Clash {
    pointer: String,
    before: Option<Json>,
    mine: Option<Json>,
    theirs: Option<Json>,
    event: Option<usize>,
}

impl Run<'_> {
    fn one(&mut self, op: &CodeOp) {
        match op {
            CodeOp::AddFile { path, text } => self.add_file(path, text),
            CodeOp::RemoveFile { path } => self.remove_file(path),
            CodeOp::RenameFile { path, to } => self.rename_file(path, to),
            CodeOp::EditFile { path, delta } => self.edit_file(path, delta),
            CodeOp::SetEntry { path } => self.set_entry(path.as_ref()),
            CodeOp::SetAttributes { patch } => self.set_attributes(patch),
        }
    }

    fn add_file(&mut self, path: &Path, text: &str) {
        if self.is_taken(path) {
            return;
        }
        self.files.add(path);
        self.made.insert(path.clone(), true);
        self.emit(CodeOp::AddFile {
            path: path.clone(),
            text: text.to_owned(),
        });
    }

    /// Says whether a path is taken at the head, which is a conflict.
    fn is_taken(&mut self, path: &Path) -> bool {
        let taken = self
            .made
            .get(path)
            .copied()
            .unwrap_or_else(|| self.head.file(path).is_some());
        if taken {
            let clash = Clash {
                event: self.files.maker(path),
                ..Clash::default()
            };
            self.conflict(ConflictKind::FileExists, &Subject::File(path.clone()), clash);
        }
        taken
    }

    /// Finds where the file is now that the delta knows by a path. A file that was removed since is a conflict.
    fn find(&mut self, path: &Path) -> Option<(Identity, Path)> {
        let subject = Subject::File(path.clone());
        let identity = self.files.identity(path);
        match self.files.place(&identity) {
            Ok(now) => {
                if now != *path && self.files.was_renamed(&identity) {
                    self.findings.note(NoteKind::Renamed, &subject, "").lost = None;
                }
                Some((identity, now))
            }
            Err(event) => {
                self.conflict(
                    ConflictKind::FileRemoved,
                    &subject,
                    Clash {
                        event: Some(event),
                        ..Clash::default()
                    },
                );
                None
            }
        }
    }

    fn remove_file(&mut self, path: &Path) {
        let subject = Subject::File(path.clone());
        let identity = self.files.identity(path);
        let Ok(now) = self.files.place(&identity) else {
            return self.findings.drop(&subject, "");
        };
        if let Some(event) = self.files.edited(&identity) {
            if !self.options.force {
                let clash = Clash {
                    event: Some(event),
                    ..Clash::default()
                };
                return self.conflict(ConflictKind::EditedSince, &subject, clash);
            }
            self.findings.note(NoteKind::Forced, &subject, "").version = self.events.version(event);
        }
        self.files.remove(path);
        self.made.insert(now.clone(), false);
        self.emit(CodeOp::RemoveFile { path: now });
    }

    fn rename_file(&mut self, path: &Path, to: &Path) {
        let subject = Subject::File(path.clone());
        let Some((identity, now)) = self.find(path) else {
            return;
        };
        if let Some(event) = self.files.renamed(&identity) {
            let clash = Clash {
                before: Some(Json::from(&**path)),
                mine: Some(Json::from(&**to)),
                theirs: Some(Json::from(&*now)),
                event: Some(event),
                ..Clash::default()
            };
            if now == *to {
                self.files.rename(path, to, &now);
                return self.findings.drop(&subject, "");
            }
            if !self.decides_for_mine(ConflictKind::MovedSince, &subject, clash) {
                return self.files.rename(path, to, &now);
            }
        }
        if now != *to && self.is_taken(to) {
            return;
        }
        self.files.rename(path, to, to);
        self.made.insert(now.clone(), false);
        self.made.insert(to.clone(), true);
        self.emit(CodeOp::RenameFile {
            path: now,
            to: to.clone(),
        });
    }

    fn edit_file(&mut self, path: &Path, delta: &TextDelta) {
        let Some((identity, now)) = self.find(path) else {
            return;
        };
        let mine = match self.files.edits(&identity, self.head) {
            Some(theirs) => over_texts(delta, theirs, self.options),
            None => delta.clone(),
        };
        match mine.is_empty() {
            true => self.findings.drop(&Subject::File(path.clone()), ""),
            false => self.emit(CodeOp::EditFile { path: now, delta: mine }),
        }
    }

    fn set_entry(&mut self, path: Option<&Path>) {
        let mine = match path {
            None => None,
            Some(path) => match self.find(path) {
                Some((_, now)) => Some(now),
                None => return,
            },
        };
        let json = |path: Option<&Path>| path.map_or(Json::Null, |path| Json::from(&**path));
        let theirs = json(self.head.entry());
        let (wanted, changes) = (json(mine.as_ref()), self.files.entry_changes());
        let owner = Ownership::follow(changes, &self.events).owner;
        if let Some(event) = owner.filter(|_| !self.has_entry_of_base()) {
            if wanted == theirs {
                return self.findings.drop(&Subject::Entry, "");
            }
            let before = self.files.entry_before();
            let clash = Clash {
                before,
                mine: Some(wanted),
                theirs: Some(theirs),
                event: Some(event),
                ..Clash::default()
            };
            if !self.decides_for_mine(ConflictKind::Overwritten, &Subject::Entry, clash) {
                return;
            }
        }
        self.emit(CodeOp::SetEntry { path: mine });
    }

    /// Says whether the entry at the head is the file that it was at the base.
    fn has_entry_of_base(&self) -> bool {
        match (code_base::entry(self.events.past(), self.head), self.head.entry()) {
            (None, None) => true,
            (Some(base), Some(head)) => self.files.path_at_head(&base) == Some(head),
            _ => false,
        }
    }

    fn set_attributes(&mut self, patch: &Patch) {
        let mut kept = Patch {
            at: patch.at.clone(),
            ..Patch::default()
        };
        for (pointer, value) in &patch.set {
            if self.keeps(pointer.as_str(), Some(value)) {
                kept.set.push((pointer.clone(), value.clone()));
            } else {
                kept.at.retain(|(at, _)| at != pointer);
            }
        }
        for pointer in &patch.unset {
            if self.keeps(pointer.as_str(), None) {
                kept.unset.push(pointer.clone());
            }
        }
        if kept.is_empty() {
            return;
        }
        let head = self.head;
        let attributes = self.attributes.get_or_insert_with(|| head.attributes().clone());
        match lay(attributes, &PatchRef::of(&kept)) {
            Ok(()) => self.emit(CodeOp::SetAttributes { patch: kept }),
            // What was committed since took away what it stands below, or it never could be applied.
            Err(rule) => self.conflict(ConflictKind::Blocked { rule }, &Subject::Attributes, Clash::default()),
        }
    }

    fn keeps(&mut self, at: &str, mine: Option<&Json>) -> bool {
        let changes = attribute_changes(self.events.past(), at);
        let Some(event) = Ownership::follow(changes, &self.events).owner else {
            return true;
        };
        let theirs = map_at(self.head.attributes(), at);
        let at_base = || code_base::attributes(self.events.past(), self.head);
        let at_base = self.attributes_at_base.get_or_init(at_base).as_ref();
        if at_base.is_some_and(|base| same(map_at(base, at), theirs)) {
            return true;
        }
        if same(theirs, mine) {
            self.findings.drop(&Subject::Attributes, at);
            return false;
        }
        let before = attribute_changes(self.events.past(), at)
            .next()
            .and_then(|change| match change.old {
                Said::Value(value) => value.map(|value| value.into_owned()),
                _ => None,
            });
        let (theirs, mine) = (theirs.cloned(), mine.cloned());
        let clash = Clash {
            pointer: at.into(),
            before,
            mine,
            theirs,
            event: Some(event),
        };
        self.decides_for_mine(ConflictKind::Overwritten, &Subject::Attributes, clash)
    }

    /// Decides over what two have set to different values.
    fn decides_for_mine(&mut self, kind: ConflictKind, subject: &Subject, clash: Clash) -> bool {
        let (kind, mine, lost) = match self.options.on_overwrite {
            OnOverwrite::Refuse => {
                self.conflict(kind, subject, clash);
                return false;
            }
            OnOverwrite::Mine => (NoteKind::TookOver, true, clash.theirs),
            OnOverwrite::Theirs => (NoteKind::GaveWay, false, clash.mine),
        };
        let version = clash.event.and_then(|event| self.events.version(event));
        let note = self.findings.note(kind, subject, clash.pointer);
        (note.lost, note.version) = (lost, version);
        mine
    }

    fn conflict(&mut self, kind: ConflictKind, subject: &Subject, clash: Clash) {
        self.findings.conflicts.push(Conflict {
            delta: self.findings.delta,
            op: self.findings.op,
            kind,
            subject: subject.clone(),
            pointer: clash.pointer,
            before: clash.before,
            mine: clash.mine,
            theirs: clash.theirs,
            version: clash.event.and_then(|event| self.events.version(event)),
            actor: clash.event.and_then(|event| self.events.actor(event)),
        });
    }

    fn emit(&mut self, op: CodeOp) {
        self.out.push(op, &self.findings);
    }
}

/// Goes over what events did to an attribute.
fn attribute_changes<'a>(over: &'a [Committed<'a>], at: &'a str) -> impl Iterator<Item = Change<'a>> {
    over.iter().enumerate().flat_map(move |(event, committed)| {
        let (Delta::Code(ops), Delta::Code(inverse)) = (committed.delta, committed.inverse) else {
            return Vec::new();
        };
        let pairs = ops.iter().zip(inverse.iter().rev());
        let changes = pairs.filter_map(|pair| match pair {
            (CodeOp::SetAttributes { patch }, CodeOp::SetAttributes { patch: inverse }) => {
                let new = patched(patch, at);
                let changed = !matches!(new, Said::Nothing);
                changed.then(|| Change {
                    event,
                    old: patched(inverse, at),
                    new,
                })
            }
            _ => None,
        });
        changes.collect()
    })
}
