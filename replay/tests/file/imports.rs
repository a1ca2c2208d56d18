//! Imports: never over anything, one at a time, and gone on with after a kill.

use std::process::{Child, Command, Stdio};

use recto_replay::file::Item;
use serde_json::json;

use crate::crafted::{self, key};
use crate::lines::{export, import};
use crate::support::{Folder, recto};

#[tokio::test]
async fn an_import_is_told_and_done_once() {
    let folder = Folder::with_story().await;
    let (file, other) = (folder.dir().join("file"), folder.dir().join("other"));
    export(&folder.data(), "poster", &file, &[]);
    let first = recto(&other, &["import", file.to_str().unwrap(), "--json"]).json();
    assert_eq!(
        (&first["versions"], &first["imported"], &first["sameHashes"]),
        (&8.into(), &true.into(), &true.into())
    );
    let again = recto(&other, &["import", file.to_str().unwrap(), "--json"]);
    assert_eq!((again.code, &again.json()["imported"]), (0, &false.into()));
    let (code, told) = import(&folder.data(), &file, &[]);
    assert!(code == 0 && told.contains("already there"), "{told}");
    assert_eq!(recto(&folder.data(), &["verify"]).code, 0);
}

#[tokio::test]
async fn a_folder_of_other_things_is_not_made_one_of_data() {
    let folder = Folder::with_story().await;
    let (file, other) = (folder.dir().join("file"), folder.dir().join("photos"));
    export(&folder.data(), "poster", &file, &[]);
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("cat.png"), "cat").unwrap();
    let (code, told) = import(&other, &file, &[]);
    assert!(code == 6 && told.contains("holds other things"), "{code}: {told}");
    assert_eq!(std::fs::read_dir(&other).unwrap().count(), 1);
    // An empty one is, and the answer says so; the next import finds it.
    std::fs::remove_file(other.join("cat.png")).unwrap();
    let new = |run: &crate::support::Ran| run.json()["newFolder"].clone();
    let run = recto(&other, &["import", file.to_str().unwrap(), "--json"]);
    assert_eq!(new(&run), true, "{}", run.err);
    let run = recto(&other, &["import", file.to_str().unwrap(), "--as", "copy", "--json"]);
    assert_eq!(new(&run), false, "{}", run.err);
}

#[tokio::test]
async fn another_page_is_never_written_over() {
    let folder = Folder::with_story().await;
    let file = folder.dir().join("file");
    export(&folder.data(), "app", &file, &[]);
    // The page goes on: the file is behind.
    let writer = folder.writer().await;
    writer
        .edit(
            "user:ben",
            None,
            "app",
            3,
            &json!([{ "op": "removeFile", "path": "math.rs" }]),
        )
        .await;
    writer.close().await;
    let before = recto(&folder.data(), &["log", "app"]).out;
    let (code, told) = import(&folder.data(), &file, &[]);
    assert_eq!(code, 6, "{told}");
    // A page that began otherwise.
    let other = Folder::new();
    let writer = other.writer().await;
    writer
        .create(
            "user:ben",
            "app",
            recto_projections::Kind::Doc,
            &json!([{ "insert": "\n" }]),
        )
        .await;
    writer.close().await;
    let (code, told) = import(&other.data(), &file, &[]);
    assert_eq!(code, 6, "{told}");
    assert_eq!(recto(&folder.data(), &["log", "app"]).out, before);
    assert_eq!(recto(&other.data(), &["verify"]).code, 0);
}

#[tokio::test]
async fn under_another_id_the_chain_is_made_anew_and_the_states_stay() {
    let folder = Folder::with_story().await;
    let file = folder.dir().join("file");
    for page in ["poster", "notes", "app", "table"] {
        export(&folder.data(), page, &file, &[]);
        let copy = format!("{page}-copy");
        let (code, told) = import(&folder.data(), &file, &["--as", &copy]);
        assert!(code == 0 && told.contains("made anew"), "{told}");
        let digests = |page: &str| -> Vec<String> {
            let told = recto(&folder.data(), &["log", page, "--json"]).lines();
            told.iter().map(|event| event["digest"].to_string()).collect()
        };
        assert_eq!(digests(page), digests(&copy));
    }
    let ran = recto(&folder.data(), &["verify"]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    let (code, told) = import(&folder.data(), &file, &["--workspace", "elsewhere"]);
    assert_eq!(code, 0, "{told}");
    assert_eq!(recto(&folder.data(), &["verify", "--workspace", "elsewhere"]).code, 0);
}

#[tokio::test]
async fn a_damaged_export_is_refused_and_no_folder_made() {
    let folder = Folder::new();
    let file = folder.dir().join("file");
    let (header, mut items) = crafted::typed(&key("page"), 5);
    if let Item::Event(event) = &mut items[4] {
        *event = recto_replay::file::EventItem::Damaged {
            version: 3,
            bytes: None,
            reason: "it is missing".to_owned(),
        };
        items.remove(5);
    }
    crafted::write(&file, &header, &items);
    let (code, told) = import(&folder.data(), &file, &[]);
    assert!(code == 6 && told.contains("event 3 is damaged"), "{told}");
    assert!(!folder.data().exists());
    // But it can be looked at.
    let ran = recto(&file, &["verify", "--json"]);
    assert_eq!(
        (ran.code, &ran.lines()[0]["faults"][0]["code"]),
        (1, &"event_missing".into())
    );
}

#[tokio::test]
async fn a_history_whose_states_do_not_hold_is_refused() {
    let folder = Folder::new();
    let file = folder.dir().join("file");
    let (header, items) = crafted::typed(&key("page"), 3);
    let mut hash = [0; 32];
    let mut forged = Vec::new();
    for item in items {
        forged.push(match item {
            Item::Event(recto_replay::file::EventItem::Whole { mut event, damage }) => {
                event.prev_hash = hash;
                if event.version == 3 {
                    event.inverse = event.delta.clone();
                }
                event.hash = recto_store::frames::seal_event(&key("page"), &event).unwrap().hash;
                hash = event.hash;
                Item::Event(recto_replay::file::EventItem::Whole { event, damage })
            }
            Item::Receipt(recto_replay::file::ReceiptItem::Whole {
                command,
                mut receipt,
                damage,
            }) => {
                receipt.head_hash = hash;
                Item::Receipt(recto_replay::file::ReceiptItem::Whole {
                    command,
                    receipt,
                    damage,
                })
            }
            other => other,
        });
    }
    crafted::write(&file, &header, &forged);
    let (code, told) = import(&folder.data(), &file, &[]);
    assert!(code == 6 && told.contains("event 3 is not sound"), "{told}");
}

#[tokio::test]
async fn beside_a_running_server_an_import_is_refused() {
    let folder = Folder::with_story().await;
    let file = folder.dir().join("file");
    export(&folder.data(), "app", &file, &[]);
    let writer = folder.writer().await;
    let (code, told) = import(&folder.data(), &file, &["--as", "other"]);
    assert!(code == 4 && told.contains("already open in process"), "{told}");
    writer.close().await;
    assert_eq!(import(&folder.data(), &file, &["--as", "other"]).0, 0);
}

#[test]
fn of_two_imports_at_once_each_is_done_or_refused() {
    let folder = Folder::new();
    let file = folder.dir().join("file");
    let (header, items) = crafted::typed(&key("page"), 200);
    crafted::write(&file, &header, &items);
    let both = [begin(&folder, &file), begin(&folder, &file)];
    let codes = both.map(|mut child| child.wait().unwrap().code().unwrap());
    assert!(
        codes.contains(&0) && codes.iter().all(|code| [0, 4].contains(code)),
        "{codes:?}"
    );
    same_as_file(&folder, &file);
}

#[test]
fn a_killed_import_is_gone_on_with() {
    let folder = Folder::new();
    let file = folder.dir().join("file");
    let (header, items) = crafted::typed(&key("page"), 3_000);
    crafted::write(&file, &header, &items);
    let mut half = 0;
    for written in [1_u64, 100_000, 300_000, 600_000] {
        drop(std::fs::remove_dir_all(folder.data()));
        let mut child = begin(&folder, &file);
        while log_bytes(&folder) < written && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let there = recto(&folder.data(), &["pages", "--json"]);
        half += u64::from(there.out.contains("damage"));
        let (code, told) = import(&folder.data(), &file, &[]);
        assert_eq!(code, 0, "{told}");
        same_as_file(&folder, &file);
    }
    assert!(half > 0, "no import was killed half-way");
}

fn begin(folder: &Folder, file: &std::path::Path) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_recto"));
    command.arg("import").arg(file).arg("--data").arg(folder.data());
    command
        .env_remove("RECTO_WORKSPACE")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().unwrap()
}

/// The bytes of RocksDB's log: how far an import has come.
fn log_bytes(folder: &Folder) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder.data().join("rocksdb")) else {
        return 0;
    };
    let logs = entries
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|end| end == "log"));
    logs.filter_map(|log| Some(log.metadata().ok()?.len())).sum()
}

fn same_as_file(folder: &Folder, file: &std::path::Path) {
    let again = folder.dir().join("again");
    export(&folder.data(), "page", &again, &[]);
    let (one, other) = (crate::lines::lines_of(file), crate::lines::lines_of(&again));
    let behind_first = |lines: &[u8]| {
        lines
            .split(|byte| *byte == b'\n')
            .skip(1)
            .map(<[u8]>::len)
            .collect::<Vec<_>>()
    };
    assert_eq!(behind_first(&one), behind_first(&other));
    assert_eq!(recto(&folder.data(), &["verify"]).code, 0);
}
