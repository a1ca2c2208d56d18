//! What always holds of a DESIGN value, checked in full.

use super::build::check_tree;
use super::read::check_attributes;
use super::{Attributes, DesignValue};
use crate::digest::HashSum;
use crate::json::{check_map, same_map};
use crate::order::OrderKey;
use crate::wire::{check_id, check_type};

use super::node::Node;

impl DesignValue {
    /// Checks the tree, the order keys, the index of children, and the kept digest and weight.
    ///
    /// # Errors
    /// A sentence that names the first thing that does not hold.
    pub fn check_invariants(&self) -> Result<(), String> {
        let nodes: Vec<_> = self.nodes.iter().map(Node::content).collect();
        check_tree(&nodes).map_err(|fault| format!("the tree does not hold: {}", fault.flaw.rule))?;
        let (mut sum, mut weight) = (HashSum::default(), 0);
        for node in self.nodes.iter() {
            self.check_node(node)?;
            sum.add(node.sum());
            weight += node.weight();
        }
        if self.children.len() != self.nodes.len() || self.tree().count() != self.nodes.len() {
            return Err("the index of children does not hold every node once".into());
        }
        if sum != self.sum || weight != self.weight {
            return Err("the kept digest or weight of the nodes is wrong".into());
        }
        self.check_attributes_kept()
    }

    fn check_node(&self, node: &Node) -> Result<(), String> {
        let id = node.id();
        let fresh = Node::new(node.content().clone(), node.order().clone());
        if fresh != *node || fresh.weight() != node.weight() {
            return Err(format!("the kept hash or weight of node {id:?} is wrong"));
        }
        let valid = check_id(id).is_ok()
            && self.node(id) == Some(node)
            && check_type(node.kind()).is_ok()
            && check_map(node.props(), 0).is_ok()
            && OrderKey::parse(node.order().as_str()).is_ok();
        if !valid {
            return Err(format!("node {id:?} is not valid by itself"));
        }
        match self.children.contains(&node.child_key()) {
            true => Ok(()),
            false => Err(format!("the index of children does not know node {id:?}")),
        }
    }

    fn check_attributes_kept(&self) -> Result<(), String> {
        let map = &self.attributes.map;
        check_map(map, 0).map_err(|flaw| format!("the attributes are not valid: {}", flaw.rule))?;
        check_attributes(map).map_err(|invalid| format!("the attributes are not valid: {invalid}"))?;
        let fresh = Attributes::new(map.clone());
        let kept = fresh.sum == self.attributes.sum && fresh.weight == self.attributes.weight;
        match kept && same_map(&fresh.map, map) {
            true => Ok(()),
            false => Err("the kept digest or weight of the attributes is wrong".into()),
        }
    }
}
