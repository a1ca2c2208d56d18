//! Random DESIGN pages: nested groups, odd texts, styles and properties that HTML can and cannot say.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use recto_projections::DesignValue;
use serde_json::{Map, Value as Json, json};

const KINDS: [&str; 9] = [
    "text", "text", "image", "video", "shape", "group", "group", "a\"b<c>", "te\0xt",
];
const NUMBERS: [&str; 12] = [
    "0",
    "1",
    "1.0",
    "-20",
    "3.25",
    "1e+30",
    "-0",
    "12345678901234567890",
    "0.1",
    "0.10",
    "1920",
    "33.333333333333336",
];
pub(crate) const TEXTS: [&str; 20] = [
    "",
    " ",
    "\n",
    "Hello world",
    "two  spaces",
    " lead",
    "trail ",
    "a\nb",
    "\n\na\n",
    "a \n b",
    "tab\tbed",
    "cr\r\nlf",
    "<b>&amp; &lt;\"'</b>",
    "😀 👨‍👩‍👧 e\u{301} \u{202e}rtl",
    "nul\0l",
    "nb\u{a0}sp \u{a0}",
    "\u{c}form\u{b}\u{85}\u{7f}\u{7}",
    "</div><script>x</script>",
    "\u{feff}bom \u{fffe}",
    "<!-- c -->",
];
const IDS: [&str; 4] = ["n", "é😀", "a\"b<c>&'", "x y"];

fn number(text: &str) -> Json {
    serde_json::from_str(text).unwrap()
}

fn text() -> impl Strategy<Value = String> {
    vec(select(&TEXTS[..]), 0..4).prop_map(|parts| parts.concat())
}

fn style_entry() -> impl Strategy<Value = (String, Json)> {
    let keys = [
        "fontSize",
        "lineHeight",
        "color",
        "background",
        "whiteSpace",
        "border",
        "padding",
        "transform",
        "left",
        "margin",
        "--x",
        "WebkitBoxFlex",
        "font-size",
        "a b",
        "boxSizing",
        "opacity",
        "zIndex",
        "quotes",
        "A-b",
    ];
    let values = [
        json!("red"),
        json!("pre"),
        json!("nowrap"),
        json!("14px"),
        json!(14),
        json!(1.4),
        json!("url(\"a;b\")"),
        json!("a;b:c"),
        json!(" x "),
        json!("x\ny"),
        json!("scale(2)"),
        json!("rotate(5deg)"),
        json!({"a": 1}),
        json!(null),
        json!("\"<&>'\""),
        json!("(unclosed"),
        json!("1px solid /* ; */ red"),
        json!("expression(x)"),
        json!(""),
    ];
    (select(keys.to_vec()), select(values.to_vec())).prop_map(|(key, value)| (key.to_owned(), value))
}

fn prop_entry() -> impl Strategy<Value = (String, Json)> {
    let fixed = select(vec![
        ("opacity", json!(0.5)),
        ("opacity", json!(50)),
        ("opacity", json!(100)),
        ("opacity", json!("half")),
        ("fill", json!("#fff")),
        ("fill", json!({"type": "gradient", "stops": [1, 2]})),
        ("fontSize", json!(20)),
        ("fontFamily", json!(1)),
        ("fontFamily", json!("Inter, \"Noto Sans\"")),
        ("strokeWidth", json!(2)),
        ("assetId", json!("as\"set")),
        ("assetId", json!(7)),
        ("src", json!("https://example.org/a.png?b=1&c=2")),
        ("src", json!("javascript:alert(1)")),
        (
            "src",
            Json::from("data:image/png;base64,".to_owned() + &"A".repeat(3_000)),
        ),
        ("alt", json!("an image\nof \0 a \r\n thing")),
        ("href", json!("/x")),
        ("name", json!("  Layer 1 ")),
        ("crop", json!({"x": 1.005, "y": 0, "width": 33.333_333, "height": 1e3})),
        ("crop", json!({"unit": "%", "x": 1})),
        (
            "crop",
            json!({"x": -0.0, "y": 1, "width": 2.5, "height": 3, "focus": [1]}),
        ),
        ("adjustments", json!({"brightness": 0.2, "curve": [[0, 0], [1, 1]]})),
        ("clip", json!({"start": 1.5, "end": 9, "speed": 2})),
        ("unknown", json!([null, {"a": {"b": []}}])),
        ("style", json!("a string")),
        ("text", json!({"ops": []})),
    ]);
    prop_oneof![
        3 => fixed.prop_map(|(key, value)| (key.to_owned(), value)),
        2 => (select(&["text", "content", "label"][..]), text())
            .prop_map(|(key, text)| (key.to_owned(), Json::from(text))),
        2 => vec(style_entry(), 0..5)
            .prop_map(|entries| ("style".to_owned(), Json::Object(entries.into_iter().collect()))),
    ]
}

fn background() -> impl Strategy<Value = Json> {
    let field = select(vec![
        ("color", json!("#123456")),
        ("gradient", json!("linear-gradient(90deg, red 0%, blue 100%)")),
        ("gradient", json!({"stops": [{"at": 0}]})),
        ("value", json!("rgb(1, 2, 3)")),
        ("opacity", json!(0.25)),
        ("opacity", json!(80)),
        ("assetId", json!("asset-1")),
        ("src", json!("https://example.org/b.jpg")),
        ("adjustments", json!({"contrast": 1.0})),
        ("clip", json!({"start": 0, "end": 4})),
        ("layers", json!([{"type": "color"}, {"type": "image"}])),
        ("crop", json!({"x": 1, "y": 2, "width": 3, "height": 4})),
    ]);
    (
        select(&["color", "gradient", "image", "video", "odd"][..]),
        vec(field, 0..5),
    )
        .prop_map(|(kind, fields)| {
            let mut map: Map<String, Json> = fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
            map.insert("type".to_owned(), Json::from(kind));
            Json::Object(map)
        })
}

fn attributes() -> impl Strategy<Value = Json> {
    let dimensions = select(vec![
        json!(null),
        json!({"width": 1920, "height": 1080}),
        json!({"width": 10.50, "unit": "px"}),
        json!({"width": "100%"}),
        json!("big"),
    ]);
    (
        option::of(dimensions),
        option::of(vec(background(), 0..4)),
        any::<bool>(),
    )
        .prop_map(|(dimensions, backgrounds, preset)| {
            let mut map = Map::new();
            if preset {
                map.insert("presetId".to_owned(), json!("whiteboard"));
            }
            dimensions.map(|dimensions| map.insert("dimensions".to_owned(), dimensions));
            backgrounds.map(|mut list| {
                for (index, background) in list.iter_mut().enumerate() {
                    background["id"] = Json::from(format!("b{index}"));
                }
                map.insert("backgrounds".to_owned(), Json::Array(list))
            });
            Json::Object(map)
        })
}

/// Pages that Recto can hold.
pub(crate) fn page() -> impl Strategy<Value = DesignValue> {
    let node = (
        select(&IDS[..]),
        select(&KINDS[..]),
        option::weighted(0.6, any::<Index>()),
        vec(select(&NUMBERS[..]), 5),
        vec(prop_entry(), 0..6),
        option::of(select(&["a0", "a1", "a1V", "b00"][..])),
    );
    (attributes(), vec(node, 0..10)).prop_map(|(attributes, specs)| {
        let mut nodes: Vec<Json> = Vec::new();
        for (index, (id, kind, parent, sides, props, order)) in specs.into_iter().enumerate() {
            let parent = parent
                .filter(|_| index > 0)
                .map(|parent| nodes[parent.index(index)]["id"].clone());
            let names = ["x", "y", "width", "height", "rotation"];
            let geometry: Map<String, Json> = names
                .iter()
                .zip(sides)
                .map(|(name, text)| ((*name).to_owned(), number(text)))
                .collect();
            let props: Map<String, Json> = props.into_iter().collect();
            let mut node = json!({"id": format!("{id}{index}"), "type": kind, "geometry": geometry, "props": props});
            if let Some(parent) = parent {
                node["parentId"] = parent;
            }
            if let Some(order) = order {
                node["order"] = Json::from(order);
            }
            nodes.push(node);
        }
        DesignValue::from_json(&json!({"attributes": attributes, "nodes": nodes})).unwrap()
    })
}
