//! Export → import → export gives the same bytes, and a file is read as a folder is.

use proptest::prelude::*;
use recto_projections::Kind;
use serde_json::Value as Json;

use crate::lines::{export, import, lines_of};
use crate::random;
use crate::support::{Folder, recto};

const KINDS: [Kind; 4] = [Kind::Design, Kind::Doc, Kind::Code, Kind::Sheet];

#[tokio::test]
async fn export_import_export_is_byte_identical() {
    let folder = Folder::with_story().await;
    let other = folder.dir().join("other");
    for page in ["poster", "notes", "app", "table"] {
        let (first, second) = (folder.dir().join("first"), folder.dir().join("second"));
        export(&folder.data(), page, &first, &[]);
        let (code, told) = import(&other, &first, &[]);
        assert_eq!(code, 0, "{told}");
        export(&other, page, &second, &[]);
        assert_eq!(
            std::fs::read(&first).unwrap(),
            std::fs::read(&second).unwrap(),
            "{page}"
        );
    }
    let ran = recto(&other, &["verify"]);
    assert_eq!(ran.code, 0, "{}", ran.out);
}

#[tokio::test]
async fn a_file_tells_what_the_folder_tells() {
    let folder = Folder::with_story().await;
    for page in ["poster", "notes", "app", "table"] {
        let file = folder.dir().join(page);
        export(&folder.data(), page, &file, &[]);
        for command in [
            vec!["log", page],
            vec!["show", page],
            vec!["show", page, "--at", "1", "--as", "json"],
        ] {
            let (there, here) = (recto(&folder.data(), &command), recto(&file, &command));
            assert_eq!(
                (there.out, there.code),
                (here.out, here.code),
                "{command:?}: {}",
                here.err
            );
        }
        let ran = recto(&file, &["verify"]);
        assert_eq!(ran.code, 0, "{}", ran.out);
        let (at_stdout, at_path) = (
            recto(&folder.data(), &["export", page]).bytes,
            std::fs::read(&file).unwrap(),
        );
        assert_eq!(at_stdout, at_path);
        let again = folder.dir().join("again");
        export(&file, page, &again, &[]);
        assert_eq!(at_path, std::fs::read(&again).unwrap());
    }
}

#[tokio::test]
async fn lines_are_what_they_are_said_to_be() {
    let folder = Folder::with_story().await;
    let file = folder.dir().join("file");
    export(&folder.data(), "poster", &file, &[]);
    let text = String::from_utf8(lines_of(&file)).unwrap();
    let lines: Vec<Json> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["recto"], "page history");
    assert_eq!(
        (&lines[0]["page"], &lines[0]["kind"], &lines[0]["events"]),
        (&"poster".into(), &"DESIGN".into(), &8.into())
    );
    assert_eq!((&lines[1]["event"], &lines[1]["kind"]), (&1.into(), &"create".into()));
    assert_eq!(lines[1]["delta"][0]["op"], "setAttributes");
    assert_eq!(
        (&lines[2]["receipt"], &lines[2]["events"]),
        (&lines[1]["command"], &1.into())
    );
    let is_undo = |line: &&Json| {
        line["outcome"]
            .as_str()
            .is_some_and(|outcome| outcome.starts_with("undo 0 {"))
    };
    assert_eq!(lines.iter().filter(is_undo).count(), 1);
    let events: Vec<&Json> = lines.iter().filter(|line| line["event"].is_u64()).collect();
    for (older, newer) in events.iter().zip(&events[1..]) {
        assert_eq!(older["hash"], newer["prevHash"]);
    }
    let footer = lines.last().unwrap();
    assert_eq!(
        (&footer["end"], &footer["events"], &footer["damaged"]),
        (&true.into(), &8.into(), &0.into())
    );
    assert_eq!(footer["head"], events.last().unwrap()["hash"]);
    assert!(!text.contains("position") && !text.contains("durability"));
}

#[tokio::test]
async fn an_export_that_fails_leaves_nothing_behind() {
    let folder = Folder::with_story().await;
    let to = folder.dir().join("nothing");
    let ran = recto(&folder.data(), &["export", "no-such-page", "-o", to.to_str().unwrap()]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    let left: Vec<_> = std::fs::read_dir(folder.dir())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["data"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_pages_come_back_byte_by_byte(seed in any::<u64>()) {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let folder = Folder::new();
            let writer = folder.writer().await;
            for kind in KINDS {
                random::page(&writer, kind.as_str(), kind, seed, 20).await;
            }
            writer.close().await;
            let other = folder.dir().join("other");
            for kind in KINDS {
                let (first, second) = (folder.dir().join("first"), folder.dir().join("second"));
                export(&folder.data(), kind.as_str(), &first, &[]);
                let (code, told) = import(&other, &first, &[]);
                assert_eq!(code, 0, "seed {seed}: {told}");
                export(&other, kind.as_str(), &second, &[]);
                assert_eq!(std::fs::read(&first).unwrap(), std::fs::read(&second).unwrap(), "seed {seed}, {kind}");
            }
            let ran = recto(&other, &["verify"]);
            assert_eq!(ran.code, 0, "seed {seed}: {}", ran.out);
        });
    }
}
