//! `undo-leaves-others`: an agent's undo changes only what that agent wrote.
//!
//! A field belongs to its newest edit that is not undone; a letter to whoever typed it. An agent's undo or redo must be of
//! that agent's own edit, and touch no field that another has set since, nor take out another's letter. What an undo
//! brought back belongs to nobody, and formats are not looked at. It does not break the rule where the undo was forced,
//! or where its answer in the trajectory tells of it (`undo.notes` with `restored` or `forced`).

use recto_pages::{Actor, ActorKind, EventKind};
use recto_projections::rebase::Subject;
use serde_json::Value as Json;

use super::owners::{Foreign, Owners};
use super::{Findings, Rule, Run, Step, touches};

pub(super) const RULE: Rule = Rule {
    name: "undo-leaves-others",
    says: "an agent's undo changes only what that agent wrote, unless that was forced or reported",
    remedy: "undo with the policy keep, and only own turns; where others' work must go, let a user decide",
    needs_trajectory: false,
    check,
};

fn check(run: &Run<'_>) -> Findings {
    let mut findings = Findings::default();
    let Some(last) = run.steps.iter().rposition(is_by_agent) else {
        return findings;
    };
    let mut owners = Owners::default();
    for step in &run.steps[..=last] {
        let root = owners.root(step);
        let foreign = owners.take(step);
        if !is_by_agent(step) {
            continue;
        }
        findings.look();
        if step.forced {
            continue;
        }
        let verb = if step.kind == EventKind::Undo {
            "takes back"
        } else {
            "brings again"
        };
        match root {
            Some((root, owner)) if *owner != *step.actor => {
                let what = format!("{} {verb} version {root}, which {owner} made", step.actor);
                findings.breach(Some(step.version), None, what);
            }
            _ => tell(run, step, &foreign, &mut findings),
        }
    }
    findings
}

fn is_by_agent(step: &Step) -> bool {
    let is_agent = || {
        step.actor
            .parse::<Actor>()
            .is_ok_and(|actor| actor.kind() == ActorKind::Agent)
    };
    matches!(step.kind, EventKind::Undo | EventKind::Redo) && is_agent()
}

fn tell(run: &Run<'_>, step: &Step, foreign: &[Foreign], findings: &mut Findings) {
    for Foreign {
        subject,
        pointer,
        owner,
    } in foreign
    {
        if !is_reported(run, step, subject, pointer) {
            let name = touches::name(subject, pointer);
            let what = format!("{} changes {name}, which is {owner}'s", step.actor);
            findings.breach(Some(step.version), None, what);
        }
    }
}

/// Whether the answer to the undo tells of it.
fn is_reported(run: &Run<'_>, step: &Step, subject: &Subject, pointer: &str) -> bool {
    let answers = run
        .results()
        .filter(|(call, _)| call.it.command.as_deref() == Some(step.command.as_str()));
    let notes = answers.filter_map(|(_, answer)| answer.it.raw.pointer("/undo/notes"));
    notes
        .filter_map(Json::as_array)
        .flatten()
        .any(|note| is_about(note, subject, pointer))
}

fn is_about(note: &Json, subject: &Subject, pointer: &str) -> bool {
    let text = |field: &str| note.get(field).and_then(Json::as_str);
    let fields = subject.to_json();
    let same = fields
        .as_object()
        .is_some_and(|fields| fields.iter().all(|(field, value)| note.get(field) == Some(value)));
    let told = text("pointer").unwrap_or_default();
    matches!(text("code"), Some("restored" | "forced")) && same && (told.is_empty() || told == pointer)
}
