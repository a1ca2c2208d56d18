//! Real histories through the page service: what was written at a version is what is read at
//! it, by every way, byte for byte.

use recto_pages::projections::{Delta, Kind, Value};
use recto_pages::{At, Base, Way};
use recto_tests::service::{Ground, Service, key, tight};
use recto_tests::{Json, corpora};
use serde_json::json;

const WAYS: [Way; 4] = [Way::Nearest, Way::FromStart, Way::FromSnapshot, Way::Backwards];

/// Every n-th version of a file, as whole values.
fn versions(name: &str, step: usize, most: usize) -> Option<Vec<String>> {
    let lines = corpora::lines(name)?.step_by(step).take(most);
    let mut texts: Vec<String> = lines
        .map(|line| line["text"].as_str().expect("a text").to_owned())
        .collect();
    texts.dedup();
    Some(texts)
}

async fn replace_and_compare(kind: Kind, texts: &[String], wrap: impl Fn(&str) -> Json) {
    let service = Ground::rocks().open(tight()).await;
    let first = Value::from_json(kind, &wrap(&texts[0])).expect("a legal value");
    service.create("p", first, "make").await.expect("a page");
    for (index, text) in texts.iter().enumerate().skip(1) {
        let base = Base {
            version: index as u64,
            epoch: 0,
        };
        let written = service
            .replace("p", base, wrap(text), &format!("c{index}"))
            .await
            .expect("a replace");
        assert_eq!(written.version, index as u64 + 1);
    }
    for (index, text) in texts.iter().enumerate() {
        let expected = Value::from_json(kind, &wrap(text)).expect("a legal value");
        compare(&service, index as u64 + 1, &expected, &WAYS).await;
    }
    assert_eq!(service.verify("p").await.damage, None);
}

async fn compare(service: &Service, version: u64, expected: &Value, ways: &[Way]) {
    for &way in ways {
        let state = service.read_by("p", At::Version(version), way).await;
        let state = state.unwrap_or_else(|fault| panic!("{version} {way:?}: {fault}"));
        assert_eq!(state.value.digest(), expected.digest(), "{version} {way:?}");
        assert!(
            state.value == *expected,
            "{version} {way:?} has the digest of another text"
        );
    }
}

#[tokio::test]
async fn a_readme_of_many_authors_comes_back_at_every_version() {
    let Some(texts) = versions("histories/awesome-readme.versions.jsonl.zst", 11, 80) else {
        return;
    };
    replace_and_compare(Kind::Doc, &texts, |text| json!([{ "insert": format!("{text}\n") }])).await;
}

#[tokio::test]
async fn a_dashboard_comes_back_at_every_version() {
    let Some(texts) = versions("histories/node-exporter-dashboard.versions.jsonl.zst", 8, 12) else {
        return;
    };
    replace_and_compare(
        Kind::Code,
        &texts,
        |text| json!({ "files": { "dashboard.json": text }, "entry": null }),
    )
    .await;
}

/// Keystrokes, one event each, against the states that were recorded in the middle.
#[tokio::test]
async fn keystrokes_come_back_at_every_checkpoint() {
    const KEYSTROKES: usize = 3_000;
    const BATCH: usize = 500;
    let Some(trace) = corpora::json("traces/seph-blog1.json.gz") else {
        return;
    };
    let service = Ground::rocks().open(tight()).await;
    let start = trace["startContent"].as_str().expect("a text");
    let mut text: Vec<u16> = start.encode_utf16().collect();
    service.create("p", code(&text), "make").await.expect("a page");
    let mut states = Vec::new();
    let edits = trace["txns"].as_array().expect("edits");
    let edits: Vec<&Json> = edits.iter().take(KEYSTROKES).collect();
    let mut version = 1;
    for (index, batch) in edits.chunks(BATCH).enumerate() {
        let mut changes = 0;
        let mut deltas = Vec::new();
        for edit in batch {
            let before = text.clone();
            deltas.push(type_in(&mut text, edit));
            changes += usize::from(text != before);
        }
        let base = Base { version, epoch: 0 };
        let written = service
            .submit("p", base, deltas, &format!("batch {index}"))
            .await
            .expect("a batch");
        version = written.version;
        assert_eq!(
            written.events.len(),
            changes,
            "an edit that changes something is an event"
        );
        states.push((version, code(&text)));
    }
    for (version, state) in &states {
        compare(&service, *version, state, &WAYS).await;
    }
    let snapshots = service
        .pages
        .store()
        .snapshot_versions(&key("p"))
        .await
        .expect("snapshots");
    assert!(!snapshots.is_empty());
}

fn code(text: &[u16]) -> Value {
    let text = String::from_utf16(text).expect("whole characters");
    Value::from_json(Kind::Code, &json!({ "files": { "f": text }, "entry": null })).expect("a legal value")
}

/// Types one edit of a trace into a text, and gives it as a delta.
fn type_in(text: &mut Vec<u16>, edit: &Json) -> Delta {
    let patches = edit["patches"].as_array().expect("patches");
    let ops: Json = patches
        .iter()
        .map(|patch| {
            let number = |index: usize| usize::try_from(patch[index].as_u64().expect("a number")).expect("a number");
            let (at, deleted, inserted) = (number(0), number(1), patch[2].as_str().expect("a text"));
            text.splice(at..at + deleted, inserted.encode_utf16());
            let mut delta = Vec::new();
            delta.extend((at > 0).then(|| json!({ "retain": at })));
            delta.extend((!inserted.is_empty()).then(|| json!({ "insert": inserted })));
            delta.extend((deleted > 0).then(|| json!({ "delete": deleted })));
            json!({ "op": "editFile", "path": "f", "delta": delta })
        })
        .collect();
    Delta::from_json(Kind::Code, &ops).expect("a legal delta")
}
