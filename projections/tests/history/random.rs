//! Random edits of a DESIGN page, by seed.

use recto_projections::design::{DesignValue, Geometry, Id, NewNode, Node};
use recto_projections::{Delta, Json, Kind, Value};
use serde_json::{Map, json};

/// How many histories a property goes through, unless `PROPTEST_CASES` says otherwise.
pub(crate) fn histories(default: u64) -> u64 {
    std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(default)
}

/// A small generator: the same seed gives the same numbers everywhere.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// Gives a number below `bound`, which is above zero.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from((self.next() >> 11) % u64::try_from(bound).unwrap()).unwrap()
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        (!items.is_empty()).then(|| &items[self.below(items.len())])
    }
}

/// The page that histories begin with.
pub(crate) fn first_page() -> Json {
    let text = |id: &str| json!({"id": id, "type": "text", "props": {"p": 0, "text": "start😀end", "tags": [1, 2]}});
    json!({
        "attributes": {"title": "t", "backgrounds": [{"id": "b0", "type": "color"}]},
        "nodes": [
            text("i0"),
            {"id": "i1", "type": "group"},
            {"id": "i2", "type": "shape", "parentId": "i1", "props": {"q": 1, "style": {"color": 1}}},
            text("i3"),
            {"id": "i4", "type": "shape", "parentId": "i1", "geometry": {"x": 5, "y": 6}},
        ],
    })
}

/// What edits a history may hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Span {
    /// All kinds.
    All,
    /// Those whose fields a simple model can follow: no regrouping, no whole objects.
    Fields,
}

/// Makes an edit of one to three operations for a value. `fresh` numbers what is added.
pub(crate) fn edit(random: &mut Random, value: &Value, actor: &str, fresh: &mut usize, span: Span) -> Json {
    let mut value = value.clone();
    let mut ops = Vec::new();
    for _ in 0..1 + random.below(3) {
        let Value::Design(design) = &value else { panic!() };
        let Some(Json::Array(next)) = operation(random, design, actor, fresh, span) else {
            continue;
        };
        let delta = Delta::from_json(Kind::Design, &Json::Array(next.clone())).unwrap();
        if value.replay(&delta).is_ok() {
            ops.extend(next);
        }
    }
    Json::Array(ops)
}

fn operation(random: &mut Random, value: &DesignValue, actor: &str, fresh: &mut usize, span: Span) -> Option<Json> {
    let nodes: Vec<&Node> = value.tree().collect();
    let node = random.pick(&nodes).copied();
    let kinds = if span == Span::All { 22 } else { 14 };
    Some(match random.below(kinds) {
        0 | 1 => add_node(random, &nodes, actor, fresh),
        2 => remove(value, &[node?.id().clone()]),
        3 | 4 => {
            json!([{"op": "setNode", "id": &**node?.id(), "set": {"/props/p": random.below(6)}}])
        }
        5 => json!([{"op": "setNode", "id": &**node?.id(), "unset": ["/props/q"]}]),
        6 => {
            json!([{"op": "setNode", "id": &**node?.id(), "set": {"/props/q": random.below(3), "/type": kind(random, node?)}}])
        }
        7 | 8 => {
            json!([{"op": "moveNode", "id": &**node?.id(), "geometry": {"x": random.below(9), "y": random.below(3)}}])
        }
        9 => {
            json!([{"op": "moveNode", "id": &**node?.id(), "placement": placement(random, &siblings(&nodes, node?))}])
        }
        10 | 11 => edit_text(random, node?, actor)?,
        12 => {
            json!([{"op": "addToSet", "id": &**node?.id(), "pointer": "/props/tags", "values": [random.below(5), random.below(5)]}])
        }
        13 => {
            json!([{"op": "removeFromSet", "id": &**node?.id(), "pointer": "/props/tags", "values": [random.below(5)]}])
        }
        14 => reparent(random, &nodes, node?),
        15 => group(random, value, &nodes, fresh)?,
        16 => ungroup(random, value, &nodes)?,
        17 => {
            json!([{"op": "setNode", "id": &**node?.id(), "set": {"/props/style": {"color": random.below(3)}}}])
        }
        18 => {
            json!([{"op": "setNode", "id": &**node?.id(), "set": {"/props/style/color": random.below(3)}}])
        }
        19 => {
            json!([{"op": "setNode", "id": &**node?.id(), "set": {"/props/text": actor.repeat(random.below(3))}}])
        }
        20 => {
            json!([{"op": "setAttributes", "set": {"/title": random.below(4)}, "unset": ["/subtitle"]}])
        }
        _ => background(random, value, fresh)?,
    })
}

fn kind(random: &mut Random, node: &Node) -> String {
    match node.kind() {
        "group" => "group".into(),
        kind => {
            if random.chance(50) {
                format!("{kind}!")
            } else {
                kind.into()
            }
        }
    }
}

fn add_node(random: &mut Random, nodes: &[&Node], actor: &str, fresh: &mut usize) -> Json {
    *fresh += 1;
    let parent = parent(random, nodes);
    let kind = if random.chance(30) { "group" } else { "text" };
    let ids: Vec<&Node> = nodes
        .iter()
        .copied()
        .filter(|node| node.parent().map(|id| &**id) == parent.as_deref())
        .collect();
    json!([{
        "op": "addNode",
        "node": {
            "id": format!("{actor}{fresh}"), "type": kind, "parentId": parent,
            "props": {"p": random.below(6), "text": "new"}, "geometry": {"x": random.below(9)},
        },
        "placement": placement(random, &ids),
    }])
}

fn parent(random: &mut Random, nodes: &[&Node]) -> Option<String> {
    let groups: Vec<&&Node> = nodes.iter().filter(|node| node.kind() == "group").collect();
    random
        .pick(&groups)
        .map(|node| node.id().to_string())
        .filter(|_| random.chance(50))
}

fn siblings<'a>(nodes: &[&'a Node], node: &Node) -> Vec<&'a Node> {
    nodes
        .iter()
        .copied()
        .filter(|other| other.parent() == node.parent() && other.id() != node.id())
        .collect()
}

fn placement(random: &mut Random, siblings: &[&Node]) -> Json {
    match (random.below(4), random.pick(siblings)) {
        (0, _) => json!("first"),
        (1, Some(node)) => json!({"after": &**node.id()}),
        (2, Some(node)) => json!({"before": &**node.id()}),
        _ => json!("last"),
    }
}

fn reparent(random: &mut Random, nodes: &[&Node], node: &Node) -> Json {
    let parent = parent(random, nodes);
    json!([{"op": "moveNode", "id": &**node.id(), "parentId": parent, "geometry": {"x": random.below(9)}}])
}

fn remove(value: &DesignValue, ids: &[Id]) -> Json {
    Delta::Design(value.delete_with_descendants(ids).unwrap()).to_json()
}

fn edit_text(random: &mut Random, node: &Node, actor: &str) -> Option<Json> {
    let text = node.props().get("text")?.as_str()?;
    let bounds: Vec<usize> = text
        .char_indices()
        .map(|(at, _)| units(&text[..at]))
        .chain([units(text)])
        .collect();
    let start = random.below(bounds.len());
    let end = (start + random.below(4)).min(bounds.len() - 1);
    let mut delta = vec![json!({"retain": bounds[start]})];
    delta.retain(|_| bounds[start] > 0);
    if random.chance(60) || start == end {
        delta.push(json!({"insert": actor.repeat(1 + random.below(2))}));
    }
    if end > start && random.chance(60) {
        delta.push(json!({"delete": bounds[end] - bounds[start]}));
    }
    Some(json!([{"op": "editText", "id": &**node.id(), "pointer": "/props/text", "delta": delta}]))
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

fn group(random: &mut Random, value: &DesignValue, nodes: &[&Node], fresh: &mut usize) -> Option<Json> {
    let first = random.pick(nodes)?;
    let mut members = vec![first.id().clone()];
    members.extend(
        siblings(nodes, first)
            .iter()
            .filter(|_| random.chance(40))
            .map(|node| node.id().clone()),
    );
    *fresh += 1;
    let group = NewNode {
        id: format!("g{fresh}").into(),
        kind: "group".into(),
        parent: None,
        geometry: Geometry::default(),
        props: Map::new(),
    };
    Some(Delta::Design(value.group(group, &members).ok()?).to_json())
}

fn ungroup(random: &mut Random, value: &DesignValue, nodes: &[&Node]) -> Option<Json> {
    let groups: Vec<&&Node> = nodes.iter().filter(|node| node.kind() == "group").collect();
    Some(Delta::Design(value.ungroup(random.pick(&groups)?.id()).ok()?).to_json())
}

fn background(random: &mut Random, value: &DesignValue, fresh: &mut usize) -> Option<Json> {
    let ids: Vec<String> = value
        .backgrounds()
        .iter()
        .map(|background| background["id"].as_str().unwrap().to_owned())
        .collect();
    let id = random.pick(&ids).cloned();
    Some(match random.below(4) {
        0 => {
            *fresh += 1;
            json!([{"op": "addBackground", "background": {"id": format!("b{fresh}"), "type": "color"}, "placement": "first"}])
        }
        1 => json!([{"op": "removeBackground", "id": id?}]),
        2 => json!([{"op": "setBackground", "id": id?, "set": {"/color": random.below(4)}}]),
        _ => {
            json!([{"op": "moveBackground", "id": id?, "placement": if random.chance(50) { "first" } else { "last" }}])
        }
    })
}

/// Gives a page without what depends on the order of equal steps: keys sorted, sets sorted, order keys left out.
pub(crate) fn normal(json: &Json) -> Json {
    match json {
        Json::Object(map) => {
            let mut entries: Vec<_> = map.iter().filter(|(key, _)| *key != "order").collect();
            entries.sort_by_key(|(key, _)| *key);
            let sorted = |key: &str, value: &Json| match (key, value) {
                ("tags", Json::Array(items)) => {
                    let mut items = items.clone();
                    items.sort_by_key(ToString::to_string);
                    items.dedup();
                    Json::Array(items)
                }
                _ => normal(value),
            };
            entries
                .into_iter()
                .map(|(key, value)| (key.clone(), sorted(key, value)))
                .collect::<Map<_, _>>()
                .into()
        }
        Json::Array(items) => items.iter().map(normal).collect(),
        json => json.clone(),
    }
}
