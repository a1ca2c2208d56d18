//! Canvases of other programs as DESIGN pages.
//!
//! - Every element becomes a node in the order of the file, and all of it goes into the node's `props`. `type` is the
//!   element's; the geometry is read from `x`, `y`, `width`, `height` and `angle` where they are numbers.
//! - The id is the element's own (`id` or `uuid`; a number as its digits), `element-N` where it has none. An id that
//!   stood before gets the first free of `<id>~2`, `<id>~3`, …: real canvases repeat ids.
//! - What is left of the document, with the ids in place of the elements, is the page attribute `document`. So the
//!   document can be put together again, and compared.

use std::collections::HashSet;

use serde_json::{Map, Value as Json, json};

use crate::corpora::{Corpora, CorpusError};

/// Every canvas file with its elements in one stream, 50,065 of them.
pub const ALL_ELEMENTS: &str = "canvas/excalidraw/all-elements.jsonl.zst";

/// A page's worth of nodes.
#[derive(Clone, Debug)]
pub struct Canvas {
    /// The file's path in the corpora without its endings.
    pub name: String,
    /// The document as it came.
    pub source: Json,
    /// The document with ids in place of elements.
    pub document: Json,
    /// The nodes in order, as a DESIGN page takes them.
    pub nodes: Vec<Json>,
}

impl Canvas {
    /// The files that hold a canvas, the stream of all elements last.
    ///
    /// # Errors
    /// [`CorpusError::Unreadable`].
    pub fn files(corpora: &Corpora) -> Result<Vec<String>, CorpusError> {
        let mut files = corpora.list("canvas/excalidraw", ".excalidrawlib.gz")?;
        files.extend(corpora.list("canvas/dashboards", ".json.gz")?);
        files.extend(corpora.list("canvas/fabric", ".json.gz")?);
        files.extend(corpora.list("canvas/poster", ".json")?);
        files.push(ALL_ELEMENTS.to_owned());
        Ok(files)
    }

    /// Reads a canvas.
    ///
    /// # Errors
    /// [`CorpusError`].
    pub fn read(corpora: &Corpora, file: &str) -> Result<Self, CorpusError> {
        let source = if file == ALL_ELEMENTS {
            stream(corpora)?
        } else {
            corpora.read_json(file)?
        };
        Ok(Self::new(Self::name_of(file), source))
    }

    /// The name of the canvas in a file: its path without what all have in common.
    #[must_use]
    pub fn name_of(file: &str) -> String {
        let name = file.strip_prefix("canvas/").unwrap_or(file);
        let name = name.split_once('.').map_or(name, |(name, _)| name);
        name.replace('/', "-")
    }

    fn new(name: String, source: Json) -> Self {
        let mut document = if has_elements(&source) {
            source
        } else {
            json!({ "elements": [source] })
        };
        let source = document.clone();
        let mut ids = HashSet::new();
        let mut nodes = Vec::new();
        for list in element_lists(&mut document) {
            for element in list.iter_mut() {
                let id = free_id(&mut ids, own_id(element, nodes.len()));
                let props = std::mem::replace(element, Json::String(id.clone()));
                nodes.push(node(&id, props));
            }
        }
        Self {
            name,
            source,
            document,
            nodes,
        }
    }

    /// The page value with some of the nodes.
    #[must_use]
    pub fn value_of(&self, nodes: &[Json]) -> Json {
        json!({ "attributes": { "document": self.document }, "nodes": nodes })
    }

    /// Puts the document together again from a page value.
    ///
    /// # Errors
    /// A sentence that tells what is missing.
    pub fn rebuild(value: &Json) -> Result<Json, String> {
        let mut document = value
            .pointer("/attributes/document")
            .cloned()
            .ok_or("the page has no attribute `document`")?;
        let nodes = value
            .get("nodes")
            .and_then(Json::as_object)
            .ok_or("the page has no nodes")?;
        let mut used = 0;
        for list in element_lists(&mut document) {
            for element in list.iter_mut() {
                let id = element.as_str().ok_or("an element of the document is no id")?;
                let props = nodes.get(id).and_then(|node| node.get("props"));
                *element = props.cloned().ok_or_else(|| format!("node {id:?} is missing"))?;
                used += 1;
            }
        }
        if used == nodes.len() {
            Ok(document)
        } else {
            Err(format!("the page has {} nodes, the document {used}", nodes.len()))
        }
    }
}

fn stream(corpora: &Corpora) -> Result<Json, CorpusError> {
    let mut elements = Vec::new();
    for line in corpora.json_lines::<Json>(ALL_ELEMENTS)? {
        let element = line?.get_mut("element").map(Json::take);
        elements.push(element.ok_or_else(|| corpora.malformed(ALL_ELEMENTS, &"a line without an element"))?);
    }
    Ok(json!({ "elements": elements }))
}

fn has_elements(document: &Json) -> bool {
    ["library", "libraryItems", "panels", "objects", "elements"]
        .iter()
        .any(|name| document.get(name).is_some())
}

/// The lists of elements of a document, in the order in which they stand in it.
fn element_lists(document: &mut Json) -> Vec<&mut Vec<Json>> {
    let Json::Object(fields) = document else {
        return Vec::new();
    };
    fields
        .iter_mut()
        .flat_map(|(name, field)| lists_of_field(name, field))
        .collect()
}

fn lists_of_field<'a>(name: &str, field: &'a mut Json) -> Vec<&'a mut Vec<Json>> {
    let Json::Array(list) = field else {
        return Vec::new();
    };
    match name {
        "panels" | "objects" | "elements" => vec![list],
        "library" => list.iter_mut().filter_map(Json::as_array_mut).collect(),
        "libraryItems" => list
            .iter_mut()
            .filter_map(|item| item.get_mut("elements")?.as_array_mut())
            .collect(),
        _ => Vec::new(),
    }
}

fn own_id(element: &Json, index: usize) -> String {
    let given = element.get("id").or_else(|| element.get("uuid"));
    match given {
        Some(Json::String(id)) if !id.is_empty() => id.clone(),
        Some(Json::Number(id)) => id.to_string(),
        _ => format!("element-{}", index + 1),
    }
}

fn free_id(taken: &mut HashSet<String>, id: String) -> String {
    let numbered = (2..).map(|number: usize| format!("{id}~{number}"));
    let free = std::iter::once(id.clone())
        .chain(numbered)
        .find(|id| !taken.contains(id))
        .unwrap_or(id);
    taken.insert(free.clone());
    free
}

fn node(id: &str, props: Json) -> Json {
    let kind = props
        .get("type")
        .and_then(Json::as_str)
        .filter(|kind| !kind.is_empty())
        .unwrap_or("shape")
        .to_owned();
    let geometry = geometry(&props);
    // A node's `props` is an object; an element of another sort would be a fault of the corpus.
    json!({ "id": id, "type": kind, "parentId": null, "geometry": geometry, "props": props })
}

fn geometry(element: &Json) -> Json {
    let fields = [
        ("x", "x"),
        ("y", "y"),
        ("width", "width"),
        ("height", "height"),
        ("angle", "rotation"),
    ];
    let mut geometry = Map::new();
    for (from, to) in fields {
        if let Some(number) = element.get(from).filter(|field| field.is_number()) {
            geometry.insert(to.to_owned(), number.clone());
        }
    }
    Json::Object(geometry)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    fn as_answered(canvas: &Canvas) -> Json {
        let nodes = canvas
            .nodes
            .iter()
            .map(|node| (node["id"].as_str().unwrap().to_owned(), node.clone()))
            .collect();
        json!({ "attributes": { "document": canvas.document }, "nodes": Json::Object(nodes) })
    }

    #[test]
    fn a_document_is_put_together_again_and_repeated_ids_are_numbered() {
        let source = json!({ "type": "lib", "libraryItems": [
            { "elements": [{ "id": "a", "type": "rect", "x": 1.50 }, { "id": "a" }], "name": "n" },
            { "elements": [{ "id": "a~2" }, {}] },
        ] });
        let canvas = Canvas::new("t".to_owned(), source.clone());
        let ids: Vec<_> = canvas.nodes.iter().map(|node| node["id"].as_str().unwrap()).collect();
        assert_eq!(ids, ["a", "a~2", "a~2~2", "element-4"]);
        assert_eq!(canvas.nodes[0]["geometry"].to_string(), r#"{"x":1.5}"#);
        assert_eq!(Canvas::rebuild(&as_answered(&canvas)).unwrap(), source);
    }

    #[test]
    fn every_canvas_of_the_corpora_is_put_together_again() {
        let Ok(corpora) = Corpora::find(None) else {
            return;
        };
        for file in Canvas::files(&corpora).unwrap() {
            if file == ALL_ELEMENTS {
                continue;
            }
            let canvas = Canvas::read(&corpora, &file).unwrap();
            assert_eq!(
                Canvas::rebuild(&as_answered(&canvas)).unwrap().to_string(),
                canvas.source.to_string(),
                "{file}"
            );
        }
    }
}
