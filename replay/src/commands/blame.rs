//! `recto blame`: which event last wrote what stands there.

use std::collections::HashMap;

use recto_pages::{At, BlameOf, Found, PageBlame, PageEvent, PageKey};
use recto_projections::Value;
use recto_projections::text::weave::EditId;
use serde_json::{Value as Json, json};

use crate::args::Blame;
use crate::failure::{Code, Failure};
use crate::out::{DIM, NAME, Out, STRONG, VERSION, time, time_full};
use crate::source::Source;

/// What is said of something older than the search went.
const OLDER: &str = "older";

pub(super) async fn run(source: &Source, asked: &Blame, out: &mut Out) -> Result<Code, Failure> {
    let page = source.key(&asked.page);
    let version = source.resolve(&page, asked.at).await?;
    let state = source.pages.read(&page.scope, &page.page, At::Version(version)).await?;
    for of in questions(&state.value, asked.thing.as_deref())? {
        let blame = source
            .pages
            .blame(&page.scope, &page.page, At::Version(version), of.clone())
            .await?;
        if out.json {
            out.json(&as_json(&page, &of, &blame))?;
        } else {
            tell(&state.value, &of, &blame, out)?;
        }
    }
    Ok(Code::Ok)
}

/// A page is one question; a CODE page one for each file.
fn questions(value: &Value, thing: Option<&str>) -> Result<Vec<BlameOf>, Failure> {
    match (value, thing) {
        (Value::Design(_) | Value::Doc(_), None) => Ok(vec![BlameOf::Page]),
        (Value::Design(_), Some(node)) => Ok(vec![BlameOf::Node(node.to_owned())]),
        (Value::Code(_), Some(path)) => Ok(vec![BlameOf::File(path.to_owned())]),
        (Value::Code(code), None) => Ok(code.files().map(|(path, _)| BlameOf::File(path.to_string())).collect()),
        (value, _) => Err(Failure::Usage(format!(
            "a {} page is blamed as a whole: `recto log` tells who wrote it",
            value.kind()
        ))),
    }
}

fn tell(value: &Value, of: &BlameOf, blame: &PageBlame, out: &mut Out) -> Result<(), Failure> {
    let events: HashMap<u64, &PageEvent> = blame.events.iter().map(|event| (event.version(), event)).collect();
    let rows = match &blame.found {
        Found::Fields(fields) => fields
            .iter()
            .map(|field| {
                let subject = subject(&field.subject.to_json());
                let what = if field.pointer.is_empty() {
                    subject
                } else {
                    field.pointer.clone()
                };
                row(out, &events, field.version, what)
            })
            .collect(),
        Found::Text { lines, .. } => {
            let text = text(value, of);
            let texts: Vec<&str> = text.split('\n').collect();
            lines
                .iter()
                .map(|line| {
                    let text = texts.get(line.line - 1).copied().unwrap_or_default();
                    let version = line.event.map(|EditId(version)| version);
                    row(out, &events, version, format!("{:>4} {text}", line.line))
                })
                .collect()
        }
    };
    let head = out.paint(STRONG, format!("{of} at version {}", blame.version));
    out.line(head)?;
    out.table(&["VERSION", "WHEN", "WHO", "WHAT"], &[0], rows)?;
    if blame.since > 1 {
        let older = format!("what is older than version {} was not looked at", blame.since);
        out.line(out.paint(DIM, older))?;
    }
    Ok(())
}

fn row(out: &Out, events: &HashMap<u64, &PageEvent>, version: Option<u64>, what: String) -> Vec<String> {
    let event = version.and_then(|version| events.get(&version));
    let version = version.map_or_else(|| OLDER.to_owned(), |version| version.to_string());
    vec![
        out.paint(VERSION, version),
        event.map_or_else(String::new, |event| time(event.event.time_ms)),
        event.map_or_else(String::new, |event| out.paint(NAME, &event.event.actor)),
        what,
    ]
}

/// `node "title"`, `attributes`.
fn subject(json: &Json) -> String {
    let fields = json.as_object().into_iter().flatten();
    let words = fields.map(|(name, value)| match value {
        Json::String(id) => format!("{name} {id:?}"),
        _ => name.clone(),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn text(value: &Value, of: &BlameOf) -> String {
    match (value, of) {
        (Value::Doc(doc), _) => doc.text().to_plain(),
        (Value::Code(code), BlameOf::File(path)) => code
            .file(path)
            .map(recto_projections::text::RichText::to_plain)
            .unwrap_or_default(),
        _ => String::new(),
    }
}

fn as_json(page: &PageKey, of: &BlameOf, blame: &PageBlame) -> Json {
    let version = |edit: Option<EditId>| edit.map(|EditId(version)| version);
    let (fields, runs, lines) = match &blame.found {
        Found::Fields(fields) => {
            let fields = fields.iter().map(
                |field| json!({ "of": field.subject.to_json(), "pointer": field.pointer, "version": field.version }),
            );
            (Some(fields.collect::<Vec<_>>()), None, None)
        }
        Found::Text { runs, lines } => {
            let mut at = 0;
            let runs = runs.iter().map(|run| {
                at += run.units;
                json!({ "at": at - run.units, "length": run.units, "version": version(run.event),
                    "formatted": version(run.format) })
            });
            let runs = runs.collect::<Vec<_>>();
            let lines = lines
                .iter()
                .map(|line| json!({ "line": line.line, "version": version(line.event) }));
            (None, Some(runs), Some(lines.collect::<Vec<_>>()))
        }
    };
    let events = blame.events.iter().map(|event| {
        json!({ "version": event.version(), "actor": event.event.actor, "turn": event.event.turn,
            "time": time_full(event.event.time_ms), "cause": event.cause() })
    });
    json!({
        "page": page.page.as_str(),
        "of": of.to_string(),
        "version": blame.version,
        "since": blame.since,
        "fields": fields,
        "runs": runs,
        "lines": lines,
        "events": events.collect::<Vec<_>>(),
    })
}
