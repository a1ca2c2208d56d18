//! A run that keeps every rule.

use serde_json::json;

use crate::recorded::{AGENT, Recorded, Undo, add, remove, set};

/// A run as it should be: reads, merges, generates an image, is asked for another, undoes its own edit.
pub(crate) async fn good() -> Recorded {
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
