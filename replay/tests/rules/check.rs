//! `recto check`: what it tells, and its exit codes.

use recto_replay::rules::{ALL, by_name};
use serde_json::{Value as Json, json};

use crate::good::good;
use crate::recorded::{AGENT, pretty, set};
use crate::support::{Folder, recto};

#[tokio::test]
async fn a_good_run_keeps_every_rule() {
    let run = good().await;
    let ran = run.check(&[]).await;
    insta::assert_snapshot!("check_good", ran.out);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let ran = run.check(&["--json"]).await;
    let told = ran.json();
    assert_eq!(told["fine"], true);
    for rule in told["rules"].as_array().unwrap() {
        assert_ne!(rule["lookedAt"], 0, "{rule}");
    }
    insta::assert_snapshot!("check_json_good", pretty(&told));
}

#[tokio::test]
async fn a_bad_run_is_told_in_words_and_by_its_exit_code() {
    let mut run = good().await;
    run.edit(AGENT, "w3", json!([set("hero", "/props/assetId", "asset-2")]))
        .await;
    run.call("w3", "update_page", json!({ "readToken": "made-up", "mode": "merge" }));
    run.result("w3", true, json!({ "applied": true, "version": 7 }));
    run.ask("bad-again", "generate_image", json!({ "asset": "gone" }));
    run.line(json!({ "type": "mood" }));
    run.line(json!({ "type": "slot", "slot": "key-1" }));
    let ran = run.check(&[]).await;
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    insta::assert_snapshot!("check_bad", ran.out);
    insta::assert_snapshot!("check_json_bad", pretty(&run.check(&["--json"]).await.json()));
}

#[tokio::test]
async fn without_a_trajectory_some_rules_are_not_checked() {
    let folder = Folder::with_story().await;
    let ran = recto(&folder.data(), &["check", "poster"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    insta::assert_snapshot!("check_story", ran.out);
    let ran = recto(&folder.data(), &["check", "poster", "--rule", "redo-inserts"]);
    assert_eq!((ran.code, ran.err.contains("--trajectory")), (2, true), "{}", ran.err);
    let ran = recto(&folder.data(), &["check", "poster", "--rule", "be-good"]);
    assert_eq!((ran.code, ran.err.contains("applied-once")), (2, true), "{}", ran.err);
    assert_eq!(
        recto(&folder.data(), &["check", "poster", "--trajectory", "no.jsonl"]).code,
        4
    );
    assert_eq!(recto(&folder.data(), &["check"]).code, 2);
    // The list needs neither a page nor data.
    let ran = recto(&folder.dir().join("none"), &["check", "--list"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    insta::assert_snapshot!("check_list", ran.out);
}

#[tokio::test]
async fn a_trajectory_that_was_noted_at_the_server() {
    let mut run = good().await;
    run.line(json!({ "type": "slot", "slot": "key-1" }));
    let in_file = run.check(&["--json"]).await;
    let in_chat = run.check_chat("c-7").await;
    assert_eq!((in_file.code, in_chat.code), (1, 1), "{}{}", in_chat.out, in_chat.err);
    let (in_file, in_chat) = (in_file.json(), in_chat.json());
    assert_eq!(in_chat["trajectory"]["chat"], "c-7");
    assert_eq!(in_chat["trajectory"]["actor"], AGENT);
    // The mode that was switched is passed over, and counts as an entry of the chat.
    let last = in_file["trajectory"]["faults"][0]["line"].as_u64().unwrap();
    assert_eq!(in_chat["trajectory"]["faults"][0]["line"], last + 1);
    for part in ["entries", "warnings"] {
        assert_eq!(in_chat["trajectory"][part], in_file["trajectory"][part], "{part}");
    }
    let outcomes = |told: &Json| -> Vec<Json> {
        let rules = told["rules"].as_array().unwrap();
        rules
            .iter()
            .map(|rule| json!([rule["outcome"], rule["lookedAt"]]))
            .collect()
    };
    assert_eq!(outcomes(&in_chat), outcomes(&in_file));
    let nobody = run.check_nobody().await;
    assert_eq!(
        (nobody.code, nobody.err.contains("chat nobody")),
        (3, true),
        "{}",
        nobody.err
    );
}

#[test]
fn every_rule_is_documented() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/RULES.md")).unwrap();
    for rule in ALL {
        assert!(text.contains(&format!("## {}\n", rule.name)), "{}", rule.name);
        assert_eq!(by_name(rule.name).map(|found| found.says), Some(rule.says));
    }
}
