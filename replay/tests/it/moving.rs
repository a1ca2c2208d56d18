//! Verifying, comparing versions, and carrying a page from one folder to another: what is said of it.

use crate::support::{Folder, Ran, recto};

/// The answer without what differs from run to run: the folder, and the speed.
fn steady(folder: &Folder, ran: &Ran) -> String {
    let text = ran.out.replace(&folder.dir().display().to_string(), "DIR");
    let lines = text.lines().map(|line| match line.split_once(" in ") {
        Some((before, after)) if after.contains("events/s") => {
            format!("{before}; {}", after.rsplit("; ").next().unwrap())
        }
        _ => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// JSON of one object a line, spread out, without times taken.
fn spread(ran: &Ran) -> String {
    let lines = ran.lines().into_iter().map(|mut json| {
        if let Some(summary) = json.get_mut("summary").and_then(serde_json::Value::as_object_mut) {
            summary.retain(|name, _| name != "seconds" && name != "eventsPerSecond");
        }
        serde_json::to_string_pretty(&json).unwrap()
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn what_verify_says() {
    let folder = Folder::with_story().await;
    let all = recto(&folder.data(), &["verify"]);
    assert_eq!(all.code, 0, "{}", all.err);
    insta::assert_snapshot!("verify", steady(&folder, &all));
    let json = recto(&folder.data(), &["verify", "poster", "--json"]);
    let json = spread(&json).replace(&folder.dir().display().to_string(), "DIR");
    insta::assert_snapshot!("verify_json", json);
}

#[tokio::test]
async fn what_diff_says() {
    let folder = Folder::with_story().await;
    for (page, from, to) in [
        ("poster", "1", "4"),
        ("notes", "1", "head"),
        ("app", "1", "3"),
        ("table", "2", "1"),
    ] {
        let words = recto(&folder.data(), &["diff", page, from, to]);
        assert_eq!(words.code, 0, "{}", words.err);
        insta::assert_snapshot!(format!("diff_{page}"), words.out);
        let delta = recto(&folder.data(), &["diff", page, from, to, "--as", "delta"]);
        insta::assert_snapshot!(format!("diff_{page}_delta"), delta.out);
    }
    let json = recto(&folder.data(), &["diff", "poster", "3", "4", "--json"]);
    insta::assert_snapshot!("diff_json", spread(&json));
}

#[tokio::test]
async fn what_export_and_import_say() {
    let folder = Folder::with_story().await;
    let file = folder.dir().join("poster.recto");
    let path = file.to_str().unwrap();
    let exported = recto(&folder.data(), &["export", "poster", "-o", path]);
    assert_eq!(exported.code, 0, "{}", exported.err);
    let other = folder.dir().join("other");
    let imported = recto(&other, &["import", path]);
    assert_eq!(imported.code, 0, "{}", imported.err);
    let again = recto(&other, &["import", path]);
    assert_eq!(again.code, 0, "{}", again.err);
    insta::assert_snapshot!(
        "import",
        [imported, again].map(|ran| steady(&folder, &ran)).join("\n\n")
    );
    let json = recto(&other, &["import", path, "--as", "copy", "--json"]);
    insta::assert_snapshot!(
        "import_json",
        spread(&json).replace(&folder.dir().display().to_string(), "DIR")
    );
    // What was imported tells the same.
    let log = recto(&other, &["log", "poster"]);
    assert_eq!(log.out, recto(&folder.data(), &["log", "poster"]).out);
    assert_eq!(log.out, recto(&file, &["log", "poster"]).out);
}
