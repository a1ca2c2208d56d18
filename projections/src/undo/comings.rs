//! What of an event makes things come and go for good. What it does to a thing that it takes away after that, or that it has
//! put there only for a while, is gone with it: there is nothing of that to take back.

use std::collections::HashMap;

use super::planner::Planner;
use crate::delta::Delta;
use crate::design::{DesignOp, DesignValue, Id, NewNode};
use crate::json::Json;
use crate::rebase::{Subject, background, comes, goes, subject_of};

/// Where the stored inverse of an event makes things come and go.
#[derive(Default)]
pub(super) struct Comings {
    /// The first and the last place, by the indices of the operations.
    places: HashMap<Subject, (usize, usize)>,
    /// What is on the page after the last.
    comes: HashMap<Subject, bool>,
}

impl Comings {
    pub(super) fn of(inverse: &[DesignOp]) -> Comings {
        let mut comings = Comings::default();
        for (index, op) in inverse.iter().enumerate().filter(|(_, op)| comes(op) || goes(op)) {
            let Some(subject) = subject_of(op) else {
                continue;
            };
            comings.comes.insert(subject.clone(), comes(op));
            comings.places.entry(subject).or_insert((index, index)).1 = index;
        }
        comings
    }

    /// Says whether an operation is about a thing of which nothing is left after the others: only what comes last comes,
    /// and only what goes first goes.
    pub(super) fn is_passing(&self, index: usize, op: &DesignOp, subject: &Subject) -> bool {
        let Some((first, last)) = self.places.get(subject).copied() else {
            return false;
        };
        let counts = (comes(op) && index == last) || (goes(op) && index == first);
        index <= last && !counts
    }

    /// Says whether something comes back: what the inverse says of it is of the life that the event ended.
    pub(super) fn brings_back(&self, subject: &Subject) -> bool {
        self.comes.get(subject).is_some_and(|comes| *comes)
    }

    /// Gives the place of the operation with which a node goes, if it does.
    pub(super) fn goes_at(&self, id: &Id) -> Option<usize> {
        let subject = Subject::Node(id.clone());
        let (first, _) = self.places.get(&subject)?;
        self.comes.get(&subject).is_some_and(|comes| !comes).then_some(*first)
    }

    /// Gives the nodes that come back.
    pub(super) fn nodes(&self) -> impl Iterator<Item = &Id> {
        let back = self.comes.iter().filter(|(_, comes)| **comes);
        back.filter_map(|(subject, _)| match subject {
            Subject::Node(id) => Some(id),
            _ => None,
        })
    }
}

impl Planner<'_> {
    /// Says whether an edit is undone, by what is undone now, that did something.
    pub(super) fn undoes_what(&self, did: impl Fn(&DesignOp) -> bool) -> bool {
        let undone = self.switched.iter().filter(|(_, stands)| !stands);
        let edits = undone.filter_map(|(event, _)| self.request.history.get(*event));
        edits
            .filter(|event| event.undoes.is_empty())
            .any(|event| matches!(event.delta, Delta::Design(ops) if ops.iter().any(&did)))
    }
}

/// Gives a node as an event left it that put it on the page: `later` is what the event did after that.
pub(super) fn node_left(made: &NewNode, add: &DesignOp, later: &[DesignOp]) -> Option<NewNode> {
    let mut node = made.clone();
    let mut page = page_of(match add {
        DesignOp::AddNode { position, .. } => DesignOp::AddNode {
            node: NewNode {
                parent: None,
                ..node.clone()
            },
            position: position.clone(),
            siblings: None,
        },
        _ => return None,
    })?;
    for op in later {
        let here = match op {
            DesignOp::MoveNode {
                id, parent, geometry, ..
            } if *id == node.id => {
                node.parent = parent.clone().unwrap_or(node.parent);
                DesignOp::MoveNode {
                    id: id.clone(),
                    parent: None,
                    position: None,
                    siblings: None,
                    geometry: geometry.clone(),
                }
            }
            op if subject_of(op) == Some(Subject::Node(node.id.clone())) => op.clone(),
            _ => continue,
        };
        page.apply(&[here]).ok()?;
    }
    let left = page.node(&node.id)?.content().clone();
    Some(NewNode {
        parent: node.parent,
        ..left
    })
}

/// As [`node_left`], for a background; its place is none of it.
pub(super) fn background_left(id: &Id, add: &DesignOp, later: &[DesignOp]) -> Option<Json> {
    let mut page = page_of(match add {
        DesignOp::AddBackground { background, .. } => DesignOp::AddBackground {
            background: background.clone(),
            placement: crate::design::Placement::Last,
            siblings: None,
        },
        _ => return None,
    })?;
    let sets = |op: &&DesignOp| matches!(op, DesignOp::SetBackground { id: set, .. } if set == id);
    for op in later.iter().filter(sets) {
        page.apply(std::slice::from_ref(op)).ok()?;
    }
    background(&page, id).cloned()
}

fn page_of(add: DesignOp) -> Option<DesignValue> {
    let mut page = DesignValue::default();
    page.apply(&[add]).ok()?;
    Some(page)
}
