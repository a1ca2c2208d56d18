//! `recto bisect` on the story, and on random histories against looking at every version.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use recto_projections::Kind;
use serde_json::json;

use crate::recorded::{pretty, submit};
use crate::support::{Folder, recto};

#[tokio::test]
async fn the_story_is_searched() {
    let folder = Folder::new();
    let writer = folder.writer().await;
    writer.tell_story().await;
    let again = json!([{ "op": "moveNode", "id": "back", "geometry": { "x": 7 } }]);
    submit(&writer.pages, "user:ben", "poster", "again", &again).await;
    writer.close().await;
    let asked: [(&str, &[&str], i32); 11] = [
        ("redone", &["poster", "--check", "! node star"], 1),
        ("undone", &["poster", "--check", "! node star", "--bad", "4"], 1),
        ("taken_back", &["poster", "--check", "! node star", "--bad", "6"], 1),
        ("restored", &["poster", "--check", "/nodes/back/geometry/x = 0"], 1),
        (
            "typed",
            &["poster", "--check", "! contains super", "--good", "1", "--bad", "7"],
            1,
        ),
        (
            "words",
            &["notes", "--check", "! contains Monday", "--bad", "head~1"],
            1,
        ),
        ("file", &["app", "--check", "file lib.rs"], 1),
        ("command", &["table", "--check", "! grep -q 3"], 1),
        ("holds", &["poster", "--check", "node back"], 0),
        ("fails_at_good", &["poster", "--check", "node nobody"], 6),
        (
            "no_stretch",
            &["poster", "--check", "node back", "--good", "5", "--bad", "5"],
            2,
        ),
    ];
    for (name, arguments, code) in asked {
        let arguments: Vec<&str> = ["bisect"].iter().chain(arguments).copied().collect();
        let ran = recto(&folder.data(), &arguments);
        assert_eq!(ran.code, code, "{name}: {}{}", ran.out, ran.err);
        insta::assert_snapshot!(format!("bisect_{name}"), format!("{}{}", ran.out, ran.err));
    }
    let ran = recto(
        &folder.data(),
        &["bisect", "poster", "--check", "! node star", "--bad", "6", "--json"],
    );
    let found = ran.json();
    assert_eq!(
        (found["lastGood"].clone(), found["firstFailing"].clone()),
        (json!(2), json!(3))
    );
    insta::assert_snapshot!("bisect_json", pretty(&found));
    let ran = recto(&folder.data(), &["bisect", "poster", "--check", "node back", "--json"]);
    insta::assert_snapshot!("bisect_json_holds", pretty(&ran.json()));
}

#[tokio::test]
async fn versions_that_a_command_skips_are_passed_over() {
    let folder = Folder::with_story().await;
    let check = "v=$RECTO_VERSION; [ $v = 5 ] && exit 125; [ $v -lt 5 ]";
    let ran = recto(
        &folder.data(),
        &["bisect", "poster", "--check", check, "--bad", "7", "--json"],
    );
    assert_eq!(ran.code, 1, "{}", ran.err);
    let found = ran.json();
    assert_eq!(found["lastGood"], 4);
    assert_eq!(found["firstFailing"], 6);
    assert_eq!(found["exact"], false);
    let ran = recto(&folder.data(), &["bisect", "poster", "--check", check, "--bad", "7"]);
    assert!(ran.out.contains("passed over: 5"), "{}", ran.out);
    // At an end it must be told.
    let ran = recto(&folder.data(), &["bisect", "poster", "--check", check, "--bad", "5"]);
    assert_eq!(ran.code, 6, "{}", ran.err);
}

/// A history in which a number never falls, and where it passes a threshold.
#[derive(Clone, Debug)]
struct Rising {
    steps: Vec<u64>,
    thresholds: Vec<u64>,
}

fn rising() -> impl Strategy<Value = Rising> {
    let steps = prop::collection::vec(0_u64..4, 20..90);
    let thresholds = prop::collection::vec(1_u64..120, 6);
    (steps, thresholds).prop_map(|(steps, thresholds)| Rising { steps, thresholds })
}

#[tokio::test]
async fn a_random_history_is_searched_as_by_looking_at_every_version() {
    let mut runner = TestRunner::default();
    let case = rising().new_tree(&mut runner).unwrap().current();
    let folder = Folder::new();
    let writer = folder.writer().await;
    writer
        .create("user:anna", "sheet", Kind::Sheet, &json!({ "sum": 0, "version": 1 }))
        .await;
    let mut sums = vec![0];
    for step in &case.steps {
        let sum = sums.last().unwrap() + step;
        let version = sums.len() as u64;
        let value = json!([{ "op": "replaceSheet", "value": { "sum": sum, "version": version + 1 } }]);
        writer.edit("user:anna", None, "sheet", version, &value).await;
        sums.push(sum);
    }
    writer.close().await;
    let reads_max = u64::from(sums.len().next_power_of_two().trailing_zeros()) + 2;
    for threshold in &case.thresholds {
        let check = format!("/sum < {threshold}");
        let found = recto(&folder.data(), &["bisect", "sheet", "--check", &check, "--json"]).json();
        let first = sums
            .iter()
            .position(|sum| sum >= threshold)
            .map(|index| index as u64 + 1);
        assert_eq!(found["firstFailing"].as_u64(), first, "{check}: {found} in {case:?}");
        assert!(
            found["reads"].as_u64().unwrap() <= reads_max,
            "{check}: {found} in {case:?}"
        );
    }
}
