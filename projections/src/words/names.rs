//! What nodes are called.

use std::collections::HashMap;

use super::phrase::quoted;
use crate::design::{DesignValue, NewNode};
use crate::json::{Json, JsonMap};

/// The properties by which a node goes, the best first.
const NAMES: [&str; 3] = ["name", "title", "text"];

/// Names of nodes: of those that are there, and of those that the delta has added so far.
pub(super) struct Names<'a> {
    pub(super) before: Option<&'a DesignValue>,
    added: HashMap<&'a str, &'a NewNode>,
}

impl<'a> Names<'a> {
    pub(super) fn new(before: Option<&'a DesignValue>) -> Self {
        Self {
            before,
            added: HashMap::new(),
        }
    }

    pub(super) fn add(&mut self, node: &'a NewNode) {
        self.added.insert(&node.id, node);
    }

    /// Gives the name of a node in quotes; its id if it has none.
    pub(super) fn of(&self, id: &str) -> String {
        let added = self.added.get(id).map(|node| &node.props);
        let props = added.or_else(|| Some(self.before?.node(id)?.props()));
        quoted(props.and_then(name).unwrap_or(id))
    }
}

/// Gives the name, title or text by which a node with these properties goes; `None` where all are blank.
#[must_use]
pub fn name(props: &JsonMap) -> Option<&str> {
    let texts = NAMES.iter().filter_map(|key| props.get(*key).and_then(Json::as_str));
    texts.into_iter().find(|text| !text.trim().is_empty())
}
