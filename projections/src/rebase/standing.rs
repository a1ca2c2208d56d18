//! Which events are undone: from the stream alone.

use std::collections::HashSet;

/// Which events are undone.
///
/// A compensation that is not undone itself undoes its events; so the undo of an undo, a redo, lets the first event
/// stand again. It does not matter what of an event could really be taken back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    undone: HashSet<u64>,
}

impl Standing {
    /// Goes over events in order, each with its version and the versions that it takes back.
    pub fn of<'a>(events: impl IntoIterator<Item = (u64, &'a [u64])>) -> Standing {
        let all: Vec<_> = events.into_iter().filter(|(_, undoes)| !undoes.is_empty()).collect();
        let mut undone = HashSet::new();
        // Only a later event can undo one, so the newest come first.
        for (version, undoes) in all.into_iter().rev() {
            if !undone.contains(&version) {
                undone.extend(undoes.iter().copied());
            }
        }
        Standing { undone }
    }

    /// Says whether an event is undone.
    pub fn is_undone(&self, version: u64) -> bool {
        self.undone.contains(&version)
    }

    pub(crate) fn into_undone(self) -> HashSet<u64> {
        self.undone
    }
}

/// Gives the version from which on the events are needed to plan the undo of `targets` on a page whose newest version
/// is `head`: the oldest of them or, where compensations since then take back older events, the oldest of those.
/// Nothing if there is no target.
///
/// `compensations` are those of the page, in any order, each with its version and the versions that it takes back;
/// other events do no harm. Those older than the answer are not looked at.
pub fn reach<'a>(targets: &[u64], head: u64, compensations: impl IntoIterator<Item = (u64, &'a [u64])>) -> Option<u64> {
    let mut first = *targets.iter().min()?;
    let mut sorted = targets.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    if sorted.iter().copied().eq(first..=head) {
        // Nothing came between: the stored inverses are the answer.
        return Some(first);
    }
    let mut open: Vec<_> = compensations
        .into_iter()
        .filter(|(_, undoes)| !undoes.is_empty())
        .collect();
    open.sort_unstable_by_key(|(version, _)| std::cmp::Reverse(*version));
    // What reaches back lets in more compensations, which may reach back further.
    let mut next = open.into_iter().peekable();
    while let Some((_, undoes)) = next.next_if(|(version, _)| *version >= first) {
        first = undoes.iter().copied().min().map_or(first, |oldest| oldest.min(first));
    }
    Some(first)
}
