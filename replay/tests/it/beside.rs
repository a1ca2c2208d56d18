//! The tool beside a writer that has the folder.

use std::collections::BTreeMap;
use std::path::Path;

use crate::support::{Folder, recto};
use serde_json::json;

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.insert(path.display().to_string(), std::fs::read(&path).unwrap());
        }
    }
    found
}

#[tokio::test]
async fn it_reads_what_was_acknowledged_and_leaves_no_trace() {
    let folder = Folder::new();
    let writer = folder.writer().await;
    writer.tell_story().await;
    let before = files(&folder.data());
    for arguments in [
        &["pages"][..],
        &["log", "poster"],
        &["show", "notes", "--at", "2"],
        &["stack", "poster"],
        &["blame", "app"],
        &["undo", "poster", "--dry-run", "--actor", "user:anna"],
    ] {
        let ran = recto(&folder.data(), arguments);
        assert!(ran.code <= 1, "{arguments:?}: {}", ran.err);
    }
    assert_eq!(files(&folder.data()), before);

    // It says up to where it sees, and sees further when asked again.
    let seen = |ran: &crate::support::Ran| ran.out.lines().last().unwrap().to_owned();
    let then = seen(&recto(&folder.data(), &["pages"]));
    let head = writer.head("table").await;
    let sheet = json!([{ "op": "replaceSheet", "value": 7 }]);
    writer.edit("user:anna", None, "table", head, &sheet).await;
    let now = seen(&recto(&folder.data(), &["pages"]));
    let position = |line: &str| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap();
    assert_eq!(position(&now), position(&then) + 1);
    writer.close().await;
}
