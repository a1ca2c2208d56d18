//! Undo, redo, restore and the stacks: the shape of every answer and of every refusal.

use recto_api::{Limits, Tokens};
use recto_pages::Settings;
use serde_json::{Value as Json, json};

use crate::support::{Answer, Api, typing};

async fn post(api: &Api, what: &str, base: &str, body: Json) -> Answer {
    let call = api.post(&format!("/v1/pages/p/{what}")).new_key();
    call.base(base).json(&body).await
}

#[tokio::test]
async fn an_undo_and_a_redo_are_events_that_say_what_they_answer_to() {
    let api = Api::new().await;
    let first = api.make_text("p", "x").await;
    let second = api.type_text("p", &first, "y").await;
    let undone = post(&api, "undo", &second, json!({})).await;
    let told = undone.ok();
    assert_eq!((&told["operation"], &told["version"]), (&json!("undo"), &json!(3)));
    assert_eq!(
        told["undo"],
        json!({"outcome": "applied", "of": [2], "conflicts": [], "conflictsOmitted": 0,
            "skipped": [], "skippedOmitted": 0, "notes": [], "notesOmitted": 0})
    );
    assert_eq!((&told["rebase"], &told["restoredFrom"]), (&json!(null), &json!(null)));
    let event = api.get("/v1/pages/p/events/3").send().await.ok();
    assert_eq!(told["events"], json!([event]));
    assert_eq!(event["cause"], json!({"kind": "undo", "version": 2, "event": "p@2"}));
    assert_eq!((&event["kind"], &event["undoable"]), (&json!("undo"), &json!(true)));
    let redone = post(&api, "redo", &undone.etag(), json!({})).await;
    let told = redone.ok();
    assert_eq!(
        (
            &told["operation"],
            &told["events"][0]["kind"],
            &told["events"][0]["cause"]
        ),
        (
            &json!("redo"),
            &json!("redo"),
            &json!({"kind": "redo", "version": 3, "event": "p@3"})
        )
    );
    let restored = post(&api, "restore", &redone.etag(), json!({"version": 1})).await;
    let told = restored.ok();
    assert_eq!((&told["restoredFrom"], &told["undo"]), (&json!(1), &json!(null)));
    assert_eq!((&told["epoch"], restored.etag().as_str()), (&json!(1), "\"5.1\""));
    assert_eq!(
        told["events"][0]["cause"],
        json!({"kind": "restore", "version": 1, "event": "p@1"})
    );
}

#[tokio::test]
async fn a_body_may_be_absent_or_empty_and_is_read_strictly() {
    let api = Api::new().await;
    let first = api.make_text("p", "x").await;
    let mut tag = api.type_text("p", &first, "y").await;
    for route in ["undo", "redo"] {
        let path = format!("/v1/pages/p/{route}");
        for body in [None, Some(""), Some("{}")] {
            let call = api.post(&path).new_key().base(&tag);
            let answer = match body {
                None => call.send().await,
                Some(text) => call.text(text).send().await,
            };
            answer.ok();
            tag = answer.etag();
            let other = if route == "undo" { "redo" } else { "undo" };
            tag = post(&api, other, &tag, json!({})).await.etag();
        }
        tag = post(&api, route, &tag, json!({})).await.etag();
    }
    for (body, pointer) in [
        (json!([]), ""),
        (json!({"event": 2, "turn": "t"}), ""),
        (json!({"turn": "t", "actor": "user:a"}), ""),
        (json!({"event": "2"}), "/event"),
        (json!({"event": 0}), "/event"),
        (json!({"event": null}), "/event"),
        (json!({"turn": ""}), "/turn"),
        (json!({"turn": 1}), "/turn"),
        (json!({"actor": "nobody"}), "/actor"),
        (json!({"policy": "maybe"}), "/policy"),
        (json!({"policy": null}), "/policy"),
        (json!({"force": 1}), "/force"),
        (json!({"dryRun": "true"}), "/dryRun"),
        (json!({"dry_run": true}), "/dry_run"),
    ] {
        let refused = post(&api, "undo", &tag, body.clone()).await.refused(400, "malformed");
        assert_eq!(refused["pointer"], pointer, "{body}");
    }
    for body in [
        json!({}),
        json!({"version": "1"}),
        json!({"version": 0}),
        json!({"version": 1.5}),
    ] {
        let refused = post(&api, "restore", &tag, body.clone())
            .await
            .refused(400, "malformed");
        assert_eq!(refused["pointer"], "/version", "{body}");
    }
    for (field, value) in [
        ("onStale", json!("never")),
        ("onOverwrite", json!("both")),
        ("force", json!(null)),
        ("undoable", json!("no")),
    ] {
        let mut body = typing("y");
        body[field] = value;
        let refused = post(&api, "deltas", &tag, body).await.refused(400, "malformed");
        assert_eq!(refused["pointer"], format!("/{field}"));
    }
    let text = api
        .post("/v1/pages/p/undo")
        .new_key()
        .base(&tag)
        .bytes("{}")
        .send()
        .await;
    text.refused(415, "media_type_unsupported");
    assert_eq!(api.get("/v1/pages/p").send().await.etag(), tag);
}

#[tokio::test]
async fn every_refusal_of_an_undo_has_its_code_and_fields() {
    let settings = Settings {
        undo_events_max: 6,
        ..Settings::default()
    };
    let api = Api::with_settings(Limits::default(), Tokens::open(), settings).await;
    let node = |text: &str| json!({"type": "text", "parentId": null, "props": {"text": text}});
    let first = api.make("p", "DESIGN", json!({"nodes": {"a": node("a")}})).await;
    let nothing = post(&api, "undo", &first, json!({}))
        .await
        .refused(409, "nothing_to_undo");
    assert_eq!(
        (&nothing["actor"], &nothing["skipped"]),
        (&json!("user:anonymous"), &json!(0))
    );
    let nothing = post(&api, "redo", &first, json!({"actor": "agent:x"})).await;
    assert_eq!(nothing.refused(409, "nothing_to_redo")["actor"], "agent:x");
    let made = post(&api, "undo", &first, json!({"event": 1}))
        .await
        .refused(422, "not_undoable");
    assert_eq!((&made["version"], &made["kind"]), (&json!(1), &json!("create")));
    let far = post(&api, "undo", &first, json!({"event": "p@2"})).await;
    assert_eq!(far.refused(404, "version_not_found")["head"], 1);
    let other = post(&api, "undo", &first, json!({"event": "q@1"})).await;
    assert_eq!(other.refused(422, "event_of_another_page")["page"], "q");
    let turn = post(&api, "undo", &first, json!({"turn": "t"}))
        .await
        .refused(404, "turn_not_found");
    assert_eq!((&turn["turn"], &turn["limit"]), (&json!("t"), &json!(6)));

    let set = |text: &str| json!({"delta": [{"op": "setNode", "id": "a", "set": {"/props/text": text}}]});
    let mut tag = post(&api, "deltas", &first, set("b")).await.etag();
    let not_undone = post(&api, "redo", &tag, json!({"event": 2}))
        .await
        .refused(409, "not_undone");
    assert_eq!((&not_undone["version"], &not_undone["by"]), (&json!(2), &json!(2)));
    tag = post(&api, "deltas", &tag, set("c")).await.etag();
    let conflicts = post(&api, "undo", &tag, json!({"event": 2, "policy": "abort"})).await;
    let conflicts = conflicts.refused(409, "undo_conflicts");
    assert_eq!(
        (&conflicts["conflicts"][0]["code"], &conflicts["conflicts"][0]["event"]),
        (&json!("overwritten"), &json!(2))
    );
    assert_eq!(conflicts["conflictsOmitted"], 0);
    tag = post(&api, "undo", &tag, json!({"event": 3})).await.etag();
    let twice = post(&api, "undo", &tag, json!({"event": 3}))
        .await
        .refused(409, "already_undone");
    assert_eq!((&twice["version"], &twice["by"]), (&json!(3), &json!(4)));
    for text in ["d", "e", "f", "g"] {
        tag = post(&api, "deltas", &tag, set(text)).await.etag();
    }
    let long = post(&api, "undo", &tag, json!({"event": 2}))
        .await
        .refused(422, "history_too_long");
    assert_eq!((&long["version"], &long["limit"]), (&json!(2), &json!(6)));
    let deleted = api.delete("/v1/pages/p").new_key().base(&tag).send().await.etag();
    for route in ["undo", "redo"] {
        post(&api, route, &deleted, json!({}))
            .await
            .refused(410, "page_deleted");
    }
    post(&api, "restore", &deleted, json!({"version": 1}))
        .await
        .refused(410, "page_deleted");
    assert_eq!(
        api.get("/v1/pages/p/events").send().await.ok()["events"]
            .as_array()
            .map(Vec::len),
        Some(9)
    );
}

#[tokio::test]
async fn a_dry_run_tells_what_would_be_done_and_leaves_nothing() {
    let api = Api::new().await;
    let first = api.make_text("p", "x").await;
    let tag = api.type_text("p", &first, "y").await;
    for (route, body, cause) in [
        (
            "undo",
            json!({"dryRun": true}),
            json!({"kind": "undo", "version": 2, "event": "p@2"}),
        ),
        (
            "restore",
            json!({"version": 1, "dryRun": true}),
            json!({"kind": "restore", "version": 1, "event": "p@1"}),
        ),
    ] {
        let call = api.post(&format!("/v1/pages/p/{route}"));
        let answer = call.base(&tag).json(&body).await;
        assert_eq!(answer.etag(), tag);
        let told = answer.ok();
        assert_eq!(
            (&told["dryRun"], &told["operation"], &told["head"]["etag"]),
            (&json!(true), &json!(route), &json!(tag))
        );
        assert_eq!(told["events"][0]["cause"], cause);
        assert_eq!(
            told["digest"],
            api.get("/v1/pages/p?at=1").send().await.ok()["digest"],
            "{route}"
        );
        let with_key = api.post(&format!("/v1/pages/p/{route}")).key(route).base(&tag);
        assert_eq!(with_key.json(&body).await.body, answer.body);
        api.get(&format!("/v1/commands/{route}"))
            .send()
            .await
            .refused(404, "command_not_found");
        api.post(&format!("/v1/pages/p/{route}"))
            .json(&body)
            .await
            .refused(428, "base_required");
        let mut wet = body.clone();
        wet["dryRun"] = json!(false);
        api.post(&format!("/v1/pages/p/{route}"))
            .base(&tag)
            .json(&wet)
            .await
            .refused(400, "idempotency_key_missing");
    }
    let refused = api
        .post("/v1/pages/p/redo")
        .base(&tag)
        .json(&json!({"dryRun": true}))
        .await;
    refused.refused(409, "nothing_to_redo");
    assert_eq!(api.get("/v1/pages/p").send().await.etag(), tag);
}

#[tokio::test]
async fn the_stacks_are_read_at_any_version_by_any_actor() {
    let api = Api::new().await;
    let mut tag = api.make_text("p", "x").await;
    for turn in ["t1", "t1", "t2"] {
        let call = api.post("/v1/pages/p/deltas").new_key().base(&tag);
        let call = call.by("agent:a").header("recto-turn", turn);
        tag = call.json(&typing(turn)).await.etag();
    }
    let entry = |turn: &str, edits: &[u64], targets: &[u64]| json!({"turn": turn, "edits": edits, "targets": targets});
    let path = "/v1/pages/p/undo-stack";
    let stack = api.get(&format!("{path}?actor=agent:a")).send().await.ok();
    assert_eq!(
        stack,
        json!({"page": "p", "actor": "agent:a", "version": 4,
            "undo": [entry("t2", &[4], &[4]), entry("t1", &[2, 3], &[3, 2])], "undoMore": 0,
            "redo": [], "redoMore": 0})
    );
    assert_eq!(api.get(path).by("agent:a").send().await.ok(), stack);
    let short = api.get(&format!("{path}?limit=1")).by("agent:a").send().await.ok();
    assert_eq!((&short["undo"][0], &short["undoMore"]), (&stack["undo"][0], &json!(1)));
    let undo = api.post("/v1/pages/p/undo").new_key().base(&tag).by("agent:a");
    undo.json(&json!({})).await.ok();
    let later = api.get(path).by("agent:a").send().await.ok();
    assert_eq!(
        (&later["redo"], &later["version"]),
        (&json!([entry("t2", &[4], &[5])]), &json!(5))
    );
    let earlier = api.get(&format!("{path}?at=4")).by("agent:a").send().await.ok();
    assert_eq!(earlier, stack);
    let nobody = api.get(&format!("{path}?actor=user:nobody")).send().await.ok();
    assert_eq!((&nobody["undo"], &nobody["redo"]), (&json!([]), &json!([])));
    for query in [
        "",
        "?actor=nobody",
        "?actor=user:a&at=x",
        "?actor=user:a&limit=0",
        "?actor=user:a&limit=1001",
    ] {
        api.get(&format!("{path}{query}"))
            .send()
            .await
            .refused(400, "invalid_parameter");
    }
    for at in [0, 6] {
        let refused = api.get(&format!("{path}?actor=user:a&at={at}")).send().await;
        refused.refused(404, "version_not_found");
    }
    api.get("/v1/pages/none/undo-stack?actor=user:a")
        .send()
        .await
        .refused(404, "page_not_found");
}

#[tokio::test]
async fn an_edit_that_is_not_undoable_says_so_and_is_stepped_over() {
    let api = Api::new().await;
    let first = api.make_text("p", "x").await;
    let mut body = typing("y");
    body["undoable"] = json!(false);
    let edit = post(&api, "deltas", &first, body).await;
    assert_eq!(edit.ok()["events"][0]["undoable"], false);
    post(&api, "undo", &edit.etag(), json!({}))
        .await
        .refused(409, "nothing_to_undo");
    let named = post(&api, "undo", &edit.etag(), json!({"event": 2})).await;
    assert_eq!(named.refused(422, "not_undoable")["kind"], "edit");
}
