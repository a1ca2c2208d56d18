//! The canvases of the corpora: each is a drawing that a renderer reads.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde_json::{Value as Json, json};

use crate::parsed::{check, svg};

/// The most elements of a canvas that are drawn here.
const ELEMENTS_MAX: usize = 400;

#[test]
fn every_canvas_gives_a_drawing() {
    let Some(folder) = folder() else {
        println!("passed over: there are no corpora");
        return;
    };
    let mut drawn = 0;
    for file in files(&folder) {
        let mut elements = Vec::new();
        collect(&read(&file), &mut elements);
        let nodes: Vec<Json> = elements
            .iter()
            .take(ELEMENTS_MAX)
            .zip(0..)
            .map(|(element, number)| node(element, number))
            .collect();
        check(&svg(&json!({ "nodes": nodes })));
        drawn += 1;
    }
    assert!(drawn >= 20, "{drawn} canvases in {}", folder.display());
}

fn folder() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let corpora = std::env::var_os("RECTO_CORPORA").map_or_else(|| root.join("../shared/corpora"), PathBuf::from);
    Some(corpora.join("canvas")).filter(|folder| folder.is_dir())
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = folders
        .filter(|path| path.is_dir())
        .flat_map(|folder| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|ending| ending == "gz" || ending == "json")
        })
        .collect();
    files.sort();
    files
}

fn read(file: &Path) -> Json {
    let mut bytes = Vec::new();
    let mut opened = File::open(file).unwrap();
    if file.extension().is_some_and(|ending| ending == "gz") {
        GzDecoder::new(opened).read_to_end(&mut bytes).unwrap();
    } else {
        opened.read_to_end(&mut bytes).unwrap();
    }
    serde_json::from_slice(&bytes).unwrap()
}

/// Everything in a document that has a type and is in a list.
fn collect(json: &Json, elements: &mut Vec<Json>) {
    match json {
        Json::Array(list) => {
            for entry in list {
                if entry.get("type").is_some_and(Json::is_string) {
                    elements.push(entry.clone());
                } else {
                    collect(entry, elements);
                }
            }
        }
        Json::Object(map) => map.values().for_each(|value| collect(value, elements)),
        // Some hold a document as text.
        Json::String(text) if text.starts_with(['{', '[']) => {
            if let Ok(inner) = serde_json::from_str::<Json>(text) {
                collect(&json!([inner]), elements);
            }
        }
        _ => {}
    }
}

fn node(element: &Json, number: usize) -> Json {
    let side = |names: [&str; 2]| {
        names
            .iter()
            .find_map(|name| element.get(*name))
            .filter(|side| side.is_number())
            .cloned()
    };
    let kind = element["type"]
        .as_str()
        .filter(|kind| !kind.is_empty() && kind.len() <= 128)
        .unwrap_or("shape");
    let mut geometry = json!({});
    for (name, names) in [
        ("x", ["x", "left"]),
        ("y", ["y", "top"]),
        ("width", ["width", "w"]),
        ("height", ["height", "h"]),
        ("rotation", ["angle", "rotate"]),
    ] {
        if let Some(side) = side(names) {
            geometry[name] = side;
        }
    }
    json!({ "id": format!("n{number}"), "type": kind, "geometry": geometry, "props": element })
}
