//! `recto log --as html`: a timeline.

use recto_pages::{Base, Caller, Id, SubmitDeltas, SubmitOptions};
use recto_projections::{Delta, Kind};
use serde_json::json;

use crate::pages::{HOSTILE, check};
use crate::support::{Folder, recto};

/// The page may not be larger, in bytes.
const PAGE_BYTES_MAX: usize = 5_000_000;

/// The versions that a timeline tells, in its order.
fn versions(html: &str) -> Vec<u64> {
    let parts = html.split("data-version=\"").skip(1);
    parts
        .map(|part| part.split('"').next().unwrap().parse().unwrap())
        .collect()
}

#[tokio::test]
async fn the_story_is_a_timeline() {
    let folder = Folder::with_story().await;
    let timeline = |arguments: &[&str]| {
        let mut all = vec!["log", "poster", "--as", "html"];
        all.extend(arguments);
        let ran = recto(&folder.data(), &all);
        assert_eq!(ran.code, 0, "{}", ran.err);
        check(&ran.out);
        ran.out
    };
    let html = timeline(&[]);
    assert_eq!(versions(&html), [8, 7, 6, 5, 4, 3, 2, 1]);
    assert_eq!(html.matches("<svg").count(), 8, "a picture each");
    assert!(
        html.contains("id=\"v5\" data-version=\"5\" data-kind=\"undo\""),
        "{html}"
    );
    assert!(html.contains("<a class=\"cause\" href=\"#v3\">← 3</a>"), "{html}");
    assert!(!html.contains("class=\"undone\""), "all was redone");
    assert!(html.contains("user:anna <span class=\"dim\">"));

    let before = timeline(&["--to", "5"]);
    assert!(before.contains("<li id=\"v3\" class=\"undone\""), "{before}");
    assert!(before.contains("undone by 5"), "{before}");
    assert!(!before.contains("<li id=\"v4\" class=\"undone\""));

    let limited = timeline(&["--limit", "3"]);
    assert_eq!(versions(&limited), [8, 7, 6]);
    assert!(
        limited.contains("5 more versions are left out by the limit"),
        "{limited}"
    );
    assert_eq!(versions(&timeline(&["--limit", "2", "--oldest-first"])), [1, 2]);
    assert_eq!(versions(&timeline(&["--actor", "user:ben"])), [4]);
    assert_eq!(versions(&timeline(&["--turn", "t1"])), [3, 2]);
    assert!(timeline(&["--grep", "nothing like this"]).contains("There are no such events."));
}

#[tokio::test]
async fn pages_of_all_kinds_have_a_timeline() {
    let folder = Folder::with_story().await;
    for page in ["notes", "app", "table"] {
        let ran = recto(&folder.data(), &["log", page, "--as", "html"]);
        check(&ran.out);
        assert!(!ran.out.contains("<svg"));
    }
}

#[tokio::test]
async fn a_long_history_stays_small_and_says_what_is_left_out() {
    let folder = Folder::new();
    let writer = folder.writer().await;
    let long = HOSTILE.replace('\u{0}', "<").repeat(2);
    let nodes: Vec<_> = (0..60)
        .map(|number| json!({ "id": format!("n{number}"), "type": "text", "geometry": { "x": number, "width": 90, "height": 90 }, "props": { "text": long } }))
        .collect();
    writer
        .create("user:anna", "long", Kind::Design, &json!({ "nodes": nodes }))
        .await;
    let events = 320;
    let deltas = (1..=events).map(|version| {
        let ops: Vec<_> = (0..50)
            .map(|number| json!({ "op": "setNode", "id": format!("n{number}"), "set": { "/props/name": format!("{version} {long}") } }))
            .collect();
        Delta::from_json(Kind::Design, &json!(ops)).unwrap()
    });
    let submit = SubmitDeltas {
        caller: Caller {
            scope: id("default"),
            actor: "user:anna".parse().unwrap(),
            turn: None,
        },
        page: id("long"),
        base: Base { version: 1, epoch: 0 },
        deltas: deltas.collect(),
        options: SubmitOptions::default(),
        command: id("long"),
    };
    writer.pages.submit(submit).await.unwrap();
    writer.close().await;
    let ran = recto(&folder.data(), &["log", "long", "--as", "html", "--limit", "0"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    check(&ran.out);
    assert!(ran.out.len() < PAGE_BYTES_MAX, "{}", ran.out.len());
    let told = versions(&ran.out);
    assert!(told.len() > 50, "{}", told.len());
    let left_out = events + 1 - told.len();
    assert!(
        left_out > 0,
        "the history is too short for this test: {} bytes",
        ran.out.len()
    );
    let said = format!("{left_out} more versions are left out to keep it small");
    assert!(ran.out.contains(&said), "{said}");
}

fn id(text: &str) -> Id {
    Id::new(text).unwrap()
}
