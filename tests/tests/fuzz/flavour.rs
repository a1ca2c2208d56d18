//! What a run is about: the kind of page, and how free its commands are.

use recto_pages::projections::{Json, Kind};
use recto_tests::generate;
use recto_tests::model::Model;
use recto_tests::seed::Random;
use serde_json::json;

/// What a run is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flavour {
    /// DESIGN with everything.
    Design,
    /// DESIGN where nodes stay and only fields change: its states are those of registers.
    Fields,
    /// DOC with everything.
    Doc,
    /// CODE with everything.
    Code,
    /// CODE where files stay and only their text changes.
    Lines,
    /// SHEET.
    Sheet,
}

const NODES: [&str; 3] = ["n1", "n2", "n3"];
const KEYS: [&str; 4] = ["a", "b", "c", "fill"];
const FILES: [&str; 2] = ["a.txt", "b.rs"];

impl Flavour {
    pub(crate) const ALL: [Self; 6] = [
        Self::Design,
        Self::Fields,
        Self::Doc,
        Self::Code,
        Self::Lines,
        Self::Sheet,
    ];

    pub(crate) fn kind(self) -> Kind {
        match self {
            Self::Design | Self::Fields => Kind::Design,
            Self::Doc => Kind::Doc,
            Self::Code | Self::Lines => Kind::Code,
            Self::Sheet => Kind::Sheet,
        }
    }

    /// How many events in a hundred a run of all flavours spends on this one.
    pub(crate) fn share(self) -> usize {
        match self {
            Self::Design => 34,
            Self::Fields => 10,
            Self::Doc => 26,
            Self::Code => 16,
            Self::Lines => 10,
            Self::Sheet => 4,
        }
    }

    /// Whether a page of this flavour is replaced and restored as a whole.
    pub(crate) fn takes_wholes(self) -> bool {
        !matches!(self, Self::Fields | Self::Lines)
    }

    /// A first value.
    pub(crate) fn value(self, random: &mut Random) -> Json {
        match self {
            Self::Fields => {
                let node = |id: &&str| json!({ "id": id, "type": "shape", "parentId": null, "props": { "a": 1 } });
                json!({ "attributes": { "b": 0 }, "nodes": NODES.iter().map(node).collect::<Vec<_>>() })
            }
            Self::Lines => json!({
                "files": { FILES[0]: generate::words(random, 8), FILES[1]: generate::words(random, 8) },
                "entry": null,
            }),
            _ => generate::value(random, self.kind()),
        }
    }

    /// A delta for a state.
    pub(crate) fn delta(self, random: &mut Random, state: &Json) -> Json {
        match self {
            Self::Fields => (0..random.within(1, 3)).map(|_| field_op(random)).collect(),
            Self::Lines => {
                let first = random.below(FILES.len());
                let files = FILES.iter().cycle().skip(first).take(random.within(1, FILES.len()));
                files.map(|path| line_op(random, path, state)).collect()
            }
            _ => generate::delta(random, &Model::from_json(self.kind(), state)),
        }
    }
}

fn field_op(random: &mut Random) -> Json {
    let value = |random: &mut Random| Json::from(random.below(4));
    let key = random.word(&KEYS);
    match random.below(8) {
        0 => json!({ "op": "setAttributes", "set": { format!("/{key}"): value(random) } }),
        1 => json!({ "op": "setAttributes", "unset": [format!("/{key}")] }),
        2..=3 => {
            let side = random.word(&["x", "y", "width"]);
            json!({ "op": "moveNode", "id": random.word(&NODES), "geometry": { side: value(random) } })
        }
        4 => json!({ "op": "setNode", "id": random.word(&NODES), "unset": [format!("/props/{key}")] }),
        _ => json!({ "op": "setNode", "id": random.word(&NODES), "set": { format!("/props/{key}"): value(random) } }),
    }
}

fn line_op(random: &mut Random, path: &str, state: &Json) -> Json {
    let text = state["files"][path].as_str().unwrap_or_default();
    let document = json!([{ "insert": format!("{text}\n") }]);
    let delta = generate::delta(random, &Model::from_json(Kind::Doc, &document));
    let plain = delta.as_array().into_iter().flatten().map(|op| match op.get("insert") {
        Some(Json::String(text)) => json!({ "insert": text }),
        Some(_) => json!({ "insert": "E" }),
        None if op.get("retain").is_some() => json!({ "retain": op["retain"] }),
        None => json!({ "delete": op["delete"] }),
    });
    json!({ "op": "editFile", "path": path, "delta": plain.collect::<Vec<_>>() })
}
