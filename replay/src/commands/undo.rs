//! `recto undo --dry-run`: what an undo or a redo would append.

use recto_pages::{Entries, UndoTarget};
use recto_projections::undo::Policy;

use crate::args::{Undo, UndoPolicy};
use crate::failure::{Code, Failure};
use crate::out::{BAD, DIM, GOOD, Out, STRONG, VERSION};
use crate::source::Source;
use crate::trial::{Attempt, Passed, Trial, actor, entry_words};

pub(super) async fn run(source: &Source, asked: &Undo, out: &mut Out) -> Result<Code, Failure> {
    let page = source.key(&asked.page);
    let version = source.resolve(&page, asked.at).await?;
    let then = source.as_of(&page, version).await?;
    let attempt = Attempt {
        target: target(asked)?,
        redo: asked.redo,
        policy: asked.policy.map(policy),
        force: asked.force,
    };
    let trial = Trial::of(&then, &page, attempt).await?;
    if out.json {
        out.json(&trial.json())?;
    } else {
        tell(&trial, version, out)?;
    }
    Ok(match &trial {
        Trial::Refused(_) => Code::Refused,
        Trial::Passes(_) if trial.is_clean() => Code::Ok,
        Trial::Passes(_) => Code::Found,
    })
}

fn target(asked: &Undo) -> Result<UndoTarget, Failure> {
    match (&asked.event, &asked.turn, &asked.actor) {
        (Some(version), _, _) => Ok(UndoTarget::Event(*version)),
        (_, Some(turn), _) => Ok(UndoTarget::Turn(turn.clone())),
        (_, _, Some(name)) => Ok(UndoTarget::Newest {
            actor: Some(actor(name)?),
        }),
        _ => Err(Failure::Usage(
            "say what is to be taken back: --event VERSION, --turn ID or --actor NAME".to_owned(),
        )),
    }
}

fn policy(asked: UndoPolicy) -> Policy {
    match asked {
        UndoPolicy::Keep => Policy::Keep,
        UndoPolicy::Restore => Policy::Restore,
        UndoPolicy::Abort => Policy::Abort,
    }
}

fn tell(trial: &Trial, version: u64, out: &mut Out) -> Result<(), Failure> {
    let passed = match trial {
        Trial::Refused(refusal) => {
            let refused = out.paint(BAD, "refused");
            return Ok(out.line(format_args!("{refused} at version {version}: {refusal}"))?);
        }
        Trial::Passes(passed) => passed,
    };
    let style = if trial.is_clean() { GOOD } else { BAD };
    let outcome = out.paint(style, passed.outcome());
    out.line(format_args!("{outcome} at version {version}; nothing was appended"))?;
    events(passed, version, out)?;
    let Some(undo) = &passed.report().undo else {
        return Ok(());
    };
    list("conflicts", &undo.conflicts, out)?;
    list("skipped", &undo.skipped, out)?;
    list("notes", &undo.notes, out)
}

fn events(passed: &Passed, version: u64, out: &mut Out) -> Result<(), Failure> {
    for ((event, words), at) in passed.preview.events.iter().zip(&passed.words).zip(version + 1..) {
        let at = out.paint(VERSION, at);
        let cause = event.cause.map_or_else(String::new, |cause| format!(" of {cause}"));
        out.line(format_args!("{at}  {}{cause}", event.kind.as_str()))?;
        for words in words {
            out.line(format_args!("    {words}"))?;
        }
        let delta = out.paint(DIM, format!("    {}", event.delta.to_json()));
        out.line(delta)?;
    }
    Ok(())
}

fn list(name: &str, entries: &Entries, out: &mut Out) -> Result<(), Failure> {
    if entries.listed.is_empty() && entries.omitted == 0 {
        return Ok(());
    }
    let head = out.paint(STRONG, name);
    out.line(head)?;
    for entry in &entries.listed {
        out.line(format_args!("    {}", entry_words(entry)))?;
    }
    if entries.omitted > 0 {
        out.line(format_args!("    and {} more", entries.omitted))?;
    }
    Ok(())
}
