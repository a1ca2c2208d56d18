//! `no-delete-by-omission`: a merge removes only what it names.
//!
//! Of the nodes that a merge's events remove, each is named in `deleteNodeIds`, or was a descendant of one that is.

use std::collections::{HashMap, HashSet};

use recto_projections::design::DesignOp;
use serde_json::Value as Json;

use super::trajectory::Call;
use super::{Findings, Rule, Run, Step};

pub(super) const RULE: Rule = Rule {
    name: "no-delete-by-omission",
    says: "a merge removes only the nodes named in deleteNodeIds, and what is in them",
    remedy: "write with merge and name what shall go, or read the whole page and write with replace",
    needs_trajectory: true,
    check,
};

fn check(run: &Run<'_>) -> Findings {
    let mut findings = Findings::default();
    for call in run.calls() {
        let (Some(command), Some(named)) = (call.it.command.as_deref(), named(call.it)) else {
            continue;
        };
        findings.look();
        for step in run.steps_of(command) {
            for node in unnamed(step, &named) {
                let what = format!("the merge removes node {node:?}, which it does not name in deleteNodeIds");
                findings.breach(Some(step.version), Some(call.line), what);
            }
        }
    }
    findings
}

/// What a merge names to be deleted; `None` of a call that is no merge. It is told as `merge: {…}`, or by `mode`.
fn named(call: &Call) -> Option<HashSet<&str>> {
    let arguments = &call.arguments;
    let merge = match arguments.get("merge") {
        Some(merge) if merge.is_object() => merge,
        _ if arguments.get("mode").and_then(Json::as_str) == Some("merge") => arguments,
        _ => return None,
    };
    let named = merge.get("deleteNodeIds").and_then(Json::as_array);
    Some(named.into_iter().flatten().filter_map(Json::as_str).collect())
}

/// The nodes that an event removes and that are neither named nor in one that is.
fn unnamed<'a>(step: &'a Step, named: &HashSet<&str>) -> Vec<&'a str> {
    // The inverse brings each back into its parent.
    let parents: HashMap<&str, &str> = step
        .inverse_ops()
        .iter()
        .filter_map(|op| match op {
            DesignOp::AddNode { node, .. } => Some((&*node.id, node.parent.as_deref()?)),
            _ => None,
        })
        .collect();
    let is_named = |node: &str| {
        let mut chain = std::iter::successors(Some(node), |node| parents.get(node).copied());
        // No chain is longer than the nodes that were removed.
        chain.by_ref().take(parents.len() + 1).any(|node| named.contains(node))
    };
    step.removed().filter(|node| !is_named(node)).collect()
}
