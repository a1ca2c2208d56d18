//! Everyone's undo and redo stack as plain lists, from the rules alone.

use std::collections::BTreeMap;

use recto_pages::projections::manager::{Deed, Header};
use recto_pages::{StackEntry, UndoStacks};

/// Stacks of all actors.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stacks {
    newest: u64,
    edits: BTreeMap<u64, Edit>,
    /// The edit at the end of the chain of each compensation.
    roots: BTreeMap<u64, u64>,
    actors: BTreeMap<String, Actor>,
}

#[derive(Clone, Debug)]
struct Edit {
    owner: String,
    turn: Option<String>,
    /// What stands for it, or has undone it.
    by: u64,
    undone: bool,
}

#[derive(Clone, Debug, Default)]
struct Actor {
    undo: Vec<Entry>,
    redo: Vec<Entry>,
}

/// What one step takes: the oldest entry of a stack comes first.
#[derive(Clone, Debug)]
struct Entry {
    group: String,
    edits: Vec<u64>,
    at: u64,
}

impl Stacks {
    pub(crate) fn take(&mut self, header: &Header<'_>) {
        self.newest = header.version;
        match header.deed {
            Deed::Edit => self.edit(header),
            Deed::Undo { of } => self.compensate(header, of, true),
            Deed::Redo { of } => self.compensate(header, of, false),
            Deed::Other => {}
        }
    }

    /// The edit that an event is, or that it is about in the end.
    pub(crate) fn root(&self, version: u64) -> u64 {
        self.roots.get(&version).copied().unwrap_or(version)
    }

    /// The edits that an actor made.
    pub(crate) fn edits_of(&self, actor: &str) -> Vec<u64> {
        let own = self.edits.iter().filter(|(_, edit)| edit.owner == actor);
        own.map(|(version, _)| *version).collect()
    }

    /// The stacks of an actor as the service tells them, the newest entry first.
    pub(crate) fn of(&self, actor: &str) -> UndoStacks {
        let empty = Actor::default();
        let actor = self.actors.get(actor).unwrap_or(&empty);
        let list = |stack: &[Entry], redo| stack.iter().rev().map(|entry| self.tell(entry, redo)).collect();
        UndoStacks {
            version: self.newest,
            undo: list(&actor.undo, false),
            undo_more: 0,
            redo: list(&actor.redo, true),
            redo_more: 0,
        }
    }

    fn tell(&self, entry: &Entry, redo: bool) -> StackEntry {
        let mut edits = entry.edits.clone();
        edits.sort_unstable();
        let known = edits.iter().map(|edit| &self.edits[edit]);
        let mut targets: Vec<u64> = known
            .clone()
            .filter(|edit| edit.undone == redo)
            .map(|edit| edit.by)
            .collect();
        targets.sort_unstable_by(|a, b| b.cmp(a));
        let mut turns: Vec<_> = known.map(|edit| edit.turn.clone()).collect();
        turns.dedup();
        let turn = if turns.len() == 1 { turns.remove(0) } else { None };
        StackEntry {
            turn: turn.as_deref().map(Into::into),
            edits,
            targets,
        }
    }

    fn edit(&mut self, header: &Header<'_>) {
        let owner = header.actor.to_owned();
        let actor = self.actors.entry(owner.clone()).or_default();
        actor.redo.clear();
        let turn = header.turn.map(str::to_owned);
        enter(
            &mut actor.undo,
            &turn_group(turn.as_deref(), header.version),
            header.version,
            header.version,
        );
        let (by, undone) = (header.version, false);
        self.edits.insert(
            header.version,
            Edit {
                owner,
                turn,
                by,
                undone,
            },
        );
    }

    fn compensate(&mut self, header: &Header<'_>, of: u64, undone: bool) {
        let root = self.root(of);
        self.roots.insert(header.version, root);
        let Some(edit) = self.edits.get_mut(&root) else { return };
        (edit.by, edit.undone) = (header.version, undone);
        let (owner, turn) = (edit.owner.clone(), edit.turn.clone());
        for actor in self.actors.values_mut() {
            let stack = if undone { &mut actor.undo } else { &mut actor.redo };
            stack
                .iter_mut()
                .for_each(|entry| entry.edits.retain(|edit| *edit != root));
            stack.retain(|entry| !entry.edits.is_empty());
        }
        let by = self.actors.entry(header.actor.to_owned()).or_default();
        let stack = if undone { &mut by.redo } else { &mut by.undo };
        enter(stack, &format!("command {}", header.command), root, header.version);
        if !undone && owner != header.actor {
            let actor = self.actors.entry(owner).or_default();
            enter(&mut actor.undo, &turn_group(turn.as_deref(), root), root, root);
        }
    }
}

/// What is alone is its own group.
fn turn_group(turn: Option<&str>, version: u64) -> String {
    turn.map_or_else(|| format!("edit {version}"), |turn| format!("turn {turn}"))
}

/// Puts an edit into the entry of its group, at the place of the newest event that touched it.
fn enter(stack: &mut Vec<Entry>, group: &str, root: u64, at: u64) {
    let known = stack.iter().position(|entry| entry.group == group);
    let mut entry = known.map_or_else(
        || Entry {
            group: group.to_owned(),
            edits: Vec::new(),
            at: 0,
        },
        |index| stack.remove(index),
    );
    entry.edits.push(root);
    entry.at = entry.at.max(at);
    let place = stack.partition_point(|other| other.at < entry.at);
    stack.insert(place, entry);
}
