//! The same command again, whenever it comes.

use recto_store::CommitFault;
use serde_json::json;

use crate::support::{Api, typing, typing_or_not};

#[tokio::test]
async fn s1_a_retry_gets_the_first_answer_whatever_its_base() {
    let api = Api::new().await;
    let first = api.make_text("p", "x").await;
    let call = || api.post("/v1/pages/p/deltas").key("k");
    let answer = call().base(&first).json(&typing("y")).await;
    assert!(!answer.is_replay());
    let second = answer.etag();
    let third = api.type_text("p", &second, "z").await;
    for base in [&first, &second, &third] {
        let again = call().base(base).json(&typing("y")).await;
        assert_eq!(
            (again.status, &again.body, again.etag()),
            (answer.status, &answer.body, second.clone()),
            "{base}"
        );
        assert!(again.is_replay());
    }
    // The base is asked for all the same: whoever leaves it out would write blindly the first time.
    call().json(&typing("y")).await.refused(428, "base_required");
    assert_eq!(api.get("/v1/pages/p").send().await.etag(), third);
}

#[tokio::test]
async fn s3_the_same_key_with_another_body_is_refused() {
    let api = Api::new().await;
    let first = api.make_text("p", "x").await;
    let deltas = |count: usize| json!({"deltas": vec![typing("y")["delta"].clone(); count]});
    let call = |key: &'static str| api.post("/v1/pages/p/deltas").key(key);
    let tag = call("k").base(&first).json(&deltas(2)).await.etag();
    for other in [deltas(1), deltas(3), typing("other")] {
        call("k")
            .base(&tag)
            .json(&other)
            .await
            .refused(422, "idempotency_key_reused");
    }
    api.put("/v1/pages/p")
        .key("k")
        .base(&tag)
        .json(&json!({"value": {"files": {}}}))
        .await
        .refused(422, "idempotency_key_reused");
    api.delete("/v1/pages/p")
        .key("k")
        .base(&tag)
        .send()
        .await
        .refused(422, "idempotency_key_reused");
    // Written one way or the other, one delta is the same request.
    let one = call("one").base(&tag).json(&typing("y")).await;
    let same = call("one").base(&tag).json(&deltas(1)).await;
    assert_eq!(one.body, same.body);
    assert_eq!(api.get("/v1/pages/p").send().await.ok()["version"], 4);
}

#[tokio::test]
async fn every_write_can_be_repeated() {
    let api = Api::new().await;
    let first = api.make_text("p", "x").await;
    let value = json!({"value": {"files": {"f": "z"}}}).to_string();
    let replace = || api.put("/v1/pages/p").key("r").base(&first).text(value.clone()).send();
    let replaced = replace().await;
    let delete = || api.delete("/v1/pages/p").key("d").base(&replaced.etag()).send();
    let deleted = delete().await;
    let undelete = || api.post("/v1/pages/p/undelete").key("u").base(&deleted.etag()).send();
    let undeleted = undelete().await;
    for (before, after) in [
        (&replaced, replace().await),
        (&deleted, delete().await),
        (&undeleted, undelete().await),
    ] {
        assert_eq!(
            (before.status, &before.body, before.etag()),
            (after.status, &after.body, after.etag())
        );
        assert!(after.is_replay() && !before.is_replay());
    }
}

#[tokio::test]
async fn a_write_that_changes_nothing_can_be_repeated_too() {
    let api = Api::new().await;
    let first = api.make_text("p", "x").await;
    let same = json!({"value": {"files": {"f": "x"}}});
    let answer = api.put("/v1/pages/p").key("k").base(&first).json(&same).await;
    assert_eq!(answer.ok()["changed"], false);
    api.type_text("p", &first, "y").await;
    let again = api.put("/v1/pages/p").key("k").base(&first).json(&same).await;
    assert_eq!(again.body, answer.body);
    assert!(again.is_replay());
}

#[tokio::test]
async fn a_key_is_bare_or_quoted_and_means_the_same() {
    let api = Api::new().await;
    let first = api.make_text("p", "x").await;
    let bare = api
        .post("/v1/pages/p/deltas")
        .key("k-1")
        .base(&first)
        .json(&typing("y"))
        .await;
    let quoted = api
        .post("/v1/pages/p/deltas")
        .key("\"k-1\"")
        .base(&first)
        .json(&typing("y"))
        .await;
    assert_eq!(bare.body, quoted.body);
    assert!(quoted.is_replay());
    let call = || api.post("/v1/pages/p/deltas").base(&first);
    call().json(&typing("y")).await.refused(400, "idempotency_key_missing");
    for bad in ["", "\"\"", &"k".repeat(129)] {
        assert_eq!(
            call().key(bad).json(&typing("y")).await.refused(400, "invalid_header")["header"],
            "idempotency-key"
        );
    }
    call()
        .key("a")
        .key("b")
        .json(&typing("y"))
        .await
        .refused(400, "invalid_header");
    let late = call().key(&"k".repeat(128)).json(&typing_or_not("y")).await;
    late.refused(409, "version_conflict");
}

#[tokio::test]
async fn the_outcome_of_a_command_can_be_asked_for() {
    let api = Api::new().await;
    let first = api.make_text("p", "x").await;
    let written = api
        .post("/v1/pages/p/deltas")
        .key("k")
        .base(&first)
        .json(&typing("y"))
        .await;
    let asked = api.get("/v1/commands/k").send().await;
    assert_eq!(
        (asked.status.as_u16(), &asked.body, asked.etag()),
        (200, &written.body, written.etag())
    );
    assert_eq!(
        api.get("/v1/commands/none")
            .send()
            .await
            .refused(404, "command_not_found")["retry"],
        true
    );
    let other = api.make_text("q", "x").await;
    api.post("/v1/pages/q/deltas")
        .key("k")
        .base(&other)
        .json(&typing("y"))
        .await
        .ok();
    assert_eq!(
        api.get("/v1/commands/k").send().await.refused(409, "command_ambiguous")["pages"],
        json!(["p", "q"])
    );
    assert_eq!(api.get("/v1/commands/k?page=p").send().await.body, written.body);
    api.get("/v1/commands/k?page=r")
        .send()
        .await
        .refused(404, "command_not_found");
}

#[tokio::test]
async fn s12_a_write_of_unknown_outcome_says_so_and_its_id_tells_the_truth() {
    for applied in [true, false] {
        let api = Api::new().await;
        let first = api.make_text("p", "x").await;
        api.engine.fail_commit(1, CommitFault::Indeterminate { applied });
        let call = || {
            api.post("/v1/pages/p/deltas")
                .key("k")
                .base(&first)
                .text(typing("y").to_string())
                .send()
        };
        let refused = call().await.refused(503, "outcome_unknown");
        assert_eq!((&refused["command"], &refused["retry"]), (&json!("k"), &json!(true)));
        let asked = api.get("/v1/commands/k").send().await.status;
        assert_eq!(asked.as_u16(), if applied { 200 } else { 404 });
        let again = call().await;
        assert_eq!((again.ok()["version"].clone(), again.is_replay()), (json!(2), applied));
    }
}
