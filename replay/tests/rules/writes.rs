//! The rules about writes: each with a run that keeps it and runs that break it.

use recto_pages::EventKind;
use recto_replay::rules::{Run, Step, by_name};
use serde_json::json;

use crate::good::good;
use crate::recorded::{AGENT, Recorded, TURN, add, remove, set};

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

/// No service carries a command out twice, so this stream is written by hand.
#[test]
fn a_command_that_was_carried_out_twice_is_found() {
    let step = |version, command: &str| Step {
        version,
        kind: EventKind::Edit,
        actor: AGENT.to_owned(),
        turn: None,
        command: command.to_owned(),
        cause: None,
        forced: false,
        delta: None,
        inverse: None,
    };
    let steps = [step(1, "a"), step(2, "a"), step(3, "b"), step(4, "a")];
    let run = Run {
        page: "poster",
        steps: &steps,
        trajectory: None,
    };
    let findings = by_name("applied-once").unwrap().check(&run).unwrap();
    let told: Vec<_> = findings
        .breaches
        .iter()
        .map(|breach| (breach.version, breach.what.as_str()))
        .collect();
    assert_eq!(
        told,
        [(Some(4), "command \"a\" was carried out again: it had made version 2")]
    );
}
