//! The rule about undo: runs that keep it and runs that break it.

use recto_pages::projections::undo::Policy;
use serde_json::json;

use crate::good::good;
use crate::recorded::{AGENT, Recorded, Undo, add, set};

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
