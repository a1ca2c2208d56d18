//! Pointers of one operation of which one holds another are refused: their order would matter.

use super::PatchRef;
use crate::fault::Rule;
use crate::flaw::Flaw;
use crate::pointer::{holds, tree_order};

/// Refuses a patch in which two pointers overlap, or a position is given for what the patch replaces or takes away.
pub(crate) fn check_overlap(patch: &PatchRef<'_>) -> Result<(), Flaw> {
    let set = patch.set.iter().map(|(pointer, _)| (pointer.as_str(), Field::Set));
    let unset = patch
        .unset
        .iter()
        .enumerate()
        .map(|(index, pointer)| (pointer.as_str(), Field::Unset(index)));
    let mut changed: Vec<_> = set.chain(unset).collect();
    changed.sort_by(|a, b| tree_order(a.0, b.0));
    if let Some(pair) = changed.windows(2).find(|pair| holds(pair[0].0, pair[1].0)) {
        return Err(overlap(pair[1].0, pair[1].1));
    }
    let mut positions: Vec<_> = patch.at.iter().map(|(pointer, _)| pointer.as_str()).collect();
    positions.sort_by(|a, b| tree_order(a, b));
    if let Some(pair) = positions.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(overlap(pair[1], Field::At));
    }
    for position in positions {
        let next = changed.partition_point(|(pointer, _)| tree_order(pointer, position).is_le());
        let Some((pointer, field)) = next.checked_sub(1).map(|index| changed[index]) else {
            continue;
        };
        if holds(pointer, position) && (pointer != position || matches!(field, Field::Unset(_))) {
            return Err(overlap(position, Field::At));
        }
    }
    Ok(())
}

#[derive(Clone, Copy)]
enum Field {
    Set,
    Unset(usize),
    At,
}

fn overlap(pointer: &str, field: Field) -> Flaw {
    let flaw = Flaw::from(Rule::PointersOverlap);
    match field {
        Field::Set => flaw.under_key(pointer).under("/set"),
        Field::Unset(index) => flaw.under(&format!("/unset/{index}")),
        Field::At => flaw.under_key(pointer).under("/at"),
    }
}
