//! `redo-inserts`: a generation asked for again inserts a new node.
//!
//! Every generation is delivered as its own image: no command of the run puts a generated asset into a node that was
//! delivered before, none takes such a node away in the same stroke as it brings a new image, and no two deliveries name
//! one node.

use std::collections::{HashMap, HashSet};

use recto_pages::EventKind;
use recto_projections::design::{DesignOp, Id};
use serde_json::Value as Json;

use super::trajectory::{SlotStatus, TaskStatus, Trajectory};
use super::{Findings, Rule, Run, Step};

pub(super) const RULE: Rule = Rule {
    name: "redo-inserts",
    says: "a generation asked for again inserts a new node, and never updates or replaces one delivered before",
    remedy: "deliver every generation by insert_image_node, or by its own slot, also where an earlier one is to be improved",
    needs_trajectory: true,
    check,
};

fn check(run: &Run<'_>) -> Findings {
    let mut findings = Findings::default();
    let delivered = delivered(run, &mut findings);
    let assets = run.trajectory.map(generated).unwrap_or_default();
    let commands = run.commands();
    // The delivered nodes that stand on the page, each with the version that placed it.
    let mut standing: HashMap<&str, u64> = HashMap::new();
    for step in run.steps {
        if step.kind == EventKind::Edit && commands.contains(step.command.as_str()) {
            check_step(step, &standing, &assets, &mut findings);
        }
        for node in step.added() {
            if let Some(node) = delivered.get(node) {
                standing.insert(node, step.version);
            }
        }
    }
    findings
}

/// The nodes that were delivered. Two slots with one node break the rule.
fn delivered<'a>(run: &Run<'a>, findings: &mut Findings) -> HashSet<&'a str> {
    let mut by_node: HashMap<&str, &str> = HashMap::new();
    for slot in run.slots() {
        let (SlotStatus::Delivered, Some(node)) = (slot.it.status, slot.it.node.as_deref()) else {
            continue;
        };
        findings.look();
        let first = *by_node.entry(node).or_insert(&slot.it.slot);
        if first != slot.it.slot {
            let what = format!(
                "slot {:?} is delivered as node {node:?}, which slot {first:?} had delivered",
                slot.it.slot
            );
            findings.breach(None, Some(slot.line), what);
        }
    }
    for (call, answer) in run
        .results()
        .filter(|(call, answer)| call.it.tool == "insert_image_node" && answer.it.ok)
    {
        findings.look();
        for node in &answer.it.created {
            by_node.entry(node).or_insert(&call.it.id);
        }
    }
    by_node.into_keys().collect()
}

/// The assets that were made.
fn generated(trajectory: &Trajectory) -> HashSet<&str> {
    let made = trajectory
        .tasks()
        .filter(|task| task.it.status == TaskStatus::Succeeded);
    made.filter_map(|task| task.it.asset.as_deref()).collect()
}

fn check_step(step: &Step, standing: &HashMap<&str, u64>, assets: &HashSet<&str>, findings: &mut Findings) {
    for op in step.design_ops() {
        let Some((id, asset)) = new_asset(op, assets) else {
            continue;
        };
        if let Some(placed) = standing.get(&**id) {
            let what = format!("it puts asset {asset:?} into node {id:?}, which was delivered by version {placed}");
            findings.breach(Some(step.version), None, what);
        }
    }
    let brings = step.design_ops().iter().any(|op| match op {
        DesignOp::AddNode { node, .. } => node.props.values().any(|value| asset_in(value, assets).is_some()),
        _ => false,
    });
    for node in step.removed().filter(|_| brings) {
        if let Some(placed) = standing.get(node) {
            let what =
                format!("it brings a new image and takes node {node:?} away, which was delivered by version {placed}");
            findings.breach(Some(step.version), None, what);
        }
    }
}

/// The node that an operation puts a generated asset into.
fn new_asset<'a>(op: &'a DesignOp, assets: &HashSet<&'a str>) -> Option<(&'a Id, &'a str)> {
    let DesignOp::SetNode { id, patch } = op else {
        return None;
    };
    let asset = patch.set.iter().find_map(|(_, value)| asset_in(value, assets))?;
    Some((id, asset))
}

fn asset_in<'a>(json: &'a Json, assets: &HashSet<&str>) -> Option<&'a str> {
    match json {
        Json::String(text) => assets.contains(text.as_str()).then_some(text),
        Json::Array(items) => items.iter().find_map(|item| asset_in(item, assets)),
        Json::Object(map) => map.values().find_map(|value| asset_in(value, assets)),
        _ => None,
    }
}
