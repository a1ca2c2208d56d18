//! Collections of bad input that others made: nothing of it is a fault of the server.

use std::io::Read;
use std::path::PathBuf;

use base64::Engine;
use flate2::read::GzDecoder;
use serde_json::{Value as Json, json};

use crate::bad_input::assert_civil;
use crate::support::Api;

fn corpora() -> Option<PathBuf> {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let root = std::env::var_os("RECTO_CORPORA").map_or_else(|| here.join("../../shared/corpora"), PathBuf::from);
    root.join("badinput").is_dir().then_some(root.join("badinput"))
}

/// The lines of a packed corpus; none where it is missing.
fn lines(name: &str) -> Vec<Json> {
    let Some(folder) = corpora() else {
        return Vec::new();
    };
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(folder.join(name)).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn decoded(line: &Json) -> Vec<u8> {
    base64::prelude::BASE64_STANDARD
        .decode(line["base64"].as_str().unwrap())
        .unwrap()
}

#[tokio::test]
async fn json_that_must_be_refused_is_and_json_that_must_be_taken_is() {
    let api = Api::new().await;
    let cases = lines("json-test-suite.jsonl.gz");
    if cases.is_empty() {
        return println!("passed over: no corpora");
    }
    for (index, case) in cases.iter().enumerate() {
        let text = decoded(case);
        // The value inside a body that is right otherwise, so that only the text decides.
        let body = [br#"{"kind":"SHEET","value":"#.as_slice(), &text, b"}"].concat();
        let answer = api
            .post("/v1/pages")
            .key(&format!("suite-{index}"))
            .text(body)
            .send()
            .await;
        assert_civil(&answer, case);
        let expect = case["expect"].as_str().unwrap_or_default();
        match expect {
            "reject" => {
                let problem = answer.refused(400, "malformed_json");
                assert!(
                    problem["offset"].is_u64()
                        && (problem["pointer"].is_string() || problem["detail"].as_str().unwrap().contains("UTF-8"))
                );
            }
            // Two keys that are the same are legal JSON, and refused here on purpose.
            "accept" if case["name"].as_str().unwrap().contains("duplicated_key") => {
                answer.refused(400, "malformed_json");
            }
            "accept" => assert_eq!(answer.status, 201, "{case}: {answer:?}"),
            _ => {}
        }
        let alone = api.post("/v1/pages").new_key().text(text).send().await;
        assert_civil(&alone, case);
        assert!(alone.status.is_client_error());
    }
    println!("{} texts", cases.len());
}

#[tokio::test]
async fn naughty_strings_are_ids_values_keys_and_headers_or_refused() {
    let api = Api::new().await;
    let Some(folder) = corpora() else {
        return println!("passed over: no corpora");
    };
    let strings: Vec<String> = serde_json::from_slice(&std::fs::read(folder.join("blns.json")).unwrap()).unwrap();
    let fuzz: Vec<Vec<u8>> = lines("fuzzdb-inputs.jsonl.gz").iter().map(decoded).collect();
    let inputs = strings.iter().map(|text| text.as_bytes().to_vec()).chain(fuzz);
    let mut kept = 0;
    for (index, input) in inputs.enumerate() {
        let text = String::from_utf8_lossy(&input).into_owned();
        let body = json!({"id": text, "kind": "SHEET", "value": {text.clone(): [text]}});
        let made = api.post("/v1/pages").key(&format!("naughty-{index}")).json(&body).await;
        assert_civil(&made, &text);
        if made.status == 201 {
            kept += 1;
            let page = api.get(made.header("location").unwrap()).send().await.ok();
            assert_eq!((&page["id"], &page["value"]), (&body["id"], &body["value"]));
        }
        let escaped: String = input.iter().map(|byte| format!("%{byte:02X}")).collect();
        for path in [
            format!("/v1/pages/{escaped}"),
            format!("/v1/pages/{escaped}/events?after={escaped}"),
            format!("/v1/pages?file={escaped}&after={escaped}"),
            format!("/v1/commands/{escaped}?page={escaped}"),
            format!("/v1/pages/x?at={escaped}"),
            format!("/{escaped}"),
            format!("/problems/{escaped}"),
        ] {
            if path.len() < 8000 {
                assert_civil(&api.get(&path).send().await, &path);
            }
        }
        if axum::http::HeaderValue::from_bytes(&input).is_ok() {
            for name in [
                "idempotency-key",
                "if-match",
                "recto-actor",
                "recto-turn",
                "content-type",
                "x-request-id",
                "content-encoding",
            ] {
                let call = api.put("/v1/pages/none").header(name, &input).bytes("{}");
                assert_civil(&call.send().await, &(name, &input));
            }
            for name in ["if-none-match", "authorization", "last-event-id", "host"] {
                let call = api.get("/v1/pages/none").header(name, &input);
                assert_civil(&call.send().await, &(name, &input));
            }
        }
    }
    println!("{kept} became pages");
}
