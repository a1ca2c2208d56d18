//! Histories made event by event, right or wrong: in a folder below the page service, or as a file.

use std::path::Path;

use bytes::Bytes;
use recto_pages::{EventKind, PageMeta};
use recto_projections::{Delta, Kind, Value};
use recto_replay::file::{EventItem, Header, Item, ReceiptItem, Writer};
use recto_store::{Durability, Event, Guard, Key, PageKey, Put, Receipt, Span, frames};
use serde_json::{Value as Json, json};

use crate::support::{self, id};

/// A page of the story's workspace.
pub(crate) fn key(page: &str) -> PageKey {
    PageKey::new(id("default"), id(page))
}

/// The receipt of one event.
pub(crate) fn receipt(event: &Event) -> Receipt {
    Receipt {
        versions: Some(Span {
            first: event.version,
            last: event.version,
        }),
        positions: None,
        head_version: event.version,
        head_hash: event.hash,
        time_ms: event.time_ms,
        fingerprint: [9; 32],
        outcome: Bytes::from_static(b"deltas 0"),
        durability: Durability::Synced,
        index: 0,
    }
}

/// Appends an event below the page service: one that changes nothing, edited; its bytes may be changed once more.
pub(crate) async fn append(
    writer: &support::Writer,
    page: &str,
    edit: impl FnOnce(&mut Event),
    harm: impl FnOnce(&mut Vec<u8>),
) -> u64 {
    let page = key(page);
    let engine = writer.engine();
    let last = engine.last(&Key::event(&page)).await.unwrap().unwrap();
    let last = frames::open_event(&page, &last).unwrap();
    let kind = writer.pages.kind_of(&page.scope, &page.page).await.unwrap();
    let nothing: Bytes = Delta::empty(kind).to_bytes().unwrap().into();
    let mut event = Event {
        version: last.version + 1,
        command: id("bad"),
        prev_hash: last.hash,
        kind: EventKind::Edit.code(),
        cause: None,
        delta: nothing.clone(),
        inverse: nothing,
        ..last
    };
    edit(&mut event);
    let mut sealed = frames::seal_event(&page, &event).unwrap();
    event.hash = sealed.hash;
    let mut bytes = sealed.put.value.to_vec();
    harm(&mut bytes);
    sealed.put.value = bytes.into();
    let receipt = frames::seal_receipt(&page, &event.command, &receipt(&event)).unwrap();
    put(writer, vec![(sealed.put, event.version - 1), (receipt, 0)]).await;
    event.version
}

/// Puts entries as they are, each behind a revision.
pub(crate) async fn put(writer: &support::Writer, puts: Vec<(Put, u64)>) {
    let guards = puts.iter().map(|(put, revision)| Guard {
        key: put.key.clone(),
        revision: *revision,
    });
    let guards = guards.collect();
    let puts = puts.into_iter().map(|(put, _)| put).collect();
    writer.engine().commit(0, guards, puts).await.unwrap();
}

/// The items of a CODE page: it is made, and then so many letters are typed, each by a command of its own.
pub(crate) fn typed(page: &PageKey, letters: u64) -> (Header, Vec<Item>) {
    let mut value = Value::empty(Kind::Code);
    let first = Value::from_json(Kind::Code, &json!({ "files": { "main.rs": "" } })).unwrap();
    let delta = value.diff(&first).unwrap();
    let (mut items, mut hash) = (Vec::new(), [0; 32]);
    let mut next = |version: u64, delta: &Delta, hash: &mut [u8; 32]| {
        let applied = value.apply(delta).unwrap();
        let kind = if version == 1 {
            EventKind::Create
        } else {
            EventKind::Edit
        };
        let mut event = Event {
            version,
            position: 0,
            command: id(&format!("c-{version}")),
            prev_hash: *hash,
            hash: [0; 32],
            kind: kind.code(),
            schema: 1,
            time_ms: 1_780_000_000_000,
            actor: "user:anna".to_owned(),
            turn: None,
            cause: None,
            epoch: 0,
            flags: 0,
            delta: applied.delta.to_bytes().unwrap().into(),
            inverse: applied.inverse.to_bytes().unwrap().into(),
            digest: *value.digest().as_bytes(),
        };
        event.hash = frames::seal_event(page, &event).unwrap().hash;
        *hash = event.hash;
        let receipt = receipt(&event);
        items.push(Item::Receipt(ReceiptItem::Whole {
            command: event.command.clone(),
            receipt: Box::new(receipt),
            damage: None,
        }));
        let last = items.len() - 1;
        items.insert(
            last,
            Item::Event(EventItem::Whole {
                event: Box::new(event),
                damage: None,
            }),
        );
    };
    next(1, &delta, &mut hash);
    for version in 2..letters + 2 {
        let edit = json!([{ "op": "editFile", "path": "main.rs", "delta": [{ "insert": "x" }] }]);
        next(version, &Delta::from_json(Kind::Code, &edit).unwrap(), &mut hash);
    }
    (header(page, letters + 1, &first), items)
}

/// Writes items to a file.
pub(crate) fn write(path: &Path, header: &Header, items: &[Item]) {
    let mut writer = Writer::new(std::fs::File::create(path).unwrap(), header).unwrap();
    for item in items {
        writer.write(item).unwrap();
    }
    writer.finish().unwrap();
}

fn header(page: &PageKey, events: u64, first: &Value) -> Header {
    let record = json!({ "v": 1, "kind": "CODE", "file": null, "createdMs": 1_780_000_000_000_i64,
        "content": "00".repeat(32) });
    let meta = PageMeta::from_record(record.to_string().as_bytes()).unwrap();
    let record = String::from_utf8(meta.with_content(None, first).to_record()).unwrap();
    let json: Json = json!({ "recto": "page history", "format": 1, "about": "made by a test",
        "workspace": page.scope.as_str(), "page": page.page.as_str(), "kind": "CODE", "file": null,
        "created": null, "record": record, "store": 1, "events": events, "standIns": false });
    serde_json::from_value(json).unwrap()
}
