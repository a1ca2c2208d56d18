//! Stale writes: refused with all that is needed to try again.

use recto_api::{Limits, Tokens};
use recto_pages::Settings;
use serde_json::json;
use tokio::task::JoinSet;

use crate::support::{Api, typing, typing_or_not};

#[tokio::test]
async fn a_stale_write_is_refused_with_all_that_it_missed() {
    let api = Api::new().await;
    let first = api.make_text("p", "x").await;
    let mut tag = first.clone();
    for text in ["1", "2"] {
        tag = api.type_text("p", &tag, text).await;
    }
    let stale = api
        .post("/v1/pages/p/deltas")
        .new_key()
        .base(&first)
        .json(&typing_or_not("late"))
        .await;
    assert_eq!(stale.etag(), tag);
    let stale = stale.refused(409, "version_conflict");
    assert_eq!(
        (&stale["expected"], &stale["actual"], &stale["retry"]),
        (&json!(1), &json!(3), &json!(true))
    );
    assert_eq!(
        (&stale["head"]["eventId"], &stale["head"]["etag"]),
        (&json!("p@3"), &json!(tag))
    );
    assert_eq!(
        (&stale["conflicts"], &stale["rebase"]),
        (&json!([]), &json!({"possible": true, "reason": null}))
    );
    assert_eq!(stale["missedNext"], json!(null));
    let missed = stale["missed"].as_array().unwrap();
    assert_eq!(missed.len(), 2);
    for (index, event) in missed.iter().enumerate() {
        assert_eq!(
            event,
            &api.get(&format!("/v1/pages/p/events/{}", index + 2)).send().await.ok()
        );
    }
    for call in [
        api.put("/v1/pages/p").text(json!({"value": {"files": {}}}).to_string()),
        api.delete("/v1/pages/p"),
        api.post("/v1/pages/p/undelete"),
    ] {
        let refused = call.new_key().base(&first).send().await;
        assert_eq!(
            refused.refused(409, "version_conflict")["rebase"],
            json!({"possible": null, "reason": "never"})
        );
    }
}

#[tokio::test]
async fn a_stale_write_is_brought_to_the_head_and_says_so() {
    let api = Api::new().await;
    let first = api.make_text("p", "x").await;
    api.type_text("p", &first, "1").await;
    let call = |key: &'static str| api.post("/v1/pages/p/deltas").key(key).base(&first);
    let late = call("late").json(&typing("late")).await;
    let written = late.ok();
    assert_eq!((&written["version"], late.etag().as_str()), (&json!(3), "\"3.0\""));
    assert_eq!(
        written["rebase"],
        json!({"base": 1, "over": 2, "dropped": [], "droppedOmitted": 0, "notes": [], "notesOmitted": 0})
    );
    assert_eq!(
        (&written["undo"], &written["restoredFrom"]),
        (&json!(null), &json!(null))
    );
    let again = call("late").json(&typing("late")).await;
    assert!(again.is_replay() && again.body == late.body);
    // How it is taken is part of the request.
    call("late")
        .json(&typing_or_not("late"))
        .await
        .refused(422, "idempotency_key_reused");
    let fresh = api.type_text("p", &late.etag(), "y").await;
    assert_eq!(fresh, "\"4.0\"");
}

#[tokio::test]
async fn conflicts_name_the_delta_and_the_operation_they_come_from() {
    let api = Api::new().await;
    let node = |text: &str| json!({"type": "text", "parentId": null, "props": {"text": text}});
    let first = api
        .make("p", "DESIGN", json!({"nodes": {"a": node("a"), "b": node("b")}}))
        .await;
    let set = |id: &str, text: &str| json!({"op": "setNode", "id": id, "set": {"/props/text": text}});
    let call = |base: &str| api.post("/v1/pages/p/deltas").new_key().base(base);
    let second = call(&first).json(&json!({"delta": [set("b", "B")]})).await.etag();
    let mine = json!([[set("a", "x")], [set("a", "y"), set("b", "mine")]]);
    let refused = call(&first).json(&json!({"deltas": mine})).await;
    let refused = refused.refused(409, "version_conflict");
    assert_eq!(refused["rebase"], json!({"possible": false, "reason": "conflicts"}));
    let conflict = &refused["conflicts"][0];
    assert_eq!(
        (&conflict["delta"], &conflict["op"], &conflict["code"]),
        (&json!(1), &json!(1), &json!("overwritten"))
    );
    assert_eq!(
        (&conflict["node"], &conflict["pointer"], &conflict["version"]),
        (&json!("b"), &json!("/props/text"), &json!(2))
    );
    assert_eq!(
        (&conflict["before"], &conflict["mine"], &conflict["theirs"]),
        (&json!("b"), &json!("mine"), &json!("B"))
    );
    assert_eq!(
        (
            &refused["conflictsOmitted"],
            refused["conflicts"].as_array().map(Vec::len)
        ),
        (&json!(0), Some(1))
    );
    assert_eq!(api.get("/v1/pages/p").send().await.etag(), second);
    let theirs = call(&first)
        .json(&json!({"deltas": mine, "onOverwrite": "theirs"}))
        .await
        .ok();
    assert_eq!(theirs["rebase"]["notes"][0]["code"], "gave_way");
    let value = &api.get("/v1/pages/p").send().await.ok()["value"]["nodes"];
    assert_eq!(
        (&value["a"]["props"]["text"], &value["b"]["props"]["text"]),
        (&json!("y"), &json!("B"))
    );
}

#[tokio::test]
async fn a_write_too_many_events_old_says_that_it_is_too_far() {
    let settings = Settings {
        rebase_events_max: 3,
        ..Settings::default()
    };
    let api = Api::with_settings(Limits::default(), Tokens::open(), settings).await;
    let first = api.make_text("p", "x").await;
    let mut tag = first.clone();
    for _ in 0..4 {
        tag = api.type_text("p", &tag, "y").await;
    }
    let late = |base: &str| {
        api.post("/v1/pages/p/deltas")
            .new_key()
            .base(base)
            .text(typing("z").to_string())
            .send()
    };
    assert_eq!(
        late(&first).await.refused(409, "version_conflict")["rebase"],
        json!({"possible": false, "reason": "too_far"})
    );
    assert_eq!(late("\"2.0\"").await.ok()["rebase"]["over"], 5);
}

#[tokio::test]
async fn what_was_missed_goes_on_behind_a_link_where_it_is_much() {
    let api = Api::new().await;
    let first = api.make_text("p", "x").await;
    let mut tag = first.clone();
    for _ in 0..4 {
        tag = api.type_text("p", &tag, &"y".repeat(20_000)).await;
    }
    let stale = api
        .post("/v1/pages/p/deltas")
        .new_key()
        .base(&first)
        .json(&typing_or_not("late"))
        .await;
    let stale = stale.refused(409, "version_conflict");
    let inline = stale["missed"].as_array().unwrap().len();
    assert!((1..4).contains(&inline), "{inline}");
    let rest = api.get(stale["missedNext"].as_str().unwrap()).send().await.ok();
    assert_eq!(inline + rest["events"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn a_write_says_which_version_it_was_made_from() {
    let api = Api::new().await;
    let tag = api.make_text("p", "x").await;
    let call = || api.post("/v1/pages/p/deltas").new_key();
    call().json(&typing("y")).await.refused(428, "base_required");
    call().base("*").json(&typing("y")).await.refused(400, "if_match_any");
    call()
        .base(&format!("W/{tag}"))
        .json(&typing("y"))
        .await
        .refused(400, "if_match_weak");
    call()
        .base("1.0")
        .json(&typing("y"))
        .await
        .refused(400, "if_match_malformed");
    call()
        .base(&tag)
        .base(&tag)
        .json(&typing("y"))
        .await
        .refused(400, "invalid_header");
    for never in ["\"2.0\"", "\"1.1\"", "\"0.0\"", "\"18446744073709551615.0\""] {
        let refused = call().base(never).json(&typing("y")).await.refused(412, "base_unknown");
        assert_eq!(refused["head"]["etag"], json!(tag), "{never}");
    }
    assert_eq!(api.get("/v1/pages/p").send().await.etag(), tag);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s5_s6_of_64_racing_writers_one_wins_each_round_and_every_loser_gets_the_whole_conflict() {
    let api = Api::new().await;
    let mut tag = api.make_text("p", "x").await;
    let mut won = 0;
    for _ in 0..3 {
        let mut writers = JoinSet::new();
        for writer in 0..64 {
            let (api, tag) = (api.clone(), tag.clone());
            writers.spawn(async move {
                api.post("/v1/pages/p/deltas")
                    .new_key()
                    .base(&tag)
                    .json(&typing_or_not(&writer.to_string()))
                    .await
            });
        }
        let answers = writers.join_all().await;
        let (winners, losers): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 200);
        assert_eq!(winners.len(), 1);
        let head = winners[0].json();
        for loser in losers {
            let refused = loser.refused(409, "version_conflict");
            assert_eq!(refused["head"]["eventId"], head["events"][0]["id"]);
            assert_eq!(refused["missed"][0], head["events"][0]);
        }
        tag = winners[0].etag();
        won += 1;
    }
    let events = api.get("/v1/pages/p/events").send().await.ok();
    assert_eq!(events["events"].as_array().unwrap().len(), won + 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s7_writers_on_64_pages_never_meet() {
    let api = Api::new().await;
    let mut writers = JoinSet::new();
    for page in 0..64 {
        let api = api.clone();
        writers.spawn(async move {
            let page = format!("p{page}");
            let mut tag = api.make_text(&page, "x").await;
            for _ in 0..5 {
                tag = api.type_text(&page, &tag, "y").await;
            }
            assert_eq!(tag, "\"6.0\"");
        });
    }
    writers.join_all().await;
}
