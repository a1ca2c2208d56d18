//! `recto pages`: what pages there are.

use recto_pages::{EventKind, PageKey, PageMeta};
use recto_store::{Key, Limit};
use serde_json::{Value as Json, json};

use crate::args::Pages;
use crate::failure::{Code, Failure};
use crate::history::Found;
use crate::out::{BAD, DIM, NAME, Out, VERSION, time, time_full};
use crate::source::Source;
use crate::verify;

/// Events read at a time.
const READ: Limit = Limit::entries(4096);

/// A page in the list. What is damaged is told by its reason.
struct Listed {
    page: PageKey,
    meta: Result<PageMeta, String>,
    newest: Found,
    bytes: u64,
}

pub(super) async fn run(source: &Source, asked: &Pages, out: &mut Out) -> Result<Code, Failure> {
    let mut rows = Vec::new();
    let mut code = Code::Ok;
    let roster = source.roster().await?;
    for (id, head) in &roster.heads {
        let page = source.key(id);
        if source.is_chat(&page).await? {
            continue;
        }
        let listed = Listed::of(source, page, *head).await?;
        if !listed.is_asked(asked) {
            continue;
        }
        if listed.meta.is_err() || listed.newest.event().is_none() {
            code = Code::Found;
        }
        if out.json {
            out.json(&listed.json())?;
        } else {
            rows.push(listed.row(out));
        }
    }
    if !out.json {
        let count = rows.len();
        let head = ["PAGE", "KIND", "VERSION", "BYTES", "LAST EDIT", "BY", "FILE"];
        out.table(&head, &[2, 3], rows)?;
        let seen = format!("{count} pages of workspace {}; {}", source.scope, source.what.words());
        out.line(out.paint(DIM, seen))?;
    }
    if let Some(damage) = &roster.damage {
        code = Code::Found;
        tell_damage(damage, out)?;
    }
    Ok(code)
}

/// Tells why the pages are those that the receipts know.
fn tell_damage(damage: &verify::Found, out: &mut Out) -> Result<(), Failure> {
    if out.json {
        let told = json!({ "code": damage.class.code(), "place": damage.place.to_string(), "what": damage.what });
        return Ok(out.json(&json!({ "damage": told }))?);
    }
    let code = out.paint(BAD, damage.class.code());
    out.line(format_args!(
        "{code}  {}: {}; these are the pages that the receipts know, and `recto verify` tells what is whole",
        damage.place, damage.what
    ))?;
    Ok(())
}

impl Listed {
    async fn of(source: &Source, page: PageKey, head: u64) -> Result<Self, Failure> {
        Ok(Self {
            meta: source
                .pages
                .meta_of(&page.scope, &page.page)
                .await
                .map_err(|fault| fault.to_string()),
            newest: source.event(&page, head).await?,
            bytes: bytes_of(source, &page).await?,
            page,
        })
    }

    fn is_asked(&self, asked: &Pages) -> bool {
        let file = asked.file.as_ref().map(|file| file.as_str());
        let in_file = file.is_none_or(|file| self.meta.as_ref().is_ok_and(|meta| meta.file.as_deref() == Some(file)));
        in_file && !(asked.existing && self.is_deleted())
    }

    fn is_deleted(&self) -> bool {
        let event = self.newest.event();
        event.is_some_and(|event| event.kind().is_ok_and(|kind| kind == EventKind::Delete))
    }

    fn json(&self) -> Json {
        let newest = self.newest.event().map(|event| &event.event);
        let meta = self.meta.as_ref().ok();
        let mut json = json!({
            "page": self.page.page.as_str(),
            "kind": meta.map(|meta| meta.kind.as_str()),
            "version": self.newest.version(),
            "epoch": newest.map(|event| event.epoch),
            "bytes": self.bytes,
            "made": meta.map(|meta| time_full(meta.created_ms)),
            "lastEdit": newest.map(|event| time_full(event.time_ms)),
            "actor": newest.map(|event| &event.actor),
            "file": meta.and_then(|meta| meta.file.as_ref()),
            "deleted": self.is_deleted(),
        });
        let damage = match (&self.meta, &self.newest) {
            (Err(fault), _) => Some(fault.clone()),
            (_, Found::Damaged(damaged)) => Some(damaged.reason.clone()),
            _ => None,
        };
        if let (Some(damage), Some(map)) = (damage, json.as_object_mut()) {
            map.insert("damage".to_owned(), damage.into());
        }
        json
    }

    fn row(&self, out: &Out) -> Vec<String> {
        let damaged = || out.paint(BAD, "damaged");
        let newest = self.newest.event().map(|event| &event.event);
        let deleted = if self.is_deleted() {
            out.paint(BAD, " (deleted)")
        } else {
            String::new()
        };
        vec![
            format!("{}{deleted}", out.paint(NAME, &self.page.page)),
            self.meta
                .as_ref()
                .map_or_else(|_| damaged(), |meta| meta.kind.to_string()),
            out.paint(VERSION, self.newest.version()),
            self.bytes.to_string(),
            newest.map_or_else(damaged, |event| time(event.time_ms)),
            newest.map_or_else(damaged, |event| event.actor.clone()),
            self.meta
                .as_ref()
                .ok()
                .and_then(|meta| meta.file.clone())
                .unwrap_or_default(),
        ]
    }
}

/// What the events of a page take in the log, before compression; up to the first hole.
async fn bytes_of(source: &Source, page: &PageKey) -> Result<u64, Failure> {
    let key = Key::event(page);
    let (mut bytes, mut after) = (0, 0);
    while let Ok(entries) = source.engine().history(&key, after, READ).await {
        let Some(last) = entries.last() else { break };
        after = last.revision;
        bytes += entries.iter().map(|entry| entry.value.len() as u64).sum::<u64>();
    }
    Ok(bytes)
}
