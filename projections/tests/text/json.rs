//! Deltas as JSON: both ways, and the place of every fault.

use proptest::prelude::*;
use recto_projections::limits::JSON_DEPTH_MAX;
use recto_projections::text::{InvalidReason, RichText, TextDelta, TextFault};
use serde_json::{Value as Json, json};

use crate::generators::{fit, steps, text};
use crate::model::Model;
use crate::support::{config, delta};

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn deltas_and_documents_come_back_equal(text in text(12), steps in steps(10)) {
        for delta in [fit(&steps, &Model::of(&text)), text.to_document()] {
            let json = delta.to_json();
            prop_assert_eq!(&TextDelta::from_json(&json, "").unwrap(), &delta);
            let mut written = Vec::new();
            delta.write_json(&mut written);
            prop_assert_eq!(String::from_utf8(written).unwrap(), json.to_string());
        }
        let mut written = Vec::new();
        text.write_json(&mut written);
        prop_assert_eq!(written, text.to_document().to_json().to_string().into_bytes());
    }
}

#[test]
fn numbers_and_the_order_of_keys_come_back_as_written() {
    let json = r#"[{"insert":"a","attributes":{"a":1.0,"b":{"z":1e2,"a":-0}}},{"insert":{"z":10.50,"a":100000000000000000000000}}]"#;
    let parsed: Json = serde_json::from_str(json).unwrap();
    let written = delta(&parsed).to_json().to_string();
    assert_eq!(written.replace("1e+2", "1e2"), json);
}

#[test]
fn operations_come_into_normal_form() {
    let check = |from: Json, to: Json| assert_eq!(delta(&from).to_json(), to);
    check(json!([{"insert": "a"}, {"insert": "b"}]), json!([{"insert": "ab"}]));
    check(
        json!([{"delete": 1}, {"insert": "b"}, {"delete": 2}]),
        json!([{"insert": "b"}, {"delete": 3}]),
    );
    check(json!([{"retain": 1}, {"retain": 2}]), json!([{"retain": 3}]));
    check(
        json!([{"retain": 1, "attributes": {}}, {"retain": 2}]),
        json!([{"retain": 3}]),
    );
    check(
        json!([{"insert": {}}, {"insert": {}}]),
        json!([{"insert": {}}, {"insert": {}}]),
    );
}

#[test]
fn every_fault_is_found_in_its_place() {
    let malformed = |json: Json, pointer: &str| {
        let invalid = TextDelta::from_json(&json, "/delta").unwrap_err();
        assert_eq!(invalid.pointer, pointer, "{json}");
        assert!(matches!(invalid.reason, InvalidReason::Malformed { .. }), "{invalid}");
    };
    malformed(json!({}), "/delta");
    malformed(json!({"ops": []}), "/delta");
    malformed(json!([1]), "/delta/0");
    malformed(json!([{"insert": "a"}, {}]), "/delta/1");
    malformed(json!([{"attributes": {"a": 1}}]), "/delta/0");
    malformed(json!([{"insert": "a", "delete": 1}]), "/delta/0");
    malformed(json!([{"insert": "a", "retain": 1}]), "/delta/0");
    malformed(json!([{"insert": "a", "x/y~z": 1}]), "/delta/0/x~1y~0z");
    malformed(json!([{"delete": 1, "attributes": {"a": 1}}]), "/delta/0/attributes");
    malformed(json!([{"insert": "a", "attributes": null}]), "/delta/0/attributes");
    malformed(json!([{"retain": 1, "attributes": [1]}]), "/delta/0/attributes");
    for operand in [json!(null), json!(1), json!(true), json!(["a"])] {
        malformed(json!([{"insert": operand}]), "/delta/0/insert");
    }
    for operand in [
        json!(null),
        json!("1"),
        json!(-1),
        json!(1.5),
        json!(1.0),
        json!({"a": 1}),
        json!([1]),
        json!(true),
    ] {
        malformed(json!([{"retain": operand}]), "/delta/0/retain");
        malformed(json!([{"insert": "a"}, {"delete": operand}]), "/delta/1/delete");
    }
    malformed(
        serde_json::from_str("[{\"retain\": 18446744073709551616}]").unwrap(),
        "/delta/0/retain",
    );
    malformed(serde_json::from_str("[{\"retain\": 1e2}]").unwrap(), "/delta/0/retain");
}

#[test]
fn every_broken_rule_is_found_in_its_place() {
    let breaks = |json: Json, pointer: &str, code: &str| {
        let invalid = TextDelta::document_from_json(&json, "").unwrap_err();
        assert_eq!(invalid.pointer, pointer, "{json}");
        match invalid.reason {
            InvalidReason::Rule(fault) => assert_eq!(fault.code(), code),
            reason => panic!("{reason}"),
        }
    };
    breaks(json!([{"retain": 0}]), "/0/retain", "empty_operation");
    breaks(json!([{"delete": 0}]), "/0/delete", "empty_operation");
    breaks(json!([{"insert": ""}]), "/0/insert", "empty_operation");
    breaks(
        json!([{"insert": "a", "attributes": {"a/b": null}}]),
        "/0/attributes/a~1b",
        "null_attribute",
    );
    breaks(
        json!([{"insert": "a"}, {"insert": "b"}, {"retain": 1}]),
        "/2",
        "inserts_only",
    );
    breaks(json!([{"delete": 1}]), "/0", "inserts_only");
    let deep = (0..200).fold(json!({}), |json, _| json!({"a": json}));
    let below = |pointer: &str, levels| pointer.to_owned() + &"/a".repeat(levels);
    breaks(
        json!([{"insert": deep}]),
        &below("/0/insert", JSON_DEPTH_MAX),
        "too_deep",
    );
    breaks(
        json!([{"insert": "a", "attributes": {"x": deep}}]),
        &below("/0/attributes/x", JSON_DEPTH_MAX - 1),
        "too_deep",
    );
    let reserved = json!({"$serde_json::private::Number": "1"});
    let pointer = "/$serde_json::private::Number";
    breaks(
        json!([{"insert": reserved}]),
        &format!("/0/insert{pointer}"),
        "key_reserved",
    );
    breaks(
        json!([{"insert": "a", "attributes": reserved}]),
        &format!("/0/attributes{pointer}"),
        "key_reserved",
    );
}

#[test]
fn a_number_made_of_a_float_is_stored_as_it_is_read() {
    let ops = json!([{"insert": {"n": 1e100}, "attributes": {"size": 1e-100}}, {"insert": "\n"}]);
    let text = crate::support::text(&ops);
    assert_eq!(RichText::from_stored(text.to_stored()), Ok(text));
}

#[test]
fn lengths_beyond_any_text_are_out_of_range() {
    let huge: Json =
        serde_json::from_str("[{\"retain\":18446744073709551615},{\"delete\":18446744073709551615}]").unwrap();
    let delta = delta(&huge);
    assert_eq!(delta.base_len(), usize::MAX);
    let mut text = RichText::from_plain("a");
    assert_eq!(
        text.apply(&delta),
        Err(TextFault::OutOfRange {
            reach: usize::MAX,
            len: 1
        })
    );
    assert_eq!(delta.change_len(), -isize::MAX);
}
