//! Which lines differ.

use std::hash::Hash;

use gix_imara_diff::{Algorithm, Diff, InternedInput, Interner};

use super::Edit;
use super::side::Side;

/// Finds the stretches of whole lines that differ, in order.
pub(super) fn hunks(old: &Side<'_>, new: &Side<'_>) -> Vec<Edit> {
    let prefix = line_start(old.text, old.common_prefix(new));
    let (old_rest, new_rest) = (old.part(prefix..old.text.len()), new.part(prefix..new.text.len()));
    let suffix = whole_lines(old_rest.text, old_rest.common_suffix(&new_rest));
    let old_mid = old_rest.part(0..old_rest.text.len() - suffix);
    let new_mid = new_rest.part(0..new_rest.text.len() - suffix);
    let (old_lines, new_lines): (Vec<_>, Vec<_>) = (old_mid.lines().collect(), new_mid.lines().collect());
    let input = interned(old_lines.iter().copied(), new_lines.iter().copied());
    let diff = Diff::compute(Algorithm::Histogram, &input);
    let (old_ends, new_ends) = (ends(prefix, &old_lines), ends(prefix, &new_lines));
    let place = |ends: &[usize], line: u32| usize::try_from(line).map_or(0, |line| ends[line]);
    diff.hunks()
        .map(|hunk| Edit {
            old: place(&old_ends, hunk.before.start)..place(&old_ends, hunk.before.end),
            new: place(&new_ends, hunk.after.start)..place(&new_ends, hunk.after.end),
        })
        .collect()
}

/// Gives equal items equal numbers.
pub(super) fn interned<T: Eq + Hash>(
    old: impl ExactSizeIterator<Item = T>,
    new: impl ExactSizeIterator<Item = T>,
) -> InternedInput<T> {
    let interner = Interner::new(old.len() + new.len());
    let mut input = InternedInput { before: Vec::new(), after: Vec::new(), interner };
    input.update_before(old);
    input.update_after(new);
    input
}

/// Where each line begins, and where the last one ends.
fn ends(start: usize, lines: &[Side<'_>]) -> Vec<usize> {
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

/// Returns how many of the last `len` bytes are whole lines.
fn whole_lines(text: &str, len: usize) -> usize {
    let start = text.len() - len;
    if start == 0 || text.as_bytes()[start - 1] == b'\n' {
        return len;
    }
    text[start..].find('\n').map_or(0, |newline| len - newline - 1)
}
