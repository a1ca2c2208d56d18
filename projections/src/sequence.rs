//! Sequences: what may stay where it is, and putting things at their places.

/// Marks a longest strictly increasing subsequence: true for the elements that belong to it.
pub(crate) fn longest_increasing<T: Ord>(items: &[T]) -> Vec<bool> {
    let mut tails: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let length = tails.partition_point(|&tail| items[tail] < *item);
        before.push(length.checked_sub(1).map(|shorter| tails[shorter]));
        if length == tails.len() {
            tails.push(index);
        } else {
            tails[length] = index;
        }
    }
    let mut marked = vec![false; items.len()];
    let mut next = tails.last().copied();
    while let Some(index) = next {
        marked[index] = true;
        next = before[index];
    }
    marked
}

/// Puts each of `placed` at its index among `rest`, as far as there are so many: lower indices first, equal ones in
/// the order given.
pub(crate) fn merge_at<T>(rest: Vec<T>, mut placed: Vec<(usize, T)>) -> Vec<T> {
    placed.sort_by_key(|(index, _)| *index);
    let mut merged = Vec::with_capacity(rest.len() + placed.len());
    let mut placed = placed.into_iter().peekable();
    for item in rest {
        while let Some((_, next)) = placed.next_if(|(index, _)| *index <= merged.len()) {
            merged.push(next);
        }
        merged.push(item);
    }
    merged.extend(placed.map(|(_, item)| item));
    merged
}
