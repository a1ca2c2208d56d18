//! An embed: an image, a mention, anything that is not text. One unit long, opaque, compared as it is written.

use std::fmt;
use std::sync::{Arc, OnceLock};

use serde_json::Value as Json;

use super::fault::TextInvalid;
use super::hash::{self, Lanes};
use crate::json;

/// An opaque JSON object that stands in a text as one unit. A clone is a reference count.
#[derive(Clone)]
pub struct Embed(Arc<Inner>);

struct Inner {
    json: Json,
    canonical: Box<str>,
    lanes: OnceLock<Lanes>,
}

impl Embed {
    /// Makes an embed of a JSON object, known or unknown.
    ///
    /// # Errors
    /// Malformed unless `json` is an object; [`TextFault::Value`](super::TextFault::Value) for what the rules of all
    /// values refuse, with its place in the object.
    pub fn new(json: Json) -> Result<Self, TextInvalid> {
        if !json.is_object() {
            return Err(TextInvalid::malformed("", "a string or an object to insert"));
        }
        let json = json::copy(&json, 0).map_err(|flaw| TextInvalid::flaw("", flaw))?;
        let canonical = json.to_string().into_boxed_str();
        Ok(Self(Arc::new(Inner {
            json,
            canonical,
            lanes: OnceLock::new(),
        })))
    }

    /// Returns the object.
    #[must_use]
    pub fn json(&self) -> &Json {
        &self.0.json
    }

    /// Returns the object as compact JSON, its keys in their order. Equal embeds have equal texts.
    #[must_use]
    pub fn canonical(&self) -> &str {
        &self.0.canonical
    }

    /// Returns the two hash lanes of this embed, made once.
    pub(super) fn lanes(&self) -> Lanes {
        *self.0.lanes.get_or_init(|| hash::embed_lanes(&self.0.canonical))
    }
}

impl PartialEq for Embed {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.canonical == other.0.canonical
    }
}

impl Eq for Embed {}

impl fmt::Debug for Embed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.canonical)
    }
}
