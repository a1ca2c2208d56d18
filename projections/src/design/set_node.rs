//! Setting the type and properties of a node, and editing its strings.

use super::apply::Run;
use super::node::{Id, Node};
use super::op::{DesignOp, NewNode};
use crate::fault::{Limited, Rule};
use crate::flaw::{Flaw, at_most};
use crate::json::{Json, JsonMap};
use crate::limits::STRING_MAX_BYTES;
use crate::patch::{self, Patch, PatchRef, Patched, Root};
use crate::pointer::{Pointer, holds};
use crate::text::{TextDelta, apply_plain};
use crate::wire::check_type;

const TYPE: &str = "/type";
const PROPS: &str = "/props";
/// One key of a pointer leads to the properties.
const PROPS_ROOT: Root = Root { skip: 1, above: 0 };

impl Run<'_> {
    pub(super) fn set_node(&mut self, id: &Id, patch: &Patch) -> Result<(), Flaw> {
        let old = self.node(id)?;
        patch::check_overlap(&PatchRef::of(patch))?;
        let (kind, below) = split(patch)?;
        let mut content = old.content().clone();
        let mut patched = patch::apply(&mut content.props, &below, PROPS_ROOT)?;
        if let Some((pointer, kind)) = kind {
            set_kind(&mut content, pointer, kind, &mut patched);
        }
        if patched.delta.is_empty() {
            return Ok(());
        }
        self.value.put_node(Node::new(content, old.order().clone()));
        let set = |patch| DesignOp::SetNode { id: id.clone(), patch };
        self.commit(|_| Some((set(patched.delta), set(patched.inverse))));
        Ok(())
    }

    pub(super) fn edit_text(&mut self, id: &Id, pointer: &Pointer, delta: &TextDelta) -> Result<(), Flaw> {
        let old = self.node(id)?;
        let mut content = old.content().clone();
        let Json::String(text) = find(&mut content.props, pointer)? else {
            return Err(Flaw::new("/pointer", Rule::NotAString));
        };
        let (new, inverse) = apply_plain(text, delta).map_err(|fault| Flaw::new("/delta", fault.into()))?;
        at_most(Limited::StringBytes, STRING_MAX_BYTES, new.len()).map_err(|rule| Flaw::new("/delta", rule))?;
        if new == *text {
            return Ok(());
        }
        *text = new;
        self.value.put_node(Node::new(content, old.order().clone()));
        let edit = |delta| DesignOp::EditText {
            id: id.clone(),
            pointer: pointer.clone(),
            delta,
        };
        self.commit(|_| Some((edit(delta.clone().chop()), edit(inverse))));
        Ok(())
    }
}

/// Refuses pointers that [`DesignOp::SetNode`] may not write.
pub(super) fn check_writable(patch: &Patch) -> Result<(), Flaw> {
    split(patch).map(drop)
}

/// Refuses a pointer that does not lead below the properties.
pub(super) fn check_below_props(pointer: &Pointer) -> Result<(), Rule> {
    let text = pointer.as_str();
    if holds(PROPS, text) && text != PROPS {
        Ok(())
    } else {
        Err(Rule::NotWritable)
    }
}

/// Finds the value below the properties that a pointer leads to.
pub(super) fn find<'a>(props: &'a mut JsonMap, pointer: &Pointer) -> Result<&'a mut Json, Flaw> {
    let flaw = |rule| Flaw::new("/pointer", rule);
    check_below_props(pointer).map_err(flaw)?;
    let mut segments = pointer.segments().skip(PROPS_ROOT.skip);
    let first = segments.next().ok_or_else(|| flaw(Rule::NotWritable))?;
    let mut value = props.get_mut(&*first).ok_or_else(|| flaw(Rule::PathMissing))?;
    for segment in segments {
        value = match value {
            Json::Object(map) => map.get_mut(&*segment).ok_or_else(|| flaw(Rule::PathMissing))?,
            Json::Array(_) => return Err(flaw(Rule::ArrayIndex)),
            _ => return Err(flaw(Rule::NotAnObject)),
        };
    }
    Ok(value)
}

type Kind<'a> = (&'a Pointer, &'a str);

/// Takes the type apart from what is below the properties, and refuses all else.
fn split(patch: &Patch) -> Result<(Option<Kind<'_>>, PatchRef<'_>), Flaw> {
    let mut kind = None;
    let mut below = PatchRef::default();
    for (pointer, value) in &patch.set {
        let flaw = |rule| Flaw::from(rule).under_key(pointer.as_str()).under("/set");
        if pointer.as_str() == TYPE {
            let text = value.as_str().ok_or_else(|| flaw(Rule::NotAString))?;
            check_type(text).map_err(flaw)?;
            kind = Some((pointer, text));
        } else {
            check_below_props(pointer).map_err(flaw)?;
            below.set.push((pointer, value));
        }
    }
    for (index, pointer) in patch.unset.iter().enumerate() {
        check_below_props(pointer).map_err(|rule| Flaw::new(format!("/unset/{index}"), rule))?;
        below.unset.push(pointer);
    }
    for (pointer, index) in &patch.at {
        check_below_props(pointer).map_err(|rule| Flaw::from(rule).under_key(pointer.as_str()).under("/at"))?;
        below.at.push((pointer, *index));
    }
    Ok((kind, below))
}

fn set_kind(content: &mut NewNode, pointer: &Pointer, kind: &str, patched: &mut Patched) {
    if *content.kind != *kind {
        let old = std::mem::replace(&mut content.kind, kind.into());
        patched.delta.set.insert(0, (pointer.clone(), Json::from(kind)));
        patched.inverse.set.insert(0, (pointer.clone(), Json::from(&*old)));
    }
}
