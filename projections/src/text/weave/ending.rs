//! The newline at the end of a document, which is there whatever is undone.
//!
//! An edit may put its own text behind the last newline, and another may delete the newline before it: when the first is
//! then undone, nothing that shows ends the last line. So that a document stays one, a newline is added to its end as long
//! as that is so.
//!
//! An edit that is made on a text with an added newline is made on that newline too: it may format or delete it, or put
//! text in front of it or behind it. So the first such edit finds it in the text, as a run at the end, which is of no
//! edit. This run is there whenever the text *without that edit and all later ones* would need a newline, and no active
//! edit deletes it. So it is one for later edits to stand on whichever of those is undone, as a newline of the starting
//! text would be; and it makes way when something earlier, undone or redone, ends the last line again.

use super::fates::{Deed, NONE, START_EDIT};
use super::runs::Run;
use super::undo::Switch;
use super::woven::{EditId, Weave};
use crate::text::{Content, TextDelta, TextOp};

const NEWLINE: &str = "\n";

/// Whether the text must end with a newline, and whether one had to be added.
#[derive(Debug, Clone)]
pub(super) struct Ending {
    required: bool,
    added: bool,
    last: Last,
    /// The numbers of what stands for newlines that were taken into the text, in order.
    taken_in: Vec<usize>,
}

/// The last run that shows: its number and units, and whether it ends with a newline.
#[derive(Debug, Clone, Copy)]
struct Last {
    run: u32,
    units: u32,
    ends_line: bool,
}

impl Ending {
    /// The text may end as it likes.
    pub(super) fn free() -> Self {
        let last = Last {
            run: NONE,
            units: 0,
            ends_line: false,
        };
        Self {
            required: false,
            added: false,
            last,
            taken_in: Vec::new(),
        }
    }

    /// The text must end with a newline.
    pub(super) fn newline() -> Self {
        Self {
            required: true,
            ..Self::free()
        }
    }

    /// Says whether a newline is added to what the runs show.
    pub(super) fn is_added(&self) -> bool {
        self.added
    }

    pub(super) fn weight(&self) -> usize {
        self.taken_in.capacity() * size_of::<usize>()
    }
}

impl Weave {
    /// Takes the added newline into the text, if there is one, for an edit that comes next.
    pub(super) fn take_ending_in(&mut self, event: EditId) {
        if self.ending.added {
            let edit = self.begin(event, true);
            self.ending.taken_in.push(edit as usize);
            self.insert(self.order.shown(), &Content::Text(NEWLINE.to_owned()), None, edit);
        }
    }

    /// Finds out whether a newline must be added.
    pub(super) fn settle_ending(&mut self) {
        if !self.ending.required {
            return;
        }
        let last = self.order.shown().checked_sub(1);
        let run = last.and_then(|last| self.order.run_at(self.order.find(last)));
        let Some(run) = run else {
            self.ending.added = true;
            return;
        };
        let Run { slice, units, .. } = self.runs[run as usize];
        let last = self.ending.last;
        if (last.run, last.units) != (run, units) {
            let ends_line = self.source.ends_line(slice, units);
            self.ending.last = Last { run, units, ends_line };
        }
        self.ending.added = !self.ending.last.ends_line;
    }

    /// Adds to switches, given in order, those of the newlines that were taken into the text since. What the edits shall be
    /// is noted already.
    pub(super) fn switch_endings(&mut self, switches: &mut Vec<Switch>) {
        let Some(first) = switches.first().map(|switch| switch.edit) else {
            return;
        };
        let since = self.ending.taken_in.partition_point(|edit| *edit < first);
        // Each counts for the later ones.
        for index in since..self.ending.taken_in.len() {
            let edit = self.ending.taken_in[index];
            let on = !self.ends_line_before(edit);
            if on != self.edits[edit].active {
                self.edits[edit].shall = on;
                switches.push(Switch { edit, on });
            }
        }
        switches.sort_unstable_by_key(|switch| switch.edit);
    }

    /// Says whether the text shall end with a newline where an edit and all later ones do not count. The cost follows the
    /// runs from the last one that counts and shall show to the end.
    fn ends_line_before(&self, edit: usize) -> bool {
        let counts = |other: u32| (other as usize) < edit && self.edits[other as usize].shall;
        let shows = |run: &u32| {
            let mut path = self.fates.path(self.runs[*run as usize].fate);
            path.all(|fate| match fate.deed {
                Deed::Insert(_) => fate.edit == START_EDIT || counts(fate.edit),
                Deed::Delete => !counts(fate.edit),
                Deed::Set(_) => true,
            })
        };
        self.order.iter_back().find(shows).is_some_and(|run| {
            let Run { slice, units, .. } = self.runs[run as usize];
            self.source.ends_line(slice, units)
        })
    }

    /// Adds to a compensation what becomes of the added newline. The delta has gone over `at` of the `shown` units before.
    pub(super) fn compensate_ending(&self, was_added: bool, at: u32, shown: u32, delta: &mut TextDelta) {
        let len = (shown - at) as usize;
        match (was_added, self.ending.added) {
            (true, false) => {
                delta.push(TextOp::Retain { len, attributes: None });
                delta.push(TextOp::Delete { len: 1 });
            }
            (false, true) => {
                delta.push(TextOp::Retain { len, attributes: None });
                let content = Content::Text(NEWLINE.to_owned());
                delta.push(TextOp::Insert {
                    content,
                    attributes: None,
                });
            }
            _ => {}
        }
    }
}
