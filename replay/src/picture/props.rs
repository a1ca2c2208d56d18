//! Finding out what a node's properties say: programs name the same thing differently.

use serde_json::{Map, Value as Json};

/// The property that holds styles by the names of CSS.
const STYLE: &str = "style";
/// The properties that hold a node's text, the first that is a text.
const TEXTS: [&str; 3] = ["text", "content", "label"];
/// The properties that name an image or a video, the best first.
const ASSETS: [&str; 9] = [
    "assetId", "asset", "imageId", "videoId", "fileId", "src", "url", "imgUrl", "imageUrl",
];
/// The properties by which a node goes, the best first.
const NAMES: [&str; 2] = ["name", "title"];

/// The properties of a node or a background.
#[derive(Clone, Copy)]
pub(super) struct Props<'a>(pub(super) &'a Map<String, Json>);

impl<'a> Props<'a> {
    /// The first of some properties that is there and not null, as a property or as a style.
    pub(super) fn get(self, names: &[&str]) -> Option<&'a Json> {
        let style = self.0.get(STYLE).and_then(Json::as_object);
        let maps = [Some(self.0), style];
        let mut found = maps
            .into_iter()
            .flatten()
            .flat_map(|map| names.iter().filter_map(|name| map.get(*name)));
        found.find(|json| !json.is_null())
    }

    /// A text that is not empty.
    pub(super) fn text(self, names: &[&str]) -> Option<&'a str> {
        self.get(names)
            .and_then(Json::as_str)
            .map(str::trim)
            .filter(|text| !text.is_empty())
    }

    /// A number, or one in a text: in px, or plain.
    pub(super) fn number(self, names: &[&str]) -> Option<f64> {
        self.get(names).and_then(number)
    }

    /// Whether a property says yes.
    pub(super) fn says(self, names: &[&str]) -> bool {
        self.get(names).and_then(Json::as_bool) == Some(true)
    }

    /// What is written on the node.
    pub(super) fn written(self) -> Option<&'a str> {
        let mut texts = TEXTS.iter().filter_map(|name| self.0.get(*name).and_then(Json::as_str));
        texts.find(|text| !text.trim().is_empty())
    }

    /// The image or video that is shown.
    pub(super) fn asset(self) -> Option<&'a str> {
        ASSETS.iter().find_map(|name| self.text(&[*name]))
    }

    /// What the node is called.
    pub(super) fn name(self) -> Option<&'a str> {
        NAMES.iter().find_map(|name| self.text(&[*name]))
    }
}

/// A finite number, or one in a text: in px, or plain.
pub(super) fn number(json: &Json) -> Option<f64> {
    let number = match json {
        Json::Number(number) => number.as_f64(),
        Json::String(text) => {
            let text = text.trim();
            text.strip_suffix("px").unwrap_or(text).trim_end().parse().ok()
        }
        _ => None,
    };
    number.filter(|number| number.is_finite())
}
