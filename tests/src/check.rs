//! What several tests check of the API: refusals that change nothing, inverses that lead back,
//! retries that get the first answer.

use serde_json::json;

use crate::Json;
use crate::api::{self, Api, number, text};
use crate::http::Answer;

/// Puts a text delta into a delta of a kind of page.
pub type Wrap = fn(&Json) -> Json;

/// A delta is refused by a rule, and changes nothing.
///
/// # Panics
/// Where it does not hold.
#[track_caller]
pub fn expect_refused(api: &Api, page: &str, delta: &Json, rule: &str) {
    let before = api.page(page);
    let head = api.head(page);
    let answer = api.send(&api::deltas(page, head, &json!([delta])));
    let refused = answer.expect_problem(422, "illegal_delta").json();
    assert_eq!(text(&refused["rule"]), rule, "{delta}: {refused}");
    assert_eq!(api.page(page), before, "{delta}");
}

/// A delta, its inverse, and once more: the page is the same again. Gives the inverse.
///
/// # Panics
/// Where it does not hold.
#[track_caller]
pub fn expect_there_and_back(api: &Api, page: &str, delta: &Json) -> Json {
    let before = api.page(page);
    let written = api.write(&api::deltas(page, api.head(page), &json!([delta])));
    let inverse = written["events"][0]["inverse"].clone();
    let back = api.write(&api::deltas(page, number(&written["version"]), &json!([inverse])));
    let after = api.page(page);
    assert_eq!(
        after["value"].to_string(),
        before["value"].to_string(),
        "{delta} back by {inverse}"
    );
    assert_eq!(after["digest"], before["digest"]);
    // What is taken back is the same change again.
    let again = api.write(&api::deltas(
        page,
        number(&back["version"]),
        &json!([back["events"][0]["inverse"]]),
    ));
    assert_eq!(again["events"][0]["digest"], written["events"][0]["digest"]);
    api.write(&api::deltas(
        page,
        number(&again["version"]),
        &json!([again["events"][0]["inverse"]]),
    ));
    inverse
}

/// Makes a page of each kind that holds this text; tells how a text delta is put to it.
///
/// # Panics
/// Where they cannot be made.
pub fn make_texts(api: &Api, held: &str) -> [(&'static str, Wrap); 3] {
    api.write(&api::create("doc", "DOC", &json!([{ "insert": format!("{held}\n") }])));
    api.write(&api::create(
        "code",
        "CODE",
        &json!({ "files": { "f": held }, "entry": "f" }),
    ));
    let node = json!({ "type": "text", "parentId": null, "props": { "t": held } });
    api.write(&api::create("design", "DESIGN", &json!({ "nodes": { "n": node } })));
    [
        ("doc", |delta| delta.clone()),
        (
            "code",
            |delta| json!([{ "op": "editFile", "path": "f", "delta": delta }]),
        ),
        (
            "design",
            |delta| json!([{ "op": "editText", "id": "n", "pointer": "/props/t", "delta": delta }]),
        ),
    ]
}

/// The inverse of a write leads back, and the inverse of that leads forth.
///
/// # Panics
/// Where it does not hold.
#[track_caller]
pub fn expect_taken_back(api: &Api, page: &str, written: &Json) {
    let version = number(&written["version"]);
    let back = api.write(&api::deltas(page, version, &json!([written["events"][0]["inverse"]])));
    assert_eq!(api.page(page)["digest"], api.page_at(page, version - 1)["digest"]);
    let again = api.write(&api::deltas(page, version + 1, &json!([back["events"][0]["inverse"]])));
    assert_eq!(again["events"][0]["digest"], written["events"][0]["digest"]);
}

/// A retry has the first answer, but for the header that says that it is a retry.
///
/// # Panics
/// Where it does not hold.
#[track_caller]
pub fn expect_replay(first: &Answer, retry: &Answer) {
    assert_eq!(first.header("idempotency-replayed"), None, "{first}");
    assert_eq!(retry.header("idempotency-replayed"), Some("true"), "{retry}");
    assert_eq!((retry.status, &retry.body), (first.status, &first.body));
    for header in ["etag", "location"] {
        assert_eq!(retry.header(header), first.header(header));
    }
}
