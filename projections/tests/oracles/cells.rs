//! A text of one author with all that ever stood in it, letter by letter: what a merge is compared with.

use std::collections::BTreeSet;

use recto_projections::text::{Content, TextDelta, TextOp};

use crate::random::author_of;

/// A letter, and where it is from.
#[derive(Clone, Copy)]
struct Cell {
    letter: char,
    from: From,
    alive: bool,
}

/// Where a letter is from.
#[derive(Clone, Copy, PartialEq)]
enum From {
    /// The starting text: its place there.
    Base(usize),
    /// The author: the run that was typed in one go.
    Own(usize),
}

/// The text of one author.
#[derive(Clone)]
pub(crate) struct Cells {
    cells: Vec<Cell>,
    runs: usize,
}

/// Where an insert of an author still stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// How many letters of the starting text before it are left by all.
    pub(crate) left: usize,
    /// How many letters of the starting text stood before it.
    pub(crate) stood: usize,
}

impl Cells {
    pub(crate) fn new(base: &str) -> Self {
        let cells = base.chars().enumerate().map(|(index, letter)| Cell {
            letter,
            from: From::Base(index),
            alive: true,
        });
        Self {
            cells: cells.collect(),
            runs: 0,
        }
    }

    pub(crate) fn letters(&self) -> Vec<char> {
        self.alive().map(|cell| cell.letter).collect()
    }

    /// Applies an edit of the author.
    pub(crate) fn edit(&mut self, delta: &TextDelta) {
        self.apply(delta, false);
    }

    /// Applies an edit that types on where the newest insert stopped: its letters are of the same run.
    pub(crate) fn type_on(&mut self, delta: &TextDelta) {
        self.apply(delta, true);
    }

    fn apply(&mut self, delta: &TextDelta, same_run: bool) {
        let mut at = 0;
        for op in delta.ops() {
            match op {
                TextOp::Retain { len, .. } => at = self.pass(at, *len, |_| {}),
                TextOp::Delete { len } => at = self.pass(at, *len, |cell| cell.alive = false),
                TextOp::Insert { content, .. } => {
                    let Content::Text(text) = content else {
                        panic!("no embeds here")
                    };
                    self.runs += usize::from(!same_run);
                    at = self.insert(at, text);
                }
            }
        }
    }

    /// Goes over living letters; gives the place behind the last.
    fn pass(&mut self, mut at: usize, len: usize, mut visit: impl FnMut(&mut Cell)) -> usize {
        let mut left = len;
        while left > 0 {
            let cell = &mut self.cells[at];
            if cell.alive {
                left -= cell.letter.len_utf16();
                visit(cell);
            }
            at += 1;
        }
        at
    }

    fn insert(&mut self, at: usize, text: &str) -> usize {
        let cells = text.chars().map(|letter| Cell {
            letter,
            from: From::Own(self.runs),
            alive: true,
        });
        self.cells.splice(at..at, cells);
        at + text.chars().count()
    }

    fn alive(&self) -> impl Iterator<Item = &Cell> {
        self.cells.iter().filter(|cell| cell.alive)
    }

    /// Gives the letters of the starting text that the author leaves, by their places there.
    pub(crate) fn kept(&self) -> BTreeSet<usize> {
        let place = |cell: &Cell| match cell.from {
            From::Base(place) => Some(place),
            From::Own(_) => None,
        };
        self.alive().filter_map(place).collect()
    }

    /// Gives the places of the author's letters that are left.
    pub(crate) fn places(&self, kept: &BTreeSet<usize>) -> BTreeSet<Place> {
        let mut place = Place { left: 0, stood: 0 };
        let mut places = BTreeSet::new();
        for cell in &self.cells {
            match cell.from {
                From::Base(base) => {
                    place.stood += 1;
                    place.left += usize::from(kept.contains(&base));
                }
                From::Own(_) if cell.alive => {
                    places.insert(place);
                }
                From::Own(_) => {}
            }
        }
        places
    }

    /// Checks that a merged text has just the author's letters, in their order, and that nothing stands in a run.
    pub(crate) fn check(&self, author: usize, merged: &str) {
        let own: Vec<&Cell> = self.alive().filter(|cell| matches!(cell.from, From::Own(_))).collect();
        let placed: Vec<(usize, char)> = merged
            .chars()
            .enumerate()
            .filter(|(_, letter)| author_of(*letter) == Some(author))
            .collect();
        let letters = placed.iter().map(|(_, letter)| *letter);
        assert!(
            letters.eq(own.iter().map(|cell| cell.letter)),
            "letters of {author} in {merged:?}"
        );
        for (pair, cells) in placed.windows(2).zip(own.windows(2)) {
            assert!(
                pair[0].0 + 1 == pair[1].0 || cells[0].from != cells[1].from,
                "a run of {author} is torn in {merged:?}"
            );
        }
    }
}
