//! The HistoryManager projection: every actor's undo and redo stack, from the headers of a page's events alone.
//!
//! It is fed with the events in order, so it can be had at every version; it looks at no delta.
//!
//! # Rules
//!
//! - An edit goes on top of its actor's undo stack, and clears that actor's redo stack. Nobody else's edit does.
//! - The edits of one turn are one entry, at the place of the newest of them; an edit without a turn is an entry by itself.
//! - An undo takes what it undoes off every undo stack and puts it on the redo stack of whoever undid it. A redo does the
//!   reverse; where somebody redoes what another had made, it comes back to the stack of that one too, at its old place.
//!   What one command undoes or redoes stays one entry.
//! - So consecutive undos step further back and never undo an undo, and n undos followed by n redos end where they began.
//! - Creation, rebalances, events of the system and those marked not undoable are on no stack.
//! - Stacks reach back over a window of events, counted from the newest; what is older can only be undone by its version.

mod chains;
mod stack;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use self::chains::Chains;
pub use self::chains::Stand;
use self::stack::{Stack, group_of};

/// What the projection reads of an event.
#[derive(Clone, Copy, Debug)]
pub struct Header<'a> {
    /// The version that the event made.
    pub version: u64,
    /// Who made it.
    pub actor: &'a str,
    /// The turn that it belongs to.
    pub turn: Option<&'a str>,
    /// The command that made it.
    pub command: &'a str,
    /// What it was.
    pub deed: Deed,
}

/// What an event was, as far as undo goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Something that its actor can take back.
    Edit,
    /// An undo of an event: an edit, or a redo.
    Undo {
        /// The version of that event.
        of: u64,
    },
    /// A redo: the undo of an undo.
    Redo {
        /// The version of that undo.
        of: u64,
    },
    /// What is on no stack.
    Other,
}

/// What one step of undo or redo takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The turn that its edits were made in.
    pub turn: Option<Arc<str>>,
    /// The versions of the edits, in the order in which they came to the entry. What stands for them now is what
    /// [`HistoryManager::stand`] says.
    pub edits: Vec<u64>,
    /// The newest event that touched the entry: its place in the stack.
    pub at: u64,
}

/// Every actor's stacks at one version of a page.
#[derive(Clone, Debug)]
pub struct HistoryManager {
    window: u64,
    newest: u64,
    actors: Vec<Actor>,
    numbers: HashMap<Arc<str>, usize>,
    chains: Chains,
    /// The edits in stacks, by version.
    edits: HashMap<u64, Edit>,
    /// The edits of each turn, whether they stand or not.
    turns: HashMap<Arc<str>, Vec<u64>>,
    /// The newest version when what is older than the window was last forgotten.
    pruned: u64,
}

#[derive(Clone, Debug)]
struct Actor {
    name: Arc<str>,
    undo: Stack,
    redo: Stack,
}

#[derive(Clone, Debug)]
struct Edit {
    /// Who made it.
    owner: usize,
    turn: Option<Arc<str>>,
    /// The stacks that it is on.
    places: Vec<Place>,
}

/// A stack, and an entry of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    actor: usize,
    redo: bool,
    entry: u64,
}

impl HistoryManager {
    /// Starts with no event. `window` is how many events the stacks reach back.
    #[must_use]
    pub fn new(window: u64) -> Self {
        Self {
            window,
            newest: 0,
            actors: Vec::new(),
            numbers: HashMap::new(),
            chains: Chains::default(),
            edits: HashMap::new(),
            turns: HashMap::new(),
            pruned: 0,
        }
    }

    /// The version of the newest event taken in; 0 before the first.
    #[must_use]
    pub fn newest(&self) -> u64 {
        self.newest
    }

    /// Takes the next event in. Events that are not newer than the newest are passed over.
    pub fn take(&mut self, header: &Header<'_>) {
        if header.version <= self.newest {
            return;
        }
        self.newest = header.version;
        match header.deed {
            Deed::Edit => self.edit(header),
            Deed::Undo { of } => self.undo(header, of),
            Deed::Redo { of } => self.redo(header, of),
            Deed::Other => {}
        }
        if self.newest - self.pruned > self.window.max(1) {
            self.prune();
        }
    }

    /// An actor's undo stack, the newest entry first.
    pub fn undo_stack(&self, actor: &str) -> impl Iterator<Item = Entry> {
        self.stack(actor, |actor| &actor.undo)
    }

    /// An actor's redo stack, the newest entry first.
    pub fn redo_stack(&self, actor: &str) -> impl Iterator<Item = Entry> {
        self.stack(actor, |actor| &actor.redo)
    }

    /// The actors that ever had an entry in the window, in the order of their first.
    pub fn actors(&self) -> impl Iterator<Item = &str> {
        self.actors.iter().map(|actor| &*actor.name)
    }

    /// Says what became of an event: for an edit whether it stands, and by which event now; for a compensation the same of
    /// the edit at the end of its chain.
    #[must_use]
    pub fn stand(&self, version: u64) -> Stand {
        self.chains.stand(version)
    }

    /// The edits of a turn in the window, in order, whether they stand or not.
    #[must_use]
    pub fn turn(&self, turn: &str) -> &[u64] {
        let edits = self.turns.get(turn).map_or(&[][..], Vec::as_slice);
        &edits[edits.partition_point(|version| *version < self.first())..]
    }

    /// The compensations in the window, the newest first, each with the event that it is of.
    pub fn compensations(&self) -> impl Iterator<Item = (u64, u64)> {
        self.chains.compensations(self.first())
    }

    /// What the projection takes in memory, in bytes, by estimate.
    #[must_use]
    pub fn weight(&self) -> usize {
        let stacks: usize = self
            .actors
            .iter()
            .map(|actor| actor.undo.weight() + actor.redo.weight())
            .sum();
        stacks + self.edits.len() * (size_of::<Edit>() + 64) + self.turns.len() * 96 + self.chains.weight()
    }

    /// The first version that the window holds.
    fn first(&self) -> u64 {
        self.newest.saturating_sub(self.window) + 1
    }

    fn stack(&self, actor: &str, of: impl Fn(&Actor) -> &Stack) -> impl Iterator<Item = Entry> {
        let number = self.numbers.get(actor);
        let stack = number.map(|number| of(&self.actors[*number]));
        let touched = stack.into_iter().flat_map(|stack| stack.entries(self.first()));
        touched.filter_map(|(at, edits)| self.entry(at, edits))
    }

    /// An entry as far as the window holds it: what it looks like must not depend on what was forgotten when.
    fn entry(&self, at: u64, edits: &[u64]) -> Option<Entry> {
        let first = self.first();
        let edits: Vec<u64> = edits.iter().copied().filter(|edit| *edit >= first).collect();
        let turn_of = |edit: &u64| self.edits.get(edit).and_then(|edit| edit.turn.clone());
        let turn = turn_of(edits.first()?);
        let turn = turn.filter(|turn| edits.iter().all(|edit| turn_of(edit).as_ref() == Some(turn)));
        Some(Entry { turn, edits, at })
    }

    fn edit(&mut self, header: &Header<'_>) {
        let (owner, version) = (self.number(header.actor), header.version);
        for root in self.actors[owner].redo.clear() {
            self.leave(root, |place| place.actor == owner && place.redo);
        }
        let turn = header.turn.map(Arc::from);
        if let Some(turn) = &turn {
            self.turns.entry(Arc::clone(turn)).or_default().push(version);
        }
        let places = Vec::new();
        self.edits.insert(
            version,
            Edit {
                owner,
                turn: turn.clone(),
                places,
            },
        );
        self.enter(owner, false, version, turn.map(|turn| group_of("turn", &turn)), version);
    }

    fn undo(&mut self, header: &Header<'_>, of: u64) {
        let root = self.chains.take(header.version, of, true);
        let by = self.number(header.actor);
        self.off(root, false);
        self.enter(
            by,
            true,
            root,
            Some(group_of("command", header.command)),
            header.version,
        );
    }

    fn redo(&mut self, header: &Header<'_>, of: u64) {
        let root = self.chains.take(header.version, of, false);
        let by = self.number(header.actor);
        self.off(root, true);
        self.enter(
            by,
            false,
            root,
            Some(group_of("command", header.command)),
            header.version,
        );
        let owner = self.edits.get(&root).map(|edit| (edit.owner, edit.turn.clone()));
        if let Some((owner, turn)) = owner.filter(|(owner, _)| *owner != by) {
            self.enter(owner, false, root, turn.map(|turn| group_of("turn", &turn)), root);
        }
    }

    /// Puts an edit on a stack, into the entry of its group.
    fn enter(&mut self, actor: usize, redo: bool, root: u64, group: Option<Arc<str>>, at: u64) {
        let Some(edit) = self.edits.get_mut(&root) else {
            // What was made before the window began is on no stack.
            return;
        };
        let stack = if redo {
            &mut self.actors[actor].redo
        } else {
            &mut self.actors[actor].undo
        };
        let entry = stack.push(root, group, at);
        edit.places.push(Place { actor, redo, entry });
    }

    /// Takes an edit off all stacks of one kind.
    fn off(&mut self, root: u64, redo: bool) {
        let places = self
            .edits
            .get(&root)
            .map(|edit| edit.places.clone())
            .unwrap_or_default();
        for place in places.into_iter().filter(|place| place.redo == redo) {
            let actor = &mut self.actors[place.actor];
            let stack = if redo { &mut actor.redo } else { &mut actor.undo };
            stack.remove(place.entry, root);
        }
        self.leave(root, |place| place.redo == redo);
    }

    fn leave(&mut self, root: u64, which: impl Fn(&Place) -> bool) {
        if let Some(edit) = self.edits.get_mut(&root) {
            edit.places.retain(|place| !which(place));
        }
    }

    fn number(&mut self, actor: &str) -> usize {
        if let Some(number) = self.numbers.get(actor) {
            return *number;
        }
        let name: Arc<str> = actor.into();
        self.numbers.insert(Arc::clone(&name), self.actors.len());
        self.actors.push(Actor {
            name,
            undo: Stack::default(),
            redo: Stack::default(),
        });
        self.actors.len() - 1
    }

    /// Forgets what the window no longer holds.
    fn prune(&mut self) {
        let first = self.first();
        self.pruned = self.newest;
        for actor in &mut self.actors {
            actor.undo.prune(first);
            actor.redo.prune(first);
        }
        let Self {
            actors,
            edits,
            turns,
            chains,
            ..
        } = self;
        for edit in edits.values_mut() {
            edit.places.retain(|place| {
                let actor = &actors[place.actor];
                if place.redo { &actor.redo } else { &actor.undo }.has(place.entry)
            });
        }
        edits.retain(|version, edit| *version >= first || !edit.places.is_empty());
        turns.retain(|_, versions| {
            versions.retain(|version| *version >= first);
            !versions.is_empty()
        });
        chains.prune(first);
    }
}
