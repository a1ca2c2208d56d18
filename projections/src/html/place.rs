//! From drafts to operations: what is new, what moves, what changes, what goes.

use std::collections::{HashMap, HashSet};

use super::Scope;
use super::content::{self, Content};
use super::fault::{WarningCode, Warnings};
use super::tree::Tree;
use super::walk::{Draft, Walked};
use crate::design::{DesignOp, DesignValue, GeometryPatch, Id, NewNode, Node, Number, Placement, Position, Side};
use crate::json::Json;
use crate::patch::{self, Editing};
use crate::pointer::Pointer;
use crate::sequence::longest_increasing;

/// Names the node in which an element lies that stands in no other's; empty for the page.
const PARENT: &str = "data-parent-id";
/// How far below the one before it a node comes that has no place, in px.
const FLOW_STEP: i32 = 40;

/// Makes the operations that lead from the stored page to what the drafts say.
pub(super) fn operations(
    tree: &Tree,
    walked: &Walked<'_>,
    stored: &DesignValue,
    scope: Scope,
    warnings: &mut Warnings,
) -> Vec<DesignOp> {
    let drafts = &walked.drafts;
    let parents: Vec<Option<Id>> = drafts
        .iter()
        .map(|draft| parent_of(tree, drafts, draft, stored, scope, warnings))
        .collect();
    let mut flows: HashMap<Option<&Id>, i32> = HashMap::new();
    let contents: Vec<Content> = drafts
        .iter()
        .zip(&parents)
        .map(|(draft, parent)| {
            let mut content = content::read(tree, draft, stored.node(&draft.id), scope, warnings);
            if content.flows {
                let step = flows.entry(parent.as_ref()).or_default();
                content.geometry.set(Side::Y, Number::from(*step));
                *step = step.saturating_add(FLOW_STEP);
            }
            content
        })
        .collect();
    let mut ops = Vec::new();
    for family in families(drafts, &parents) {
        place_family(&family, drafts, &parents, &contents, stored, &mut ops);
    }
    for (draft, content) in drafts.iter().zip(&contents) {
        if let Some(old) = stored.node(&draft.id) {
            change(old, content, &mut ops);
        }
    }
    if scope == Scope::Whole {
        let named: HashSet<&Id> = drafts.iter().map(|draft| &draft.id).chain(&walked.spared).collect();
        let gone: Vec<&Node> = stored.tree().filter(|node| !named.contains(node.id())).collect();
        let spared = kept_ancestors(stored, &walked.spared);
        let gone = gone.into_iter().rev().filter(|node| !spared.contains(node.id()));
        ops.extend(gone.map(|node| DesignOp::RemoveNode { id: node.id().clone() }));
    }
    ops
}

/// Gives the parent that a node comes to have.
fn parent_of(
    tree: &Tree,
    drafts: &[Draft<'_>],
    draft: &Draft<'_>,
    stored: &DesignValue,
    scope: Scope,
    warnings: &mut Warnings,
) -> Option<Id> {
    if let Some(parent) = draft.parent {
        return drafts.get(parent).map(|parent| parent.id.clone());
    }
    if scope == Scope::Whole {
        return None;
    }
    // In a merge, what is left out stays: a node without its group around it stays in its group.
    let kept = stored.node(&draft.id).and_then(|node| node.parent().cloned());
    match draft.at.and_then(|at| tree.attribute(at, PARENT)) {
        None => kept,
        Some("") => None,
        Some(parent) => match stored.node(parent) {
            Some(parent) => Some(parent.id().clone()),
            None => {
                warnings.add(WarningCode::ParentUnknown, Some(&draft.id), Some(PARENT));
                kept
            }
        },
    }
}

/// Gives the drafts by their parents, in their order, parents before their children.
fn families(drafts: &[Draft<'_>], parents: &[Option<Id>]) -> Vec<Vec<usize>> {
    let mut places: HashMap<Option<&Id>, usize> = HashMap::new();
    let mut found: Vec<Vec<usize>> = Vec::new();
    for (index, parent) in parents.iter().enumerate() {
        let place = *places.entry(parent.as_ref()).or_insert_with(|| {
            found.push(Vec::new());
            found.len() - 1
        });
        found[place].push(index);
    }
    let depth = |index: &usize| drafts.get(*index).map_or(0, |draft| draft.depth);
    found.sort_by_key(|family| family.iter().map(depth).min());
    found
}

/// Puts siblings in order: as many as possible stay where they are.
fn place_family(
    family: &[usize],
    drafts: &[Draft<'_>],
    parents: &[Option<Id>],
    contents: &[Content],
    stored: &DesignValue,
    ops: &mut Vec<DesignOp>,
) {
    let old = |index: &usize| {
        let node = stored.node(&drafts[*index].id)?;
        (node.parent() == parents[*index].as_ref()).then_some(node)
    };
    let present: Vec<_> = family.iter().filter_map(old).map(Node::child_key).collect();
    let mut stays = longest_increasing(&present).into_iter();
    let stays: Vec<bool> = family
        .iter()
        .map(|index| old(index).is_some() && stays.next().unwrap_or(false))
        .collect();
    for (place, index) in family.iter().enumerate() {
        if stays[place] {
            continue;
        }
        let (draft, content) = (&drafts[*index], &contents[*index]);
        let next = || stays[place..].iter().position(|stays| *stays).map(|more| place + more);
        let placement = match place.checked_sub(1).and_then(|before| family.get(before)) {
            Some(before) => Placement::After(drafts[*before].id.clone()),
            None => next().map_or(Placement::Last, |next| {
                Placement::Before(drafts[family[next]].id.clone())
            }),
        };
        let (position, parent) = (Position::Placed(placement), parents[*index].clone());
        ops.push(match stored.node(&draft.id) {
            None => DesignOp::AddNode {
                node: NewNode {
                    id: draft.id.clone(),
                    kind: content.kind.clone(),
                    parent,
                    geometry: content.geometry.clone(),
                    props: content.props.clone(),
                },
                position,
                siblings: None,
            },
            Some(node) => DesignOp::MoveNode {
                id: draft.id.clone(),
                parent: (node.parent() != parent.as_ref()).then_some(parent),
                position: Some(position),
                siblings: None,
                geometry: GeometryPatch::default(),
            },
        });
    }
}

/// Makes what leads from a stored node to its content.
fn change(old: &Node, content: &Content, ops: &mut Vec<DesignOp>) {
    let id = old.id();
    let geometry = old.geometry().diff(&content.geometry);
    if !geometry.is_empty() {
        ops.push(DesignOp::MoveNode {
            id: id.clone(),
            parent: None,
            position: None,
            siblings: None,
            geometry,
        });
    }
    let (Ok(props), Ok(kind)) = (Pointer::parse("/props"), Pointer::parse("/type")) else {
        return;
    };
    let mut patch = patch::diff(old.props(), &content.props, &props, Editing::Nothing).patch;
    if old.kind() != &*content.kind {
        patch.set.insert(0, (kind, Json::from(&*content.kind)));
    }
    if !patch.is_empty() {
        ops.push(DesignOp::SetNode { id: id.clone(), patch });
    }
}

/// Gives the nodes in which spared ones lie: they stay too.
fn kept_ancestors(stored: &DesignValue, spared: &HashSet<Id>) -> HashSet<Id> {
    let mut kept = HashSet::new();
    for id in spared {
        let mut next = stored.node(id).and_then(Node::parent);
        while let Some(id) = next {
            if !kept.insert(id.clone()) {
                break;
            }
            next = stored.node(id).and_then(Node::parent);
        }
    }
    kept
}
