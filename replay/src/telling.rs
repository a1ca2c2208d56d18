//! An event in words and as JSON.

use recto_pages::{EventFlags, EventKind, PageEvent};
use recto_projections::Value;
use recto_projections::words::describe;
use serde_json::{Value as Json, json};

use crate::history::{Damaged, Found};
use crate::out::time_full;

/// The bytes of a damaged event that are shown.
const RAW_BYTES_SHOWN: usize = 64;

/// What an event did, in words: a sentence each. `before` is the state that it changed.
#[must_use]
pub fn words(found: &Found, before: &Value) -> Vec<String> {
    let event = match found {
        Found::Event(event) => event,
        Found::Damaged(damaged) => return vec![damaged_words(damaged)],
    };
    let kind = match event.kind() {
        Ok(kind) => kind,
        Err(fault) => return vec![fault.to_string()],
    };
    let mut all: Vec<String> = lead(event, kind).into_iter().collect();
    match event.delta() {
        Ok(Some(delta)) => all.extend(describe(&delta, before)),
        Ok(None) => {}
        Err(fault) => all.push(fault.to_string()),
    }
    if all.is_empty() {
        all.push("changed nothing".to_owned());
    }
    all
}

/// What kind of event it is, where the change alone does not say it.
fn lead(event: &PageEvent, kind: EventKind) -> Option<String> {
    let cause = event.cause().unwrap_or_default();
    Some(match kind {
        EventKind::Edit => return None,
        EventKind::Create => "made the page".to_owned(),
        EventKind::Delete => "deleted the page".to_owned(),
        EventKind::Undelete => "brought the page back".to_owned(),
        EventKind::Rebalance => "made long order keys short".to_owned(),
        EventKind::Undo => format!("undid {cause}"),
        EventKind::Redo => format!("redid {cause}"),
        EventKind::Restore => format!("restored version {cause}"),
        EventKind::Trajectory => "noted what an agent did in a chat".to_owned(),
    })
}

fn damaged_words(damaged: &Damaged) -> String {
    match &damaged.bytes {
        Some(bytes) => format!(
            "cannot be read: {} ({} bytes: {})",
            damaged.reason,
            bytes.len(),
            hex(bytes)
        ),
        None => format!("cannot be read: {}", damaged.reason),
    }
}

/// The first bytes in hexadecimal.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes.iter().take(RAW_BYTES_SHOWN) {
        text.push_str(&format!("{byte:02x}"));
    }
    if bytes.len() > RAW_BYTES_SHOWN {
        text.push('…');
    }
    text
}

/// An event in the form of the API, with its words; of a damaged one what can be said.
#[must_use]
pub fn json(found: &Found, words: &[String]) -> Json {
    match found {
        Found::Event(event) => event_json(event, words),
        Found::Damaged(damaged) => json!({
            "version": damaged.version,
            "damage": damaged.reason,
            "bytes": damaged.bytes.as_ref().map(|bytes| bytes.len()),
            "raw": damaged.bytes.as_ref().map(|bytes| hex(bytes)),
        }),
    }
}

fn event_json(page_event: &PageEvent, words: &[String]) -> Json {
    let event = &*page_event.event;
    let (delta, inverse) = (page_event.delta(), page_event.inverse());
    let damage = delta.as_ref().err().or(inverse.as_ref().err()).map(ToString::to_string);
    let mut json = json!({
        "page": page_event.page.page.as_str(),
        "version": event.version,
        "epoch": event.epoch,
        "position": event.position,
        "kind": page_event.kind().map_or_else(|_| json!(event.kind), |kind| json!(kind.as_str())),
        "undoable": page_event.is_undoable(),
        "forced": page_event.flags().has(EventFlags::FORCED),
        "time": time_full(event.time_ms),
        "actor": event.actor,
        "turn": event.turn,
        "command": event.command.as_str(),
        "cause": event.cause.map(|cause| json!({
            "kind": EventKind::from_code(cause.kind).map_or_else(|| json!(cause.kind), |kind| json!(kind.as_str())),
            "version": cause.version,
        })),
        "words": words,
        "bytes": event.delta.len() + event.inverse.len(),
        "digest": page_event.digest().to_string(),
        "hash": hash(event.hash),
        "prevHash": hash(event.prev_hash),
        "delta": delta.ok().flatten().map(|delta| delta.to_json()),
        "inverse": inverse.ok().flatten().map(|inverse| inverse.to_json()),
    });
    if let (Some(damage), Some(map)) = (damage, json.as_object_mut()) {
        map.insert("damage".to_owned(), damage.into());
    }
    json
}

/// A hash in hexadecimal.
#[must_use]
pub fn hash(hash: [u8; 32]) -> String {
    blake3::Hash::from_bytes(hash).to_hex().to_string()
}
