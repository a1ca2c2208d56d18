//! `one-node-per-slot`: a delivery slot places one node at the most.
//!
//! Over all lines about a slot only one node is named, the slot's command adds no more than one node, and it is the one
//! that is named.

use std::collections::{BTreeMap, BTreeSet};

use super::trajectory::SlotStatus;
use super::{Findings, Rule, Run};

pub(super) const RULE: Rule = Rule {
    name: "one-node-per-slot",
    says: "a delivery slot places at most one node, over all retries",
    remedy: "place the node under the slot's own command id, and ask for the outcome of that command before placing again",
    needs_trajectory: true,
    check,
};

/// What is told of a slot.
struct Told<'a> {
    line: u64,
    command: &'a str,
    nodes: BTreeSet<&'a str>,
}

fn check(run: &Run<'_>) -> Findings {
    let mut findings = Findings::default();
    for (slot, told) in slots(run) {
        findings.look();
        if told.nodes.len() > 1 {
            let what = format!(
                "slot {slot:?} is delivered as {} nodes: {}",
                told.nodes.len(),
                names(&told.nodes)
            );
            findings.breach(None, Some(told.line), what);
        }
        let steps = run.steps_of(told.command).filter(|step| !step.is_compensation());
        let added: Vec<_> = steps
            .flat_map(|step| step.added().map(|node| (step.version, node)))
            .collect();
        let nodes: BTreeSet<_> = added.iter().map(|(_, node)| *node).collect();
        let Some((version, _)) = added.last() else { continue };
        if nodes.len() > 1 {
            let what = format!(
                "the command of slot {slot:?} adds {} nodes: {}",
                nodes.len(),
                names(&nodes)
            );
            findings.breach(Some(*version), Some(told.line), what);
        } else if !told.nodes.is_empty() && told.nodes.is_disjoint(&nodes) {
            let what = format!(
                "slot {slot:?} is delivered as {}, and its command adds {}",
                names(&told.nodes),
                names(&nodes)
            );
            findings.breach(Some(*version), Some(told.line), what);
        }
    }
    findings
}

fn slots<'a>(run: &Run<'a>) -> BTreeMap<&'a str, Told<'a>> {
    let mut slots: BTreeMap<&str, Told<'_>> = BTreeMap::new();
    for slot in run.slots() {
        let told = slots.entry(&slot.it.slot).or_insert(Told {
            line: slot.line,
            command: &slot.it.command,
            nodes: BTreeSet::new(),
        });
        if slot.it.status == SlotStatus::Delivered {
            told.line = slot.line;
            told.nodes.extend(slot.it.node.as_deref());
        }
    }
    slots
}

fn names(nodes: &BTreeSet<&str>) -> String {
    let names: Vec<_> = nodes.iter().map(|node| format!("{node:?}")).collect();
    names.join(", ")
}
