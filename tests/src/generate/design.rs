//! Random DESIGN pages and operations on them.

use serde_json::{Map, json};

use super::json::{json as any, key, object};
use super::text::{plain_delta, words};
use crate::Json;
use crate::model::{Design, Text};
use crate::seed::Random;

const KINDS: [&str; 6] = ["text", "image", "video", "shape", "group", "sticky note"];
/// Few ids, so that they are used again and meet.
const IDS: usize = 24;
const BACKGROUND_IDS: [&str; 3] = ["b1", "b2", "b 3"];

/// A page of a few nodes, children behind their parents.
pub(super) fn value(random: &mut Random) -> Json {
    let mut nodes: Vec<Json> = Vec::new();
    for number in 0..random.below(8) {
        let parent = nodes
            .get(random.below(8))
            .map(|node| node["id"].clone())
            .unwrap_or_default();
        nodes.push(node(random, &format!("n{number}"), parent));
    }
    json!({ "attributes": object(random, 1), "nodes": nodes })
}

/// An operation.
pub(super) fn operation(random: &mut Random, design: &Design) -> Json {
    match random.below(16) {
        0..=3 => add_node(random, design),
        4 => json!({ "op": "removeNode", "id": some_id(random, design) }),
        5..=7 => set_node(random, design),
        8..=9 => move_node(random, design),
        10 => edit_text(random, design),
        11 => change_set(random, design),
        12 => patch(random, "setAttributes", "", &Json::Object(Map::new())),
        _ => background(random, design),
    }
}

fn node(random: &mut Random, id: &str, parent: Json) -> Json {
    let mut props = object(random, 2);
    if random.chance(1, 2) {
        props.insert("text".to_owned(), Json::from(words(random, 6)));
    }
    if random.chance(1, 3) {
        props.insert("tags".to_owned(), json!(["a", "b", 1.0]));
    }
    json!({
        "id": id, "type": random.pick(&KINDS), "parentId": parent,
        "geometry": geometry(random), "props": props,
    })
}

fn add_node(random: &mut Random, design: &Design) -> Json {
    let id = format!("n{}", random.below(IDS));
    let parent = if random.chance(1, 2) {
        Json::Null
    } else {
        some_id(random, design)
    };
    let placement = placement(random, design.children(parent.as_str()), &id);
    json!({ "op": "addNode", "node": node(random, &id, parent), "placement": placement })
}

fn set_node(random: &mut Random, design: &Design) -> Json {
    let id = some_id(random, design);
    let props = design
        .node(id.as_str().unwrap_or_default())
        .map_or(Json::Null, |node| node.props());
    let mut op = patch(random, "setNode", "/props", &props);
    op["id"] = id;
    if random.chance(1, 6) {
        op["set"]["/type"] = Json::from(*random.pick(&KINDS));
    }
    op
}

fn move_node(random: &mut Random, design: &Design) -> Json {
    let id = some_id(random, design);
    let mut op = json!({ "op": "moveNode", "id": id });
    let mut parent = design
        .node(id.as_str().unwrap_or_default())
        .and_then(|node| node.parent.clone());
    if random.chance(1, 2) {
        let other = if random.chance(1, 3) {
            Json::Null
        } else {
            some_id(random, design)
        };
        parent = other.as_str().map(str::to_owned);
        op["parentId"] = other;
    }
    if random.chance(2, 3) {
        op["placement"] = placement(
            random,
            design.children(parent.as_deref()),
            id.as_str().unwrap_or_default(),
        );
    }
    if random.chance(1, 2) {
        op["geometry"] = geometry(random);
    }
    op
}

fn edit_text(random: &mut Random, design: &Design) -> Json {
    let id = some_id(random, design);
    let props = design
        .node(id.as_str().unwrap_or_default())
        .map_or(Json::Null, |node| node.props());
    let text = Text::plain(props["text"].as_str().unwrap_or_default());
    json!({ "op": "editText", "id": id, "pointer": "/props/text", "delta": plain_delta(random, &text) })
}

fn change_set(random: &mut Random, design: &Design) -> Json {
    let tags = [
        json!("a"),
        json!("b"),
        json!("c"),
        json!(1),
        json!(1.0),
        json!({ "x": 1 }),
    ];
    let first = random.below(tags.len());
    let values: Vec<_> = tags.iter().cycle().skip(first).take(random.within(1, 3)).collect();
    let op = if random.chance(1, 2) {
        "addToSet"
    } else {
        "removeFromSet"
    };
    json!({ "op": op, "id": some_id(random, design), "pointer": "/props/tags", "values": values })
}

fn background(random: &mut Random, design: &Design) -> Json {
    let ids = design.background_ids();
    let id = *random.pick(&BACKGROUND_IDS);
    let placement = placement(random, &ids, id);
    match random.below(4) {
        0 => {
            let background = json!({ "id": id, "type": "color", "color": words(random, 1) });
            json!({ "op": "addBackground", "background": background, "placement": placement })
        }
        1 => json!({ "op": "removeBackground", "id": id }),
        2 => json!({ "op": "setBackground", "id": id, "set": { "/color": any(random, 1) } }),
        _ => json!({ "op": "moveBackground", "id": id, "placement": placement }),
    }
}

/// Sets and takes away values of an object that a pointer leads to.
fn patch(random: &mut Random, op: &str, pointer: &str, object: &Json) -> Json {
    let (mut set, mut unset) = (Map::new(), Vec::new());
    for _ in 0..random.within(1, 3) {
        let place = place(random, pointer, object);
        if random.chance(2, 3) {
            set.insert(place, any(random, 2));
        } else if !unset.contains(&place) {
            unset.push(place);
        }
    }
    json!({ "op": op, "set": set, "unset": unset })
}

/// A pointer to a key of an object, or to one of an object in it.
fn place(random: &mut Random, pointer: &str, object: &Json) -> String {
    let known: Vec<_> = object
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, _)| key.as_str())
        .collect();
    let key = if known.is_empty() || random.chance(1, 3) {
        key(random)
    } else {
        *random.pick(&known)
    };
    let pointer = format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
    match object.get(key) {
        Some(inner) if inner.is_object() && random.chance(1, 2) => place(random, &pointer, inner),
        _ => pointer,
    }
}

fn geometry(random: &mut Random) -> Json {
    let numbers = ["0", "1", "1.0", "-12.5", "1e2", "360"];
    let sides = ["x", "y", "width", "height", "rotation"];
    let number = |random: &mut Random| serde_json::from_str::<Json>(random.word(&numbers)).expect("a number");
    let fields = (0..random.within(1, 3)).map(|_| ((*random.pick(&sides)).to_owned(), number(random)));
    Json::Object(fields.collect())
}

fn placement(random: &mut Random, siblings: &[String], but: &str) -> Json {
    let others: Vec<_> = siblings.iter().filter(|sibling| *sibling != but).collect();
    match random.below(4) {
        0 => json!("first"),
        1 if !others.is_empty() => json!({ "after": random.pick(&others) }),
        2 if !others.is_empty() => json!({ "before": random.pick(&others) }),
        _ => json!("last"),
    }
}

/// The id of a node that is there, or sometimes of one that may not be.
fn some_id(random: &mut Random, design: &Design) -> Json {
    let ids = design.ids();
    if ids.is_empty() || random.chance(1, 20) {
        return Json::from(format!("n{}", random.below(IDS)));
    }
    Json::from(*random.pick(&ids))
}
