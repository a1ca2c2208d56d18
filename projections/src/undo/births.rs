//! The lives that a node, or a background, had, one after the other: an edit that creates it begins a new one, a
//! compensation that brings it back returns to the one whose removal it takes back.

use std::collections::HashMap;

use crate::rebase::{Subject, Trail, comes};

/// In which life something was after every event that changed that. A life is known by the event that began it; the one
/// from before the first event by nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Births {
    changes: Vec<(usize, Option<usize>)>,
    /// The lives that events ended. Where one event ends several, those that it began itself are none that counts.
    ended: HashMap<usize, Option<usize>>,
}

impl Births {
    pub(super) fn of(trail: &Trail<'_>, subject: &Subject) -> Births {
        let mut births = Births::default();
        for touch in trail.comings(subject) {
            let event = touch.event;
            if comes(touch.op) {
                let life = match trail.events.undoes(event).is_empty() {
                    true => Some(event),
                    false => births.brought_back(trail.switched(event)),
                };
                births.changes.push((event, life));
            } else {
                let life = births.at(event);
                births.ended.entry(event).or_insert(life);
            }
        }
        births
    }

    /// Gives the life in which it was after an event.
    pub(super) fn at(&self, event: usize) -> Option<usize> {
        let known = self.changes.partition_point(|(at, _)| *at <= event);
        self.changes.get(known.checked_sub(1)?)?.1
    }

    /// Gives the life in which it was before an event.
    pub(super) fn before(&self, event: usize) -> Option<usize> {
        self.at(event.checked_sub(1)?)
    }

    /// Gives the life in which it is now.
    pub(super) fn now(&self) -> Option<usize> {
        self.at(usize::MAX)
    }

    /// Gives the life to which a compensation returns: that which ended with what does not stand any more; of several, the
    /// oldest.
    pub(super) fn brought_back(&self, switched: &[(usize, bool)]) -> Option<usize> {
        let ended = switched.iter().filter(|(_, stands)| !stands);
        let lives = ended.filter_map(|(event, _)| self.ended.get(event));
        lives.min().copied().flatten()
    }
}
