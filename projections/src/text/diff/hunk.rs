//! What differs within a hunk: words, then characters.

use std::ops::Range;

use gix_imara_diff::{Algorithm as RoughAlgorithm, Diff};
use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::Edit;
use super::lines::interned;
use super::side::Side;

/// A hunk up to this many bytes on each side is compared word by word as well as can be.
const FINE_MAX_BYTES: usize = 8 << 10;
/// A hunk up to this many bytes on each side is compared word by word roughly; a larger one is replaced as a whole.
const ROUGH_MAX_BYTES: usize = 1 << 20;
/// Words that differ are compared character by character up to this many on each side.
const CHARACTERS_MAX: usize = 256;
/// How much comparing one diff may do: the sum over its hunks of the product of their words.
const BUDGET: usize = 1 << 26;

/// What is left of the work that one diff may do.
pub(super) struct Budget(usize);

impl Budget {
    pub(super) fn new() -> Self {
        Self(BUDGET)
    }

    /// Takes the cost of comparing two lists, if it can be afforded.
    fn spend(&mut self, old: usize, new: usize) -> bool {
        let left = old.checked_mul(new).and_then(|cost| self.0.checked_sub(cost));
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }
}

/// Adds the edits that make up one hunk.
pub(super) fn refine(
    old: &Side<'_>,
    new: &Side<'_>,
    hunk: &Edit,
    budget: &mut Budget,
    edits: &mut Vec<Edit>,
) {
    let hunk = trim(old, new, hunk);
    let size = hunk.old.len().max(hunk.new.len());
    if hunk.old.is_empty() || hunk.new.is_empty() || size > ROUGH_MAX_BYTES {
        edits.push(hunk);
        return;
    }
    let (old, new) = (Symbols::of(old, &hunk.old), Symbols::of(new, &hunk.new));
    let (old_words, new_words) = (old.words(), new.words());
    let fine = size <= FINE_MAX_BYTES && budget.spend(old_words.len(), new_words.len());
    let differing = if fine { differing_fine } else { differing_rough };
    for (old_range, new_range) in differing(&old.slices(&old_words), &new.slices(&new_words)) {
        let range = |words: &[usize], range: Range<usize>| words[range.start]..words[range.end];
        let old_part = range(&old_words, old_range);
        let new_part = range(&new_words, new_range);
        characters(&old, &new, old_part, new_part, edits);
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
    old_part: Range<usize>,
    new_part: Range<usize>,
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
        edits.push(Edit { old, new: new.bytes(new_start + n.start..new_start + n.end) });
    };
    let small = a.len().max(b.len()) <= CHARACTERS_MAX;
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
    let wide = |range: Range<u32>| {
        let wide = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
        wide(range.start)..wide(range.end)
    };
    let diff = Diff::compute(RoughAlgorithm::Myers, &input);
    diff.hunks().map(|hunk| (wide(hunk.before), wide(hunk.after))).collect()
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
        Self { symbols: part.symbols(), places: starts.chain([bytes.end]).collect() }
    }

    fn bytes(&self, symbols: Range<usize>) -> Range<usize> {
        self.places[symbols.start]..self.places[symbols.end]
    }

    /// Returns where each word begins, and where the last one ends.
    fn words(&self) -> Vec<usize> {
        let class = |at: usize| WordClass::of(self.symbols[at]);
        let begins = |at: &usize| *at == 0 || class(*at) == WordClass::Single || class(*at) != class(*at - 1);
        (0..self.symbols.len()).filter(begins).chain([self.symbols.len()]).collect()
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
