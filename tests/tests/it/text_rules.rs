//! Rules of text, through HTTP: what is refused leaves the page as it was.

use recto_tests::api::{self, number, start, text};
use recto_tests::check::{expect_refused, expect_there_and_back, make_texts};
use serde_json::json;

#[test]
fn e1_a_boundary_inside_a_surrogate_pair_is_refused() {
    let (server, api) = start();
    for (page, wrap) in make_texts(&api, "a😀b") {
        for delta in [
            json!([{ "retain": 2 }, { "insert": "x" }]),
            json!([{ "retain": 2 }, { "delete": 1 }]),
            json!([{ "delete": 2 }]),
            json!([{ "retain": 1 }, { "delete": 1 }]),
            json!([{ "retain": 1 }, { "insert": "y" }, { "delete": 1 }]),
        ] {
            expect_refused(&api, page, &wrap(&delta), "splits_surrogate");
        }
        expect_there_and_back(&api, page, &wrap(&json!([{ "retain": 1 }, { "delete": 2 }])));
        expect_there_and_back(&api, page, &wrap(&json!([{ "retain": 3 }, { "insert": "😁" }])));
    }
    expect_refused(
        &api,
        "doc",
        &json!([{ "retain": 2, "attributes": { "bold": true } }]),
        "splits_surrogate",
    );
    // Half a pair cannot be sent at all.
    let half = br#"{"delta":[{"insert":"\ud83d"}]}"#.to_vec();
    let half = api::Write {
        body: half,
        ..api::deltas("doc", api.head("doc"), &json!([]))
    };
    api.send(&half).expect_problem(400, "malformed_json");
    server.assert_calm();
}

#[test]
fn e2_an_operation_past_the_end_is_refused_and_never_clamped() {
    let (server, api) = start();
    for (page, wrap) in make_texts(&api, "ab") {
        for delta in [
            json!([{ "retain": 10 }, { "insert": "x" }]),
            json!([{ "retain": 10 }, { "delete": 5 }]),
            json!([{ "delete": 5 }]),
            json!([{ "retain": 1 }, { "delete": 9_007_199_254_740_991_u64 }]),
            json!([{ "retain": 18_446_744_073_709_551_615_u64 }, { "delete": 18_446_744_073_709_551_615_u64 }]),
            json!([{ "retain": 10 }]),
        ] {
            expect_refused(&api, page, &wrap(&delta), "out_of_range");
        }
    }
    server.assert_calm();
}

#[test]
fn e3_lengths_that_are_none_are_refused() {
    let (_server, api) = start();
    for (page, wrap) in make_texts(&api, "ab") {
        for length in [
            "-1",
            "1.5",
            "1.0",
            "1e1",
            "\"1\"",
            "null",
            "true",
            "18446744073709551616",
            "1e400",
            "{}",
            "[1]",
        ] {
            let body = format!(
                "{{\"delta\":{}}}",
                wrap(&json!([{ "retain": "HERE" }, { "insert": "x" }]))
            );
            let body = body.replace("\"HERE\"", length).into_bytes();
            let write = api::Write {
                body,
                ..api::deltas(page, 1, &json!([]))
            };
            api.send(&write).expect_problem(400, "malformed");
        }
        expect_refused(
            &api,
            page,
            &wrap(&json!([{ "retain": 0 }, { "insert": "x" }])),
            "empty_operation",
        );
        expect_refused(&api, page, &wrap(&json!([{ "insert": "" }])), "empty_operation");
    }
}

#[test]
fn e11_attributes_are_never_null_and_equal_ones_are_no_change() {
    let (_server, api) = start();
    let link = json!({ "link": { "u": 1, "v": [null] } });
    api.write(&api::create(
        "d",
        "DOC",
        &json!([{ "insert": "ab", "attributes": link }, { "insert": "\n" }]),
    ));
    expect_refused(
        &api,
        "d",
        &json!([{ "insert": "x", "attributes": { "bold": null } }]),
        "null_attribute",
    );
    let null = json!([{ "insert": "x", "attributes": { "bold": null } }, { "insert": "\n" }]);
    let refused = api
        .send(&api::create("n", "DOC", &null))
        .expect_problem(422, "illegal_value")
        .json();
    assert_eq!(text(&refused["rule"]), "null_attribute");
    for same in [
        json!([{ "retain": 2, "attributes": link }]),
        json!([{ "retain": 1, "attributes": link }, { "retain": 1, "attributes": link }]),
        json!([{ "retain": 2, "attributes": { "absent": null } }]),
        json!([{ "retain": 2, "attributes": {} }]),
        json!([]),
    ] {
        let written = api.write(&api::deltas("d", 1, &json!([same])));
        assert_eq!(
            (number(&written["version"]), &written["events"]),
            (1, &json!([])),
            "{same}"
        );
    }
    // Another order of keys inside a value is another value; a null takes away, and comes back.
    let written = api.write(&api::deltas(
        "d",
        1,
        &json!([[{ "retain": 2, "attributes": { "link": { "v": [null], "u": 1 } } }]]),
    ));
    assert_eq!(number(&written["version"]), 2);
    let inverse = expect_there_and_back(
        &api,
        "d",
        &json!([{ "retain": 2, "attributes": { "link": null, "bold": true } }]),
    );
    assert_eq!(
        inverse[0]["attributes"],
        json!({ "bold": null, "link": { "v": [null], "u": 1 } })
    );
}

#[test]
fn e13_a_document_ends_with_a_newline_after_every_delta() {
    let (_server, api) = start();
    let refused = api
        .send(&api::create("n", "DOC", &json!([{ "insert": "x" }])))
        .expect_problem(422, "illegal_value")
        .json();
    assert_eq!(text(&refused["rule"]), "missing_newline");
    for empty in [json!([]), json!({ "ops": [] })] {
        api.send(&api::create("n", "DOC", &empty))
            .expect_problem(422, "illegal_value");
    }
    api.write(&api::create("d", "DOC", &json!([{ "insert": "ab\n" }])));
    expect_refused(&api, "d", &json!([{ "retain": 2 }, { "delete": 1 }]), "missing_newline");
    expect_refused(
        &api,
        "d",
        &json!([{ "retain": 3 }, { "insert": "x" }]),
        "missing_newline",
    );
    expect_refused(
        &api,
        "d",
        &json!([{ "retain": 3 }, { "insert": { "image": "x" } }]),
        "missing_newline",
    );
    expect_there_and_back(
        &api,
        "d",
        &json!([{ "retain": 2 }, { "insert": "c\n" }, { "delete": 1 }]),
    );
    expect_there_and_back(&api, "d", &json!([{ "retain": 3 }, { "insert": "c\n" }]));
}

#[test]
fn e14_a_document_holds_inserts_only() {
    let (_server, api) = start();
    for bad in [
        json!([{ "retain": 1 }, { "insert": "\n" }]),
        json!([{ "insert": "\n" }, { "delete": 1 }]),
    ] {
        let refused = api
            .send(&api::create("d", "DOC", &bad))
            .expect_problem(422, "illegal_value")
            .json();
        assert_eq!(text(&refused["rule"]), "inserts_only");
        api.get("/v1/pages/d").expect_problem(404, "page_not_found");
    }
}
