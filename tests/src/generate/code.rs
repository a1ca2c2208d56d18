//! Random CODE pages and operations on them.

use serde_json::{Map, json};

use super::json::{json as any, key, object};
use super::text::{plain_delta, words};
use crate::Json;
use crate::model::{Code, Text};
use crate::seed::Random;

const PATHS: [&str; 7] = ["a.txt", "b/c.rs", "b/d.rs", "é/😀.md", "README", "x y", "z~0"];
const BAD_PATHS: [&str; 5] = ["", "/a", "a//b", "a/../b", "."];
const PIECES: usize = 12;

/// A page of a few files.
pub(super) fn value(random: &mut Random) -> Json {
    let files: Map<String, Json> = (0..random.below(5))
        .map(|_| ((random.word(&PATHS)).to_owned(), Json::from(words(random, PIECES))))
        .collect();
    let entry = files.keys().next().filter(|_| random.chance(1, 2)).cloned();
    json!({ "files": files, "entry": entry, "attributes": object(random, 1) })
}

/// An operation.
pub(super) fn operation(random: &mut Random, code: &Code) -> Json {
    match random.below(12) {
        0..=1 => {
            json!({ "op": "addFile", "path": any_path(random), "text": words(random, PIECES) })
        }
        2 => json!({ "op": "removeFile", "path": some_path(random, code) }),
        3..=4 => {
            json!({ "op": "renameFile", "path": some_path(random, code), "to": any_path(random) })
        }
        5 => {
            json!({ "op": "setEntry", "path": if random.chance(1, 3) { Json::Null } else { some_path(random, code) } })
        }
        6 => {
            json!({ "op": "setAttributes", "set": { format!("/{}", escaped(random)): any(random, 1) } })
        }
        7 => json!({ "op": "setAttributes", "unset": [format!("/{}", escaped(random))] }),
        _ => {
            let path = some_path(random, code);
            let empty = Text::default();
            let file = code.file(path.as_str().unwrap_or_default()).unwrap_or(&empty);
            json!({ "op": "editFile", "path": path, "delta": plain_delta(random, file) })
        }
    }
}

fn escaped(random: &mut Random) -> String {
    key(random).replace('~', "~0").replace('/', "~1")
}

fn any_path(random: &mut Random) -> &'static str {
    if random.chance(1, 30) {
        random.word(&BAD_PATHS)
    } else {
        random.word(&PATHS)
    }
}

fn some_path(random: &mut Random, code: &Code) -> Json {
    let paths = code.paths();
    if paths.is_empty() || random.chance(1, 15) {
        return Json::from(random.word(&PATHS));
    }
    Json::from(*random.pick(&paths))
}
