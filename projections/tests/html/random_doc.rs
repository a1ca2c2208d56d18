//! Random DOC pages: lines of every sort, attributes and embeds that HTML can and cannot say.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use recto_projections::DocValue;
use serde_json::{Map, Value as Json, json};

use crate::random_design::TEXTS;

fn attribute() -> impl Strategy<Value = (String, Json)> {
    select(vec![
        ("bold", json!(true)),
        ("bold", json!(false)),
        ("italic", json!(true)),
        ("underline", json!(true)),
        ("strike", json!(true)),
        ("code", json!(true)),
        ("code", json!("x")),
        ("link", json!("https://example.org/?a=1&b=\"2\"")),
        ("link", json!("nul\0")),
        ("link", json!({"href": "x"})),
        ("color", json!("red")),
        ("color", json!("rgb(1, 2, 3)")),
        ("color", json!("a;b:c")),
        ("background", json!("#ff0")),
        ("script", json!("sub")),
        ("script", json!("super")),
        ("script", json!("other")),
        ("size", json!("large")),
        ("font", json!("serif")),
        ("alt", json!("said")),
        ("width", json!("100")),
        ("width", json!(100)),
        ("header", json!(1)),
        ("a\"b<&>", json!({"deep": [1.0, "\0"]})),
    ])
    .prop_map(|(name, value)| (name.to_owned(), value))
}

fn line_attribute() -> impl Strategy<Value = (String, Json)> {
    select(vec![
        ("header", json!(1)),
        ("header", json!(6)),
        ("header", json!(7)),
        ("header", json!(1.0)),
        ("list", json!("bullet")),
        ("list", json!("ordered")),
        ("list", json!("checked")),
        ("list", json!("unchecked")),
        ("list", json!("odd")),
        ("indent", json!(1)),
        ("indent", json!(3)),
        ("indent", json!(0)),
        ("indent", json!(400)),
        ("blockquote", json!(true)),
        ("blockquote", json!("x")),
        ("code-block", json!(true)),
        ("code-block", json!("rust")),
        ("code-block", json!("")),
        ("align", json!("center")),
        ("align", json!("start")),
        ("direction", json!("rtl")),
        ("bold", json!(true)),
        ("custom", json!([null, "\r\n\0"])),
    ])
    .prop_map(|(name, value)| (name.to_owned(), value))
}

fn insert() -> impl Strategy<Value = Json> {
    let text = vec(select(&TEXTS[..]), 1..3).prop_map(|parts| Json::from(parts.concat()));
    let embed = select(vec![
        json!({"image": "https://example.org/a.png"}),
        json!({"image": "data:image/png;base64,AAAA"}),
        json!({"image": {"assetId": "a"}}),
        json!({"image": "a.png", "more": 1}),
        json!({"video": "https://example.org/v"}),
        json!({"mention": {"id": "u1", "text": "<\0>"}}),
        json!({"formula": "e=mc^2"}),
        json!({}),
    ]);
    let attributes = vec(attribute(), 0..4);
    (prop_oneof![3 => text, 1 => embed], attributes).prop_map(|(content, attributes)| {
        let attributes: Map<String, Json> = attributes.into_iter().collect();
        json!({"insert": content, "attributes": attributes})
    })
}

fn line() -> impl Strategy<Value = Vec<Json>> {
    (vec(insert(), 0..4), option::of(vec(line_attribute(), 0..4))).prop_map(|(mut inserts, attributes)| {
        let attributes: Map<String, Json> = attributes.into_iter().flatten().collect();
        inserts.push(json!({"insert": "\n", "attributes": attributes}));
        inserts
    })
}

/// Documents that Recto can hold.
pub(crate) fn document() -> impl Strategy<Value = DocValue> {
    vec(line(), 1..8).prop_map(|lines| {
        let ops: Vec<Json> = lines
            .into_iter()
            .flatten()
            .filter(|op| op["insert"] != "")
            .map(|mut op| {
                if op["attributes"].as_object().is_some_and(Map::is_empty) {
                    op.as_object_mut().unwrap().remove("attributes");
                }
                op
            })
            .collect();
        DocValue::from_json(&Json::Array(ops)).unwrap()
    })
}
