//! Reading a trajectory.

use std::collections::{HashMap, HashSet};

use serde_json::Value as Json;

use super::{Answer, Call, Entry, Line, SCHEMA, Slot, SlotStatus, Task, TaskStatus, Trajectory, Unreadable};

/// The type of the first line.
const HEADER: &str = "trajectory";
/// The bytes of a text that are repeated in a fault.
const TOLD_CHARS: usize = 40;

impl Trajectory {
    /// Reads JSON Lines.
    ///
    /// # Errors
    /// [`Unreadable`], where the first line does not say that this is a trajectory of a known form. Other faults are told
    /// in it.
    pub fn read(text: &str) -> Result<Self, Unreadable> {
        let numbered = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        let mut lines = numbered.map(|(line, text)| Line { line, it: text });
        let mut trajectory = first_line(lines.next())?;
        for line in lines {
            let json = serde_json::from_str(line.it).map_err(|fault| format!("it is no JSON: {fault}"));
            trajectory.take(line.line, json.and_then(entry));
        }
        trajectory.link();
        Ok(trajectory)
    }

    /// What was noted in a chat's stream, each with its number there. The agent is who noted first, unless a header is
    /// among them.
    #[must_use]
    pub fn noted(chat: &str, agent: &str, entries: impl IntoIterator<Item = Line<Json>>) -> Self {
        let mut trajectory = Self::empty(Some(chat.to_owned()), agent.to_owned());
        for Line { line, it } in entries {
            match Noted::of(&it) {
                Noted::OfAgent => trajectory.take(line, entry(it)),
                Noted::Header => match header(Fields(&it)) {
                    Ok(header) => trajectory.actor = header.actor,
                    Err(what) => trajectory.faults.push(Line { line, it: what }),
                },
                Noted::OfServer => {}
            }
        }
        trajectory.link();
        trajectory
    }

    fn empty(chat: Option<String>, actor: String) -> Self {
        Self {
            chat,
            actor,
            entries: Vec::new(),
            warnings: Vec::new(),
            faults: Vec::new(),
            results: HashMap::new(),
        }
    }

    fn take(&mut self, number: u64, read: Result<Read, String>) {
        let told = |what| Line { line: number, it: what };
        match read {
            Ok(Read::Entry(entry)) => self.entries.push(Line {
                line: number,
                it: *entry,
            }),
            Ok(Read::Unknown(name)) => self.warnings.push(told(format!(
                "the type {name:?} is not known to this version of Recto: the line is passed over"
            ))),
            Err(fault) => self.faults.push(told(fault)),
        }
    }

    /// Finds the result of each call, and what does not belong together.
    fn link(&mut self) {
        let mut calls = HashSet::new();
        let mut results = HashMap::new();
        for (index, entry) in self.entries.iter().enumerate() {
            let told = |it| Line { line: entry.line, it };
            match &entry.it {
                Entry::Call(call) if !calls.insert(call.id.as_str()) => {
                    self.faults
                        .push(told(format!("there was a call {:?} already", call.id)));
                }
                Entry::Result(result) if !calls.contains(result.call.as_str()) => {
                    self.faults
                        .push(told(format!("no call {:?} stands before its result", result.call)));
                }
                Entry::Result(result) => {
                    let earlier = results.insert(result.call.clone(), index);
                    let told = earlier.map(|_| told(format!("call {:?} has another result already", result.call)));
                    self.warnings.extend(told);
                }
                _ => {}
            }
        }
        self.faults.sort_by_key(|fault| fault.line);
        self.warnings.sort_by_key(|warning| warning.line);
        self.results = results;
    }
}

fn first_line(first: Option<Line<&str>>) -> Result<Trajectory, Unreadable> {
    let line = first.map_or(1, |first| first.line);
    let json = first.and_then(|first| serde_json::from_str::<Json>(first.it).ok());
    let read = json.as_ref().map_or_else(|| Err(wanted()), |json| header(Fields(json)));
    read.map_err(|what| Unreadable { line, what })
}

/// A trajectory without entries, of a known schema.
fn header(fields: Fields<'_>) -> Result<Trajectory, String> {
    if fields.text("type").ok() != Some(HEADER) {
        return Err(wanted());
    }
    match fields.number("schema") {
        Ok(Some(SCHEMA)) => {}
        Ok(Some(other)) => {
            return Err(format!(
                "schema {other} is not known to this version of Recto, which reads {SCHEMA}"
            ));
        }
        _ => return Err(wanted()),
    }
    let actor = fields.text("actor")?.to_owned();
    Ok(Trajectory::empty(fields.text_if_any("chat")?, actor))
}

fn wanted() -> String {
    format!(
        "a trajectory begins with a line such as {{\"type\":\"{HEADER}\",\"schema\":{SCHEMA},\"actor\":\"agent:layout\"}}"
    )
}

/// Whose an entry of a chat's stream is.
enum Noted {
    OfAgent,
    Header,
    /// The server notes events of the chat itself, such as a mode that was switched: no type, but an `event`.
    OfServer,
}

impl Noted {
    fn of(entry: &Json) -> Self {
        match entry.get("type").and_then(Json::as_str) {
            Some(HEADER) => Self::Header,
            None if entry.get("event").is_some() => Self::OfServer,
            _ => Self::OfAgent,
        }
    }
}

enum Read {
    Entry(Box<Entry>),
    Unknown(String),
}

fn entry(json: Json) -> Result<Read, String> {
    let fields = Fields(&json);
    let entry = match fields.text("type")? {
        "call" => Entry::Call(call(&fields)?),
        "result" => Entry::Result(result(&fields)?),
        "task" => Entry::Task(task(&fields)?),
        "slot" => Entry::Slot(slot(&fields)?),
        other => return Ok(Read::Unknown(other.to_owned())),
    };
    Ok(Read::Entry(Box::new(entry)))
}

fn call(fields: &Fields<'_>) -> Result<Call, String> {
    let arguments = fields.0.get("arguments").cloned().unwrap_or_default();
    let named = arguments.get("pageId").and_then(Json::as_str).map(str::to_owned);
    Ok(Call {
        id: fields.text("id")?.to_owned(),
        tool: fields.text("tool")?.to_owned(),
        turn: fields.text_if_any("turn")?,
        page: fields.text_if_any("page")?.or(named),
        command: fields.text_if_any("command")?,
        arguments,
        raw: fields.0.clone(),
    })
}

fn result(fields: &Fields<'_>) -> Result<Answer, String> {
    let error = Fields(fields.0.get("error").unwrap_or(&Json::Null));
    Ok(Answer {
        call: fields.text("call")?.to_owned(),
        ok: fields.flag("ok")?.ok_or("the field `ok` is missing: true or false")?,
        code: error.text_if_any("code")?,
        retry: fields.flag("retry")?,
        terminal: fields.flag("terminal")?.unwrap_or(false),
        page: fields.text_if_any("page")?,
        version: fields.number("version")?,
        epoch: fields.number("epoch")?,
        applied: fields.flag("applied")?,
        read_token: fields.text_if_any("readToken")?,
        created: fields.texts("createdNodeIds")?,
        removed: fields.texts("removedNodeIds")?,
        raw: fields.0.clone(),
    })
}

fn task(fields: &Fields<'_>) -> Result<Task, String> {
    Ok(Task {
        task: fields.text("task")?.to_owned(),
        key: fields.text_if_any("key")?,
        call: fields.text_if_any("call")?,
        status: match fields.text("status")? {
            "submitted" => TaskStatus::Submitted,
            "succeeded" => TaskStatus::Succeeded,
            "failed" => TaskStatus::Failed,
            other => return Err(expected("status", "submitted, succeeded or failed", &other.into())),
        },
        terminal: fields.flag("terminal")?.unwrap_or(false),
        asset: fields.text_if_any("asset")?,
        raw: fields.0.clone(),
    })
}

fn slot(fields: &Fields<'_>) -> Result<Slot, String> {
    let slot = fields.text("slot")?.to_owned();
    Ok(Slot {
        status: match fields.text("status")? {
            "held" => SlotStatus::Held,
            "delivered" => SlotStatus::Delivered,
            "failed" => SlotStatus::Failed,
            other => return Err(expected("status", "held, delivered or failed", &other.into())),
        },
        page: fields.text_if_any("page")?,
        node: fields.text_if_any("node")?,
        command: fields.text_if_any("command")?.unwrap_or_else(|| slot.clone()),
        slot,
        raw: fields.0.clone(),
    })
}

/// The fields of a line. A field that is null is as if it were not there.
struct Fields<'a>(&'a Json);

impl<'a> Fields<'a> {
    fn get(&self, name: &str) -> Option<&'a Json> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn text(&self, name: &str) -> Result<&'a str, String> {
        match self.get(name) {
            Some(value) => value.as_str().ok_or_else(|| expected(name, "a text", value)),
            None => Err(format!("the field `{name}` is missing: a text")),
        }
    }

    fn text_if_any(&self, name: &str) -> Result<Option<String>, String> {
        self.get(name).map(|_| self.text(name).map(str::to_owned)).transpose()
    }

    fn texts(&self, name: &str) -> Result<Vec<String>, String> {
        let Some(value) = self.get(name) else {
            return Ok(Vec::new());
        };
        let texts = value
            .as_array()
            .and_then(|all| all.iter().map(|one| one.as_str().map(str::to_owned)).collect());
        texts.ok_or_else(|| expected(name, "a list of texts", value))
    }

    fn flag(&self, name: &str) -> Result<Option<bool>, String> {
        let flag = |value: &Json| value.as_bool().ok_or_else(|| expected(name, "true or false", value));
        self.get(name).map(flag).transpose()
    }

    fn number(&self, name: &str) -> Result<Option<u64>, String> {
        let number = |value: &Json| value.as_u64().ok_or_else(|| expected(name, "a whole number", value));
        self.get(name).map(number).transpose()
    }
}

fn expected(name: &str, what: &str, got: &Json) -> String {
    let got: String = got.to_string().chars().take(TOLD_CHARS).collect();
    format!("the field `{name}` must be {what}; got {got}")
}
