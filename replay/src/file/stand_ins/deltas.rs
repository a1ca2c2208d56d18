//! Deltas: what they name stays the same thing, what they say becomes something else.

use std::collections::BTreeMap;

use recto_projections::design::{Background, NewNode};
use recto_projections::json::JsonMap;
use recto_projections::patch::Patch;
use recto_projections::pointer::PointerInvalid;
use recto_projections::text::{Attributes, Content, Embed, TextDelta, TextOp};
use recto_projections::{CodeOp, Delta, DesignOp, SheetOp};
use serde_json::Value as Json;

use super::cipher::Cipher;
use super::values::last_name;

/// The field of a background that says which it is.
const ID: &str = "id";

/// Why there is no double: a rule of the values refuses it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct NoDouble(String);

impl Cipher {
    /// The double of a delta.
    pub(super) fn delta(&self, delta: &Delta) -> Result<Delta, NoDouble> {
        Ok(match delta {
            Delta::Design(ops) => Delta::Design(all(ops, |op| self.design(op))?),
            Delta::Doc(delta) => Delta::Doc(self.text_delta(delta, None)?),
            Delta::Code(ops) => Delta::Code(all(ops, |op| self.code(op))?),
            Delta::Sheet(ops) => Delta::Sheet(ops.iter().map(|op| self.sheet(op)).collect()),
        })
    }

    fn design(&self, op: &DesignOp) -> Result<DesignOp, NoDouble> {
        let mut double = op.clone();
        match &mut double {
            DesignOp::AddNode { node, .. } => self.node(node),
            DesignOp::RemoveNode { .. }
            | DesignOp::MoveNode { .. }
            | DesignOp::RemoveBackground { .. }
            | DesignOp::MoveBackground { .. } => {}
            DesignOp::SetNode { patch, .. }
            | DesignOp::SetAttributes { patch }
            | DesignOp::SetBackground { patch, .. } => *patch = self.patch(patch)?,
            DesignOp::EditText { pointer, delta, .. } => {
                let name = last_name(pointer);
                *delta = self.text_delta(delta, Some(name.as_deref()))?;
                *pointer = self.pointer(pointer)?;
            }
            DesignOp::AddToSet { pointer, values, .. } | DesignOp::RemoveFromSet { pointer, values, .. } => {
                let name = last_name(pointer);
                for value in values {
                    *value = self.value(value, name.as_deref(), true);
                }
                *pointer = self.pointer(pointer)?;
            }
            DesignOp::AddBackground { background, .. } => {
                let map = self.background(background.as_map());
                *background = Background::new(map).map_err(|fault| NoDouble(fault.to_string()))?;
            }
        }
        Ok(double)
    }

    fn node(&self, node: &mut NewNode) {
        node.props = self.map(&node.props, false);
    }

    fn background(&self, map: &JsonMap) -> JsonMap {
        let mut double = self.map(map, false);
        if let Some(id) = map.get(ID) {
            double.insert(ID.to_owned(), id.clone());
        }
        double
    }

    fn code(&self, op: &CodeOp) -> Result<CodeOp, NoDouble> {
        let path = |path: &str| self.id(path).into();
        Ok(match op {
            CodeOp::AddFile { path: at, text } => CodeOp::AddFile {
                path: path(at),
                text: self.text(text),
            },
            CodeOp::RemoveFile { path: at } => CodeOp::RemoveFile { path: path(at) },
            CodeOp::RenameFile { path: at, to } => CodeOp::RenameFile {
                path: path(at),
                to: path(to),
            },
            CodeOp::EditFile { path: at, delta } => CodeOp::EditFile {
                path: path(at),
                delta: self.text_delta(delta, None)?,
            },
            CodeOp::SetEntry { path: at } => CodeOp::SetEntry {
                path: at.as_deref().map(path),
            },
            CodeOp::SetAttributes { patch } => CodeOp::SetAttributes {
                patch: self.patch(patch)?,
            },
        })
    }

    fn sheet(&self, SheetOp::ReplaceSheet { value }: &SheetOp) -> SheetOp {
        SheetOp::ReplaceSheet {
            value: self.value(value, None, false),
        }
    }

    fn patch(&self, patch: &Patch) -> Result<Patch, NoDouble> {
        let mut double = Patch::default();
        for (pointer, value) in &patch.set {
            let name = last_name(pointer);
            let value = self.value(value, name.as_deref(), false);
            double.set.push((self.pointer(pointer)?, value));
        }
        for pointer in &patch.unset {
            double.unset.push(self.pointer(pointer)?);
        }
        for (pointer, index) in &patch.at {
            double.at.push((self.pointer(pointer)?, *index));
        }
        Ok(double)
    }

    /// A text delta: of a string under a name, or of a whole text.
    fn text_delta(&self, delta: &TextDelta, name: Option<Option<&str>>) -> Result<TextDelta, NoDouble> {
        let mut double = TextDelta::new();
        for op in delta.ops() {
            double.push(match op {
                TextOp::Insert { content, attributes } => TextOp::Insert {
                    content: self.content(content, name)?,
                    attributes: self.attributes(attributes.as_ref())?,
                },
                TextOp::Retain { len, attributes } => TextOp::Retain {
                    len: *len,
                    attributes: self.attributes(attributes.as_ref())?,
                },
                TextOp::Delete { len } => TextOp::Delete { len: *len },
            });
        }
        Ok(double)
    }

    fn content(&self, content: &Content, name: Option<Option<&str>>) -> Result<Content, NoDouble> {
        match content {
            Content::Text(text) => Ok(Content::Text(match name {
                Some(name) => self.string(text, name, false),
                None => self.text(text),
            })),
            Content::Embed(embed) => {
                let double = Embed::new(self.value(embed.json(), None, false));
                double.map(Content::Embed).map_err(|fault| NoDouble(fault.to_string()))
            }
        }
    }

    fn attributes(&self, attributes: Option<&Attributes>) -> Result<Option<Attributes>, NoDouble> {
        let Some(attributes) = attributes else { return Ok(None) };
        let double: BTreeMap<String, Json> = attributes
            .iter()
            .map(|(name, value)| (self.name(name), self.value(value, Some(name), false)))
            .collect();
        Attributes::new(double).map_err(|fault| NoDouble(fault.to_string()))
    }
}

impl From<PointerInvalid> for NoDouble {
    fn from(fault: PointerInvalid) -> Self {
        Self(fault.to_string())
    }
}

fn all<T>(ops: &[T], double: impl Fn(&T) -> Result<T, NoDouble>) -> Result<Vec<T>, NoDouble> {
    ops.iter().map(double).collect()
}
