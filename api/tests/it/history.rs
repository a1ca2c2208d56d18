//! Reading history: events, differences.

use serde_json::{Value as Json, json};

use crate::support::Api;

async fn with_history(api: &Api, versions: u64) -> String {
    let mut tag = api.make_text("p", "0").await;
    for version in 2..=versions {
        tag = api.type_text("p", &tag, &version.to_string()).await;
    }
    tag
}

fn versions(list: &Json) -> Vec<u64> {
    list["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["version"].as_u64().unwrap())
        .collect()
}

#[tokio::test]
async fn events_are_read_in_both_directions_by_their_links() {
    let api = Api::new().await;
    with_history(&api, 7).await;
    let check = async |path: &str, expected: &[&[u64]]| {
        let mut next = Some(path.to_owned());
        let mut parts = Vec::new();
        while let Some(path) = next {
            let answer = api.get(&path).send().await;
            let list = answer.ok();
            parts.push(versions(&list));
            next = list["next"].as_str().map(str::to_owned);
            assert_eq!(
                answer.header("link"),
                next.as_ref().map(|next| format!("<{next}>; rel=\"next\"")).as_deref()
            );
        }
        assert_eq!(parts, expected, "{path}");
    };
    check("/v1/pages/p/events", &[&[1, 2, 3, 4, 5, 6, 7]]).await;
    check("/v1/pages/p/events?limit=3", &[&[1, 2, 3], &[4, 5, 6], &[7]]).await;
    check("/v1/pages/p/events?after=4", &[&[5, 6, 7]]).await;
    check("/v1/pages/p/events?after=7", &[&[]]).await;
    check("/v1/pages/p/events?order=desc&limit=3", &[&[7, 6, 5], &[4, 3, 2], &[1]]).await;
    check("/v1/pages/p/events?before=3", &[&[2, 1]]).await;
    check("/v1/pages/p/events?before=1", &[&[]]).await;
    check(
        "/v1/pages/p/events?before=99&order=desc&limit=7",
        &[&[7, 6, 5, 4, 3, 2, 1]],
    )
    .await;
    for query in [
        "limit=0",
        "limit=1001",
        "limit=x",
        "order=up",
        "after=1&before=3",
        "after=1&order=desc",
        "before=3&order=asc",
        "after=-1",
        "x=1",
        "limit=1&limit=2",
    ] {
        api.get(&format!("/v1/pages/p/events?{query}"))
            .send()
            .await
            .refused(400, "invalid_parameter");
    }
}

#[tokio::test]
async fn one_event_has_all_its_fields_and_the_hashes_make_a_chain() {
    let api = Api::new().await;
    with_history(&api, 3).await;
    let mut previous = "0".repeat(64);
    for version in 1..=3 {
        let event = api.get(&format!("/v1/pages/p/events/{version}")).send().await.ok();
        assert_eq!(
            (&event["id"], &event["version"], &event["page"]),
            (&json!(format!("p@{version}")), &json!(version), &json!("p"))
        );
        assert_eq!(
            (&event["type"], &event["actor"]),
            (&json!("page-edit"), &json!("user:anonymous"))
        );
        assert_eq!(event["undoable"], version > 1);
        assert_eq!(event["prevHash"], json!(previous));
        previous = event["hash"].as_str().unwrap().to_owned();
    }
    assert_eq!(api.get("/v1/pages/p").send().await.ok()["hash"], json!(previous));
    assert_eq!(
        api.get("/v1/pages/p/events/4")
            .send()
            .await
            .refused(404, "version_not_found")["head"],
        3
    );
    api.get("/v1/pages/p/events/0")
        .send()
        .await
        .refused(404, "version_not_found");
    api.get("/v1/pages/p/events/x")
        .send()
        .await
        .refused(400, "invalid_parameter");
    api.get("/v1/pages/q/events")
        .send()
        .await
        .refused(404, "page_not_found");
    api.get("/v1/pages/q/events/1")
        .send()
        .await
        .refused(404, "page_not_found");
}

#[tokio::test]
async fn two_versions_are_compared_in_both_directions() {
    let api = Api::new().await;
    with_history(&api, 3).await;
    let there = api.get("/v1/pages/p/diff?from=1&to=3").send().await.ok();
    assert_eq!(
        there["delta"],
        json!([{"op": "editFile", "path": "f", "delta": [{"insert": "32"}]}])
    );
    let back = api.get("/v1/pages/p/diff?from=3&to=1").send().await.ok();
    assert_eq!(
        (&back["fromDigest"], &back["toDigest"]),
        (&there["toDigest"], &there["fromDigest"])
    );
    assert_eq!(
        back["delta"],
        json!([{"op": "editFile", "path": "f", "delta": [{"delete": 2}]}])
    );
    let same = api.get("/v1/pages/p/diff?from=3").send().await.ok();
    assert_eq!(
        (&same["to"], &same["equal"], &same["delta"]),
        (&json!(3), &json!(true), &json!([]))
    );
    assert_eq!(
        api.get("/v1/pages/p/diff")
            .send()
            .await
            .refused(400, "invalid_parameter")["parameter"],
        "from"
    );
    api.get("/v1/pages/p/diff?from=1&to=9")
        .send()
        .await
        .refused(404, "version_not_found");
}
