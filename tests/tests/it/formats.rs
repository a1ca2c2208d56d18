//! A store written by an earlier program: every entry of a small one, kept in
//! `tests/fixtures/format-1.json`, byte for byte. It opens, it reads as it was read then, and
//! reading it changes nothing.
//!
//! The file is written once for a format, by running the tests with `RECTO_BLESS=1`, and never
//! again after a release.

use std::path::PathBuf;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use recto_pages::projections::{Delta, Kind, Value};
use recto_pages::{At, Base, EventRange, ReadError, Way};
use recto_store::{Append, CommandClaim, DerivedKey, Engine, Expected, Key, MemoryEngine, Near, NewEvent};
use recto_tests::service::{Ground, SCOPE, Service, id, key, tight};
use recto_tests::{Json, wait};
use serde_json::json;

const BLESS_VARIABLE: &str = "RECTO_BLESS";
const PAGES: [(&str, Kind); 4] = [
    ("design", Kind::Design),
    ("doc", Kind::Doc),
    ("code", Kind::Code),
    ("sheet", Kind::Sheet),
];

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/format-1.json")
}

#[tokio::test]
async fn s26_a_store_of_an_earlier_program_reads_as_it_did_then() {
    if std::env::var_os(BLESS_VARIABLE).is_some() {
        let kept = keep(&small_store().await).await;
        std::fs::write(file(), in_lines(&kept)).expect("the file is written");
    }
    let kept: Json = serde_json::from_slice(&std::fs::read(file()).expect("the kept store")).unwrap();
    let engine = Arc::new(MemoryEngine::new());
    for entry in kept["entries"].as_array().expect("entries") {
        let key = Key::decode(&bytes(&entry["key"])).expect("a key of this format");
        let number = |field: &str| entry[field].as_u64().expect("a number");
        engine.insert(
            key,
            number("revision"),
            number("position"),
            bytes(&entry["value"]).into(),
        );
    }
    for snapshot in kept["snapshots"].as_array().expect("snapshots") {
        let page = key(snapshot["page"].as_str().unwrap());
        let derived = DerivedKey::new(&page, snapshot["version"].as_u64().unwrap());
        engine
            .put_derived(derived, bytes(&snapshot["value"]).into())
            .await
            .expect("it is put");
    }
    let service = Ground::Memory(engine).open(tight()).await;
    let before = service.bytes().await;
    assert_eq!(told(&service).await, kept["told"]);
    assert_eq!(service.bytes().await, before, "reading an old store changes it");
    for (page, _) in PAGES {
        let verified = service.verify(page).await;
        assert_eq!(verified.damage, None);
        assert!(
            verified.snapshots > 0 || page == "sheet",
            "{page} has no snapshot that fits"
        );
    }
}

/// An event of a payload that only a later program knows is refused by what it is; what came
/// before it is served, and nothing else suffers.
#[tokio::test]
async fn g7_an_event_of_a_later_program_is_refused_and_the_rest_is_served() {
    for (kind, schema) in [(99, 1), (2, 9)] {
        let mut service = small_store().await;
        let head = service
            .pages
            .store()
            .head(&key("code"))
            .await
            .unwrap()
            .expect("a head")
            .version;
        let event = NewEvent {
            kind,
            schema,
            time_ms: 1_800_000_000_000,
            actor: "user:later".to_owned(),
            turn: None,
            cause: None,
            epoch: 0,
            flags: 0,
            delta: Bytes::from_static(b"\xfe\x01later"),
            inverse: Bytes::from_static(b"\xfe\x01later"),
            digest: [7; 32],
        };
        let command = CommandClaim {
            id: id("later"),
            fingerprint: [1; 32],
            time_ms: 1_800_000_000_000,
            outcome: Bytes::from_static(b"later"),
        };
        let append = Append {
            page: key("code"),
            expected: Expected::Exactly(head),
            events: vec![event],
            command,
            records: Vec::new(),
        };
        service
            .pages
            .store()
            .append(append)
            .await
            .expect("the store keeps any bytes");
        service.reopen().await;
        let refused = service.read("code", At::Head).await;
        assert!(
            matches!(refused, Err(ReadError::Corrupt { version, .. }) if version == head + 1),
            "{refused:?}"
        );
        for version in 1..=head {
            for way in [Way::Nearest, Way::FromStart, Way::FromSnapshot] {
                let state = service.read_by("code", At::Version(version), way).await;
                assert!(state.is_ok(), "{version} {way:?}: {state:?}");
            }
        }
        assert!(service.read("doc", At::Head).await.is_ok());
        let outcome = service.pages.command(&id(SCOPE), &id("later"), None).await;
        assert!(matches!(outcome, Err(ReadError::Corrupt { .. })), "{outcome:?}");
    }
}

/// A store with a page of each kind, a deleted one among them, batches, a command without
/// events, and snapshots.
async fn small_store() -> Service {
    let service = Ground::memory().open(tight()).await;
    let base = |version| Base { version, epoch: 0 };
    for (page, kind) in PAGES {
        let value = Value::from_json(kind, &first(kind)).expect("a legal value");
        service
            .create(page, value, &format!("make {page}"))
            .await
            .expect("a page");
        let mut version = 1;
        for step in 0..3 {
            let deltas =
                [change(kind, step), change(kind, step + 100)].map(|delta| Delta::from_json(kind, &delta).unwrap());
            let written = service
                .submit(page, base(version), deltas.to_vec(), &format!("{page} {step}"))
                .await;
            version = written.expect("a change").version;
        }
        let same = service.read(page, At::Head).await.unwrap().value.to_json();
        let unchanged = service
            .replace(page, base(version), same, &format!("{page} same"))
            .await
            .expect("no change");
        assert_eq!((unchanged.version, unchanged.events.len()), (version, 0));
        if kind == Kind::Doc {
            service
                .set_deleted(page, base(version), true, "hide")
                .await
                .expect("it is hidden");
            service
                .set_deleted(page, base(version + 1), false, "show")
                .await
                .expect("it is back");
        }
        wait::until_async("a snapshot", async || {
            (!service
                .pages
                .store()
                .snapshot_versions(&key(page))
                .await
                .unwrap()
                .is_empty())
            .then_some(())
        })
        .await;
    }
    service
}

fn first(kind: Kind) -> Json {
    match kind {
        Kind::Design => {
            json!({ "attributes": { "presetId": "whiteboard" }, "nodes": { "g": { "type": "group", "parentId": null } } })
        }
        Kind::Doc => {
            json!([{ "insert": "é😀" }, { "insert": { "image": "x" } }, { "insert": "\n" }])
        }
        Kind::Code => json!({ "files": { "a": "x\r\n", "b": "" }, "entry": "a" }),
        Kind::Sheet => serde_json::from_str(r#"{"n":[1.0,-0,1e400]}"#).unwrap(),
    }
}

fn change(kind: Kind, step: u64) -> Json {
    match kind {
        Kind::Design => json!([
            { "op": "addNode", "node": { "id": format!("n{step}"), "type": "t", "parentId": "g", "props": { "s": step, "k": [] } } },
            { "op": "addToSet", "id": format!("n{step}"), "pointer": "/props/k", "values": [step] },
            { "op": "addBackground", "background": { "id": format!("b{step}"), "type": "color" }, "placement": "first" }
        ]),
        Kind::Doc => {
            json!([{ "insert": format!("{step}"), "attributes": { "b": { "u": step } } }, { "delete": 1 }])
        }
        Kind::Code => {
            json!([{ "op": "editFile", "path": "a", "delta": [{ "retain": 1 }, { "insert": format!("{step}") }] }])
        }
        Kind::Sheet => json!([{ "op": "replaceSheet", "value": step }]),
    }
}

/// Everything that the engine holds, and what is read from it.
async fn keep(service: &Service) -> Json {
    let mut entries = Vec::new();
    let meta = service
        .pages
        .store()
        .engine()
        .last(&Key::Meta)
        .await
        .unwrap()
        .expect("the store's description");
    let all = service.bytes().await.into_iter().chain([(Key::Meta, vec![meta])]);
    for (key, held) in all {
        for entry in held {
            let (key, value) = (STANDARD.encode(key.encode()), STANDARD.encode(&entry.value));
            entries.push(json!({ "key": key, "revision": entry.revision, "position": entry.position, "value": value }));
        }
    }
    let mut snapshots = Vec::new();
    for (page, _) in PAGES {
        for version in service.pages.store().snapshot_versions(&key(page)).await.unwrap() {
            let held = service
                .pages
                .store()
                .engine()
                .derived_near(&key(page), version, Near::AtOrBefore)
                .await
                .unwrap();
            let (_, value) = held.expect("the snapshot that is listed");
            snapshots.push(json!({ "page": page, "version": version, "value": STANDARD.encode(value) }));
        }
    }
    json!({ "told": told(service).await, "entries": entries, "snapshots": snapshots })
}

/// What the service tells of all pages: events with all their numbers, values, receipts.
async fn told(service: &Service) -> Json {
    let mut all = serde_json::Map::new();
    for (page, _) in PAGES {
        let (events, _) = service
            .events(
                page,
                EventRange::After {
                    version: 0,
                    limit: 1_000,
                },
            )
            .await;
        let mut versions = Vec::new();
        for event in &events {
            let state = service
                .read_by(page, At::Version(event.version()), Way::FromSnapshot)
                .await
                .expect("a state");
            let outcome = service
                .pages
                .command(&id(SCOPE), &event.event.command, Some(&id(page)))
                .await
                .expect("a receipt");
            versions.push(json!({
                "version": event.version(), "position": event.event.position, "command": event.event.command.as_str(),
                "kind": event.kind().unwrap().as_str(), "actor": event.event.actor, "time": event.event.time_ms,
                "hash": hex(&event.event.hash), "digest": event.digest().to_string(),
                "delta": event.delta().unwrap().map(|delta| delta.to_json()),
                "inverse": event.inverse().unwrap().map(|delta| delta.to_json()),
                "value": state.value.to_json().to_string(),
                "receipt": [outcome.written.version, outcome.written.events.len()],
            }));
        }
        all.insert(page.to_owned(), Json::Array(versions));
    }
    Json::Object(all)
}

/// JSON with an entry a line.
fn in_lines(kept: &Json) -> String {
    let fields = kept
        .as_object()
        .expect("an object")
        .iter()
        .map(|(name, held)| match held {
            Json::Array(items) => {
                let items: Vec<_> = items.iter().map(Json::to_string).collect();
                format!("{}:[\n{}\n]", json!(name), items.join(",\n"))
            }
            held => format!("{}:{held}", json!(name)),
        });
    format!("{{\n{}\n}}\n", fields.collect::<Vec<_>>().join(",\n"))
}

fn bytes(json: &Json) -> Vec<u8> {
    STANDARD.decode(json.as_str().expect("base 64")).expect("base 64")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
