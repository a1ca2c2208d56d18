//! Text as a list of UTF-16 units and embeds, each with its attributes.

use std::collections::BTreeMap;

use super::Refusal;
use crate::Json;

type Attributes = BTreeMap<String, String>;

/// Rich or plain text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Text {
    elements: Vec<Element>,
}

#[derive(Clone, Debug, PartialEq)]
struct Element {
    content: Content,
    attributes: Attributes,
}

#[derive(Clone, Debug, PartialEq)]
enum Content {
    Unit(u16),
    Embed(String),
}

impl Text {
    /// Plain text.
    pub fn plain(text: &str) -> Self {
        let units = text.encode_utf16().map(|unit| Element {
            content: Content::Unit(unit),
            attributes: Attributes::new(),
        });
        Self {
            elements: units.collect(),
        }
    }

    /// A document: an array of inserts, bare or below `ops`.
    ///
    /// # Panics
    /// Where it is none.
    pub fn from_document(json: &Json) -> Self {
        let ops = json.get("ops").unwrap_or(json);
        let mut text = Self::default();
        for op in ops.as_array().unwrap_or_else(|| panic!("{json} is no document")) {
            text.elements.extend(elements(&op["insert"], &read_attributes(op)));
        }
        text
    }

    /// The plain text, without embeds.
    pub fn to_plain(&self) -> String {
        let units: Vec<u16> = self.elements.iter().filter_map(Element::unit).collect();
        String::from_utf16_lossy(&units)
    }

    /// How many units it has.
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// Whether a boundary would lie between the halves of a surrogate pair.
    pub fn is_split_at(&self, at: usize) -> bool {
        let half = |index: usize, halves: std::ops::RangeInclusive<u16>| {
            self.elements
                .get(index)
                .and_then(Element::unit)
                .is_some_and(|unit| halves.contains(&unit))
        };
        at > 0 && half(at - 1, 0xd800..=0xdbff) && half(at, 0xdc00..=0xdfff)
    }

    /// Applies a delta to a document, which ends with a newline afterwards too.
    pub(super) fn apply_document(&mut self, delta: &Json) -> Result<(), Refusal> {
        self.apply(delta)?;
        let ends = self.elements.last().and_then(Element::unit) == Some(u16::from(b'\n'));
        if ends { Ok(()) } else { Err("missing_newline") }
    }

    /// Applies a delta to plain text.
    pub(super) fn apply_plain(&mut self, delta: &Json) -> Result<(), Refusal> {
        for op in delta.as_array().into_iter().flatten() {
            if op.get("attributes").is_some() || op.get("insert").is_some_and(Json::is_object) {
                return Err("plain_text_only");
            }
        }
        self.apply(delta)
    }

    fn apply(&mut self, delta: &Json) -> Result<(), Refusal> {
        let mut result = Vec::with_capacity(self.elements.len());
        let mut at = 0;
        for op in delta.as_array().into_iter().flatten() {
            if self.is_split_at(at) {
                return Err("splits_surrogate");
            }
            let attributes = read_attributes(op);
            if let Some(insert) = op.get("insert") {
                result.extend(elements(insert, &attributes));
            } else if let Some(len) = op.get("retain") {
                for mut element in self.take(&mut at, len)? {
                    element.patch(&attributes);
                    result.push(element);
                }
            } else if let Some(len) = op.get("delete") {
                self.take(&mut at, len)?;
            }
        }
        if self.is_split_at(at) {
            return Err("splits_surrogate");
        }
        result.extend_from_slice(&self.elements[at..]);
        self.elements = result;
        Ok(())
    }

    fn take(&self, at: &mut usize, len: &Json) -> Result<Vec<Element>, Refusal> {
        let len = usize::try_from(len.as_u64().expect("a length")).expect("a length");
        let taken = self.elements.get(*at..at.saturating_add(len)).ok_or("out_of_range")?;
        *at += len;
        Ok(taken.to_vec())
    }
}

impl Element {
    fn unit(&self) -> Option<u16> {
        match self.content {
            Content::Unit(unit) => Some(unit),
            Content::Embed(_) => None,
        }
    }

    fn patch(&mut self, patch: &Attributes) {
        for (name, value) in patch {
            if value == "null" {
                self.attributes.remove(name);
            } else {
                self.attributes.insert(name.clone(), value.clone());
            }
        }
    }
}

fn elements(insert: &Json, attributes: &Attributes) -> Vec<Element> {
    let element = |content| Element {
        content,
        attributes: attributes.clone(),
    };
    match insert {
        Json::String(text) => text.encode_utf16().map(|unit| element(Content::Unit(unit))).collect(),
        embed => vec![element(Content::Embed(embed.to_string()))],
    }
}

/// Attributes by name, each as its text: the order of their own keys counts, theirs does not.
fn read_attributes(op: &Json) -> Attributes {
    let fields = op.get("attributes").and_then(Json::as_object).into_iter().flatten();
    fields.map(|(name, value)| (name.clone(), value.to_string())).collect()
}
