//! `recto check`: every rule with a run that keeps it and runs that break it.

use recto_pages::projections::undo::Policy;
use serde_json::json;

use crate::recorded::{AGENT, Recorded, TURN, Undo, add, remove, set};
use crate::support::{Folder, recto};

/// A run as it should be: reads, merges, generates an image, is asked for another, undoes its own edit.
async fn good() -> Recorded {
    let mut run = Recorded::new().await;
    run.read("r1", 1);
    run.call(
        "w1",
        "update_page",
        json!({ "readToken": "token-1", "mode": "merge", "deleteNodeIds": ["group"] }),
    );
    run.edit(
        AGENT,
        "w1",
        json!([remove("star"), remove("group"), set("back", "/props/fill", "red")]),
    )
    .await;
    run.result(
        "w1",
        true,
        json!({ "applied": true, "version": 2, "epoch": 0, "removedNodeIds": ["group", "star"] }),
    );
    for (task, slot, node, asset) in [
        ("task-1", "key-1", "hero", "asset-1"),
        ("task-2", "key-2", "hero-2", "asset-2"),
    ] {
        let call = format!("g-{task}");
        run.ask(&call, "generate_image", json!({ "prompt": "a hero", "seed": task }));
        run.line(json!({ "type": "slot", "slot": slot, "status": "held", "page": "poster" }));
        run.line(json!({ "type": "task", "task": task, "key": slot, "call": call, "status": "submitted" }));
        run.line(json!({ "type": "task", "task": task, "key": slot, "status": "succeeded", "asset": asset }));
        run.edit(AGENT, slot, json!([add(node, None, json!({ "assetId": asset }))]))
            .await;
        run.line(json!({ "type": "slot", "slot": slot, "status": "delivered", "page": "poster", "node": node }));
        run.result(&call, true, json!({ "createdNodeIds": [node] }));
    }
    run.call("w2", "submit_deltas", json!({ "base": { "version": 2, "epoch": 0 } }));
    run.edit(AGENT, "w2", json!([set("back", "/props/text", "Bargains")]))
        .await;
    run.result("w2", true, json!({ "applied": true, "version": 5 }));
    run.call("u1", "undo", json!({}));
    run.undo(AGENT, "u1", 5, Undo::default()).await;
    run.result("u1", true, json!({ "applied": true, "version": 6 }));
    run.ask("bad", "generate_image", json!({ "asset": "gone" }));
    run.result(
        "bad",
        false,
        json!({ "error": { "code": "source_asset_not_found" }, "terminal": true, "retry": false }),
    );
    run
}

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
    insta::assert_json_snapshot!("check_json_good", told);
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
    insta::assert_json_snapshot!("check_json_bad", run.check(&["--json"]).await.json());
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
    for rule in recto_replay::rules::ALL {
        assert!(text.contains(&format!("## {}\n", rule.name)), "{}", rule.name);
        let named = |name: &str| rule.name != name || recto_replay::rules::by_name(name).is_some();
        assert!(named(rule.name));
    }
}

#[tokio::test]
async fn redo_inserts() {
    let rule = "redo-inserts";
    assert_eq!(good().await.breaches(rule).await, [""; 0]);
    // The new image goes into the node of the earlier one.
    let mut run = good().await;
    run.call(
        "w3",
        "update_image_node",
        json!({ "nodeId": "hero", "assetId": "asset-2" }),
    );
    run.edit(AGENT, "w3", json!([set("hero", "/props/assetId", "asset-2")]))
        .await;
    assert_eq!(
        run.breaches(rule).await,
        ["version 7: it puts asset \"asset-2\" into node \"hero\", which was delivered by version 3"]
    );
    // The earlier one goes as the new one comes.
    let mut run = good().await;
    run.call(
        "w3",
        "update_page",
        json!({ "readToken": "token-1", "mode": "replace" }),
    );
    run.edit(
        AGENT,
        "w3",
        json!([
            remove("hero"),
            add("new", None, json!({ "image": { "id": "asset-2" } }))
        ]),
    )
    .await;
    assert_eq!(
        run.breaches(rule).await,
        ["version 7: it brings a new image and takes node \"hero\" away, which was delivered by version 3"]
    );
    // A second delivery names the first one's node.
    let mut run = good().await;
    let line = run.line(json!({ "type": "slot", "slot": "key-3", "status": "delivered", "node": "hero" }));
    assert_eq!(
        run.breaches(rule).await,
        [format!(
            "line {line}: slot \"key-3\" is delivered as node \"hero\", which slot \"key-1\" had delivered"
        )]
    );
    // What a user does with the image is no matter of the agent's.
    let run = good().await;
    run.edit(
        "user:anna",
        "by-hand",
        json!([set("hero", "/props/assetId", "asset-2")]),
    )
    .await;
    assert_eq!(run.breaches(rule).await, [""; 0]);
}

#[tokio::test]
async fn one_node_per_slot() {
    let rule = "one-node-per-slot";
    assert_eq!(good().await.breaches(rule).await, [""; 0]);
    let mut run = good().await;
    run.edit(
        AGENT,
        "key-3",
        json!([add("a", None, json!({})), add("b", None, json!({}))]),
    )
    .await;
    let line = run.line(json!({ "type": "slot", "slot": "key-3", "status": "delivered", "node": "a" }));
    assert_eq!(
        run.breaches(rule).await,
        [format!(
            "version 7, line {line}: the command of slot \"key-3\" adds 2 nodes: \"a\", \"b\""
        )]
    );
    let mut run = good().await;
    let line = run.line(json!({ "type": "slot", "slot": "key-1", "status": "delivered", "node": "hero-2" }));
    let told = run.breaches(rule).await;
    assert_eq!(
        told,
        [format!(
            "line {line}: slot \"key-1\" is delivered as 2 nodes: \"hero\", \"hero-2\""
        )]
    );
    let mut run = good().await;
    run.edit(AGENT, "key-3", json!([add("a", None, json!({}))])).await;
    let line = run.line(json!({ "type": "slot", "slot": "key-3", "status": "delivered", "node": "b" }));
    assert_eq!(
        run.breaches(rule).await,
        [format!(
            "version 7, line {line}: slot \"key-3\" is delivered as \"b\", and its command adds \"a\""
        )]
    );
    // An undo and a redo of a delivery place nothing anew.
    let run = good().await;
    run.undo("user:anna", "undone", 4, Undo::default()).await;
    run.undo(
        "user:anna",
        "redone",
        4,
        Undo {
            redo: true,
            ..Undo::default()
        },
    )
    .await;
    assert_eq!(run.breaches(rule).await, [""; 0]);
}

#[tokio::test]
async fn no_retry_after_terminal() {
    let rule = "no-retry-after-terminal";
    let mut run = good().await;
    run.ask("other", "generate_image", json!({ "asset": "there" }));
    run.ask("tool", "edit_image", json!({ "asset": "gone" }));
    assert_eq!(run.breaches(rule).await, [""; 0]);
    let mut run = good().await;
    run.ask("x", "generate_image", json!({ "b": [1, { "d": 2, "c": 3 }], "a": 1 }));
    let failed = run.result("x", false, json!({ "terminal": true }));
    let line = run.ask("y", "generate_image", json!({ "a": 1, "b": [1, { "c": 3, "d": 2 }] }));
    assert_eq!(
        run.breaches(rule).await,
        [format!(
            "line {line}: generate_image is called again as it failed for good in line {failed}"
        )]
    );
    let mut run = good().await;
    run.line(json!({ "type": "task", "task": "task-3", "key": "k", "status": "failed" }));
    run.line(json!({ "type": "task", "task": "task-4", "key": "k", "status": "submitted" }));
    run.line(json!({ "type": "task", "task": "task-4", "key": "k", "status": "failed", "terminal": true }));
    let line = run.line(json!({ "type": "task", "task": "task-5", "key": "k", "status": "submitted" }));
    assert_eq!(
        run.breaches(rule).await,
        [format!(
            "line {line}: image task \"task-5\" is submitted under the key of one that failed for good"
        )]
    );
}

#[tokio::test]
async fn no_delete_by_omission() {
    let rule = "no-delete-by-omission";
    assert_eq!(good().await.breaches(rule).await, [""; 0]);
    for arguments in [
        json!({ "mode": "merge", "deleteNodeIds": ["star"] }),
        json!({ "merge": { "deleteNodeIds": ["star"] } }),
    ] {
        let mut run = Recorded::new().await;
        let line = run.call("w1", "update_page", arguments);
        run.edit(AGENT, "w1", json!([remove("star"), remove("group"), remove("back")]))
            .await;
        assert_eq!(
            run.breaches(rule).await,
            ["group", "back"].map(|node| format!(
                "version 2, line {line}: the merge removes node {node:?}, which it does not name in deleteNodeIds"
            ))
        );
    }
    // Leaving out is deleting where the whole page is replaced.
    let mut run = good().await;
    run.call("w3", "update_page", json!({ "mode": "replace" }));
    run.edit(AGENT, "w3", json!([remove("back")])).await;
    assert_eq!(run.breaches(rule).await, [""; 0]);
}

#[tokio::test]
async fn base_is_read() {
    let rule = "base-is-read";
    let mut run = good().await;
    run.call("w3", "update_page", json!({ "base": 5 }));
    run.call("w4", "submit_deltas", json!({ "base": "\"1.0\"" }));
    run.ask("w5", "insert_image_node", json!({}));
    run.line(json!({ "type": "call", "id": "elsewhere", "tool": "update_page", "page": "other", "arguments": {} }));
    assert_eq!(run.breaches(rule).await, [""; 0]);
    let mut run = good().await;
    let calls = [
        (
            json!({ "readToken": "made-up" }),
            "update_page names a readToken that no earlier answer gave",
        ),
        (
            json!({ "base": { "version": 9 } }),
            "update_page is made from version 9, which no earlier answer told",
        ),
        (
            json!({ "base": "2.1" }),
            "update_page is made from version 2 of epoch 1, which no earlier answer told",
        ),
        (json!({ "base": true }), "update_page names a base that is none: true"),
        (json!({}), "update_page names neither a readToken nor a base"),
        // It is read only afterwards.
        (
            json!({ "readToken": "token-7" }),
            "update_page names a readToken that no earlier answer gave",
        ),
    ];
    let mut expected = Vec::new();
    for (index, (arguments, what)) in calls.into_iter().enumerate() {
        let line = run.call(&format!("w{}", index + 10), "update_page", arguments);
        expected.push(format!("line {line}: {what}"));
    }
    run.read("r7", 7);
    assert_eq!(run.breaches(rule).await, expected);
}

#[tokio::test]
async fn applied_once() {
    let rule = "applied-once";
    assert_eq!(good().await.breaches(rule).await, [""; 0]);
    assert_eq!(good().await.check_stream(rule).await, [""; 0]);
    let mut run = good().await;
    run.call("w3", "update_page", json!({}));
    let lost = run.result("w3", true, json!({ "applied": true }));
    run.call("w4", "update_page", json!({}));
    run.edit(AGENT, "w4", json!([set("back", "/props/fill", "green")]))
        .await;
    let refused = run.result("w4", false, json!({ "error": { "code": "stale" } }));
    run.call("w5", "update_page", json!({}));
    run.edit(AGENT, "w5", json!([add("made", None, json!({}))])).await;
    let wrong = run.result(
        "w5",
        true,
        json!({ "applied": true, "createdNodeIds": ["made", "dreamt"] }),
    );
    run.edit(AGENT, "unknown", json!([set("back", "/props/fill", "gray")]))
        .await;
    assert_eq!(
        run.breaches(rule).await,
        [
            format!("line {lost}: update_page is answered as applied, and command \"w3\" has no event on this page"),
            format!("version 7, line {refused}: update_page is answered as failed, and command \"w4\" made an event"),
            format!(
                "version 8, line {wrong}: the answer says that node \"dreamt\" was made, and no event of command \"w5\" did so"
            ),
            format!(
                "version 9: {AGENT} made it in turn {TURN:?} by command \"unknown\", which is not in the trajectory"
            ),
        ]
    );
}

#[tokio::test]
async fn undo_leaves_others() {
    let rule = "undo-leaves-others";
    assert_eq!(good().await.breaches(rule).await, [""; 0]);
    // An agent takes back what a user did.
    let run = Recorded::new().await;
    run.edit("user:ben", "e1", json!([set("back", "/props/fill", "green")]))
        .await;
    run.undo(AGENT, "u1", 2, Undo::default()).await;
    run.undo(
        AGENT,
        "u2",
        2,
        Undo {
            redo: true,
            ..Undo::default()
        },
    )
    .await;
    assert_eq!(
        run.check_stream(rule).await,
        [
            format!("version 3: {AGENT} takes back version 2, which user:ben made"),
            format!("version 4: {AGENT} brings again version 2, which user:ben made"),
        ]
    );
    // Over what a user set since: kept it is no breach, restored it is, unless the agent was told.
    for (policy, expected) in [(Policy::Keep, 0), (Policy::Restore, 1)] {
        let run = Recorded::new().await;
        run.edit(
            AGENT,
            "e1",
            json!([set("back", "/props/fill", "green"), set("back", "/props/text", "x")]),
        )
        .await;
        run.edit("user:ben", "e2", json!([set("back", "/props/fill", "gray")]))
            .await;
        let policy = Some(policy);
        run.undo(
            AGENT,
            "u1",
            2,
            Undo {
                policy,
                ..Undo::default()
            },
        )
        .await;
        let told = run.check_stream(rule).await;
        assert_eq!(told.len(), expected, "{told:?}");
        let what = format!("version 4: {AGENT} changes /props/fill of node \"back\", which is user:ben's");
        assert!(told.iter().all(|told| *told == what), "{told:?}");
    }
    let mut run = Recorded::new().await;
    run.edit(AGENT, "e1", json!([set("back", "/props/fill", "green")]))
        .await;
    run.edit("user:ben", "e2", json!([set("back", "/props/fill", "gray")]))
        .await;
    run.call("u1", "undo", json!({ "policy": "restore" }));
    let policy = Some(Policy::Restore);
    run.undo(
        AGENT,
        "u1",
        2,
        Undo {
            policy,
            ..Undo::default()
        },
    )
    .await;
    let note = json!({ "code": "restored", "event": 2, "node": "back", "pointer": "/props/fill" });
    run.result("u1", true, json!({ "applied": true, "undo": { "notes": [note] } }));
    assert_eq!(run.breaches(rule).await, [""; 0]);
}

#[tokio::test]
async fn undo_leaves_others_knows_what_is_whose() {
    let rule = "undo-leaves-others";
    let edit_text = |at: usize, text: &str| json!([{ "op": "editText", "id": "back", "pointer": "/props/text", "delta": [{ "retain": at }, { "insert": text }] }]);
    // Two write into one text, and each takes back the own letters.
    let run = Recorded::new().await;
    run.edit(AGENT, "e1", edit_text(4, " now")).await;
    run.edit("user:ben", "e2", edit_text(6, "???")).await;
    run.undo(AGENT, "u1", 2, Undo::default()).await;
    run.undo(
        AGENT,
        "u2",
        2,
        Undo {
            redo: true,
            ..Undo::default()
        },
    )
    .await;
    assert_eq!(run.check_stream(rule).await, [""; 0]);
    // What ben set and took back himself is the agent's again.
    let run = Recorded::new().await;
    run.edit(AGENT, "e1", json!([set("back", "/props/fill", "green")]))
        .await;
    run.edit("user:ben", "e2", json!([set("back", "/props/fill", "gray")]))
        .await;
    run.undo("user:ben", "u1", 3, Undo::default()).await;
    run.undo(AGENT, "u2", 2, Undo::default()).await;
    assert_eq!(run.check_stream(rule).await, [""; 0]);
    // What the agent made goes with what ben did to it, as asked.
    let run = Recorded::new().await;
    run.edit(AGENT, "e1", json!([add("new", None, json!({ "fill": "red" }))]))
        .await;
    run.edit("user:ben", "e2", json!([set("new", "/props/fill", "gray")]))
        .await;
    run.undo(
        AGENT,
        "u1",
        2,
        Undo {
            force: true,
            ..Undo::default()
        },
    )
    .await;
    assert_eq!(run.check_stream(rule).await, [""; 0]);
}

#[tokio::test]
async fn refusal_respected() {
    let rule = "refusal-respected";
    let refusal = |code: &str| json!({ "error": { "code": code }, "retry": false });
    // It may be sent again after a read, and where the refusal allows it.
    let mut run = good().await;
    run.call("w3", "update_page", json!({ "readToken": "token-1", "content": "x" }));
    run.result("w3", false, refusal("stale"));
    run.read("r6", 6);
    run.call("w4", "update_page", json!({ "readToken": "token-6", "content": "x" }));
    run.result(
        "w4",
        false,
        json!({ "error": { "code": "unavailable" }, "retry": true }),
    );
    run.call("w5", "update_page", json!({ "readToken": "token-6", "content": "x" }));
    assert_eq!(run.breaches(rule).await, [""; 0]);
    let mut run = good().await;
    run.call("w3", "update_page", json!({ "readToken": "token-1", "content": "x" }));
    let refused = run.result("w3", false, refusal("use_merge"));
    let line = run.call("w4", "update_page", json!({ "content": "x", "readToken": "token-2" }));
    assert_eq!(
        run.breaches(rule).await,
        [format!(
            "line {line}: update_page is sent again as it was refused in line {refused} (use_merge)"
        )]
    );
    let mut run = good().await;
    run.call("w3", "update_page", json!({ "readToken": "token-1", "content": "x" }));
    let refused = run.result("w3", false, refusal("not_writable"));
    run.read("r6", 6);
    let line = run.call("w4", "update_page", json!({ "readToken": "token-6", "content": "x" }));
    run.result("w4", false, refusal("not_writable"));
    assert_eq!(
        run.breaches(rule).await,
        [format!(
            "line {line}: update_page was sent again after a read and refused again (not_writable), as in line {refused}"
        )]
    );
}
