//! The three kinds of pages that hold text, so that one case is tried on each.

use serde_json::json;

use super::{Scene, edit_file, edit_text};
use crate::Json;

/// Where a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text {
    /// In a document.
    Doc,
    /// In a file.
    Code,
    /// In a property of a node.
    Design,
}

impl Text {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Doc, Self::Code, Self::Design];

    /// A page that holds a text.
    ///
    /// # Panics
    /// Where it cannot be made.
    pub fn scene(self, text: &str) -> Scene {
        let mut scene = match self {
            Self::Doc => Scene::doc(&json!([{ "insert": format!("{text}\n") }])),
            Self::Code => Scene::code(&json!({ "files": { "f": text }, "entry": "f" })),
            Self::Design => {
                let node = json!({ "id": "n", "type": "text", "props": { "t": text } });
                Scene::design(&json!({ "nodes": [node] }))
            }
        };
        scene.text = Some(self);
        scene
    }

    /// A text delta as a delta of the page.
    pub fn wrap(self, delta: Vec<Json>) -> Vec<Json> {
        match self {
            Self::Doc => delta,
            Self::Code => vec![edit_file("f", delta)],
            Self::Design => vec![edit_text("n", "/props/t", delta)],
        }
    }
}

impl Scene {
    /// Edits the text of a page that was made by [`Text::scene`].
    ///
    /// # Panics
    /// Where the page was made otherwise, or the edit is refused.
    #[track_caller]
    pub fn write(&mut self, actor: &str, delta: Vec<Json>) -> u64 {
        let ops = self.text.expect("a page of text").wrap(delta);
        self.edit(actor, ops)
    }

    /// Edits the text from an earlier version.
    ///
    /// # Panics
    /// As [`Scene::write`].
    #[track_caller]
    pub fn write_from(&mut self, base: u64, actor: &str, delta: Vec<Json>) -> u64 {
        let ops = self.text.expect("a page of text").wrap(delta);
        self.edit_from(base, actor, ops)
    }

    /// The text at the head; of a document without its last newline.
    ///
    /// # Panics
    /// Where the page was not made by [`Text::scene`].
    #[track_caller]
    pub fn text(&self) -> String {
        let json = self.json();
        match self.text.expect("a page of text") {
            Text::Doc => {
                let inserts = json.as_array().expect("a document").iter();
                let all: String = inserts.map(|op| op["insert"].as_str().unwrap_or("*")).collect();
                all.strip_suffix('\n').expect("a newline at the end").to_owned()
            }
            Text::Code => json["files"]["f"].as_str().expect("a file").to_owned(),
            Text::Design => json["nodes"]["n"]["props"]["t"].as_str().expect("a text").to_owned(),
        }
    }
}
