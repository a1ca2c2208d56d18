//! What the entry and the attributes of a CODE page were at the base, before all that was committed since.

use super::committed::Committed;
use crate::code::{CodeOp, CodeValue, Path};
use crate::delta::Delta;
use crate::json::JsonMap;
use crate::patch::{self, PatchRef, Root};

/// Gives the path that the entry had at the base.
pub(super) fn entry(over: &[Committed<'_>], head: &CodeValue) -> Option<Path> {
    let mut entry = head.entry().cloned();
    for op in inverses(over) {
        match op {
            CodeOp::SetEntry { path } => entry.clone_from(path),
            CodeOp::RenameFile { path, to } if entry.as_ref() == Some(path) => entry = Some(to.clone()),
            CodeOp::RemoveFile { path } if entry.as_ref() == Some(path) => entry = None,
            _ => {}
        }
    }
    entry
}

/// Gives the attributes as they were at the base. `None` if the events do not lead from there to the head.
pub(super) fn attributes(over: &[Committed<'_>], head: &CodeValue) -> Option<JsonMap> {
    let mut attributes = head.attributes().clone();
    for op in inverses(over) {
        if let CodeOp::SetAttributes { patch } = op {
            lay(&mut attributes, &PatchRef::of(patch)).ok()?;
        }
    }
    Some(attributes)
}

/// Lays a patch over attributes.
///
/// # Errors
/// The rule that it breaks. The attributes may be half changed then.
pub(super) fn lay(attributes: &mut JsonMap, patch: &PatchRef<'_>) -> Result<(), crate::fault::Rule> {
    let root = Root { skip: 0, above: 0 };
    patch::apply(attributes, patch, root)
        .map(drop)
        .map_err(|flaw| flaw.rule)
}

/// Goes over what takes the events back, the newest first.
fn inverses<'a>(over: &'a [Committed<'a>]) -> impl Iterator<Item = &'a CodeOp> {
    let ops = |event: &'a Committed<'a>| match event.inverse {
        Delta::Code(ops) => ops.as_slice(),
        _ => &[],
    };
    over.iter().rev().flat_map(ops)
}
