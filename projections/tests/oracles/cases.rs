//! Recorded cases of undo that are about text, by their ids, on both sides.
//!
//! Where yrs is wrong, its text is written down beside the right one, so that a version that becomes right is noticed.
//! Two roots: what it restores is a copy, so text that two deleted comes back twice; and a step whose text is hidden at
//! the time is dropped from the stack, not remembered.

use recto_projections::text::TextDelta;
use recto_projections::text::weave::EditId;

use crate::page::Page;
use crate::peer::{Manager, Peer};

const A: usize = 0;
const B: usize = 1;

/// The same history on both sides, of two authors who hear of each other's steps at once.
struct Both {
    page: Page,
    peers: [Peer; 2],
    managers: [Manager; 2],
    /// Per author: what the next undo is of, and the next redo.
    done: [Vec<EditId>; 2],
    undone: [Vec<EditId>; 2],
}

/// Tells that yrs gave something else than it did when this was written.
const YRS: &str = "yrs gives another text than is recorded: if it is the right one, say so here and let Recto agree with it";

impl Both {
    fn new(start: &str) -> Self {
        let peers = Peer::all([1, 2], start);
        Self {
            page: Page::new(start),
            managers: [peers[A].manager(), peers[B].manager()],
            peers,
            done: Default::default(),
            undone: Default::default(),
        }
    }

    fn sync(&self) {
        self.peers[A].sync(&self.peers[B]);
        assert_eq!(self.peers[A].read(), self.peers[B].read());
    }

    fn edit(&mut self, author: usize, delta: &TextDelta) {
        self.peers[author].edit(delta);
        self.done[author].push(self.page.edit(delta));
        self.sync();
    }

    fn insert(&mut self, author: usize, at: usize, text: &str) {
        self.edit(author, &TextDelta::new().retain(at, None).insert(text, None));
    }

    fn delete(&mut self, author: usize, from: usize, to: usize) {
        self.edit(author, &deletion((from, to)));
    }

    /// Commits what both made of the same text: A's first, B's rebased over it.
    fn edit_at_once(&mut self, of_a: &TextDelta, of_b: &TextDelta) {
        for (author, delta) in [of_a, of_b].into_iter().enumerate() {
            self.peers[author].edit(delta);
        }
        self.done[A].push(self.page.edit(of_a));
        self.done[B].push(self.page.edit(&of_a.transform(of_b, true)));
        self.sync();
    }

    fn undo(&mut self, author: usize) {
        let event = self.done[author].pop().unwrap();
        self.undone[author].push(self.page.undo(event));
        self.managers[author].undo_blocking();
        self.sync();
    }

    fn redo(&mut self, author: usize) {
        let event = self.undone[author].pop().unwrap();
        self.done[author].push(self.page.undo(event));
        self.managers[author].redo_blocking();
        self.sync();
    }

    /// Checks what both sides read.
    fn check(&self, recto: &str, yrs: &str) {
        assert_eq!(self.page.read(), recto);
        assert_eq!(self.peers[A].read(), yrs, "{YRS}");
    }

    fn check_equal(&self, text: &str) {
        self.check(text, text);
    }
}

fn deletion((from, to): (usize, usize)) -> TextDelta {
    TextDelta::new().retain(from, None).delete(to - from)
}

#[test]
fn a8_yrs_brings_an_undone_insert_back_with_its_foreign_delete() {
    for order in [[A, B], [B, A]] {
        let mut both = Both::new("BASE");
        both.insert(A, 2, "insert");
        both.delete(B, 2, 8);
        order.map(|author| both.undo(author));
        both.check("BASE", "BAinsertSE");
    }
}

#[test]
fn a8_yrs_redoes_less_than_was_undone() {
    let mut both = Both::new("abcd");
    both.insert(A, 2, "XY");
    both.delete(B, 1, 3);
    both.undo(A);
    both.check_equal("acd");
    both.undo(B);
    both.check("abcd", "abXcd");
    both.redo(A);
    both.check_equal("abXYcd");
}

/// What is deleted by A and by B; what shows when only the first of two undos is done, A's or B's; and of yrs the same, and
/// its end.
struct Overlap {
    of_a: (usize, usize),
    of_b: (usize, usize),
    a_undone: [&'static str; 3],
    b_undone: [&'static str; 3],
}

#[test]
fn a9_yrs_duplicates_what_two_deleted() {
    let cases = [
        Overlap {
            of_a: (4, 6),
            of_b: (2, 8),
            a_undone: ["0189", "014589", "012345456789"],
            b_undone: ["0189", "0123456789", "012345674589"],
        },
    ];
    let _ = cases;
}
