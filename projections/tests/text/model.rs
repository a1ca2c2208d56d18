//! A text as simple as can be: a list of code units and embeds, each with its attributes.

use std::collections::BTreeMap;

use recto_projections::text::{Attributes, Content, RichText, TextDelta, TextOp};
use serde_json::Value as Json;

/// A text as a list.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Model(pub(crate) Vec<Element>);

/// A unit of a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Element {
    pub(crate) what: What,
    pub(crate) attributes: BTreeMap<String, Json>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum What {
    Unit(u16),
    Embed(Json),
}

impl Model {
    pub(crate) fn of(text: &RichText) -> Self {
        Self::empty().apply(&text.to_document())
    }

    pub(crate) fn empty() -> Self {
        Self(Vec::new())
    }

    /// Applies a delta that fits.
    pub(crate) fn apply(&self, delta: &TextDelta) -> Self {
        let mut old = self.0.iter().cloned();
        let mut new = Vec::new();
        for op in delta.ops() {
            match op {
                TextOp::Insert { content, attributes } => {
                    let attributes = map(attributes.as_ref());
                    let element = |what| Element {
                        what,
                        attributes: attributes.clone(),
                    };
                    match content {
                        Content::Text(text) => {
                            new.extend(text.encode_utf16().map(|unit| element(What::Unit(unit))));
                        }
                        Content::Embed(embed) => {
                            new.push(element(What::Embed(embed.json().clone())));
                        }
                    }
                }
                TextOp::Retain { len, attributes } => {
                    for mut element in old.by_ref().take(*len) {
                        element.attributes.extend(map(attributes.as_ref()));
                        element.attributes.retain(|_, value| !value.is_null());
                        new.push(element);
                    }
                }
                TextOp::Delete { len } => drop(old.by_ref().take(*len).count()),
            }
        }
        new.extend(old);
        Self(new)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Says whether a place is inside a surrogate pair.
    pub(crate) fn splits(&self, at: usize) -> bool {
        let is = |at: Option<usize>, low: u16| {
            let element = at.and_then(|at| self.0.get(at));
            matches!(element, Some(Element { what: What::Unit(unit), .. }) if unit & 0xfc00 == low)
        };
        is(at.checked_sub(1), 0xd800) && is(Some(at), 0xdc00)
    }
}

fn map(attributes: Option<&Attributes>) -> BTreeMap<String, Json> {
    let pairs = attributes.into_iter().flat_map(Attributes::iter);
    pairs.map(|(name, value)| (name.to_owned(), value.clone())).collect()
}
