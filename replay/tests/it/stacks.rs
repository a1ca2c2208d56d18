//! Stacks, and undos tried: what the tool says an undo would do is what the service then does.

use recto_pages::{At, UndoTarget};

use crate::support::{Folder, id, recto};

#[tokio::test]
async fn stacks_are_told_at_every_version() {
    let folder = Folder::with_story().await;
    for at in ["3", "4", "5", "6", "8"] {
        let ran = recto(&folder.data(), &["stack", "poster", "--at", at]);
        insta::assert_snapshot!(format!("stack_at_{at}"), ran.out);
    }
    let ran = recto(&folder.data(), &["stack", "notes", "--actor", "user:ben", "--json"]);
    insta::assert_snapshot!("stack_json", ran.pretty());
}

#[tokio::test]
async fn an_undo_is_tried_at_a_version() {
    let folder = Folder::with_story().await;
    let tries: [(&str, &[&str], i32); 8] = [
        ("turn", &["--turn", "t1", "--at", "4"], 1),
        ("turn_forced", &["--turn", "t1", "--at", "4", "--force"], 0),
        ("own", &["--actor", "user:ben", "--at", "4"], 0),
        ("event", &["--event", "3", "--at", "3"], 0),
        ("redo", &["--turn", "t1", "--redo", "--at", "5"], 0),
        ("creation", &["--event", "1"], 6),
        ("again", &["--event", "3", "--at", "5"], 6),
        ("nothing", &["--actor", "user:zoe"], 6),
    ];
    for (name, arguments, code) in tries {
        let ran = recto(&folder.data(), &[&["undo", "poster", "--dry-run"], arguments].concat());
        assert_eq!(ran.code, code, "{name}: {} {}", ran.out, ran.err);
        insta::assert_snapshot!(format!("undo_{name}"), ran.out);
    }
    let ran = recto(
        &folder.data(),
        &["undo", "poster", "--dry-run", "--turn", "t1", "--at", "4", "--json"],
    );
    insta::assert_snapshot!("undo_json", ran.pretty());
}

#[tokio::test]
async fn what_was_tried_is_what_happens() {
    let folder = Folder::with_story().await;
    let tried = recto(
        &folder.data(),
        &["undo", "poster", "--dry-run", "--actor", "user:anna", "--json"],
    )
    .json();
    let head = recto(&folder.data(), &["log", "poster", "-n", "1", "--json"]).lines()[0]["version"]
        .as_u64()
        .unwrap();

    let writer = folder.writer().await;
    let epoch = writer
        .pages
        .read(&id("default"), &id("poster"), At::Head)
        .await
        .unwrap()
        .at
        .epoch;
    let newest = (false, UndoTarget::Newest { actor: None });
    let written = writer.undo_at("user:anna", "poster", (head, epoch), newest).await;
    let digest = writer
        .pages
        .read(&id("default"), &id("poster"), At::Head)
        .await
        .unwrap()
        .digest();
    assert_eq!(tried["digest"], digest.to_string());
    let deltas: Vec<_> = written
        .events
        .iter()
        .map(|event| event.delta().unwrap().unwrap().to_json())
        .collect();
    let tried: Vec<_> = tried["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["delta"].clone())
        .collect();
    assert_eq!(tried, deltas);
    writer.close().await;
}
