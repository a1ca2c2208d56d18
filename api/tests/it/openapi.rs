//! The description: a snapshot, whole and self-contained.

use std::path::Path;

use serde_json::Value as Json;

use crate::support::Api;

fn description() -> Json {
    serde_json::to_value(recto_api::description()).unwrap()
}

/// Set `RECTO_UPDATE_SNAPSHOTS=1` to write the file anew, and look at what changed.
#[test]
fn the_description_is_the_one_in_the_repository() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi.json");
    let text = format!("{:#}\n", description());
    if std::env::var_os("RECTO_UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        kept == text,
        "{} is not what the code describes: run with RECTO_UPDATE_SNAPSHOTS=1, and look at what changed",
        file.display()
    );
}

#[test]
fn every_operation_has_an_id_a_summary_and_described_answers() {
    let api = description();
    assert_eq!(api["openapi"], "3.1.0");
    let mut ids = Vec::new();
    for (path, item) in api["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let told = format!("{method} {path}");
            ids.push(operation["operationId"].as_str().expect(&told).to_owned());
            assert!(
                operation["summary"].is_string() && operation["tags"].is_array(),
                "{told}"
            );
            let responses = operation["responses"].as_object().unwrap();
            assert!(responses.keys().any(|status| status.starts_with('2')), "{told}");
            for (status, response) in responses {
                assert!(
                    !response["description"].as_str().unwrap_or_default().is_empty(),
                    "{told} {status}"
                );
            }
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                assert!(parameter["description"].is_string(), "{told} {parameter}");
            }
        }
    }
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count);
}

#[test]
fn every_reference_leads_somewhere() {
    let api = description();
    let mut found = 0;
    let mut todo = vec![&api];
    while let Some(json) = todo.pop() {
        if let Some(target) = json.get("$ref").and_then(Json::as_str) {
            found += 1;
            assert!(api.pointer(target.trim_start_matches('#')).is_some(), "{target}");
        }
        match json {
            Json::Object(map) => todo.extend(map.values()),
            Json::Array(items) => todo.extend(items),
            _ => {}
        }
    }
    assert!(found > 20);
}

#[tokio::test]
async fn the_description_and_its_page_are_served_and_load_nothing_from_elsewhere() {
    let api = Api::new().await;
    assert_eq!(api.get("/openapi.json").send().await.ok(), description());
    let moved = api.get("/docs").send().await;
    assert_eq!((moved.status.as_u16(), moved.header("location")), (303, Some("/docs/")));
    let page = api.get("/docs/").send().await;
    assert_eq!(page.status, 200);
    let html = String::from_utf8(page.body.to_vec()).unwrap();
    assert!(html.contains("swagger-ui"));
    for line in html
        .lines()
        .filter(|line| line.contains("src=") || line.contains("href="))
    {
        assert!(!line.contains("//"), "{line}");
        for name in line
            .split('"')
            .filter(|part| part.starts_with("./") && part.contains('.'))
        {
            let path = format!("/docs/{}", name.trim_start_matches("./"));
            assert_eq!(api.get(&path).send().await.status, 200, "{path}");
        }
    }
    let start = api.get("/docs/swagger-initializer.js").send().await;
    assert!(
        String::from_utf8(start.body.to_vec())
            .unwrap()
            .contains("/openapi.json")
    );
}

#[tokio::test]
async fn every_problem_type_leads_to_its_explanation() {
    let api = Api::new().await;
    let table = api.get("/problems").send().await.ok();
    for row in table["problems"].as_array().unwrap() {
        assert_eq!(&api.get(row["type"].as_str().unwrap()).send().await.ok(), row);
    }
    let problem = api.get("/v1/pages/none").send().await.refused(404, "page_not_found");
    assert_eq!(
        api.get(problem["type"].as_str().unwrap()).send().await.ok()["next"],
        problem["next"]
    );
}
