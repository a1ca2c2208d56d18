//! Whose a field is: the last event that wrote it, where an undo gives it back to whoever had it before.

use super::committed::Events;
use super::field::Said;

/// What one event did to a field.
#[derive(Debug)]
pub(crate) struct Change<'a> {
    pub(crate) event: usize,
    pub(crate) old: Said<'a>,
    pub(crate) new: Said<'a>,
}

/// A field followed through the events that changed it, in order.
///
/// An event takes the field. A compensation that puts back the value from before an event gives it to whoever had it
/// then: so an edit and its undo, or an undo and its redo, leave the field to its owner.
pub(crate) struct Ownership<'a> {
    /// Who has the field at the end; nothing if it is as it was before the first of the events.
    pub(crate) owner: Option<usize>,
    taken: Vec<Taken<'a>>,
}

/// An event that changed the field: who had it before, and what it was.
struct Taken<'a> {
    event: usize,
    from: Option<usize>,
    old: Said<'a>,
}

impl<'a> Ownership<'a> {
    /// Follows a field. Changes of one event stand next to each other, and count as one.
    pub(crate) fn follow(changes: impl IntoIterator<Item = Change<'a>>, events: &Events<'_>) -> Ownership<'a> {
        let mut ownership = Ownership {
            owner: None,
            taken: Vec::new(),
        };
        let mut open: Option<Change<'a>> = None;
        for change in changes {
            open = Some(match open.take() {
                Some(before) if before.event == change.event => Change {
                    new: change.new,
                    ..before
                },
                before => {
                    before.into_iter().for_each(|before| ownership.step(before, events));
                    change
                }
            });
        }
        open.into_iter().for_each(|last| ownership.step(last, events));
        ownership
    }

    fn step(&mut self, change: Change<'a>, events: &Events<'_>) {
        if change.old.same(&change.new) == Some(true) {
            return;
        }
        let undoes = events.undoes(change.event);
        let restores = |taken: &&Taken<'_>| {
            undoes.contains(&events.key(taken.event)) && change.new.same(&taken.old) != Some(false)
        };
        let from = self.owner;
        self.owner = match self.taken.iter().find(restores) {
            Some(restored) => restored.from,
            None => Some(change.event),
        };
        self.taken.push(Taken {
            event: change.event,
            from,
            old: change.old,
        });
    }
}
