//! The rules about images: each with a run that keeps it and runs that break it.

use serde_json::json;

use crate::good::good;
use crate::recorded::{AGENT, Undo, add, remove, set};

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
