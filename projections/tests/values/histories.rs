//! A real history of a dashboard: each version as one CODE file and as a SHEET, and the diffs between neighbours.

use recto_projections::{Json, Kind, Value};
use serde_json::json;

use crate::check::check_delta;
use crate::support::corpora;

#[test]
fn a_dashboards_history_as_code_and_as_sheet() {
    let Some(versions) = corpora::json_lines("histories/node-exporter-dashboard.versions.jsonl.zst") else {
        return;
    };
    let mut code = Value::empty(Kind::Code);
    let mut sheet = Value::empty(Kind::Sheet);
    let (mut text_bytes, mut delta_bytes, mut sheets) = (0, 0, 0);
    for version in &versions {
        let text = version["text"].as_str().unwrap();
        let next = Value::from_json(Kind::Code, &json!({"files": {"dashboard.json": text}})).unwrap();
        text_bytes += text.len();
        delta_bytes += replace(&mut code, &next);
        assert_eq!(code.to_json()["files"]["dashboard.json"].as_str(), Some(text));
        if let Ok(json) = serde_json::from_str::<Json>(text) {
            replace(&mut sheet, &Value::from_json(Kind::Sheet, &json).unwrap());
            sheets += 1;
        }
    }
    code.check_invariants().unwrap();
    assert!(
        delta_bytes * 5 < text_bytes,
        "a replacement is stored as the fine delta: {delta_bytes} of {text_bytes} bytes"
    );
    eprintln!(
        "dashboard history: {} versions, {sheets} of them sheets; {text_bytes} bytes of text, {delta_bytes} of deltas",
        versions.len()
    );
}

/// Makes a value another by their diff, there, back and there again; gives the size of the delta.
fn replace(value: &mut Value, next: &Value) -> usize {
    let before = value.clone();
    let delta = value.diff(next).unwrap();
    if value.kind() == Kind::Code {
        check_delta(&delta);
    }
    let applied = value.apply(&delta).unwrap();
    assert!(value == next && value.digest() == next.digest());
    value.replay(&applied.inverse).unwrap();
    assert!(*value == before && value.digest() == before.digest());
    value.replay(&applied.delta).unwrap();
    assert_eq!(value.digest(), next.digest());
    applied.delta.to_bytes().unwrap().len()
}
