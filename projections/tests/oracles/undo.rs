//! Undo and redo of own edits, foreign ones being elsewhere.
//!
//! Two authors have lines of their own in one text. Each edits there, undoes and redoes what the stacks give, while the
//! other does so too; within an author's lines edits lie over each other in every way. What must come of it is simple: an
//! undo gives the author's lines as they were before the edit, a redo as they were after it.
//!
//! Recto does that always. So does the undo manager of yrs, and both texts are equal at every step, unless an edit splits
//! text that an undo or redo had brought back: see `cases::text_brought_back_and_split`.

use recto_projections::text::TextDelta;
use recto_projections::text::weave::EditId;

use crate::convergence::with_seed;
use crate::page::Page;
use crate::peer::{Manager, Peer};
use crate::random::{Random, base, edit, length, run};

const LINES: usize = 4;
const AUTHORS: usize = 2;

/// An author on both sides: a replica of yrs, and the stacks in Recto.
struct Author {
    number: usize,
    peer: Peer,
    manager: Manager,
    done: Vec<Step>,
    undone: Vec<Step>,
    /// Whether text may have been brought back.
    has_undone: bool,
}

/// A step on a stack: what to undo, and what the author's lines shall then be.
struct Step {
    event: EditId,
    lines: Vec<String>,
}

/// Where authors edit once they have undone something.
#[derive(Clone, Copy, PartialEq)]
enum Later {
    /// At the start of a line: what was brought back is not split.
    AtStarts,
    Anywhere,
}

#[derive(Default, Debug)]
struct Counts {
    edits: usize,
    undos: usize,
    redos: usize,
    /// Histories in which yrs gave another text.
    yrs_wrong: usize,
}

impl Author {
    fn new(number: usize, peer: Peer) -> Self {
        let manager = peer.manager();
        Self {
            number,
            peer,
            manager,
            done: Vec::new(),
            undone: Vec::new(),
            has_undone: false,
        }
    }

    fn lines(&self, page: &Page) -> Vec<String> {
        let text = page.read();
        let own = text.split('\n').take(LINES).skip(self.number).step_by(AUTHORS);
        own.map(str::to_owned).collect()
    }

    fn edit(&mut self, random: &mut Random, page: &mut Page, later: Later) {
        let line = self.number + AUTHORS * random.below(LINES / AUTHORS);
        let text = page.read();
        let lines: Vec<Vec<char>> = text.split('\n').map(|line| line.chars().collect()).collect();
        let before = lines[..line].iter().map(|line| length(line) + 1).sum();
        let change = match later {
            Later::AtStarts if self.has_undone => TextDelta::new().insert(run(random, self.number), None),
            _ => edit(random, self.number, &lines[line]),
        };
        let delta = TextDelta::new().retain(before, None).concat(&change);
        let lines = self.lines(page);
        self.peer.edit(&delta);
        let event = page.edit(&delta);
        self.done.push(Step { event, lines });
        self.undone.clear();
    }

    /// Undoes the newest step of the own stack; says whether there was one.
    fn undo(&mut self, page: &mut Page) -> bool {
        let Some(step) = self.done.pop() else { return false };
        let step = self.take_back(page, &step);
        self.undone.push(step);
        self.manager.undo_blocking();
        self.has_undone = true;
        true
    }

    fn redo(&mut self, page: &mut Page) -> bool {
        let Some(step) = self.undone.pop() else { return false };
        let step = self.take_back(page, &step);
        self.done.push(step);
        self.manager.redo_blocking();
        true
    }

    fn take_back(&self, page: &mut Page, step: &Step) -> Step {
        let lines = self.lines(page);
        let event = page.undo(step.event);
        assert_eq!(self.lines(page), step.lines, "the lines are not as they were");
        Step { event, lines }
    }
}

/// Goes through a history, to the end of which all is undone. Says whether yrs gave the same text at every step.
fn agree(random: &mut Random, later: Later, counts: &mut Counts) -> bool {
    let start: String = (0..LINES).map(|_| base(random, 0, 6) + "\n").collect();
    let mut page = Page::new(&start);
    let clients = if random.chance(50) { [1, 2] } else { [2, 1] };
    let [one, other] = Peer::all(clients, &start);
    let mut authors = [Author::new(0, one), Author::new(1, other)];
    let mut equal = true;
    let mut compare = |authors: &[Author; AUTHORS], page: &Page| {
        authors[0].peer.sync(&authors[1].peer);
        equal &= authors.iter().all(|author| author.peer.read() == page.read());
    };
    for _ in 0..6 + random.below(20) {
        let author = &mut authors[random.below(AUTHORS)];
        match random.below(10) {
            0..5 => {
                author.edit(random, &mut page, later);
                counts.edits += 1;
            }
            5..8 => counts.undos += usize::from(author.undo(&mut page)),
            _ => counts.redos += usize::from(author.redo(&mut page)),
        }
        compare(&authors, &page);
    }
    for number in 0..AUTHORS {
        while authors[number].undo(&mut page) {
            counts.undos += 1;
            compare(&authors, &page);
        }
    }
    assert_eq!(page.read(), start);
    equal
}

#[test]
fn undo_and_redo_give_what_yrs_gives() {
    let mut counts = Counts::default();
    for seed in 0..1500 {
        with_seed(seed, |random| {
            assert!(agree(random, Later::AtStarts, &mut counts), "yrs differs")
        });
    }
    let enough = counts.edits > 8000 && counts.undos > 8000 && counts.redos > 500;
    assert!(enough, "{counts:?}");
}

#[test]
fn undo_and_redo_give_the_lines_back_also_where_yrs_does_not() {
    let mut counts = Counts::default();
    let all = 1500;
    for seed in 0..all {
        with_seed(seed, |random| {
            let equal = agree(random, Later::Anywhere, &mut counts);
            counts.yrs_wrong += usize::from(!equal);
        });
    }
    assert!(
        (1..100).contains(&counts.yrs_wrong),
        "yrs left text standing that was undone in some of {all} histories; it may have become right: {counts:?}"
    );
}
