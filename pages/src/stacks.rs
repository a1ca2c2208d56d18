//! Reading an actor's undo and redo stack, now or at an earlier version.

use std::sync::Arc;

use recto_projections::manager::{Entry, HistoryManager, Stand};
use recto_store::{Id, PageKey};

use crate::actor::Actor;
use crate::error::ReadError;
use crate::service::Pages;

/// What an actor can undo and redo.
#[derive(Clone, Debug)]
pub struct UndoStacks {
    /// The version at which it is so.
    pub version: u64,
    /// What `undo` takes back, the newest first.
    pub undo: Vec<StackEntry>,
    /// How many entries there are below those.
    pub undo_more: usize,
    /// What `redo` takes back, the newest first.
    pub redo: Vec<StackEntry>,
    /// How many entries there are below those.
    pub redo_more: usize,
}

/// One step of undo or redo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackEntry {
    /// The turn that its edits were made in.
    pub turn: Option<Arc<str>>,
    /// The versions of the edits.
    pub edits: Vec<u64>,
    /// The events that the step takes back: the edits, or the redos or undos that stand for them; the newest first.
    pub targets: Vec<u64>,
}

impl Pages {
    /// The stacks of an actor, the `limit` newest entries of each; at the newest version, or at an earlier one.
    ///
    /// # Errors
    /// [`ReadError::NoSuchVersion`].
    pub async fn undo_stacks(
        &self,
        scope: &Id,
        page: &Id,
        actor: &Actor,
        at: Option<u64>,
        limit: usize,
    ) -> Result<UndoStacks, ReadError> {
        let page = PageKey {
            scope: scope.clone(),
            page: page.clone(),
        };
        let head = self.page_head(&page).await?.version;
        let name = actor.to_string();
        match at {
            Some(version) if version == 0 || version > head => Err(ReadError::NoSuchVersion { version, head }),
            Some(version) if version < head => Ok(stacks(&self.manager_at(&page, version).await?, &name, limit)),
            _ => {
                let held = self.history(&page, head).await?;
                Ok(stacks(&held.history.manager, &name, limit))
            }
        }
    }
}

impl Pages {
    /// Everybody who can undo or redo something at the newest version, by name.
    ///
    /// # Errors
    /// [`ReadError::PageNotFound`].
    pub async fn undo_actors(&self, scope: &Id, page: &Id) -> Result<Vec<String>, ReadError> {
        let page = PageKey {
            scope: scope.clone(),
            page: page.clone(),
        };
        let head = self.page_head(&page).await?.version;
        let held = self.history(&page, head).await?;
        let manager = &held.history.manager;
        let has_any =
            |name: &&str| manager.undo_stack(name).next().is_some() || manager.redo_stack(name).next().is_some();
        let mut actors: Vec<String> = manager.actors().filter(has_any).map(str::to_owned).collect();
        actors.sort_unstable();
        Ok(actors)
    }
}

/// The events that a step over these edits takes back, the newest first: what stands for those that stand, or the undos
/// of those that do not.
pub(crate) fn targets(manager: &HistoryManager, edits: &[u64], redo: bool) -> Vec<u64> {
    let stands = edits.iter().filter_map(|edit| match (manager.stand(*edit), redo) {
        (Stand::Stands { by }, false) | (Stand::Undone { by }, true) => Some(by),
        _ => None,
    });
    let mut targets: Vec<_> = stands.collect();
    targets.sort_unstable_by(|a, b| b.cmp(a));
    targets.dedup();
    targets
}

fn stacks(manager: &HistoryManager, actor: &str, limit: usize) -> UndoStacks {
    let listed = |entries: &mut dyn Iterator<Item = Entry>, redo| {
        let list: Vec<_> = entries
            .take(limit)
            .map(|entry| stack_entry(manager, entry, redo))
            .collect();
        (list, entries.count())
    };
    let (undo, undo_more) = listed(&mut manager.undo_stack(actor), false);
    let (redo, redo_more) = listed(&mut manager.redo_stack(actor), true);
    UndoStacks {
        version: manager.newest(),
        undo,
        undo_more,
        redo,
        redo_more,
    }
}

fn stack_entry(manager: &HistoryManager, entry: Entry, redo: bool) -> StackEntry {
    let Entry { turn, mut edits, .. } = entry;
    edits.sort_unstable();
    StackEntry {
        turn,
        targets: targets(manager, &edits, redo),
        edits,
    }
}
