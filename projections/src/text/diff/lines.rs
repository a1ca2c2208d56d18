//! Which lines differ.

use std::hash::Hash;
use std::ops::Range;

use gix_imara_diff::{Algorithm, Diff, InternedInput, Interner, Token};

use super::Edit;
use super::anchors::{self, Gap};
use super::side::Side;

/// How many steps comparing the lines of two texts may take: some tenths of a second. What is over is taken to differ.
const STEPS_MAX: usize = 1 << 25;

/// Finds the stretches of whole lines that differ, in order.
pub(super) fn hunks(old: &Side<'_>, new: &Side<'_>) -> Vec<Edit> {
    let prefix = line_start(old.text, old.common_prefix(new));
    let (old_rest, new_rest) = (old.part(prefix..old.text.len()), new.part(prefix..new.text.len()));
    let suffix = whole_lines(old_rest.text, new_rest.text, old_rest.common_suffix(&new_rest));
    let old_lines: Vec<_> = old_rest.part(0..old_rest.text.len() - suffix).lines().collect();
    let new_lines: Vec<_> = new_rest.part(0..new_rest.text.len() - suffix).lines().collect();
    let (old_places, new_places) = (places(prefix, &old_lines), places(prefix, &new_lines));
    differing(&interned(old_lines.into_iter(), new_lines.into_iter()))
        .into_iter()
        .map(|(old, new)| Edit {
            old: old_places[old.start]..old_places[old.end],
            new: new_places[new.start]..new_places[new.end],
        })
        .collect()
}

/// Gives equal items equal numbers.
pub(super) fn interned<T: Eq + Hash>(
    old: impl ExactSizeIterator<Item = T>,
    new: impl ExactSizeIterator<Item = T>,
) -> InternedInput<T> {
    let interner = Interner::new(old.len() + new.len());
    let mut input = InternedInput {
        before: Vec::new(),
        after: Vec::new(),
        interner,
    };
    input.update_before(old);
    input.update_after(new);
    input
}

/// Returns the stretches that a comparison found to differ.
pub(super) fn stretches(diff: &Diff) -> impl Iterator<Item = Gap> {
    // No list is longer than the numbers of its items.
    let wide = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
    let wide = move |range: Range<u32>| wide(range.start)..wide(range.end);
    diff.hunks().map(move |hunk| (wide(hunk.before), wide(hunk.after)))
}

/// Compares two lists of lines: as a whole if that is sure to be quick, else between the lines that occur once in each.
fn differing<T: Eq + Hash>(input: &InternedInput<T>) -> Vec<Gap> {
    let (old, new) = (&input.before, &input.after);
    let numbers = usize::try_from(input.interner.num_tokens()).unwrap_or(usize::MAX);
    let mut steps = STEPS_MAX;
    let gaps = if cost(old.len() + new.len()) <= steps {
        vec![(0..old.len(), 0..new.len())]
    } else {
        anchors::gaps(old, new, numbers)
    };
    let mut seen = vec![[false, false]; numbers];
    let mut differing = Vec::new();
    for (old_gap, new_gap) in gaps {
        let (a, b) = (&old[old_gap.clone()], &new[new_gap.clone()]);
        match steps.checked_sub(cost(anchors::shared(a, b, &mut seen))) {
            Some(left) => {
                steps = left;
                let moved = |range: Range<usize>, by: usize| range.start + by..range.end + by;
                let inside = compare(a, b).into_iter();
                differing.extend(inside.map(|(old, new)| (moved(old, old_gap.start), moved(new, new_gap.start))));
            }
            None => differing.push((old_gap, new_gap)),
        }
    }
    differing
}

fn compare(old: &[Token], new: &[Token]) -> Vec<Gap> {
    if old.is_empty() || new.is_empty() {
        return vec![(0..old.len(), 0..new.len())];
    }
    // Numbered anew, because the comparison takes memory for every number.
    let input = interned(old.iter(), new.iter());
    stretches(&Diff::compute(Algorithm::Histogram, &input)).collect()
}

/// What comparing so many lines costs at worst.
fn cost(lines: usize) -> usize {
    lines.saturating_mul(lines.isqrt())
}

/// Where each line begins, and where the last one ends.
fn places(start: usize, lines: &[Side<'_>]) -> Vec<usize> {
    let mut at = start;
    let ends = lines.iter().map(|line| {
        at += line.text.len();
        at
    });
    std::iter::once(start).chain(ends).collect()
}

/// Returns the start of the line that a place lies in.
fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Returns how many of the last `len` bytes, equal in both texts, are whole lines in both.
fn whole_lines(old: &str, new: &str, len: usize) -> usize {
    let begins_line = |text: &str| {
        let start = text.len() - len;
        start == 0 || text.as_bytes()[start - 1] == b'\n'
    };
    if begins_line(old) && begins_line(new) {
        return len;
    }
    let end = &old[old.len() - len..];
    end.find('\n').map_or(0, |newline| len - newline - 1)
}
