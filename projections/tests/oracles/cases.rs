//! Recorded cases of undo that are about text, by their ids, on both sides.
//!
//! Where yrs differs, its text is written down beside the right one, so that a version that becomes right is noticed.
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
const YRS: &str =
    "yrs gives another text than is recorded: if it is the right one, say so here and let Recto agree with it";

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
        order.into_iter().for_each(|author| both.undo(author));
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

/// Two deletes of "0123456789" made at once, and undone.
struct Overlap {
    /// What A deletes, what B deletes, and what both leave.
    deleted: [(usize, usize); 2],
    left: &'static str,
    /// What shows when only A's is undone, and when only B's is: in Recto.
    recto: [&'static str; 2],
    /// The same in yrs, and what it gives once both are.
    yrs: [[&'static str; 2]; 2],
}

const OVERLAPS: [Overlap; 4] = [
    Overlap {
        deleted: [(4, 6), (2, 8)],
        left: "0189",
        recto: ["014589", "01236789"],
        yrs: [["014589", "012345456789"], ["0123456789", "012345674589"]],
    },
    Overlap {
        deleted: [(4, 8), (2, 6)],
        left: "0189",
        recto: ["01456789", "012389"],
        yrs: [["01456789", "012345674589"], ["01234589", "012345456789"]],
    },
    Overlap {
        deleted: [(2, 6), (4, 8)],
        left: "0189",
        recto: ["01234589", "016789"],
        yrs: [["01234589", "012345456789"], ["01456789", "012345674589"]],
    },
    Overlap {
        deleted: [(2, 6), (2, 6)],
        left: "016789",
        recto: ["0123456789", "016789"],
        yrs: [["0123456789", "01234523456789"], ["0123456789", "01234523456789"]],
    },
];

/// In Recto, the letters that both deleted count as deleted by whoever was committed first: B's edit, rebased, holds none
/// of them. So they come back with A's undo, once.
#[test]
fn a9_yrs_duplicates_what_two_deleted() {
    for overlap in &OVERLAPS {
        for first in [A, B] {
            let mut both = Both::new("0123456789");
            let [of_a, of_b] = overlap.deleted.map(deletion);
            both.edit_at_once(&of_a, &of_b);
            both.check_equal(overlap.left);
            let [one, end] = overlap.yrs[first];
            both.undo(first);
            both.check(overlap.recto[first], one);
            both.undo(1 - first);
            both.check("0123456789", end);
        }
    }
}

#[test]
fn a9_yrs_duplicates_what_two_deleted_and_undo_at_once() {
    let mut both = Both::new("0123456789");
    both.edit_at_once(&deletion((4, 6)), &deletion((2, 8)));
    both.managers
        .iter_mut()
        .for_each(|manager| assert!(manager.undo_blocking()));
    both.sync();
    let [of_a, of_b] = [A, B].map(|author| both.done[author][0]);
    both.page.undo(of_a);
    both.page.undo(of_b);
    both.check("0123456789", "012345674589");
}

/// All of it is of one author, and no other is there.
#[test]
fn text_brought_back_and_split() {
    let mut both = Both::new("");
    both.insert(A, 0, "ab");
    both.delete(A, 0, 2);
    both.undo(A);
    both.check_equal("ab");
    both.insert(A, 1, "X");
    both.undo(A);
    both.check_equal("ab");
    both.undo(A);
    both.check("", "b");
}

#[test]
fn a10_both_put_text_back_on_the_same_side_of_a_foreign_insert() {
    let mut both = Both::new("");
    both.insert(A, 0, "zz");
    both.insert(B, 1, "y");
    both.undo(A);
    both.check_equal("y");
    both.redo(A);
    both.check_equal("zyz");
}

#[test]
fn a10_both_bring_typed_and_deleted_digits_back_in_their_places() {
    let mut both = Both::new("");
    both.insert(A, 0, "1");
    for digit in ["2", "3"] {
        both.insert(A, 1, digit);
        both.delete(A, 1, 2);
    }
    both.insert(A, 1, "4");
    both.insert(B, 2, "5");
    both.check_equal("145");
    for text in ["15", "135", "15", "125", "15", "5"] {
        both.undo(A);
        both.check_equal(text);
    }
    for text in ["15", "125", "15", "135", "15", "145"] {
        both.redo(A);
        both.check_equal(text);
    }
}

#[test]
fn a11_both_leave_foreign_words_typed_inside() {
    let mut both = Both::new("");
    both.insert(A, 0, "hello there");
    both.insert(B, 6, "WORLD ");
    both.undo(A);
    both.check_equal("WORLD ");
    both.redo(A);
    both.check_equal("hello WORLD there");
}

#[test]
fn a13_both_undo_and_redo_fifty_times() {
    let mut both = Both::new("");
    for (at, letter) in ["a", "b", "c"].into_iter().enumerate() {
        both.insert(A, at, letter);
    }
    both.undo(A);
    for _ in 0..50 {
        both.undo(A);
        both.check_equal("a");
        both.redo(A);
        both.check_equal("ab");
    }
}

fn x_inside() -> TextDelta {
    TextDelta::new().retain(1, None).insert("X", None)
}

#[test]
fn a14_both_bring_foreign_words_back_with_a_paragraph() {
    let mut both = Both::new("ab");
    both.edit_at_once(&x_inside(), &deletion((0, 2)));
    both.check_equal("X");
    both.undo(B);
    both.check_equal("aXb");
}

/// The one case here in which yrs remembers more. Where the deletion is committed first, the words are rebased to where
/// nothing is left; as an insert goes behind what does not show, they stand behind the paragraph when it comes back.
/// Nothing is lost or there twice.
#[test]
fn a14_recto_forgets_the_place_of_words_committed_after_the_deletion_around_them() {
    let mut both = Both::new("ab");
    both.edit_at_once(&deletion((0, 2)), &x_inside());
    both.check_equal("X");
    both.undo(A);
    both.check("abX", "aXb");
}
