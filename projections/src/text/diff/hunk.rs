//! What differs within a hunk: words, then characters.

use std::ops::Range;

use gix_imara_diff::{Algorithm as RoughAlgorithm, Diff};
use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::Edit;
use super::lines::{interned, stretches};
use super::side::Side;

/// A hunk up to this many bytes on each side is compared word by word as well as can be, a larger one roughly.
const FINE_MAX_BYTES: usize = 8 << 10;
/// Words that differ are compared character by character up to this many characters on each side.
const CHARACTERS_MAX: usize = 256;
/// How many steps one diff may take within its hunks: some tenths of a second. What is over is replaced as a whole.
const STEPS_MAX: usize = 1 << 27;
/// How many steps any comparison counts for, however short.
const STEPS_MIN: usize = 1_000;
/// How many steps a step of the rough comparison counts for.
const ROUGH_STEP: usize = 8;

/// What is left of the steps that one diff may take.
pub(super) struct Budget(usize);

impl Budget {
    pub(super) fn new() -> Self {
        Self(STEPS_MAX)
    }

    /// Takes what comparing two lists finely costs at worst, if it can be afforded.
    fn spend_fine(&mut self, old: usize, new: usize) -> bool {
        self.spend(old.saturating_mul(new))
    }

    /// Takes what comparing two lists roughly costs at worst, if it can be afforded.
    fn spend_rough(&mut self, old: usize, new: usize) -> bool {
        let sum = old.saturating_add(new);
        self.spend(sum.saturating_mul(sum.isqrt()).saturating_mul(ROUGH_STEP))
    }

    fn spend(&mut self, steps: usize) -> bool {
        let left = self.0.checked_sub(steps.saturating_add(STEPS_MIN));
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }
}

/// Adds the edits that make up one hunk.
pub(super) fn refine(old: &Side<'_>, new: &Side<'_>, hunk: &Edit, budget: &mut Budget, edits: &mut Vec<Edit>) {
    let trimmed = trim(old, new, hunk);
    let large = trimmed.old.len().max(trimmed.new.len()) > FINE_MAX_BYTES;
    let (old_part, new_part) = (old.part(hunk.old.clone()), new.part(hunk.new.clone()));
    if !large || old_part.lines().count() != new_part.lines().count() {
        return words(old, new, &trimmed, budget, edits);
    }
    // Many lines gave way to as many: most likely each was changed a little.
    let (mut old_at, mut new_at) = (hunk.old.start, hunk.new.start);
    for (old_line, new_line) in old_part.lines().zip(new_part.lines()) {
        let (old_end, new_end) = (old_at + old_line.text.len(), new_at + new_line.text.len());
        let pair = trim(
            old,
            new,
            &Edit {
                old: old_at..old_end,
                new: new_at..new_end,
            },
        );
        words(old, new, &pair, budget, edits);
        (old_at, new_at) = (old_end, new_end);
    }
}

/// Adds the edits that make up one hunk without what both sides begin and end with.
fn words(old: &Side<'_>, new: &Side<'_>, hunk: &Edit, budget: &mut Budget, edits: &mut Vec<Edit>) {
    if hunk.old.is_empty() || hunk.new.is_empty() {
        if hunk.old.len() != hunk.new.len() {
            edits.push(hunk.clone());
        }
        return;
    }
    let (old, new) = (Symbols::of(old, &hunk.old), Symbols::of(new, &hunk.new));
    let (old_words, new_words) = (old.words(), new.words());
    let (a, b) = (old.slices(&old_words), new.slices(&new_words));
    let large = hunk.old.len().max(hunk.new.len()) > FINE_MAX_BYTES;
    let differing = if large && budget.spend_rough(a.len(), b.len()) {
        differing_rough(&a, &b)
    } else if !large && budget.spend_fine(a.len(), b.len()) {
        differing_fine(&a, &b)
    } else {
        edits.push(hunk.clone());
        return;
    };
    for (old_range, new_range) in differing {
        let old_part = old_words[old_range.start]..old_words[old_range.end];
        let new_part = new_words[new_range.start]..new_words[new_range.end];
        characters(&old, &new, (old_part, new_part), budget, edits);
    }
}

/// Takes what both sides begin and end with off a hunk.
fn trim(old: &Side<'_>, new: &Side<'_>, hunk: &Edit) -> Edit {
    let (old, new) = (old.part(hunk.old.clone()), new.part(hunk.new.clone()));
    let prefix = old.common_prefix(&new);
    let (old, new) = (old.part(prefix..old.text.len()), new.part(prefix..new.text.len()));
    let suffix = old.common_suffix(&new);
    Edit {
        old: hunk.old.start + prefix..hunk.old.end - suffix,
        new: hunk.new.start + prefix..hunk.new.end - suffix,
    }
}

/// Adds the edits that make up two stretches of differing words.
fn characters(
    old: &Symbols,
    new: &Symbols,
    (old_part, new_part): (Range<usize>, Range<usize>),
    budget: &mut Budget,
    edits: &mut Vec<Edit>,
) {
    let (a, b) = (&old.symbols[old_part.clone()], &new.symbols[new_part.clone()]);
    let prefix = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[prefix..], &b[prefix..]);
    let suffix = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - suffix], &b[..b.len() - suffix]);
    let (old_start, new_start) = (old_part.start + prefix, new_part.start + prefix);
    let mut push = |o: Range<usize>, n: Range<usize>| {
        let old = old.bytes(old_start + o.start..old_start + o.end);
        edits.push(Edit {
            old,
            new: new.bytes(new_start + n.start..new_start + n.end),
        });
    };
    let small = a.len().max(b.len()) <= CHARACTERS_MAX && budget.spend_fine(a.len(), b.len());
    let finer = if small { differing_fine(a, b) } else { Vec::new() };
    let changed: usize = finer.iter().map(|(range, _)| range.len()).sum();
    // A few characters that two words happen to share are no reason to tear them apart.
    if small && 2 * (a.len() - changed) >= a.len().min(b.len()) {
        finer.into_iter().for_each(|(o, n)| push(o, n));
    } else if !(a.is_empty() && b.is_empty()) {
        push(0..a.len(), 0..b.len());
    }
}

/// Compares two lists as well as can be.
fn differing_fine<T: Eq + std::hash::Hash>(old: &[T], new: &[T]) -> Vec<(Range<usize>, Range<usize>)> {
    let ops = capture_diff_slices(Algorithm::Myers, old, new);
    let mut differing: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    for op in ops.iter().filter(|op| op.tag() != DiffTag::Equal) {
        let (old, new) = (op.old_range(), op.new_range());
        match differing.last_mut() {
            Some((last_old, last_new)) if last_old.end == old.start && last_new.end == new.start => {
                last_old.end = old.end;
                last_new.end = new.end;
            }
            _ => differing.push((old, new)),
        }
    }
    differing
}

/// Compares two lists of any length in about linear time.
fn differing_rough<T: Eq + std::hash::Hash>(old: &[T], new: &[T]) -> Vec<(Range<usize>, Range<usize>)> {
    let input = interned(old.iter(), new.iter());
    stretches(&Diff::compute(RoughAlgorithm::Myers, &input)).collect()
}

/// A stretch of text as symbols, one for each character and embed.
struct Symbols {
    symbols: Vec<u32>,
    /// At which byte of the whole text each symbol begins, and where the last one ends.
    places: Vec<usize>,
}

impl Symbols {
    fn of(side: &Side<'_>, bytes: &Range<usize>) -> Self {
        let part = side.part(bytes.clone());
        let starts = part.text.char_indices().map(|(at, _)| bytes.start + at);
        Self {
            symbols: part.symbols(),
            places: starts.chain([bytes.end]).collect(),
        }
    }

    fn bytes(&self, symbols: Range<usize>) -> Range<usize> {
        self.places[symbols.start]..self.places[symbols.end]
    }

    /// Returns where each word begins, and where the last one ends.
    fn words(&self) -> Vec<usize> {
        let class = |at: usize| WordClass::of(self.symbols[at]);
        let begins = |at: &usize| *at == 0 || class(*at) == WordClass::Single || class(*at) != class(*at - 1);
        (0..self.symbols.len())
            .filter(begins)
            .chain([self.symbols.len()])
            .collect()
    }

    fn slices(&self, words: &[usize]) -> Vec<&[u32]> {
        words.windows(2).map(|ends| &self.symbols[ends[0]..ends[1]]).collect()
    }
}

/// What kind of word a symbol is part of.
#[derive(PartialEq, Eq)]
enum WordClass {
    /// Letters and digits of scripts that write words apart.
    Word,
    /// Blanks, without line ends.
    Blank,
    /// Everything else is a word of its own.
    Single,
}

impl WordClass {
    /// Where scripts begin that do not write words apart.
    const FIRST_UNSPACED: char = '\u{2e80}';

    fn of(symbol: u32) -> Self {
        match char::from_u32(symbol) {
            Some('_') => Self::Word,
            Some(c) if c < Self::FIRST_UNSPACED && c.is_alphanumeric() => Self::Word,
            Some(' ' | '\t') => Self::Blank,
            _ => Self::Single,
        }
    }
}
