//! Concurrent edits of one plain text: what Recto makes of them in the order of the commits, and what yrs makes of them.
//!
//! The law of all merges: what no one deleted is there once, in its order; so are each author's letters; nothing stands
//! inside a run that was typed in one go, by one edit or letter by letter.
//!
//! | inserts of two authors | texts |
//! |---|---|
//! | apart: a letter that all leave stands between any two | equal |
//! | tied: at one place, or what stood between them was deleted | each keeps the law; the order is a choice |
//!
//! The choice at a tie is a difference of meaning, not a fault. Recto goes by the order of the commits: what was
//! committed first stands first. yrs goes by the number of the client where both named the same neighbours, and else by
//! the deleted letters, which it keeps. So two authors who edit once each, numbered in the order of the commits, meet at
//! ties too; a third author, or an edit made on an own deletion, may see yrs remember a place that Recto has forgotten.

use std::collections::BTreeSet;

use recto_projections::text::{TextDelta, apply_plain};

use crate::cells::{Cells, Place};
use crate::peer::Peer;
use crate::random::{Random, author_of, base, edit, length, run};
use crate::server::{commit, doc, document, read};

const NEWLINE: usize = 1;

/// An author's edits, each made on what the one before left, the first on the common start.
struct Author {
    edits: Vec<TextDelta>,
    cells: Cells,
}

/// A common start, and authors who have not heard of each other. They are committed in their order.
struct Concurrent {
    start: String,
    authors: Vec<Author>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Sort {
    Apart,
    Tied,
}

#[derive(Debug, Default)]
struct Counts {
    apart: usize,
    tied_and_equal: usize,
    tied_and_not: usize,
}

impl Author {
    fn new(start: &str) -> Self {
        Self {
            edits: Vec::new(),
            cells: Cells::new(start),
        }
    }

    fn edit(&mut self, random: &mut Random, author: usize) {
        let letters = self.cells.letters();
        let delta = edit(random, author, &letters[..letters.len() - NEWLINE]);
        self.cells.edit(&delta);
        self.edits.push(delta);
    }

    /// Types letter by letter, one edit each.
    fn type_run(&mut self, random: &mut Random, author: usize) {
        let letters = self.cells.letters();
        let mut at = length(&letters[..random.below(letters.len())]);
        for (index, letter) in run(random, author).chars().enumerate() {
            let delta = TextDelta::new().retain(at, None).insert(letter, None);
            match index {
                0 => self.cells.edit(&delta),
                _ => self.cells.type_on(&delta),
            }
            at += letter.len_utf16();
            self.edits.push(delta);
        }
    }
}

impl Concurrent {
    fn new(random: &mut Random, authors: usize, edits_max: usize) -> Self {
        let start = base(random, 4, 40) + "\n";
        let author = |number| {
            let mut author = Author::new(&start);
            if edits_max > 1 && random.chance(25) {
                author.type_run(random, number);
            } else {
                (0..=random.below(edits_max)).for_each(|_| author.edit(random, number));
            }
            author
        };
        let authors = (0..authors).map(author).collect();
        Self { start, authors }
    }

    /// Commits all, each rebased over those before; the same by hand with transform.
    fn in_recto(&self) -> String {
        let mut head = document(&self.start);
        let mut over = Vec::new();
        for author in &self.authors {
            over.extend(commit(&mut head, &doc(&author.edits), &over, true));
        }
        let read = read(&head);
        assert_eq!(self.transformed(), read);
        read
    }

    fn transformed(&self) -> String {
        let mut text = self.start.clone();
        let mut committed: Vec<TextDelta> = Vec::new();
        for author in &self.authors {
            let mut over = committed.clone();
            for edit in &author.edits {
                let mut mine = edit.clone();
                for theirs in &mut over {
                    let both = (theirs.transform(&mine, true), mine.transform(theirs, false));
                    (mine, *theirs) = both;
                }
                text = apply_plain(&text, &mine).unwrap().0;
                committed.push(mine);
            }
        }
        text
    }

    /// Lets replicas edit and then exchange all in some order; they meet.
    fn in_yrs(&self, random: &mut Random, clients: &[u64]) -> String {
        let first = Peer::new(0);
        first.edit(&TextDelta::new().insert(&*self.start, None));
        let mut peers: Vec<Peer> = clients.iter().map(|client| first.fork(*client)).collect();
        for (peer, author) in peers.iter().zip(&self.authors) {
            author.edits.iter().for_each(|edit| peer.edit(edit));
            assert_eq!(peer.read(), String::from_iter(author.cells.letters()));
        }
        random.shuffle(&mut peers);
        for peer in &peers {
            peers.iter().for_each(|other| peer.pull(other));
        }
        let texts: BTreeSet<String> = peers.iter().map(Peer::read).collect();
        assert_eq!(texts.len(), 1, "yrs does not meet");
        texts.into_iter().collect()
    }

    /// Gives the letters of the start that all leave, by their places.
    fn kept(&self) -> BTreeSet<usize> {
        let kept = self.authors.iter().map(|author| author.cells.kept());
        kept.reduce(|one, other| &one & &other).unwrap()
    }

    fn sort(&self) -> Sort {
        let kept = self.kept();
        let places = |author: &Author| -> BTreeSet<Place> { author.cells.places(&kept) };
        let mut taken = BTreeSet::new();
        for author in &self.authors {
            let own: BTreeSet<usize> = places(author).iter().map(|place| place.left).collect();
            if !taken.is_disjoint(&own) {
                return Sort::Tied;
            }
            taken.extend(own);
        }
        Sort::Apart
    }

    fn check(&self, merged: &str) {
        let kept = self.kept();
        let starting = self.start.chars().enumerate();
        let left = starting
            .filter(|(place, _)| kept.contains(place))
            .map(|(_, letter)| letter);
        assert!(
            left.eq(merged.chars().filter(|letter| author_of(*letter).is_none())),
            "{merged:?}"
        );
        for (number, author) in self.authors.iter().enumerate() {
            author.cells.check(number, merged);
        }
    }
}

impl Counts {
    fn add(&mut self, sort: Sort, recto: &str, yrs: &str) {
        match sort {
            Sort::Apart => {
                assert_eq!(recto, yrs);
                self.apart += 1;
            }
            Sort::Tied if recto == yrs => self.tied_and_equal += 1,
            Sort::Tied => self.tied_and_not += 1,
        }
    }
}

/// Tells the seed if a history fails.
pub(crate) fn with_seed(seed: u64, history: impl FnOnce(&mut Random)) {
    struct Told(u64);
    impl Drop for Told {
        #[expect(clippy::print_stderr, reason = "a failed test tells what led there")]
        fn drop(&mut self) {
            if std::thread::panicking() {
                eprintln!("seed {}", self.0);
            }
        }
    }
    let _told = Told(seed);
    history(&mut Random::new(seed));
}

#[test]
fn concurrent_edits_meet_in_the_text_of_yrs() {
    let mut counts = Counts::default();
    for seed in 0..9000 {
        with_seed(seed, |random| {
            let authors = 2 + random.below(3);
            let all = Concurrent::new(random, authors, 3);
            let mut clients = [1, 2, 3, 4];
            random.shuffle(&mut clients);
            let (recto, yrs) = (all.in_recto(), all.in_yrs(random, &clients[..authors]));
            all.check(&recto);
            all.check(&yrs);
            counts.add(all.sort(), &recto, &yrs);
        });
    }
    let Counts {
        apart,
        tied_and_equal,
        tied_and_not,
    } = counts;
    assert!(
        apart > 2000 && tied_and_equal > 1000 && tied_and_not > 1000,
        "{counts:?}"
    );
}

#[test]
fn two_single_edits_meet_at_ties_too_where_yrs_numbers_them_as_they_are_committed() {
    let mut counts = Counts::default();
    for seed in 0..5000 {
        with_seed(seed, |random| {
            let all = Concurrent::new(random, 2, 1);
            counts.add(all.sort(), &all.in_recto(), &all.in_yrs(random, &[1, 2]));
        });
    }
    assert_eq!(counts.tied_and_not, 0);
    assert!(counts.apart > 1000 && counts.tied_and_equal > 500, "{counts:?}");
}
