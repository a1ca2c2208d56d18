//! `recto why`: what became of commands, also where their receipts are damaged.

use std::sync::Arc;

use bytes::Bytes;
use recto_projections::Kind;
use recto_store::{Engine, Guard, Key, PageKey, Put, Receipt, Span, frames};
use serde_json::json;

use crate::recorded::{id, pretty, submit};
use crate::support::{Folder, recto};

/// The story, and then: `c-18` is rebased, `c-19` changes nothing, and `twice` is used on two pages.
async fn folder() -> Folder {
    let folder = Folder::new();
    let writer = folder.writer().await;
    writer.tell_story().await;
    let typed = json!([{ "insert": "The " }]);
    writer.edit("user:ben", None, "notes", 2, &typed).await;
    let same = json!([{ "op": "replaceSheet", "value": { "rows": [[1, 3]] } }]);
    writer.edit("user:anna", None, "table", 2, &same).await;
    writer.create("user:anna", "other", Kind::Sheet, &json!([])).await;
    for page in ["table", "other"] {
        let value = json!([{ "op": "replaceSheet", "value": 7 }]);
        submit(&writer.pages, "user:anna", page, "twice", &value).await;
    }
    writer.close().await;
    folder
}

/// Puts something where it does not belong.
async fn damage(engine: &Arc<dyn Engine>, key: Key, value: Bytes) {
    let revision = engine.last(&key).await.unwrap().map_or(0, |entry| entry.revision);
    let guard = Guard {
        key: key.clone(),
        revision,
    };
    engine.commit(0, vec![guard], vec![Put { key, value }]).await.unwrap();
}

#[tokio::test]
async fn commands_are_told() {
    let folder = folder().await;
    let asked = [
        ("create", "c-1", 0),
        ("edit", "c-4", 0),
        ("partial_undo", "c-5", 1),
        ("redo", "c-6", 0),
        ("restore", "c-8", 0),
        ("rebased", "c-18", 0),
        ("noop", "c-19", 0),
        ("never", "c-99", 3),
        ("ambiguous", "twice", 2),
    ];
    for (name, command, code) in asked {
        let ran = recto(&folder.data(), &["why", command]);
        insta::assert_snapshot!(format!("why_{name}"), format!("{}{}", ran.out, ran.err));
        assert_eq!(ran.code, code, "{name}: {}{}", ran.out, ran.err);
    }
    let ran = recto(&folder.data(), &["why", "twice", "--page", "other"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let ran = recto(&folder.data(), &["why", "c-5", "--json"]);
    insta::assert_snapshot!("why_json_partial_undo", pretty(&ran.json()));
    let ran = recto(&folder.data(), &["why", "c-18", "--json"]);
    insta::assert_snapshot!("why_json_rebased", pretty(&ran.json()));
}

#[tokio::test]
async fn a_damaged_receipt_is_shown_as_it_lies_there() {
    let folder = folder().await;
    let writer = folder.writer().await;
    for (command, page) in [("c-5", "poster"), ("lost", "notes")] {
        let page = PageKey::new(id("default"), id(page));
        let key = Key::command(&page, &id(command));
        damage(writer.engine(), key, Bytes::from_static(b"no receipt at all")).await;
    }
    writer.close().await;
    for command in ["c-5", "lost"] {
        let ran = recto(&folder.data(), &["why", command]);
        assert_eq!(ran.code, 5, "{}{}", ran.out, ran.err);
        insta::assert_snapshot!(format!("why_damaged_{command}"), ran.out);
    }
    let ran = recto(&folder.data(), &["why", "c-5", "--json"]);
    let told = ran.json();
    assert_eq!(told["raw"], "6e6f207265636569707420617420616c6c");
    assert_eq!(told["events"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_receipt_whose_event_is_damaged_tells_what_is_left() {
    let folder = folder().await;
    let writer = folder.writer().await;
    let page = PageKey::new(id("default"), id("notes"));
    let head = writer.head("notes").await;
    // The event behind the newest one, by a command that does have a receipt.
    damage(writer.engine(), Key::event(&page), Bytes::from_static(b"no event")).await;
    let receipt = writer.pages.store().receipt(&page, &id("c-18")).await.unwrap().unwrap();
    let receipt = Receipt {
        versions: receipt.versions.map(|span| Span { last: head + 1, ..span }),
        head_version: head + 1,
        ..receipt
    };
    let Put { key, value } = frames::seal_receipt(&page, &id("c-99"), &receipt).unwrap();
    damage(writer.engine(), key, value).await;
    writer.close().await;
    let ran = recto(&folder.data(), &["why", "c-99", "--page", "notes"]);
    assert_eq!(ran.code, 5, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("its answer cannot be given"), "{}", ran.out);
    assert!(ran.out.contains(&format!("{}  damaged", head + 1)), "{}", ran.out);
}
