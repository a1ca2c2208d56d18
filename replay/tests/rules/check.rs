//! `recto check`: what it tells, and its exit codes.

use recto_replay::rules::{ALL, by_name};
use serde_json::json;

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

#[test]
fn every_rule_is_documented() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/RULES.md")).unwrap();
    for rule in ALL {
        assert!(text.contains(&format!("## {}\n", rule.name)), "{}", rule.name);
        assert_eq!(by_name(rule.name).map(|found| found.says), Some(rule.says));
    }
}
