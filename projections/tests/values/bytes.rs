//! Values and deltas as bytes: golden ones of each kind, and what is refused.

use proptest::prelude::*;
use recto_projections::{CodecError, Delta, Json, Kind, Value};
use serde_json::json;

use crate::cases::design;
use crate::check::{check_delta, check_value};
use crate::random::config;

fn values() -> Vec<(&'static str, Value)> {
    let read = |kind, json: Json| Value::from_json(kind, &json).unwrap();
    vec![
        (
            "value-design",
            design(json!({
            "attributes": {"presetId": "whiteboard", "backgrounds": [{"id": "b", "type": "color"}]},
            "nodes": [
                {"id": "g", "type": "group", "order": "a0"},
                {"id": "n", "type": "text", "parentId": "g", "order": "a1V", "geometry": {"x": 1.50, "y": -3}, "props": {"text": "é😀", "b": null, "a": [1, 1.0]}}]})),
        ),
        (
            "value-doc",
            read(
                Kind::Doc,
                json!([{"insert": "é😀", "attributes": {"bold": true}}, {"insert": {"image": "u"}, "attributes": {"alt": "x"}}, {"insert": {"image": "v"}}, {"insert": "\n"}]),
            ),
        ),
        (
            "value-code",
            read(
                Kind::Code,
                json!({"files": {"a.js": "x\r\n", "b": ""}, "entry": "a.js", "attributes": {"a": 1}}),
            ),
        ),
        ("value-sheet", read(Kind::Sheet, json!({"b": [1.0, "x"], "a": null}))),
    ]
}

fn deltas() -> Vec<(&'static str, Delta)> {
    let read = |kind, json: Json| Delta::from_json(kind, &json).unwrap();
    let geometry = json!({"x": 1, "y": 2.50, "width": 0, "height": 0, "rotation": 90});
    vec![
        (
            "delta-design",
            read(
                Kind::Design,
                json!([
            {"op": "addNode", "node": {"id": "n", "type": "text", "parentId": null, "geometry": geometry, "props": {"t": "h"}}, "placement": {"after": "m"}},
            {"op": "addNode", "node": {"id": "o", "type": "text", "parentId": "g", "order": "a1V", "geometry": geometry, "props": {}}, "siblings": {"left": "n", "right": null}},
            {"op": "removeNode", "id": "n"},
            {"op": "setNode", "id": "n", "set": {"/type": "image", "/props/a": [null]}, "unset": ["/props/c"], "at": {"/props/a": 0}},
            {"op": "moveNode", "id": "n", "parentId": null, "placement": "first", "geometry": {"x": 3}},
            {"op": "moveNode", "id": "n", "parentId": "g", "placement": {"before": "m"}},
            {"op": "moveNode", "id": "n", "order": "Zz", "siblings": {"left": null, "right": "m"}},
            {"op": "editText", "id": "n", "pointer": "/props/t", "delta": [{"retain": 1}, {"insert": "é"}, {"delete": 1}]},
            {"op": "addToSet", "id": "n", "pointer": "/props/s", "values": ["a"], "at": [3]},
            {"op": "removeFromSet", "id": "n", "pointer": "/props/s", "values": ["a"]},
            {"op": "setAttributes", "set": {"/a": 1}},
            {"op": "addBackground", "background": {"id": "b", "type": "color"}, "placement": "last"},
            {"op": "removeBackground", "id": "b"},
            {"op": "setBackground", "id": "b", "set": {"/c": "#000"}},
            {"op": "moveBackground", "id": "b", "placement": {"after": "a"}}]),
            ),
        ),
        (
            "delta-doc",
            read(
                Kind::Doc,
                json!([
            {"retain": 300}, {"retain": 1, "attributes": {"bold": null}}, {"insert": "x"}, {"insert": "y", "attributes": {"bold": true}},
            {"insert": {"i": 1}}, {"insert": {"i": 1}, "attributes": {"a": 1}}, {"delete": 2}]),
            ),
        ),
        (
            "delta-code",
            read(
                Kind::Code,
                json!([
            {"op": "addFile", "path": "a", "text": "x"}, {"op": "removeFile", "path": "b"}, {"op": "renameFile", "path": "a", "to": "c"},
            {"op": "editFile", "path": "c", "delta": [{"retain": 2}, {"delete": 1}]}, {"op": "setEntry", "path": "c"}, {"op": "setEntry", "path": null},
            {"op": "setAttributes", "unset": ["/b"]}]),
            ),
        ),
        (
            "delta-sheet",
            read(Kind::Sheet, json!([{"op": "replaceSheet", "value": {"b": 1.0}}])),
        ),
    ]
}

/// The bytes of schema 1, as hexadecimal digits. They never change.
fn golden(name: &str) -> Vec<u8> {
    let text = include_str!("golden-v1.txt");
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    let digits = line.unwrap_or_else(|| panic!("golden-v1.txt has no line {name}"));
    (0..digits.len() / 2)
        .map(|at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap())
        .collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn bytes_of_schema_1_are_golden() {
    let values = values()
        .into_iter()
        .map(|(name, value)| (name, value.to_bytes().unwrap()));
    let deltas = deltas()
        .into_iter()
        .map(|(name, delta)| (name, delta.to_bytes().unwrap()));
    let all: Vec<_> = values.chain(deltas).collect();
    if std::env::var_os("RECTO_PRINT_GOLDEN").is_some() {
        all.iter().for_each(|(name, bytes)| eprintln!("{name} {}", hex(bytes)));
    }
    for (name, bytes) in &all {
        assert_eq!(hex(bytes), hex(&golden(name)), "{name}");
    }
}

#[test]
fn golden_bytes_decode() {
    for (name, value) in values() {
        assert!(Value::from_bytes(&golden(name)).unwrap() == value, "{name}");
        check_value(&value);
    }
    for (name, delta) in deltas() {
        assert!(Delta::from_bytes(&golden(name)).unwrap() == delta, "{name}");
        check_delta(&delta);
    }
}

/// Every truncation is an error; every flipped bit is one, or gives another valid value or delta.
#[test]
fn damaged_bytes_are_an_error_or_another_value() {
    let (mut errors, mut others) = (0, 0);
    let names: Vec<&str> = values()
        .iter()
        .map(|(name, _)| *name)
        .chain(deltas().iter().map(|(name, _)| *name))
        .collect();
    for name in names {
        let bytes = golden(name);
        let decodes = |bytes: &[u8]| match name.starts_with("value") {
            true => Value::from_bytes(bytes).map(|value| check_value(&value)).is_ok(),
            false => Delta::from_bytes(bytes).map(|delta| check_delta_bytes(&delta)).is_ok(),
        };
        (0..bytes.len()).for_each(|len| assert!(!decodes(&bytes[..len]), "{name} cut at {len}"));
        let longer = [&bytes[..], &[0]].concat();
        assert!(!decodes(&longer), "{name} with a byte too many");
        for bit in 0..8 * bytes.len() {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            if decodes(&flipped) { others += 1 } else { errors += 1 }
        }
    }
    eprintln!("flipped bits: {errors} errors, {others} other valid values or deltas");
}

/// A delta from damaged bytes may break rules that only apply tells; bytes give it back all the same.
fn check_delta_bytes(delta: &Delta) {
    assert!(Delta::from_bytes(&delta.to_bytes().unwrap()).unwrap() == *delta);
    for (_, mut value) in values() {
        drop(value.apply(delta));
        value.check_invariants().unwrap();
    }
}

#[test]
fn another_codec_or_schema_is_refused() {
    let bytes = Value::empty(Kind::Sheet).to_bytes().unwrap();
    for (codec, schema) in [(0, 1), (2, 1), (1, 0), (1, 2), (255, 255)] {
        let other = [&[codec, schema], &bytes[2..]].concat();
        assert_eq!(
            Value::from_bytes(&other),
            Err(CodecError::UnknownVersion { codec, schema })
        );
        assert_eq!(
            Delta::from_bytes(&other),
            Err(CodecError::UnknownVersion { codec, schema })
        );
    }
}

#[test]
fn claims_of_enormous_lengths_are_refused() {
    for name in [
        "value-design",
        "value-doc",
        "value-code",
        "value-sheet",
        "delta-design",
        "delta-doc",
        "delta-code",
        "delta-sheet",
    ] {
        let bytes = golden(name);
        for at in 2..bytes.len() {
            for claim in [
                [0xfb, 0xff, 0xff].as_slice(),
                &[0xfc, 0xff, 0xff, 0xff, 0x0e],
                &[0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            ] {
                let claimed = [&bytes[..at], claim, &bytes[at + 1..]].concat();
                drop(Value::from_bytes(&claimed));
                drop(Delta::from_bytes(&claimed));
            }
        }
    }
}

proptest! {
    #![proptest_config(config(2_000))]

    #[test]
    fn random_bytes_are_no_panic(bytes in proptest::collection::vec(any::<u8>(), 0..64), kind in 0u8..5) {
        let framed = [&[1, 1, kind], &bytes[..]].concat();
        for bytes in [&bytes, &framed] {
            if let Ok(value) = Value::from_bytes(bytes) {
                check_value(&value);
            }
            if let Ok(delta) = Delta::from_bytes(bytes) {
                check_delta_bytes(&delta);
            }
        }
    }
}
