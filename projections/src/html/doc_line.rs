//! The lines of a document, being gathered.

use std::collections::BTreeMap;

use super::space::is_space;
use crate::json::Json;
use crate::text::{Attributes, Content, Embed, TextDelta, TextOp};

/// The most bytes that the attributes of all lines and texts may have: attributes hold for all that lies in an element, so
/// they can become far more than the HTML.
const ATTRIBUTE_BYTES_MAX: usize = 16 << 20;

/// Lines, the last of them open.
#[derive(Default)]
pub(super) struct Lines {
    document: TextDelta,
    line: Vec<(Content, Option<Attributes>)>,
    /// The line ends with a space that only counts if a word follows.
    soft: bool,
    /// The bytes of all attributes.
    attributes: usize,
}

impl Lines {
    /// Adds a text of which every letter counts, without a line break.
    pub(super) fn push_text(&mut self, text: &str, attributes: Option<&Attributes>) {
        if text.is_empty() {
            return;
        }
        self.soft = false;
        match self.line.last_mut() {
            Some((Content::Text(last), others)) if others.as_ref() == attributes => last.push_str(text),
            _ => {
                self.count(attributes);
                self.line.push((Content::Text(text.to_owned()), attributes.cloned()));
            }
        }
    }

    /// Adds a text in which white space is one space between words.
    pub(super) fn push_words(&mut self, text: &str, attributes: Option<&Attributes>) {
        for part in text.split_inclusive(is_space) {
            let word = part.trim_end_matches(is_space);
            self.push_text(word, attributes);
            if word.len() < part.len() && !self.line.is_empty() && !self.ends_with_space() {
                self.push_text(" ", attributes);
                self.soft = true;
            }
        }
    }

    pub(super) fn push_embed(&mut self, embed: Embed, attributes: Option<&Attributes>) {
        self.soft = false;
        self.count(attributes);
        self.line.push((Content::Embed(embed), attributes.cloned()));
    }

    /// Ends the line.
    pub(super) fn end(&mut self, attributes: &BTreeMap<String, Json>) {
        if self.are_too_much() {
            // One text can have many lines: nothing more is to come of them.
            return;
        }
        if std::mem::take(&mut self.soft)
            && self.line.pop_if(|(content, _)| is_one_space(content)).is_none()
            && let Some((Content::Text(text), _)) = self.line.last_mut()
        {
            text.pop();
        }
        for (content, attributes) in self.line.drain(..) {
            self.document.push(TextOp::Insert { content, attributes });
        }
        let attributes = match attributes.is_empty() {
            true => None,
            false => Attributes::new(attributes.clone()).ok().flatten(),
        };
        self.count(attributes.as_ref());
        self.document.push(TextOp::Insert {
            content: Content::Text("\n".to_owned()),
            attributes,
        });
    }

    /// Ends the line unless nothing stands in it.
    pub(super) fn end_if_any(&mut self, attributes: &BTreeMap<String, Json>) {
        if !self.is_at_start() {
            self.end(attributes);
        }
    }

    /// Says whether the attributes have become more than a document may have.
    pub(super) fn are_too_much(&self) -> bool {
        self.attributes > ATTRIBUTE_BYTES_MAX
    }

    pub(super) fn is_at_start(&self) -> bool {
        self.line.is_empty()
    }

    /// Gives the document: one empty line at the least.
    pub(super) fn finish(mut self) -> TextDelta {
        if self.document.ops().is_empty() {
            self.end(&BTreeMap::new());
        }
        self.document
    }

    fn count(&mut self, attributes: Option<&Attributes>) {
        self.attributes += attributes.map_or(0, |attributes| attributes.canonical().len());
    }

    fn ends_with_space(&self) -> bool {
        matches!(self.line.last(), Some((Content::Text(text), _)) if text.ends_with(is_space))
    }
}

fn is_one_space(content: &Content) -> bool {
    matches!(content, Content::Text(text) if text == " ")
}
