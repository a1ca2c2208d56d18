//! What every compensation does to who stands, one compensation after the other.

use std::collections::HashMap;

/// Which events stand, kept up to date. An event is undone while a compensation of it stands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Switches {
    /// How many compensations that stand undo an event.
    undoers: HashMap<u64, usize>,
    /// What compensations undo.
    undoes: HashMap<u64, Vec<u64>>,
}

impl Switches {
    /// Takes the next compensation in; gives the events that do not stand any more, or stand again, in the order in
    /// which that comes about. Where one comes twice, the last time counts.
    pub(crate) fn take(&mut self, version: u64, undoes: &[u64]) -> Vec<(u64, bool)> {
        self.undoes.insert(version, undoes.to_vec());
        let mut switched = Vec::new();
        let mut open: Vec<_> = undoes.iter().map(|target| (*target, true)).collect();
        while let Some((event, is_undone)) = open.pop() {
            let undoers = self.undoers.entry(event).or_default();
            let before = *undoers;
            *undoers = if is_undone {
                before + 1
            } else {
                before.saturating_sub(1)
            };
            if (before == 0) == (*undoers == 0) {
                continue;
            }
            switched.push((event, !is_undone));
            let undoes = self.undoes.get(&event).into_iter().flatten();
            open.extend(undoes.map(|target| (*target, !is_undone)));
        }
        switched
    }
}
