//! Who owns what stands on a page: the newest edit of a field that is not undone, and the author of each letter.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use recto_pages::EventKind;
use recto_projections::rebase::Subject;

use super::Step;
use super::letters::{Author, Letters};
use super::touches::{self, Touch};

/// What follows `/` in the order of bytes: the end of what lies below a pointer.
const AFTER_SLASH: char = '0';

/// Who owns what, after some events.
#[derive(Default)]
pub(super) struct Owners {
    fields: HashMap<Subject, BTreeMap<String, Vec<u64>>>,
    texts: HashMap<Subject, BTreeMap<String, Letters>>,
    edits: HashMap<u64, Edit>,
    /// By undo or redo: the edit that it is about in the end.
    roots: HashMap<u64, u64>,
}

struct Edit {
    actor: Arc<str>,
    is_active: bool,
}

/// Something of another that an undo or redo changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Foreign {
    pub(super) subject: Subject,
    pub(super) pointer: String,
    /// Whose it is.
    pub(super) owner: Arc<str>,
}

impl Owners {
    /// The edit that an event takes back or brings again in the end, and who made it.
    pub(super) fn root(&self, step: &Step) -> Option<(u64, Arc<str>)> {
        let cause = step.cause?;
        let root = self.roots.get(&cause).copied().unwrap_or(cause);
        Some((root, self.edits.get(&root)?.actor.clone()))
    }

    /// Takes an event in; of an undo or redo, gives what of others it changes.
    pub(super) fn take(&mut self, step: &Step) -> Vec<Foreign> {
        match step.kind {
            EventKind::Undo | EventKind::Redo => self.take_compensation(step),
            EventKind::Create | EventKind::Edit | EventKind::Restore => {
                self.take_edit(step);
                Vec::new()
            }
            // Nobody's: the order stays as it was, or nothing changes at all.
            EventKind::Rebalance | EventKind::Delete | EventKind::Undelete | EventKind::Trajectory => Vec::new(),
        }
    }

    fn take_edit(&mut self, step: &Step) {
        let actor: Arc<str> = step.actor.as_str().into();
        let edit = Edit {
            actor: actor.clone(),
            is_active: true,
        };
        self.edits.insert(step.version, edit);
        let author = Some(actor);
        for touch in step.delta.iter().flat_map(touches::of) {
            match touch {
                Touch::Field(subject, pointer) => {
                    self.forget_texts(&subject, &pointer);
                    let setters = self.fields.entry(subject).or_default();
                    setters.entry(pointer).or_default().push(step.version);
                }
                Touch::Text(subject, pointer, delta) => {
                    self.letters(&subject, &pointer).edit(delta, &author);
                }
                Touch::Renamed(from, to) => self.rename(&from, to),
            }
        }
    }

    fn take_compensation(&mut self, step: &Step) -> Vec<Foreign> {
        let mut foreign = Vec::new();
        let root = self.root(step).map(|(root, _)| root);
        for touch in step.delta.iter().flat_map(touches::of) {
            match touch {
                Touch::Field(subject, pointer) => {
                    foreign.extend(self.foreign_field(step, root.unwrap_or_default(), &subject, &pointer));
                    foreign.extend(self.foreign_texts(step, &subject, &pointer));
                    self.forget_texts(&subject, &pointer);
                    // What was brought back is nobody's.
                    let texts = self.texts.entry(subject).or_default();
                    texts.insert(pointer, Letters::of(None));
                }
                Touch::Text(subject, pointer, delta) => {
                    let lost = self.letters(&subject, &pointer).edit(delta, &None);
                    foreign.extend(others(step, &subject, &pointer, lost));
                }
                Touch::Renamed(from, to) => self.rename(&from, to),
            }
        }
        if let Some(root) = root {
            self.roots.insert(step.version, root);
            if let Some(edit) = self.edits.get_mut(&root) {
                edit.is_active = step.kind == EventKind::Redo;
            }
        }
        foreign
    }

    /// An active edit by another since the root, of the field, of what holds it, or of what is in it.
    fn foreign_field(&self, step: &Step, root: u64, subject: &Subject, pointer: &str) -> Option<Foreign> {
        let setters = self.fields.get(subject)?;
        let above = above(pointer).filter_map(|pointer| setters.get(pointer));
        let below = setters.range(format!("{pointer}/")..format!("{pointer}{AFTER_SLASH}"));
        let versions = above.chain(below.map(|(_, versions)| versions));
        let since = versions.flat_map(|versions| versions.iter().rev().take_while(|version| **version > root));
        let owners = since.filter_map(|version| self.edits.get(version));
        let other = owners
            .filter(|edit| edit.is_active && *edit.actor != *step.actor)
            .last()?;
        Some(Foreign {
            subject: subject.clone(),
            pointer: pointer.to_owned(),
            owner: other.actor.clone(),
        })
    }

    /// Letters of others in what goes.
    fn foreign_texts(&self, step: &Step, subject: &Subject, pointer: &str) -> Vec<Foreign> {
        let texts = self.texts.get(subject).into_iter().flatten();
        let inside = texts.filter(|(text, _)| is_in(text, pointer));
        inside
            .flat_map(|(text, letters)| others(step, subject, text, letters.authors()))
            .collect()
    }

    fn letters(&mut self, subject: &Subject, pointer: &str) -> &mut Letters {
        let author = self.setter(subject, pointer);
        let texts = self.texts.entry(subject.clone()).or_default();
        texts.entry(pointer.to_owned()).or_insert_with(|| Letters::of(author))
    }

    /// Who set a field as a whole last; nobody, where an undo did.
    fn setter(&self, subject: &Subject, pointer: &str) -> Author {
        if self
            .texts
            .get(subject)
            .is_some_and(|texts| above(pointer).any(|pointer| texts.contains_key(pointer)))
        {
            return None;
        }
        let setters = self.fields.get(subject)?;
        let newest = above(pointer)
            .filter_map(|pointer| setters.get(pointer)?.last())
            .max()?;
        self.edits.get(newest).map(|edit| edit.actor.clone())
    }

    fn forget_texts(&mut self, subject: &Subject, pointer: &str) {
        if let Some(texts) = self.texts.get_mut(subject) {
            texts.retain(|text, _| !is_in(text, pointer));
        }
    }

    fn rename(&mut self, from: &Subject, to: Subject) {
        if let Some(fields) = self.fields.remove(from) {
            self.fields.insert(to.clone(), fields);
        }
        if let Some(texts) = self.texts.remove(from) {
            self.texts.insert(to, texts);
        }
    }
}

fn others(step: &Step, subject: &Subject, pointer: &str, authors: BTreeSet<Arc<str>>) -> Vec<Foreign> {
    let others = authors.into_iter().filter(|author| **author != *step.actor);
    let foreign = others.map(|owner| Foreign {
        subject: subject.clone(),
        pointer: pointer.to_owned(),
        owner,
    });
    foreign.collect()
}

/// A pointer and all that lead to it, from the empty one on.
fn above(pointer: &str) -> impl Iterator<Item = &str> {
    let slashes = pointer.match_indices('/').map(|(at, _)| at);
    slashes.chain([pointer.len()]).map(|end| &pointer[..end])
}

fn is_in(pointer: &str, outer: &str) -> bool {
    pointer
        .strip_prefix(outer)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
