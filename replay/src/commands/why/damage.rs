//! A receipt that cannot be read, or whose events cannot: what lies there is shown, and what can still be said.

use recto_pages::PageKey;
use recto_store::{Key, KeyPrefix, Receipt, frames};
use serde_json::{Value as Json, json};

use crate::args::Why;
use crate::failure::{Code, Failure};
use crate::history::Found;
use crate::out::{BAD, DIM, NAME, Out, STRONG, VERSION, time, time_full};
use crate::source::Source;
use crate::telling;

/// The most receipts of one id that are looked at.
const RECEIPTS_MAX: usize = 100;

/// What lies where the receipt of a command is.
struct Remains {
    page: PageKey,
    bytes: Vec<u8>,
    receipt: Result<Receipt, String>,
    /// The events that name the command.
    events: Vec<Found>,
}

pub(super) async fn tell(source: &Source, asked: &Why, what: &str, out: &mut Out) -> Result<Code, Failure> {
    for remains in remains(source, asked).await? {
        if out.json {
            out.json(&remains.json(asked, what))?;
        } else {
            remains.tell(asked, what, out)?;
        }
    }
    Ok(Code::Damaged)
}

async fn remains(source: &Source, asked: &Why) -> Result<Vec<Remains>, Failure> {
    let prefix = KeyPrefix::Command {
        scope: source.scope.clone(),
        command: asked.command.clone(),
    };
    let mut all = Vec::new();
    for (key, entry) in source.engine().latest(&prefix, None, RECEIPTS_MAX).await? {
        let Key::Command { scope, page, .. } = key else {
            continue;
        };
        if asked.page.as_ref().is_some_and(|asked| *asked != page) {
            continue;
        }
        let page = PageKey::new(scope, page);
        let receipt = frames::open_receipt(&page, &asked.command, &entry).map_err(|fault| fault.to_string());
        all.push(Remains {
            events: events(source, &page, asked, receipt.as_ref().ok()).await?,
            page,
            bytes: entry.value.to_vec(),
            receipt,
        });
    }
    Ok(all)
}

/// The events that the receipt names, where it can be read; else those that name the command, which takes going over
/// the page's whole history.
async fn events(
    source: &Source,
    page: &PageKey,
    asked: &Why,
    receipt: Option<&Receipt>,
) -> Result<Vec<Found>, Failure> {
    let versions = match receipt {
        Some(receipt) => match receipt.versions {
            Some(versions) => versions.range(),
            None => return Ok(Vec::new()),
        },
        None => 1..=source.head(page).await.unwrap_or_default(),
    };
    let (mut at, last) = versions.into_inner();
    let mut events = Vec::new();
    while at <= last {
        for found in source.events(page, at..=last).await? {
            at = found.version() + 1;
            let names_it = found.event().is_some_and(|event| event.event.command == asked.command);
            if receipt.is_some() || names_it {
                events.push(found);
            }
        }
    }
    Ok(events)
}

impl Remains {
    fn json(&self, asked: &Why, what: &str) -> Json {
        let receipt = self.receipt.as_ref();
        let events: Vec<_> = self.events.iter().map(|found| telling::json(found, &[])).collect();
        json!({
            "command": asked.command.as_str(),
            "page": self.page.page.as_str(),
            "damage": receipt.err().map_or(what, String::as_str),
            "raw": telling::hex(&self.bytes),
            "bytes": self.bytes.len(),
            "receipt": receipt.ok().map(|receipt| json!({
                "version": receipt.head_version,
                "time": time_full(receipt.time_ms),
                "outcome": String::from_utf8_lossy(&receipt.outcome),
            })),
            "events": events,
        })
    }

    fn tell(&self, asked: &Why, what: &str, out: &mut Out) -> Result<(), Failure> {
        let command = out.paint(STRONG, format_args!("command {}", asked.command));
        let page = out.paint(NAME, &self.page.page);
        match &self.receipt {
            Ok(receipt) => {
                let damage = out.paint(BAD, what);
                out.line(format_args!(
                    "{command} on page {page}: its answer cannot be given: {damage}"
                ))?;
                let outcome = String::from_utf8_lossy(&receipt.outcome);
                let told = format!(
                    "{}; then version {}; outcome {outcome:?}",
                    time(receipt.time_ms),
                    receipt.head_version
                );
                out.line(out.paint(DIM, told))?;
            }
            Err(reason) => {
                let damage = out.paint(BAD, reason);
                out.line(format_args!(
                    "{command} on page {page}: its receipt cannot be read: {damage}"
                ))?;
                out.line(format_args!(
                    "    {} bytes: {}",
                    self.bytes.len(),
                    telling::hex(&self.bytes)
                ))?;
                let told = match self.events.len() {
                    0 => "no event of the page names the command: it changed nothing, or they are damaged too",
                    _ => "these events of the page name the command, so it was carried out:",
                };
                out.line(told)?;
            }
        }
        for found in &self.events {
            out.line(line_of(found, out))?;
        }
        out.line("`recto verify` tells what is damaged, and what can be done.")?;
        Ok(())
    }
}

fn line_of(found: &Found, out: &Out) -> String {
    let version = out.paint(VERSION, found.version());
    match found {
        Found::Event(event) => {
            let kind = event.kind().map_or("an unknown kind", |kind| kind.as_str());
            let at = time(event.event.time_ms);
            format!("{version}  {at}  {}  {kind}", out.paint(NAME, &event.event.actor))
        }
        Found::Damaged(damaged) => format!("{version}  {}", out.paint(BAD, format!("damaged: {}", damaged.reason))),
    }
}
