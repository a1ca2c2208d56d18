//! Tokens, workspaces, roles, actors.

use recto_api::{Limits, Tokens};
use serde_json::json;

use crate::support::{Api, typing};

const TOKENS: &str = "
# token            workspace role  name
reader-of-studio-1 studio    read  rita
writer-of-studio-1 studio    write wim
admin-of-studio-01 studio    admin ann
writer-of-garage-1 garage    write gus
";

async fn guarded() -> Api {
    Api::with(Limits::default(), Tokens::parse(TOKENS).unwrap()).await
}

#[tokio::test]
async fn without_a_known_token_nothing_is_told() {
    let api = guarded().await;
    for path in [
        "/v1/pages",
        "/v1/pages/p",
        "/v1/pages/p/events",
        "/v1/pages/p/diff?from=1",
        "/v1/commands/k",
        "/v1/feed",
        "/v1/pages/p/feed",
    ] {
        let missing = api.get(path).send().await;
        assert_eq!(missing.header("www-authenticate"), Some("Bearer realm=\"recto\""));
        missing.refused(401, "token_missing");
        for given in [
            "Bearer unknown-token-00",
            "Bearer ",
            "Basic cmVhZGVy",
            "reader-of-studio-1",
            "Bearer",
        ] {
            let unknown = api.get(path).header("authorization", given).send().await;
            assert!(unknown.header("www-authenticate").unwrap().contains("invalid_token"));
            unknown.refused(401, "token_invalid");
        }
    }
    // Before anything else is looked at.
    api.post("/v1/pages")
        .text("{")
        .send()
        .await
        .refused(401, "token_missing");
    api.delete("/v1/pages/p").send().await.refused(401, "token_missing");
    for open in [
        "/healthz",
        "/readyz",
        "/metrics",
        "/openapi.json",
        "/problems",
        "/docs/",
    ] {
        assert_eq!(api.get(open).send().await.status, 200, "{open}");
    }
}

#[tokio::test]
async fn a_reader_reads_and_a_writer_writes_as_whom_the_token_names() {
    let api = guarded().await;
    let make = |token: &'static str| {
        api.post("/v1/pages")
            .new_key()
            .token(token)
            .text(json!({"id": "p", "kind": "CODE", "value": {"files": {"f": ""}}}).to_string())
    };
    let refused = make("reader-of-studio-1").send().await;
    assert!(
        refused
            .header("www-authenticate")
            .unwrap()
            .contains("insufficient_scope")
    );
    assert_eq!(refused.refused(403, "role_insufficient")["role"], "write");
    let made = make("writer-of-studio-1").send().await;
    assert_eq!(made.ok()["events"][0]["actor"], "user:wim");
    assert_eq!(
        api.get("/v1/pages/p").token("reader-of-studio-1").send().await.status,
        200
    );
    assert_eq!(
        api.get("/v1/pages/p")
            .header("authorization", "bearer reader-of-studio-1")
            .send()
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn another_workspace_is_another_world() {
    let api = guarded().await;
    let make = |token: &'static str| {
        api.post("/v1/pages")
            .key("k")
            .token(token)
            .text(json!({"id": "p", "kind": "DOC"}).to_string())
            .send()
    };
    let studio = make("writer-of-studio-1").await;
    for path in [
        "/v1/pages/p",
        "/v1/pages/p?at=1",
        "/v1/pages/p/events",
        "/v1/pages/p/events/1",
        "/v1/pages/p/diff?from=1",
        "/v1/pages/p/feed",
    ] {
        api.get(path)
            .token("writer-of-garage-1")
            .send()
            .await
            .refused(404, "page_not_found");
    }
    let edit = json!({"delta": [{"insert": "x"}]}).to_string();
    let call = api
        .post("/v1/pages/p/deltas")
        .key("e")
        .token("writer-of-garage-1")
        .base(&studio.etag())
        .text(edit);
    call.send().await.refused(404, "page_not_found");
    api.get("/v1/commands/k")
        .token("writer-of-garage-1")
        .send()
        .await
        .refused(404, "command_not_found");
    assert_eq!(
        api.get("/v1/pages").token("writer-of-garage-1").send().await.ok()["pages"],
        json!([])
    );
    // The same names are free there.
    let garage = make("writer-of-garage-1").await;
    assert_eq!(garage.status, 201);
    assert!(!garage.is_replay());
}

#[tokio::test]
async fn an_actor_is_named_by_a_header_and_only_an_admin_acts_as_the_system() {
    let api = guarded().await;
    let call = |token: &'static str, actor: &str| {
        api.post("/v1/pages")
            .new_key()
            .token(token)
            .header("recto-actor", actor)
            .text(json!({"kind": "DOC"}).to_string())
            .send()
    };
    for actor in ["user:ada", "agent:layout:2", "user:ünï"] {
        assert_eq!(
            call("writer-of-studio-1", actor).await.ok()["events"][0]["actor"],
            actor
        );
    }
    call("writer-of-studio-1", "system:import")
        .await
        .refused(403, "actor_forbidden");
    assert_eq!(
        call("admin-of-studio-01", "system:import").await.ok()["events"][0]["actor"],
        "system:import"
    );
    for actor in ["ada", "", "root:x", "user:", &format!("user:{}", "x".repeat(129))] {
        assert_eq!(
            call("writer-of-studio-1", actor).await.refused(400, "invalid_header")["header"],
            "recto-actor"
        );
    }
    let turn = api
        .post("/v1/pages")
        .new_key()
        .token("writer-of-studio-1")
        .header("recto-turn", "t".repeat(129))
        .text("{}")
        .send()
        .await;
    assert_eq!(turn.refused(400, "invalid_header")["header"], "recto-turn");
}

#[tokio::test]
async fn without_tokens_only_names_of_this_machine_are_answered() {
    let api = Api::new().await;
    let tag = api.make_text("p", "x").await;
    assert_eq!(
        api.get("/v1/pages/p")
            .header("host", "localhost:7070")
            .send()
            .await
            .status,
        200
    );
    assert_eq!(
        api.get("/v1/pages/p").header("host", "[::1]:7070").send().await.status,
        200
    );
    for host in ["evil.example", "evil.example:7070", "10.0.0.1"] {
        api.get("/v1/pages/p")
            .header("host", host)
            .send()
            .await
            .refused(421, "host_unknown");
        api.post("/v1/pages/p/deltas")
            .header("host", host)
            .new_key()
            .base(&tag)
            .json(&typing("y"))
            .await
            .refused(421, "host_unknown");
    }
    let guarded = guarded().await;
    assert_eq!(
        guarded
            .get("/v1/pages")
            .header("host", "recto.example")
            .token("reader-of-studio-1")
            .send()
            .await
            .status,
        200
    );
}
