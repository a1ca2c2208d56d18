//! Odd pages: whatever is on them, the drawing is one.

use proptest::prelude::*;
use recto_projections::DesignValue;
use serde_json::{Value as Json, json};

use crate::parsed::{check, svg};

/// Words that have a meaning somewhere, and text that should have none.
const KINDS: [&str; 16] = [
    "text", "image", "video", "group", "shape", "rect", "ellipse", "star", "diamond", "triangle", "polygon", "line",
    "arrow", "freedraw", "", "<x>",
];
const KEYS: [&str; 24] = [
    "fill",
    "stroke",
    "strokeWidth",
    "opacity",
    "cornerRadius",
    "borderRadius",
    "text",
    "fontSize",
    "color",
    "fontFamily",
    "textAlign",
    "lineHeight",
    "points",
    "visible",
    "style",
    "border",
    "backgroundColor",
    "assetId",
    "name",
    "fontWeight",
    "shape",
    "roundness",
    "textDecoration",
    "strokeStyle",
];

fn number() -> impl Strategy<Value = Json> {
    prop_oneof![
        4 => (-2000..2000_i32).prop_map(Json::from),
        1 => any::<f64>().prop_filter("JSON has no others", |number| number.is_finite()).prop_map(Json::from),
        1 => Just(json!(1e300)),
        1 => Just(json!(-1e300)),
        1 => Just(json!(1e-300)),
    ]
}

fn leaf() -> impl Strategy<Value = Json> {
    prop_oneof![
        number(),
        any::<bool>().prop_map(Json::from),
        Just(Json::Null),
        any::<String>().prop_map(Json::from),
        prop::sample::select(vec![
            "red",
            "#12",
            "#123",
            "rgba(1,2,3,.5)",
            "hsl(1e999,1%,1%)",
            "url(#g1)",
            "linear-gradient(45deg, red, blue 50%)",
            "radial-gradient(red, #0000)",
            "12px",
            "1e999px",
            "50%",
            "1px solid red",
            "NaN",
            "inf",
            "</text>",
            "]]>",
            "bold",
            "center",
            "transparent",
            "\u{0}\u{ffff}\u{202e}",
        ])
        .prop_map(Json::from),
    ]
}

fn prop_value() -> impl Strategy<Value = Json> {
    leaf().prop_recursive(3, 12, 4, |inner| {
        let key = prop::sample::select(vec![
            "color", "stops", "offset", "type", "angle", "x", "y", "r", "g", "b", "width", "fill",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::btree_map(key.prop_map(str::to_owned), inner, 0..4)
                .prop_map(|map| Json::Object(map.into_iter().collect())),
        ]
    })
}

fn props() -> impl Strategy<Value = Json> {
    let key = prop::sample::select(KEYS.to_vec()).prop_map(str::to_owned);
    prop::collection::btree_map(key, prop_value(), 0..6).prop_map(|map| Json::Object(map.into_iter().collect()))
}

fn page() -> impl Strategy<Value = Json> {
    let node = (
        prop::sample::select(KINDS.to_vec()),
        prop::array::uniform5(number()),
        props(),
        any::<prop::sample::Index>(),
    );
    let background = (
        prop::sample::select(vec!["color", "gradient", "image", "video", "x"]),
        props(),
    );
    (
        prop::collection::vec(node, 0..12),
        prop::collection::vec(background, 0..3),
        prop::option::of((leaf(), leaf())),
    )
        .prop_map(|(nodes, backgrounds, size)| {
            let nodes: Vec<Json> = nodes
                .into_iter()
                .enumerate()
                .map(|(number, (kind, [x, y, width, height, rotation], props, parent))| {
                    let parent = parent.index(number + 1).checked_sub(1).map(|parent| format!("n{parent}"));
                    json!({ "id": format!("n{number}"), "type": if kind.is_empty() { "x" } else { kind }, "parentId": parent,
                        "geometry": { "x": x, "y": y, "width": width, "height": height, "rotation": rotation }, "props": props })
                })
                .collect();
            let backgrounds: Vec<Json> = backgrounds
                .into_iter()
                .enumerate()
                .map(|(number, (kind, mut background))| {
                    background["id"] = format!("b{number}").into();
                    background["type"] = kind.into();
                    background
                })
                .collect();
            let mut attributes = json!({ "backgrounds": backgrounds });
            if let Some((width, height)) = size {
                attributes["dimensions"] = json!({ "width": width, "height": height });
            }
            json!({ "attributes": attributes, "nodes": nodes })
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_page_gives_a_drawing(json in page()) {
        if let Ok(page) = DesignValue::from_json(&json) {
            let drawn = recto_replay::picture::svg(&page);
            check(&drawn);
            prop_assert_eq!(recto_replay::picture::svg(&page), drawn, "the same page gives the same drawing");
        }
    }
}

#[test]
fn most_odd_pages_are_pages() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let read = (0..50)
        .filter(|_| DesignValue::from_json(&page().new_tree(&mut runner).unwrap().current()).is_ok())
        .count();
    assert!(read > 40, "{read}");
}

#[test]
fn deep_and_wide_pages_are_drawn() {
    let nodes: Vec<Json> = (0..10_000)
        .map(|number: usize| {
            let parent = number.checked_sub(1).map(|parent| format!("n{parent}"));
            json!({ "id": format!("n{number}"), "type": "group", "parentId": parent,
                "geometry": { "x": 1e9, "y": -3, "width": -10, "height": 1e12, "rotation": 359.5 }, "props": { "opacity": 0.5 } })
        })
        .collect();
    let drawn = svg(&json!({ "nodes": nodes }));
    check(&drawn);
    assert_eq!(drawn.matches("<g data-node-id").count(), 10_000);
}
