//! DESIGN pages: shapes and texts in groups, as a design tool draws them.

use serde_json::{Value as Json, json};

use super::text::words;
use crate::rng::Rng;

/// Nodes of one group, the group itself counted.
const GROUP_NODES: usize = 20;

const TYPES: [&str; 4] = ["shape", "text", "image", "shape"];
const COLOURS: [&str; 6] = ["#1f2937", "#f59e0b", "#10b981", "#3b82f6", "#ef4444", "#ffffff"];

/// A page of so many nodes: about 350 bytes of JSON each.
#[must_use]
pub fn page(nodes: usize, seed: u64) -> Json {
    let mut rng = Rng::new(seed);
    let nodes: Vec<Json> = (0..nodes).map(|index| node(index, &mut rng)).collect();
    json!({ "attributes": { "dimensions": { "width": 1920, "height": 1080 } }, "nodes": nodes })
}

/// The id of a node by its number.
#[must_use]
pub fn id(index: usize) -> String {
    format!("node-{index:06}")
}

/// A small edit of one of the first `nodes` nodes: a drag, a colour, a text; what a user does most.
#[must_use]
pub fn edit(nodes: usize, rng: &mut Rng) -> Json {
    let node = leaf(rng.below(nodes));
    let op = match rng.below(3) {
        0 => {
            json!({ "op": "moveNode", "id": id(node), "geometry": { "x": rng.below(1920), "y": rng.below(1080) } })
        }
        1 => {
            json!({ "op": "setNode", "id": id(node), "set": { "/props/opacity": rng.below(100_000), "/props/fill": rng.pick(&COLOURS) } })
        }
        _ => json!({ "op": "setNode", "id": id(node), "set": { "/props/label": words(24, rng) } }),
    };
    json!([op])
}

/// The page with one property of one node in its middle changed.
#[must_use]
pub fn with_one_changed(page: &Json) -> Json {
    let mut changed = page.clone();
    if let Some(nodes) = changed.get_mut("nodes").and_then(Json::as_array_mut) {
        let middle = leaf(nodes.len() / 2);
        if let Some(props) = nodes.get_mut(middle).and_then(|node| node.get_mut("props")) {
            props["label"] = Json::from("this one was changed");
        }
    }
    changed
}

/// The number of a node near `index` that is no group.
fn leaf(index: usize) -> usize {
    if index.is_multiple_of(GROUP_NODES) {
        index + 1
    } else {
        index
    }
}

fn node(index: usize, rng: &mut Rng) -> Json {
    let geometry = json!({
        "x": rng.below(1920), "y": rng.below(1080),
        "width": rng.below(400), "height": rng.below(300), "rotation": 0,
    });
    if index.is_multiple_of(GROUP_NODES) {
        return json!({ "id": id(index), "type": "group", "parentId": null, "geometry": geometry, "props": {} });
    }
    let parent = id(index - index % GROUP_NODES);
    json!({
        "id": id(index), "type": rng.pick(&TYPES), "parentId": parent, "geometry": geometry,
        "props": {
            "fill": rng.pick(&COLOURS), "stroke": rng.pick(&COLOURS), "opacity": 100,
            "label": words(24, rng), "tags": ["a", "b"], "style": { "fontSize": 14, "lineHeight": 1.4 },
        },
    })
}
