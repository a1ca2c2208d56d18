//! What the tool tells of the story.

use crate::support::{Folder, recto};

#[tokio::test]
async fn pages_are_listed() {
    let folder = Folder::with_story().await;
    let ran = recto(&folder.data(), &["pages"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let told = ran.out.replace(&folder.data().display().to_string(), "DATA");
    insta::assert_snapshot!("pages", told);
}

#[tokio::test]
async fn a_log_is_told_from_the_newest() {
    let folder = Folder::with_story().await;
    for page in ["poster", "notes", "app", "table"] {
        let ran = recto(&folder.data(), &["log", page]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        insta::assert_snapshot!(format!("log_{page}"), ran.out);
    }
}

#[tokio::test]
async fn a_log_can_be_narrowed() {
    let folder = Folder::with_story().await;
    let versions = |arguments: &[&str]| -> Vec<u64> {
        let all = [&["log", "poster", "--json"], arguments].concat();
        let ran = recto(&folder.data(), &all);
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.lines()
            .iter()
            .map(|line| line["version"].as_u64().unwrap())
            .collect()
    };
    assert_eq!(versions(&[]), [8, 7, 6, 5, 4, 3, 2, 1]);
    assert_eq!(versions(&["--oldest-first", "-n", "2"]), [1, 2]);
    assert_eq!(versions(&["--from", "4", "--to", "head~2"]), [6, 5, 4]);
    assert_eq!(versions(&["--actor", "user:ben"]), [4]);
    assert_eq!(versions(&["--turn", "t1"]), [3, 2]);
    assert_eq!(versions(&["--node", "star"]), [6, 5, 3]);
    assert_eq!(versions(&["--grep", "SUPER", "-n", "1"]), [4]);
    assert_eq!(versions(&["--to", "@2026-05-28T20:33:00Z"]), [7, 6, 5, 4, 3, 2, 1]);
}

#[tokio::test]
async fn an_event_is_told_as_the_api_tells_it() {
    let folder = Folder::with_story().await;
    let ran = recto(&folder.data(), &["log", "poster", "--json", "--from", "4", "--to", "5"]);
    insta::assert_snapshot!("log_json", ran.pretty());
}

#[tokio::test]
async fn a_page_is_shown_at_a_version() {
    let folder = Folder::with_story().await;
    for (page, at) in [("poster", "4"), ("notes", "2"), ("app", "head"), ("table", "1")] {
        let text = recto(&folder.data(), &["show", page, "--at", at, "--as", "text"]);
        assert_eq!(text.code, 0, "{}", text.err);
        insta::assert_snapshot!(format!("show_{page}"), text.out);
        let json = recto(&folder.data(), &["show", page, "--at", at]);
        insta::assert_snapshot!(format!("show_{page}_json"), json.pretty());
    }
    let file = recto(&folder.data(), &["show", "app", "--file", "math.rs", "--as", "text"]);
    assert_eq!(file.out, "pub fn add() {}\n");
}

#[tokio::test]
async fn a_page_goes_to_a_file() {
    let folder = Folder::with_story().await;
    let target = folder.dir().join("page.json");
    let ran = recto(&folder.data(), &["show", "poster", "-o", target.to_str().unwrap()]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""));
    let told: serde_json::Value = serde_json::from_slice(&std::fs::read(target).unwrap()).unwrap();
    assert_eq!(told["version"], 8);
}

#[tokio::test]
async fn blame_is_told() {
    let folder = Folder::with_story().await;
    for arguments in [
        &["blame", "poster"][..],
        &["blame", "poster", "title"],
        &["blame", "notes"],
        &["blame", "app"],
    ] {
        let ran = recto(&folder.data(), arguments);
        assert_eq!(ran.code, 0, "{}", ran.err);
        insta::assert_snapshot!(arguments.join("_"), ran.out);
        let json = recto(&folder.data(), &[arguments, &["--json", "--at", "2"]].concat());
        insta::assert_snapshot!(format!("{}_json", arguments.join("_")), json.pretty());
    }
}

#[tokio::test]
async fn with_json_wrong_arguments_are_told_as_json() {
    let folder = Folder::new();
    let data = folder.data();
    let asked: [(&[&str], &str); 4] = [
        (&["log", "--json"], "<PAGE>"),
        (&["--json", "log", "poster", "--form", "9"], "--form"),
        (&["lgo", "--json"], "lgo"),
        (&["show", "poster", "--at", "noon", "--json"], "is no version"),
    ];
    for (arguments, words) in asked {
        let ran = recto(&data, arguments);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{arguments:?}");
        let told: serde_json::Value =
            serde_json::from_str(&ran.err).unwrap_or_else(|fault| panic!("{fault}: {}", ran.err));
        assert_eq!(told["error"], "usage", "{arguments:?}");
        assert!(
            told["message"].as_str().unwrap().contains(words),
            "{arguments:?}: {told}"
        );
    }
    // In words without it, and help is no failure.
    assert!(recto(&data, &["log"]).err.starts_with("error: "));
    let help = recto(&data, &["log", "--help", "--json"]);
    assert!(help.code == 0 && help.out.contains("Usage: recto log"), "{}", help.err);
}

#[tokio::test]
async fn with_little_memory_the_answers_are_the_same() {
    let folder = Folder::with_story().await;
    for asked in [
        &["stack", "poster"][..],
        &["show", "poster", "--at", "5", "--json"],
        &["blame", "poster"],
    ] {
        let (much, little) = (
            recto(&folder.data(), asked),
            recto(&folder.data(), &[asked, &["--cache-bytes", "0"]].concat()),
        );
        assert_eq!(
            (little.code, little.out),
            (much.code, much.out),
            "{asked:?}: {}",
            little.err
        );
    }
}

#[tokio::test]
async fn what_is_not_there_has_its_exit_code() {
    let folder = Folder::with_story().await;
    let data = folder.data();
    let asked: [(&[&str], i32, &str); 12] = [
        (&["log", "nowhere"], 3, "there is no page nowhere"),
        (&["show", "poster", "--at", "9"], 3, "versions 1 to 8"),
        (
            &["show", "poster", "--at", "head~8"],
            3,
            "versions 1 to 8; head~8 is not one of them",
        ),
        (&["show", "poster", "--at", "@2001-01-01T00:00:00Z"], 3, "did not exist"),
        (&["show", "notes", "--as", "svg"], 2, "only DESIGN pages"),
        (&["show", "notes", "--file", "a"], 2, "CODE"),
        (&["show", "app", "--file", "a"], 3, "no file"),
        (&["blame", "poster", "nobody"], 3, "none such"),
        (&["blame", "table"], 2, "blamed as a whole"),
        (&["stack", "poster", "--actor", "anna"], 2, "user:NAME"),
        (&["log", "poster", "--from", "5", "--to", "4"], 2, "behind"),
        (&["undo", "poster", "--dry-run"], 2, "say what"),
    ];
    for (arguments, code, words) in asked {
        let ran = recto(&data, arguments);
        assert_eq!(ran.code, code, "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains(words), "{arguments:?}: {}", ran.err);
        if arguments.contains(&"svg") {
            continue;
        }
        let json = recto(&data, &[arguments, &["--json"]].concat());
        let told: serde_json::Value = serde_json::from_str(&json.err).unwrap();
        assert!(told["message"].as_str().unwrap().contains(words), "{told}");
    }
    let nothing = recto(&folder.dir().join("nothing"), &["pages"]);
    assert_eq!(nothing.code, 4, "{}", nothing.err);
    let no_store = recto(folder.dir(), &["pages"]);
    assert_eq!(no_store.code, 4, "{}", no_store.err);
    assert!(no_store.err.contains("there is no store in"), "{}", no_store.err);
}

#[tokio::test]
async fn several_workspaces_are_named() {
    let folder = Folder::with_story().await;
    let writer = folder.writer().await;
    writer.create_in("other", "page").await;
    writer.close().await;
    let ran = recto(&folder.data(), &["pages"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("default, other"), "{}", ran.err);
    let ran = recto(&folder.data(), &["pages", "--workspace", "other", "--json"]);
    assert_eq!(ran.lines().len(), 1);
}

#[tokio::test]
async fn an_output_is_written_only_where_there_is_an_answer() {
    let folder = Folder::with_story().await;
    let kept = folder.dir().join("kept");
    std::fs::write(&kept, "kept").unwrap();
    let path = kept.to_str().unwrap();
    for arguments in [
        &["show", "notes", "--as", "svg", "-o", path][..],
        &["show", "nowhere", "-o", path],
        &["show", "poster", "--as", "png", "--json", "-o", path],
        &["log", "poster", "--from", "99", "-o", path],
    ] {
        assert!(recto(&folder.data(), arguments).code > 1, "{arguments:?}");
        assert_eq!(std::fs::read_to_string(&kept).unwrap(), "kept", "{arguments:?}");
    }
    let ran = recto(
        &folder.data(),
        &["show", "app", "--file", "math.rs", "--as", "text", "-o", "-"],
    );
    assert_eq!(ran.out, "pub fn add() {}\n");
}

#[cfg(unix)]
#[tokio::test]
async fn an_export_goes_through_links_and_pipes_and_replaces_neither() {
    let folder = Folder::with_story().await;
    let (target, link) = (folder.dir().join("target"), folder.dir().join("link"));
    std::fs::write(&target, "old").unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let ran = recto(&folder.data(), &["export", "app", "-o", link.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert_eq!(recto(&target, &["log", "app", "--json"]).lines().len(), 3);
    let piped = recto(&folder.data(), &["export", "app", "-o", "-"]);
    assert_eq!(piped.bytes, std::fs::read(&target).unwrap());
    let nowhere = recto(&folder.data(), &["export", "app", "-o", "/dev/null"]);
    assert_eq!(nowhere.code, 0, "{}", nowhere.err);
    assert!(!std::path::Path::new("/dev/null").metadata().unwrap().is_file());
    let dir = recto(&folder.data(), &["export", "app", "-o", folder.dir().to_str().unwrap()]);
    assert_eq!(dir.code, 4);
}

#[tokio::test]
async fn a_foreign_file_and_an_unknown_workspace_are_named_as_such() {
    let folder = Folder::with_story().await;
    let foreign = folder.dir().join("foreign");
    for content in ["", "hello", "{\"recto\":1}\n"] {
        std::fs::write(&foreign, content).unwrap();
        let ran = recto(&foreign, &["pages"]);
        assert_eq!(ran.code, 4);
        assert!(ran.err.contains("no exported page"), "{}", ran.err);
    }
    let ran = recto(&folder.data(), &["pages", "--workspace", "zzz"]);
    assert_eq!((ran.code, ran.err.contains("workspace zzz")), (3, true), "{}", ran.err);
}
