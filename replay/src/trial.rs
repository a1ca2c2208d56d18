//! An undo or a redo, tried: what it would append at some version, and what would stand in its way. Nothing is appended.

use recto_pages::{
    Actor, Base, Caller, Entries, Id, PageKey, Preview, PreviewEvent, Report, UndoPage, UndoTarget, WriteError,
};
use recto_projections::Value;
use recto_projections::undo::Policy;
use recto_projections::words::{counted, describe};
use serde_json::{Value as Json, json};

use crate::failure::Failure;
use crate::source::Source;

/// The command that a trial goes under. It is never stored.
const COMMAND: &str = "recto-trial";
/// Who tries to take an event or a turn back.
const NOBODY: &str = "user:recto";

/// What is tried.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// What is to be taken back.
    pub target: UndoTarget,
    /// Take undos back, not edits.
    pub redo: bool,
    /// What becomes of a field that was overwritten since; without it as the page service decides.
    pub policy: Option<Policy>,
    /// Whether what an event created goes even if others edited it since.
    pub force: bool,
}

impl Attempt {
    /// The undo that an actor would ask for at a version of a page.
    ///
    /// # Errors
    /// None in practice: the id that a trial goes under is one.
    pub fn undo(self, page: &PageKey, base: Base, actor: Actor) -> Result<UndoPage, Failure> {
        Ok(UndoPage {
            caller: Caller {
                scope: page.scope.clone(),
                actor,
                turn: None,
            },
            page: page.page.clone(),
            base,
            redo: self.redo,
            target: self.target,
            policy: self.policy,
            force: self.force,
            command: Id::new(COMMAND).map_err(|fault| Failure::Usage(fault.to_string()))?,
        })
    }
}

/// What would come of it.
#[derive(Debug)]
pub enum Trial {
    /// It would append these events; none where nothing would change.
    Passes(Box<Passed>),
    /// It would be refused.
    Refused(WriteError),
}

/// An undo that would pass.
#[derive(Debug)]
pub struct Passed {
    /// The events it would append, and what there is to tell beside them.
    pub preview: Preview,
    /// The same in words, a list for each event.
    pub words: Vec<Vec<String>>,
}

impl Trial {
    /// Tries to take something back at the newest version that a source shows.
    ///
    /// # Errors
    /// [`Failure`], where the history cannot be read.
    pub async fn of(source: &Source, page: &PageKey, attempt: Attempt) -> Result<Self, Failure> {
        let state = source
            .pages
            .read(&page.scope, &page.page, recto_pages::At::Head)
            .await?;
        let actor = match &attempt.target {
            UndoTarget::Newest { actor: Some(actor) } => actor.clone(),
            _ => actor(NOBODY)?,
        };
        let base = Base {
            version: state.at.version,
            epoch: state.at.epoch,
        };
        let undo = attempt.undo(page, base, actor)?;
        match source.pages.preview_undo(undo).await {
            Ok(preview) => {
                let words = in_words(&preview, state.value);
                Ok(Self::Passes(Box::new(Passed { preview, words })))
            }
            Err(WriteError::Read(fault)) => Err(fault.into()),
            Err(refusal) => Ok(Self::Refused(refusal)),
        }
    }

    /// Whether all of it would be taken back.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        match self {
            Self::Passes(passed) => {
                let conflicts = passed.conflicts();
                conflicts.listed.is_empty() && conflicts.omitted == 0 && passed.outcome() != "partial"
            }
            Self::Refused(_) => false,
        }
    }

    /// In one line: what would come of it.
    #[must_use]
    pub fn summary(&self) -> String {
        match self {
            Self::Refused(refusal) => format!("refused: {refusal}"),
            Self::Passes(passed) => {
                let changes: Vec<&str> = passed.words.iter().flatten().map(String::as_str).collect();
                let mut line = passed.outcome().to_owned();
                if !changes.is_empty() {
                    line.push_str(": ");
                    line.push_str(&changes.join("; "));
                }
                let conflicts = passed.conflicts().listed.len() + passed.conflicts().omitted;
                if conflicts > 0 {
                    line.push_str(&format!(" ({})", counted(conflicts, "conflict")));
                }
                line
            }
        }
    }

    /// All of it as JSON, in the form of the API's dry run.
    #[must_use]
    pub fn json(&self) -> Json {
        match self {
            Self::Refused(refusal) => json!({ "outcome": "refused", "reason": refusal.to_string() }),
            Self::Passes(passed) => passed.json(),
        }
    }
}

impl Passed {
    /// `applied`, `partial` or `noop`.
    #[must_use]
    pub fn outcome(&self) -> &'static str {
        self.report().undo.as_ref().map_or("noop", |undo| undo.outcome.as_str())
    }

    /// What would stay as it is, and why.
    #[must_use]
    pub fn conflicts(&self) -> &Entries {
        static NONE: Entries = Entries {
            listed: Vec::new(),
            omitted: 0,
        };
        self.report().undo.as_ref().map_or(&NONE, |undo| &undo.conflicts)
    }

    /// What there is to tell beside the events.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.preview.report
    }

    fn json(&self) -> Json {
        let events = self.preview.events.iter().zip(&self.words);
        let events: Vec<_> = events.map(|(event, words)| event_json(event, words)).collect();
        let undo = self.report().undo.as_ref();
        let listed = |entries: Option<&Entries>| entries.map_or_else(Vec::new, |entries| entries.listed.clone());
        json!({
            "outcome": self.outcome(),
            "of": undo.map(|undo| &undo.of),
            "events": events,
            "digest": self.preview.digest.to_string(),
            "conflicts": listed(undo.map(|undo| &undo.conflicts)),
            "skipped": listed(undo.map(|undo| &undo.skipped)),
            "notes": listed(undo.map(|undo| &undo.notes)),
        })
    }
}

/// An entry of a report in words: its code and detail, and the event that stands in the way.
#[must_use]
pub fn entry_words(entry: &Json) -> String {
    let text = |name: &str| entry.get(name).and_then(Json::as_str);
    let mut words = text("code").unwrap_or("unknown").to_owned();
    if let Some(detail) = text("detail") {
        words.push_str(": ");
        words.push_str(detail);
    } else {
        words.push(' ');
        words.push_str(&entry.to_string());
    }
    words
}

/// An actor from its name.
///
/// # Errors
/// [`Failure::Usage`], where it names none.
pub fn actor(name: &str) -> Result<Actor, Failure> {
    name.parse()
        .map_err(|fault: recto_pages::InvalidActor| Failure::Usage(fault.to_string()))
}

/// What the events of a preview change, in words, from the value that it was made on.
#[must_use]
pub fn in_words(preview: &Preview, mut value: Value) -> Vec<Vec<String>> {
    let mut all = Vec::with_capacity(preview.events.len());
    for event in &preview.events {
        all.push(describe(&event.delta, &value));
        // A preview was made by applying the same.
        let _applies = value.replay(&event.delta);
    }
    all
}

fn event_json(event: &PreviewEvent, words: &[String]) -> Json {
    json!({
        "kind": event.kind.as_str(),
        "cause": event.cause,
        "words": words,
        "delta": event.delta.to_json(),
        "inverse": event.inverse.to_json(),
    })
}
