//! Cutting two long lists of lines into short ones, at lines that occur once in each.

use std::ops::Range;

use gix_imara_diff::Token;

/// A stretch of the old list and the stretch of the new list that stands against it.
pub(super) type Gap = (Range<usize>, Range<usize>);

/// Returns what lies between the lines that occur once in each list and in the same order in both.
/// Every line has a number below `numbers`.
pub(super) fn gaps(old: &[Token], new: &[Token], numbers: usize) -> Vec<Gap> {
    let (mut old_at, mut new_at) = (0, 0);
    let mut gaps = Vec::new();
    for (old_anchor, new_anchor) in anchors(old, new, numbers).into_iter().chain([(old.len(), new.len())]) {
        if old_at < old_anchor || new_at < new_anchor {
            gaps.push((old_at..old_anchor, new_at..new_anchor));
        }
        (old_at, new_at) = (old_anchor + 1, new_anchor + 1);
    }
    gaps
}

/// Counts the lines of both lists that occur in the other one too. `seen` has a place for every number of a line, and
/// nothing in it before and after.
pub(super) fn shared(old: &[Token], new: &[Token], seen: &mut [[bool; 2]]) -> usize {
    old.iter().for_each(|line| seen[number(line)][0] = true);
    new.iter().for_each(|line| seen[number(line)][1] = true);
    let lines = || old.iter().chain(new).map(number);
    let shared = lines().filter(|line| seen[*line] == [true, true]).count();
    lines().for_each(|line| seen[line] = [false, false]);
    shared
}

/// Returns a line's number as an index.
fn number(line: &Token) -> usize {
    usize::try_from(line.0).unwrap_or(usize::MAX)
}

/// Returns the longest rising run of the lines that occur once in each list, by their places.
fn anchors(old: &[Token], new: &[Token], numbers: usize) -> Vec<(usize, usize)> {
    let (old_places, new_places) = (unique(old, numbers), unique(new, numbers));
    let both = old_places.into_iter().zip(new_places);
    let mut pairs: Vec<_> = both.filter_map(|(old, new)| Some((old.once()?, new.once()?))).collect();
    pairs.sort_unstable();
    longest_rising(&pairs)
}

/// Where a line stands.
#[derive(Clone, Copy)]
enum Place {
    Nowhere,
    Once(usize),
    Often,
}

impl Place {
    fn once(self) -> Option<usize> {
        match self {
            Self::Once(place) => Some(place),
            Self::Nowhere | Self::Often => None,
        }
    }
}

/// Returns where each line stands, by its number.
fn unique(lines: &[Token], numbers: usize) -> Vec<Place> {
    let mut places = vec![Place::Nowhere; numbers];
    for (at, line) in lines.iter().enumerate() {
        let place = &mut places[number(line)];
        *place = if let Place::Nowhere = place {
            Place::Once(at)
        } else {
            Place::Often
        };
    }
    places
}

/// Returns the longest run of pairs, sorted by their first parts, whose second parts rise.
fn longest_rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // The last pair of the best run of each length, and the pair before each pair in its run.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (index, (_, place)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].1 < *place);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() {
            ends.push(index);
        } else {
            ends[length] = index;
        }
    }
    let mut run = Vec::with_capacity(ends.len());
    let mut at = ends.last().copied();
    while let Some(index) = at {
        run.push(pairs[index]);
        at = before[index];
    }
    run.reverse();
    run
}
