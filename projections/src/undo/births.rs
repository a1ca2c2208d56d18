//! The lives that a node had, one after the other: an edit that creates it begins a new one, a compensation that brings it
//! back returns to the one whose removal it takes back.

use std::collections::HashMap;

use crate::design::DesignOp;
use crate::rebase::{Subject, Trail};

/// In which life a node was after every event that changed that. A life is known by the event that began it; the one
/// from before the first event by nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Births {
    changes: Vec<(usize, Option<usize>)>,
}

impl Births {
    pub(super) fn of(trail: &Trail<'_>, subject: &Subject) -> Births {
        let mut births = Births::default();
        let mut removed: HashMap<usize, Option<usize>> = HashMap::new();
        for touch in trail.comings(subject) {
            let event = touch.event;
            match touch.op {
                DesignOp::RemoveNode { .. } => drop(removed.insert(event, births.at(event))),
                DesignOp::AddNode { .. } => {
                    let life = match trail.events.undoes(event).is_empty() {
                        true => Some(event),
                        false => births.brought_back(trail.switched(event), &removed),
                    };
                    births.changes.push((event, life));
                }
                _ => {}
            }
        }
        births
    }

    /// Gives the life in which the node was after an event.
    pub(super) fn at(&self, event: usize) -> Option<usize> {
        let known = self.changes.partition_point(|(at, _)| *at <= event);
        self.changes.get(known.checked_sub(1)?)?.1
    }

    /// Gives the life to which a compensation returns: that of the creation that stands again, or that which ended with
    /// the removal that does not stand any more.
    fn brought_back(&self, switched: &[(usize, bool)], removed: &HashMap<usize, Option<usize>>) -> Option<usize> {
        let is_birth = |event: &usize| self.changes.contains(&(*event, Some(*event)));
        let created = switched.iter().filter(|(event, stands)| *stands && is_birth(event));
        let ended = switched.iter().filter(|(_, stands)| !stands);
        let ended = ended.filter_map(|(event, _)| removed.get(event)).min().copied();
        created.map(|(event, _)| *event).max().or(ended.flatten())
    }
}
