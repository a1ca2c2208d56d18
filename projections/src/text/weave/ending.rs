//! The newline at the end of a document, which is there whatever is undone.
//!
//! An edit may put its own text behind the last newline, and another may delete the newline before it: when the first is
//! then undone, nothing that shows ends the last line. So that a document stays one, a newline is added to its end as long
//! as that is so: again a function of the edits and of what is undone alone.

use super::fates::NONE;
use super::runs::Run;
use super::woven::Weave;
use crate::text::{Content, TextDelta, TextOp};

const NEWLINE: &str = "\n";

/// Whether the text must end with a newline, and whether one had to be added.
#[derive(Debug, Clone)]
pub(super) struct Ending {
    required: bool,
    added: bool,
    last: Last,
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
}

impl Weave {
    /// Lets an edit insert the added newline itself, if its operations go over it: they count with it. Says whether the
    /// edit need not care for one any more.
    pub(super) fn take_over_ending(&mut self, edit: u32, ops: &[TextOp]) -> bool {
        let goes_over = || ops.iter().map(TextOp::base_len).sum::<usize>() > self.order.shown() as usize;
        if self.ending.added && goes_over() {
            self.insert_ending(edit);
            return true;
        }
        !self.ending.added
    }

    /// Lets an edit insert the added newline that it left where it was, if what the runs show now ends with another one.
    pub(super) fn keep_ending(&mut self, edit: u32) {
        self.settle_ending();
        if !self.ending.added {
            self.insert_ending(edit);
            self.settle_ending();
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

    fn insert_ending(&mut self, edit: u32) {
        self.insert(self.order.shown(), &Content::Text(NEWLINE.to_owned()), None, edit);
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
