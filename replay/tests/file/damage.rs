//! Every kind of damage: its class, its place, what it means and what to do; and what can still be told.

use bytes::Bytes;
use recto_pages::PageMeta;
use recto_projections::{Delta, Kind, Value};
use recto_replay::file::{EventItem, Item, ReceiptItem};
use recto_store::{DerivedKey, Event, Key, frames};
use serde_json::{Value as Json, json};

use crate::crafted::{self, append, key, put, receipt};
use crate::support::{Folder, Ran, id, recto};

/// The first fault of a page, as `verify` tells it.
fn first_fault(ran: &Ran, page: &str) -> Json {
    assert_eq!(ran.code, 1, "{} {}", ran.out, ran.err);
    let lines = ran.lines();
    let told = lines.iter().find(|line| line["page"] == page).unwrap();
    assert_eq!(told["sound"], false);
    advised(&told["faults"][0])
}

/// The faults that belong to no page.
fn rest_faults(ran: &Ran) -> Vec<Json> {
    assert_eq!(ran.code, 1, "{} {}", ran.out, ran.err);
    let lines = ran.lines();
    let rest = lines.iter().find_map(|line| line.get("rest")).unwrap();
    rest["faults"].as_array().unwrap().iter().map(advised).collect()
}

fn advised(fault: &Json) -> Json {
    for sentence in ["meaning", "advice"] {
        assert!(fault[sentence].as_str().unwrap().ends_with('.'), "{fault}");
    }
    fault.clone()
}

/// Appends one bad event to the story's `app`, and tells what `verify` says of it.
async fn of_event(edit: impl FnOnce(&mut Event), harm: impl FnOnce(&mut Vec<u8>)) -> (Folder, Json) {
    let folder = Folder::with_story().await;
    let writer = folder.writer().await;
    let version = append(&writer, "app", edit, harm).await;
    writer.close().await;
    let fault = first_fault(&recto(&folder.data(), &["verify", "--json"]), "app");
    assert_eq!(fault["version"], version, "{fault}");
    let human = recto(&folder.data(), &["verify", "app"]);
    assert!(
        human.out.contains(fault["code"].as_str().unwrap()) && human.out.contains("to do"),
        "{}",
        human.out
    );
    // What is before it can be told, and from where on it is uncertain.
    let shown = recto(&folder.data(), &["show", "app", "--at", "3", "--as", "json"]);
    assert_eq!((shown.code, &shown.json()["uncertainSince"]), (0, &Json::Null));
    assert!(recto(&folder.data(), &["log", "app", "--json"]).lines().len() == 4);
    (folder, fault)
}

fn uncertain_since_4(folder: &Folder) {
    let shown = recto(&folder.data(), &["show", "app", "--as", "json"]);
    assert_eq!(
        (shown.code, &shown.json()["uncertainSince"]),
        (1, &4.into()),
        "{}",
        shown.err
    );
    let log = recto(&folder.data(), &["log", "app", "--json"]);
    assert_eq!((log.code, &log.lines()[0]["uncertainSince"]), (1, &4.into()));
}

fn code_delta(json: &Json) -> Bytes {
    Delta::from_json(Kind::Code, json).unwrap().to_bytes().unwrap().into()
}

#[tokio::test]
async fn flipped_bits_in_an_event() {
    let (folder, fault) = of_event(|_| {}, |bytes| bytes[60] ^= 4).await;
    assert_eq!(fault["code"], "event_damaged");
    uncertain_since_4(&folder);
}

#[tokio::test]
async fn an_event_of_a_newer_program() {
    let (_, fault) = of_event(|event| event.kind = 200, |_| {}).await;
    assert_eq!(fault["code"], "event_unknown");
}

#[tokio::test]
async fn a_broken_chain() {
    let (_, fault) = of_event(|event| event.prev_hash = [7; 32], |_| {}).await;
    assert_eq!(fault["code"], "chain_broken");
}

#[tokio::test]
async fn a_delta_that_does_not_decode() {
    let (folder, fault) = of_event(|event| event.delta = Bytes::from_static(b"\x01\x01\x09"), |_| {}).await;
    assert_eq!(fault["code"], "delta_undecodable");
    let log = recto(&folder.data(), &["log", "app", "--json"]);
    assert!(log.lines()[0]["damage"].is_string(), "{}", log.out);
}

#[tokio::test]
async fn a_delta_that_does_not_apply() {
    let (_, fault) = of_event(
        |event| event.delta = code_delta(&json!([{ "op": "removeFile", "path": "none" }])),
        |_| {},
    )
    .await;
    assert_eq!(fault["code"], "delta_wrong");
}

#[tokio::test]
async fn a_delta_that_leads_elsewhere() {
    let edit = |event: &mut Event| event.delta = code_delta(&json!([{ "op": "addFile", "path": "new", "text": "" }]));
    let (folder, fault) = of_event(edit, |_| {}).await;
    assert_eq!(fault["code"], "delta_wrong");
    uncertain_since_4(&folder);
}

#[tokio::test]
async fn a_wrong_digest() {
    let (folder, fault) = of_event(|event| event.digest[0] ^= 1, |_| {}).await;
    assert_eq!(fault["code"], "digest_wrong");
    uncertain_since_4(&folder);
}

#[tokio::test]
async fn an_inverse_that_does_not_decode() {
    let (_, fault) = of_event(|event| event.inverse = Bytes::from_static(b"\x01\x01\x09"), |_| {}).await;
    assert_eq!(fault["code"], "inverse_undecodable");
}

#[tokio::test]
async fn a_wrong_inverse() {
    let edit = |event: &mut Event| event.inverse = code_delta(&json!([{ "op": "addFile", "path": "new", "text": "" }]));
    let (folder, fault) = of_event(edit, |_| {}).await;
    assert_eq!(fault["code"], "inverse_wrong");
    assert_eq!(recto(&folder.data(), &["show", "app", "--as", "json"]).code, 0);
}

#[tokio::test]
async fn of_two_wrong_events_the_first_is_named() {
    let folder = Folder::with_story().await;
    let writer = folder.writer().await;
    let wrong = code_delta(&json!([{ "op": "addFile", "path": "new", "text": "" }]));
    append(&writer, "app", |event| event.inverse = wrong.clone(), |_| {}).await;
    append(
        &writer,
        "app",
        |event| (event.command, event.inverse) = (id("bad2"), wrong),
        |_| {},
    )
    .await;
    append(
        &writer,
        "app",
        |event| (event.command, event.digest) = (id("bad3"), [1; 32]),
        |_| {},
    )
    .await;
    writer.close().await;
    let fault = first_fault(&recto(&folder.data(), &["verify", "--json"]), "app");
    assert_eq!(
        (&fault["code"], &fault["version"]),
        (&"inverse_wrong".into(), &4.into())
    );
}

#[tokio::test]
async fn damaged_snapshots() {
    let folder = Folder::with_story().await;
    let writer = folder.writer().await;
    let store = writer.pages.store();
    let page = key("app");
    let wrong = recto_pages::snapshot::encode(&Value::empty(Kind::Code)).unwrap();
    store.put_snapshot(&page, 2, wrong.clone().into()).await.unwrap();
    store.put_snapshot(&page, 9, wrong.into()).await.unwrap();
    store
        .put_snapshot(&page, 3, Bytes::from_static(b"nothing"))
        .await
        .unwrap();
    let raw = Bytes::from_static(b"\x02\x04\x01no frame");
    writer
        .engine()
        .put_derived(DerivedKey::new(&page, 1), raw)
        .await
        .unwrap();
    writer.close().await;
    let ran = recto(&folder.data(), &["verify", "app", "--json"]);
    let lines = ran.lines();
    let told: Vec<_> = lines[0]["faults"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| (&fault["code"], &fault["version"]))
        .collect();
    let (damaged, wrong) = (json!("snapshot_damaged"), json!("snapshot_wrong"));
    let versions: Vec<Json> = (0..10).map(Json::from).collect();
    let expected = [
        (&damaged, &versions[1]),
        (&wrong, &versions[2]),
        (&damaged, &versions[3]),
        (&wrong, &versions[9]),
    ];
    assert_eq!((ran.code, &told[..]), (1, &expected[..]));
    assert_eq!(recto(&folder.data(), &["show", "app"]).code, 0);
}

#[tokio::test]
async fn damaged_records() {
    let folder = Folder::with_story().await;
    let writer = folder.writer().await;
    for (page, record) in [("app", &b"{}"[..]), ("notes", b"")] {
        let mut sealed = frames::seal_record(PageMeta::key(&key(page)), 2, record);
        if record.is_empty() {
            sealed.value = Bytes::from_static(b"\x02\x03\x01\x00no sum");
        }
        put(&writer, vec![(sealed, 1)]).await;
    }
    let other = json!({ "v": 1, "kind": "DOC", "file": null, "createdMs": 5, "content": "00".repeat(32) });
    let sealed = frames::seal_record(PageMeta::key(&key("table")), 2, other.to_string().as_bytes());
    put(&writer, vec![(sealed, 1)]).await;
    writer.close().await;
    let ran = recto(&folder.data(), &["verify", "--json"]);
    assert_eq!(first_fault(&ran, "app")["code"], "record_undecodable");
    assert_eq!(first_fault(&ran, "notes")["code"], "record_damaged");
    let codes = |page: &str| {
        let lines = ran.lines();
        let told = lines.iter().find(|line| line["page"] == page).unwrap();
        told["faults"].to_string()
    };
    assert!(codes("table").contains("record_disagrees"));
    // Such a page can still be exported, and looked at.
    let file = folder.dir().join("file");
    let exported = recto(&folder.data(), &["export", "app", "-o", file.to_str().unwrap()]);
    assert_eq!(exported.code, 1, "{}", exported.err);
    // There it is the first revision, and so another record than the one that was sealed.
    assert_eq!(
        first_fault(&recto(&file, &["verify", "--json"]), "app")["code"],
        "record_damaged"
    );
}

#[tokio::test]
async fn orphans() {
    let folder = Folder::with_story().await;
    let writer = folder.writer().await;
    let ghost = key("ghost");
    put(&writer, vec![(frames::seal_record(PageMeta::key(&ghost), 1, b"{}"), 0)]).await;
    let last = writer.engine().last(&Key::event(&key("app"))).await.unwrap().unwrap();
    let mut event = frames::open_event(&key("app"), &last).unwrap();
    let mut sent = |page: &str, command: &str, version: u64| {
        event.version = version;
        frames::seal_receipt(&key(page), &id(command), &receipt(&event)).unwrap()
    };
    let puts = vec![(sent("ghost", "lost", 1), 0), (sent("app", "gone", 9), 0)];
    put(&writer, puts).await;
    writer.close().await;
    let ran = recto(&folder.data(), &["verify", "--json"]);
    let fault = first_fault(&ran, "app");
    assert_eq!(
        (&fault["code"], &fault["command"]),
        (&"receipt_orphan".into(), &"gone".into())
    );
    let rest = rest_faults(&ran);
    let codes: Vec<_> = rest.iter().map(|fault| fault["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["receipt_orphan", "record_orphan"]);
    let file = folder.dir().join("file");
    assert_eq!(
        recto(&folder.data(), &["export", "app", "-o", file.to_str().unwrap()]).code,
        1
    );
    assert_eq!(
        first_fault(&recto(&file, &["verify", "--json"]), "app")["code"],
        "receipt_orphan"
    );
}

/// Damage to receipts and gaps cannot be made by commits: a file tells of them.
#[test]
fn damage_that_a_file_tells_of() {
    let folder = Folder::new();
    let page = key("page");
    let file = folder.dir().join("file");
    let missing = |version| {
        Item::Event(EventItem::Damaged {
            version,
            bytes: None,
            reason: "it is missing".to_owned(),
        })
    };
    let no_receipt = |bytes: Option<&'static [u8]>| {
        let bytes = bytes.map(Bytes::from_static);
        Item::Receipt(ReceiptItem::Damaged {
            command: id("c-3"),
            bytes,
            reason: "a test".to_owned(),
        })
    };
    let disagrees = |item: &Item| match item.clone() {
        Item::Receipt(ReceiptItem::Whole {
            command, mut receipt, ..
        }) => {
            receipt.head_hash = [1; 32];
            Item::Receipt(ReceiptItem::Whole {
                command,
                receipt,
                damage: Some("a test".to_owned()),
            })
        }
        other => other,
    };
    let (header, items) = crafted::typed(&page, 5);
    let with = |at: usize, item: Item| {
        let mut items = items.clone();
        items[at] = item;
        items
    };
    let cases = [
        ("event_missing", with(4, missing(3))),
        ("receipt_missing", with(5, no_receipt(None))),
        ("receipt_damaged", with(5, no_receipt(Some(b"\x01\x02\x01no receipt")))),
        ("receipt_disagrees", with(5, disagrees(&items[5]))),
    ];
    for (code, mut items) in cases {
        if code == "event_missing" {
            items.remove(5);
        }
        crafted::write(&file, &header, &items);
        let fault = first_fault(&recto(&file, &["verify", "--json"]), "page");
        assert_eq!(fault["code"], code);
        let place = if code == "event_missing" {
            &fault["version"]
        } else {
            &fault["command"]
        };
        assert_eq!(
            *place,
            if code == "event_missing" {
                json!(3)
            } else {
                json!("c-3")
            }
        );
        let log = recto(&file, &["log", "page", "--json"]);
        assert_eq!(log.lines().len(), 6, "{code}: {}", log.err);
        // What is damaged is so in the next file too.
        let again = folder.dir().join("again");
        assert_eq!(recto(&file, &["export", "page", "-o", again.to_str().unwrap()]).code, 1);
        assert_eq!(first_fault(&recto(&again, &["verify", "--json"]), "page")["code"], code);
    }
}
