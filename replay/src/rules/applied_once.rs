//! `applied-once`: what the agent was told and what the stream holds agree.
//!
//! The events of a command stand side by side. A result that says applied has its events, with the nodes that it says it
//! made; one that says refused has none; and what the agent did in the turns of the run is all in the trajectory. Without
//! a trajectory only the first of these is looked at.

use std::collections::{HashMap, HashSet};

use super::trajectory::{Answer, Call, Line, Trajectory};
use super::{Findings, Rule, Run, Step};

pub(super) const RULE: Rule = Rule {
    name: "applied-once",
    says: "each command is carried out once, and what the agent was told agrees with the stream",
    remedy: "send one command id with each request, the same one with each retry, and record every call of the run",
    needs_trajectory: false,
    check,
};

fn check(run: &Run<'_>) -> Findings {
    let mut findings = Findings::default();
    check_groups(run.steps, &mut findings);
    for (call, answer) in run.results() {
        if let Some(command) = call.it.command.as_deref() {
            findings.look();
            check_answer(run, call, answer, command, &mut findings);
        }
    }
    if let Some(trajectory) = run.trajectory {
        check_recorded(run, trajectory, &mut findings);
    }
    findings
}

fn check_groups(steps: &[Step], findings: &mut Findings) {
    let mut newest: HashMap<&str, u64> = HashMap::new();
    for step in steps {
        match newest.insert(&step.command, step.version) {
            None => findings.look(),
            Some(before) if before + 1 == step.version => {}
            Some(before) => {
                let what = format!(
                    "command {:?} was carried out again: it had made version {before}",
                    step.command
                );
                findings.breach(Some(step.version), None, what);
            }
        }
    }
}

fn check_answer(run: &Run<'_>, call: Line<&Call>, answer: Line<&Answer>, command: &str, findings: &mut Findings) {
    let steps: Vec<&Step> = run.steps_of(command).collect();
    let version = steps.first().map(|step| step.version);
    let says_applied = answer.it.ok && answer.it.applied == Some(true);
    let says_nothing = !answer.it.ok || answer.it.applied == Some(false);
    let told = &call.it.tool;
    match version {
        None if says_applied => {
            let what = format!("{told} is answered as applied, and command {command:?} has no event on this page");
            findings.breach(None, Some(answer.line), what);
        }
        Some(version) if says_nothing => {
            let said = if answer.it.ok {
                "as changing nothing"
            } else {
                "as failed"
            };
            let what = format!("{told} is answered {said}, and command {command:?} made an event");
            findings.breach(Some(version), Some(answer.line), what);
        }
        _ => {}
    }
    if says_applied && version.is_some() {
        let added: HashSet<&str> = steps.iter().flat_map(|step| step.added()).collect();
        let removed: HashSet<&str> = steps.iter().flat_map(|step| step.removed()).collect();
        for (told, found, did) in [
            (&answer.it.created, &added, "made"),
            (&answer.it.removed, &removed, "removed"),
        ] {
            for node in told.iter().filter(|node| !found.contains(node.as_str())) {
                let what =
                    format!("the answer says that node {node:?} was {did}, and no event of command {command:?} did so");
                findings.breach(version, Some(answer.line), what);
            }
        }
    }
}

/// What the agent did in the turns of the run, and is not in its trajectory.
fn check_recorded(run: &Run<'_>, trajectory: &Trajectory, findings: &mut Findings) {
    let turns: HashSet<&str> = trajectory.calls().filter_map(|call| call.it.turn.as_deref()).collect();
    let commands = run.commands();
    let in_run =
        |step: &&Step| step.actor == trajectory.actor && step.turn.as_deref().is_some_and(|turn| turns.contains(turn));
    for step in run.steps.iter().filter(in_run) {
        if !commands.contains(step.command.as_str()) {
            let turn = step.turn.as_deref().unwrap_or_default();
            let what = format!(
                "{} made it in turn {turn:?} by command {:?}, which is not in the trajectory",
                step.actor, step.command
            );
            findings.breach(Some(step.version), None, what);
        }
    }
}
