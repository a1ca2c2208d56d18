//! `recto stack`: undo and redo stacks, and what each step would do.

use recto_pages::{PageKey, StackEntry, UndoStacks, UndoTarget};
use recto_store::Id;
use serde_json::{Value as Json, json};

use crate::args::Stack;
use crate::failure::{Code, Failure};
use crate::out::{BAD, DIM, GOOD, NAME, Out, STRONG, VERSION};
use crate::source::Source;
use crate::trial::{Attempt, Trial, actor};

/// A step of a stack with what it would do now.
struct Step {
    entry: StackEntry,
    trial: Trial,
}

pub(super) async fn run(source: &Source, asked: &Stack, out: &mut Out) -> Result<Code, Failure> {
    let page = source.key(&asked.page);
    let version = source.resolve(&page, asked.at).await?;
    let then = source.as_of(&page, version).await?;
    let actors = match &asked.actor {
        Some(name) => vec![actor(name)?.to_string()],
        None => then.pages.undo_actors(&page.scope, &page.page).await?,
    };
    let mut code = Code::Ok;
    for name in &actors {
        let owner = actor(name)?;
        let stacks = then
            .pages
            .undo_stacks(&page.scope, &page.page, &owner, None, asked.limit)
            .await?;
        let undo = steps(&then, &page, &stacks.undo, false).await?;
        let redo = steps(&then, &page, &stacks.redo, true).await?;
        if undo.iter().chain(&redo).any(|step| !step.trial.is_clean()) {
            code = Code::Found;
        }
        if out.json {
            out.json(&as_json(name, &stacks, &undo, &redo))?;
        } else {
            tell(name, &stacks, &undo, &redo, out)?;
        }
    }
    if actors.is_empty() && !out.json {
        out.line(format_args!("nobody can undo or redo anything at version {version}"))?;
    }
    Ok(code)
}

async fn steps(source: &Source, page: &PageKey, entries: &[StackEntry], redo: bool) -> Result<Vec<Step>, Failure> {
    let mut steps = Vec::with_capacity(entries.len());
    for entry in entries {
        let attempt = Attempt {
            target: target(entry)?,
            redo,
            policy: None,
            force: false,
        };
        steps.push(Step {
            entry: entry.clone(),
            trial: Trial::of(source, page, attempt).await?,
        });
    }
    Ok(steps)
}

/// A turn is taken back as one; what has none is one event.
fn target(entry: &StackEntry) -> Result<UndoTarget, Failure> {
    match (&entry.turn, entry.targets.first()) {
        (Some(turn), _) => Id::new(turn)
            .map(UndoTarget::Turn)
            .map_err(|fault| Failure::Usage(fault.to_string())),
        (None, Some(version)) => Ok(UndoTarget::Event(*version)),
        (None, None) => Err(Failure::NotFound("the entry stands for no event".to_owned())),
    }
}

fn as_json(name: &str, stacks: &UndoStacks, undo: &[Step], redo: &[Step]) -> Json {
    let listed = |steps: &[Step]| -> Vec<Json> { steps.iter().map(Step::json).collect() };
    json!({
        "actor": name,
        "version": stacks.version,
        "undo": listed(undo),
        "undoMore": stacks.undo_more,
        "redo": listed(redo),
        "redoMore": stacks.redo_more,
    })
}

fn tell(name: &str, stacks: &UndoStacks, undo: &[Step], redo: &[Step], out: &mut Out) -> Result<(), Failure> {
    let (name, version) = (out.paint(NAME, name), out.paint(VERSION, stacks.version));
    out.line(format_args!("{name} at version {version}"))?;
    for (what, steps, more) in [("undo", undo, stacks.undo_more), ("redo", redo, stacks.redo_more)] {
        let head = out.paint(STRONG, what);
        if steps.is_empty() {
            let nothing = out.paint(DIM, "nothing");
            out.line(format_args!("  {head}: {nothing}"))?;
            continue;
        }
        out.line(format_args!("  {head}, the next first"))?;
        for step in steps {
            step.tell(out)?;
        }
        if more > 0 {
            out.line(format_args!("    and {more} below"))?;
        }
    }
    Ok(())
}

impl Step {
    fn json(&self) -> Json {
        json!({
            "turn": self.entry.turn.as_deref(),
            "edits": self.entry.edits,
            "targets": self.entry.targets,
            "now": self.trial.json(),
        })
    }

    fn tell(&self, out: &mut Out) -> Result<(), Failure> {
        let edits: Vec<_> = self.entry.edits.iter().map(u64::to_string).collect();
        let edits = out.paint(VERSION, edits.join(", "));
        let turn = self
            .entry
            .turn
            .as_ref()
            .map_or_else(String::new, |turn| format!(" (turn {turn})"));
        out.line(format_args!("    {edits}{turn}"))?;
        let style = if self.trial.is_clean() { GOOD } else { BAD };
        let summary = out.paint(style, self.trial.summary());
        out.line(format_args!("        {summary}"))?;
        if let Trial::Passes(passed) = &self.trial {
            for conflict in &passed.conflicts().listed {
                out.line(format_args!("        {}", crate::trial::entry_words(conflict)))?;
            }
        }
        Ok(())
    }
}
