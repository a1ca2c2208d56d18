//! Canvases of other tools as whole DESIGN values, in JSON. Knows JSON and nothing of this crate.
//!
//! Rules: nodes come in the order of the source. Of an id that repeats, the second node gets `<id>~2`, the third `<id>~3`
//! and so on; what refers to the id means the first. A geometry field that is no number is zero. What is neither id,
//! type, parent nor geometry stays below `props` under its own name.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value as Json, json};

const ID_MAX_BYTES: usize = 120;

/// How a tool names what a node has.
struct Names {
    id: &'static str,
    /// The fields of the geometry: x, y, width, height, rotation.
    sides: [&'static str; 5],
    /// The field of an object that holds the first four, if they stand in one.
    sides_in: Option<&'static str>,
    /// The field that holds children, which is no property.
    children: &'static str,
}

const EXCALIDRAW: Names = Names {
    id: "id",
    sides: ["x", "y", "width", "height", "angle"],
    sides_in: None,
    children: "",
};
const GRAFANA: Names = Names {
    id: "id",
    sides: ["x", "y", "w", "h", "angle"],
    sides_in: Some("gridPos"),
    children: "panels",
};
const FABRIC: Names = Names {
    id: "id",
    sides: ["left", "top", "width", "height", "angle"],
    sides_in: None,
    children: "objects",
};
const POSTER: Names = Names {
    id: "uuid",
    sides: ["left", "top", "width", "height", "rotate"],
    sides_in: None,
    children: "layers",
};

/// The nodes of a page, being gathered.
#[derive(Default)]
struct Page {
    nodes: Vec<Json>,
    ids: HashSet<String>,
    repeats: HashMap<String, u64>,
}

/// Makes a page of Excalidraw elements. Groups become nodes of type `group`: of an element's group ids the first is the
/// innermost.
pub fn excalidraw<'a>(elements: impl IntoIterator<Item = &'a Json>) -> Json {
    let mut page = Page::default();
    let mut groups: HashMap<String, String> = HashMap::new();
    for element in elements {
        let mut parent: Option<String> = None;
        for group in element["groupIds"]
            .as_array()
            .into_iter()
            .flatten()
            .rev()
            .filter_map(Json::as_str)
        {
            let id = match groups.get(group) {
                Some(id) => id.clone(),
                None => page.push(json!({"type": "group", "props": {}}), group, parent.as_deref()),
            };
            groups.insert(group.to_owned(), id.clone());
            parent = Some(id);
        }
        page.push_element(element, &EXCALIDRAW, parent.as_deref());
    }
    page.finish(json!({"presetId": "whiteboard"}))
}

/// Makes a page of an Excalidraw library.
pub fn excalidraw_library(library: &Json) -> Json {
    let items = library
        .get("libraryItems")
        .or_else(|| library.get("library"))
        .and_then(Json::as_array);
    let elements = items.into_iter().flatten().flat_map(|item| {
        item.as_array()
            .or_else(|| item.get("elements").and_then(Json::as_array))
            .into_iter()
            .flatten()
    });
    excalidraw(elements)
}

/// Makes a page of a Grafana dashboard: rows are parents of their panels.
pub fn dashboard(dashboard: &Json) -> Json {
    nested(dashboard, &GRAFANA)
}

/// Makes a page of a Fabric.js canvas.
pub fn fabric(canvas: &Json) -> Json {
    nested(canvas, &FABRIC)
}

/// Makes a page of a template or component of Poster Design: its body is JSON in a string.
pub fn poster(template: &Json) -> Json {
    let body = template["data"]
        .as_str()
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or(Json::Null);
    let mut page = Page::default();
    let parts = if body.is_array() { body } else { Json::Array(vec![body]) };
    for part in parts.as_array().into_iter().flatten() {
        match part.get("layers").and_then(Json::as_array) {
            Some(layers) => {
                let id = page.push_element(&part["global"], &POSTER, None);
                layers
                    .iter()
                    .for_each(|layer| drop(page.push_element(layer, &POSTER, Some(&id))));
            }
            None => drop(page.push_element(part, &POSTER, None)),
        }
    }
    let mut attributes = template.as_object().cloned().unwrap_or_default();
    attributes.shift_remove("data");
    page.finish(Json::Object(attributes))
}

/// Makes a page of an object whose children stand in it, and in them.
fn nested(root: &Json, names: &Names) -> Json {
    let mut page = Page::default();
    add_children(&mut page, root, None, names);
    let mut attributes = root.as_object().cloned().unwrap_or_default();
    attributes.shift_remove(names.children);
    page.finish(Json::Object(attributes))
}

fn add_children(page: &mut Page, json: &Json, parent: Option<&str>, names: &Names) {
    for child in json.get(names.children).and_then(Json::as_array).into_iter().flatten() {
        let id = page.push_element(child, names, parent);
        add_children(page, child, Some(&id), names);
    }
}

impl Page {
    /// Adds an element of a tool; gives its id.
    fn push_element(&mut self, element: &Json, names: &Names, parent: Option<&str>) -> String {
        let mut props = element.as_object().cloned().unwrap_or_default();
        props.shift_remove(names.children);
        let id = match props.shift_remove(names.id) {
            Some(Json::String(id)) if !id.is_empty() && id.len() <= ID_MAX_BYTES => id,
            Some(Json::Number(id)) => format!("node-{id}"),
            _ => "node".to_owned(),
        };
        let kind = match props.shift_remove("type") {
            Some(Json::String(kind)) => kind,
            _ => "element".to_owned(),
        };
        let place = names
            .sides_in
            .map_or(&Json::Null, |field| &element[field])
            .as_object()
            .cloned();
        let mut geometry = Map::new();
        for (side, name) in ["x", "y", "width", "height", "rotation"].iter().zip(names.sides) {
            let value = place
                .as_ref()
                .and_then(|place| place.get(name))
                .or_else(|| element.get(name));
            if let Some(number) = value.filter(|value| value.is_number()) {
                geometry.insert((*side).to_owned(), number.clone());
                props.shift_remove(name);
            }
        }
        if let Some(field) = names.sides_in {
            props.shift_remove(field);
        }
        self.push(json!({"type": kind, "geometry": geometry, "props": props}), &id, parent)
    }

    /// Adds a node under an id like the one wished for; gives it.
    fn push(&mut self, node: Json, wish: &str, parent: Option<&str>) -> String {
        let id = self.free_id(wish);
        let mut fields = Map::new();
        fields.insert("id".to_owned(), Json::from(id.as_str()));
        fields.insert("parentId".to_owned(), parent.map_or(Json::Null, Json::from));
        fields.extend(node.as_object().cloned().unwrap_or_default());
        self.nodes.push(Json::Object(fields));
        id
    }

    fn free_id(&mut self, wish: &str) -> String {
        if self.ids.insert(wish.to_owned()) {
            return wish.to_owned();
        }
        let count = self.repeats.entry(wish.to_owned()).or_insert(1);
        loop {
            *count += 1;
            let id = format!("{wish}~{count}");
            if self.ids.insert(id.clone()) {
                return id;
            }
        }
    }

    fn finish(self, attributes: Json) -> Json {
        json!({"attributes": attributes, "nodes": self.nodes})
    }
}
