//! Putting a whole value together, and refusing what is no tree.

use std::collections::HashMap;
use std::sync::Arc;

use super::node::{Id, Node};
use super::op::NewNode;
use super::{Attributes, DesignValue};
use crate::fault::{Limited, Rule};
use crate::flaw::{Flaw, at_most};
use crate::json::JsonMap;
use crate::limits::NODES_MAX;
use crate::order::OrderKey;

/// A node with its order key, on its way into a value.
pub(crate) struct Part {
    pub(crate) node: NewNode,
    pub(crate) order: OrderKey,
}

/// A flaw of one of the nodes, by its index.
pub(crate) struct PartFlaw {
    pub(crate) index: usize,
    pub(crate) flaw: Flaw,
}

/// Makes a value of attributes and nodes that are each valid by themselves.
pub(crate) fn assemble(attributes: JsonMap, parts: Vec<Part>) -> Result<DesignValue, PartFlaw> {
    check_tree(&parts.iter().map(|part| &part.node).collect::<Vec<_>>())?;
    let mut value = DesignValue {
        attributes: Arc::new(Attributes::new(attributes)),
        ..DesignValue::default()
    };
    parts
        .into_iter()
        .for_each(|part| value.put_node(Node::new(part.node, part.order)));
    Ok(value)
}

/// Refuses too many nodes, an id that stands twice, a missing parent, and a cycle.
pub(crate) fn check_tree(nodes: &[&NewNode]) -> Result<(), PartFlaw> {
    let flaw = |index, at: &str, rule| PartFlaw {
        index,
        flaw: Flaw::new(at, rule),
    };
    at_most(Limited::Nodes, NODES_MAX, nodes.len()).map_err(|rule| flaw(usize::MAX, "", rule))?;
    let mut places: HashMap<&str, usize> = HashMap::with_capacity(nodes.len());
    for (index, node) in nodes.iter().enumerate() {
        if places.insert(&node.id, index).is_some() {
            return Err(flaw(
                index,
                "/id",
                Rule::IdTaken {
                    id: node.id.to_string(),
                },
            ));
        }
    }
    let mut parents = Vec::with_capacity(nodes.len());
    for (index, node) in nodes.iter().enumerate() {
        parents.push(match &node.parent {
            None => None,
            Some(parent) => Some(find(&places, parent).map_err(|rule| flaw(index, "/parentId", rule))?),
        });
    }
    match first_cycle(&parents) {
        Some(index) => Err(flaw(
            index,
            "/parentId",
            Rule::Cycle {
                id: nodes[index].id.to_string(),
            },
        )),
        None => Ok(()),
    }
}

fn find(places: &HashMap<&str, usize>, parent: &Id) -> Result<usize, Rule> {
    places
        .get(&**parent)
        .copied()
        .ok_or_else(|| Rule::ParentMissing { id: parent.to_string() })
}

/// Finds the first node that is its own ancestor.
fn first_cycle(parents: &[Option<usize>]) -> Option<usize> {
    // The walk in which each node was met first: meeting one again in the same walk is a cycle.
    let mut met: Vec<Option<usize>> = vec![None; parents.len()];
    for start in 0..parents.len() {
        let mut next = Some(start);
        while let Some(index) = next {
            match met[index] {
                Some(walk) if walk == start => return Some(index),
                Some(_) => break,
                None => met[index] = Some(start),
            }
            next = parents[index];
        }
    }
    None
}
