//! Asking a check of a state.

use recto_projections::text::RichText;
use recto_projections::{Kind, Value};
use serde_json::Value as Json;

use super::{Probe, shell};
use crate::failure::Failure;

/// A state, and where it is from.
#[derive(Clone, Debug)]
pub struct Asked<'a> {
    /// The page's id.
    pub page: &'a str,
    /// The version.
    pub version: u64,
    /// The state.
    pub value: &'a Value,
}

/// What a check says of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Pass,
    /// It does not.
    Fail,
    /// It cannot tell.
    Skip,
}

impl Verdict {
    /// The name in answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Skip => "skip",
        }
    }

    fn of(holds: bool) -> Self {
        if holds { Self::Pass } else { Self::Fail }
    }
}

impl Probe {
    /// Says whether a page of this kind can be asked.
    ///
    /// # Errors
    /// [`Failure::Usage`] says what fits instead.
    pub fn check_kind(&self, kind: Kind) -> Result<(), Failure> {
        let (name, of) = match self {
            Self::Not(probe) => return probe.check_kind(kind),
            Self::Node(_) => ("node", Kind::Design),
            Self::File(_) => ("file", Kind::Code),
            _ => return Ok(()),
        };
        if kind == of {
            return Ok(());
        }
        Err(Failure::Usage(format!(
            "the check `{name}` is for {of} pages, and this is a {kind} page: use `contains`, a pointer or a command"
        )))
    }

    /// Asks it of a state. A command is waited for.
    ///
    /// # Errors
    /// [`Failure::Usage`], where a command cannot be started or does not answer.
    pub async fn ask(&self, asked: &Asked<'_>) -> Result<Verdict, Failure> {
        let (mut probe, mut negated) = (self, false);
        while let Self::Not(inner) = probe {
            (probe, negated) = (inner, !negated);
        }
        let verdict = match probe {
            Self::Command(command) => shell::ask(command, asked).await?,
            other => Verdict::of(other.holds(asked.value)),
        };
        Ok(match verdict {
            Verdict::Skip => Verdict::Skip,
            verdict => Verdict::of((verdict == Verdict::Pass) != negated),
        })
    }

    /// Whether it is so; of a command, nothing is known here.
    fn holds(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Node(id), Value::Design(design)) => design.node(id).is_some(),
            (Self::File(path), Value::Code(code)) => code.file(path).is_some(),
            (Self::Contains(text), value) => contains(value, text),
            (Self::Exists(pointer), value) => value.to_json().pointer(pointer.as_str()).is_some(),
            (Self::Compare(pointer, op, wanted), value) => op.holds(value.to_json().pointer(pointer.as_str()), wanted),
            _ => false,
        }
    }
}

/// Whether a text of the page holds this: of a DESIGN page the properties of its nodes, of a SHEET any text in it.
fn contains(value: &Value, text: &str) -> bool {
    let in_text = |rich: &RichText| rich.to_plain().contains(text);
    match value {
        Value::Design(design) => design
            .tree()
            .any(|node| node.props().values().any(|json| holds(json, text))),
        Value::Doc(doc) => in_text(doc.text()),
        Value::Code(code) => code.files().any(|(_, file)| in_text(file)),
        Value::Sheet(sheet) => holds(sheet.json(), text),
    }
}

fn holds(json: &Json, text: &str) -> bool {
    match json {
        Json::String(string) => string.contains(text),
        Json::Array(items) => items.iter().any(|item| holds(item, text)),
        Json::Object(map) => map.values().any(|value| holds(value, text)),
        _ => false,
    }
}
