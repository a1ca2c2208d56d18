//! Changes of text in words.

use std::collections::HashMap;

use super::phrase::{counted, value, word};
use crate::json::Json;
use crate::text::{Attributes, Content, Embed, TextDelta, TextOp};

/// How many units a delta inserts and deletes.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    inserted: usize,
    deleted: usize,
}

impl Counts {
    pub(super) fn add(&mut self, delta: &TextDelta) {
        for op in delta.ops() {
            match op {
                TextOp::Insert {
                    content: Content::Text(_),
                    ..
                } => self.inserted = self.inserted.saturating_add(op.len()),
                TextOp::Delete { len } => self.deleted = self.deleted.saturating_add(*len),
                TextOp::Insert { .. } | TextOp::Retain { .. } => {}
            }
        }
    }

    /// `+12 −3 characters`; nothing if there are none.
    pub(super) fn phrase(self) -> Option<String> {
        match (self.inserted, self.deleted) {
            (0, 0) => None,
            (inserted, 0) => Some(format!("+{}", counted(inserted, "character"))),
            (0, deleted) => Some(format!("−{}", counted(deleted, "character"))),
            (inserted, deleted) => Some(format!("+{inserted} −{deleted} characters")),
        }
    }
}

/// Says what a delta of a DOC page does: to letters, embeds and formats.
pub(super) fn describe(delta: &TextDelta) -> Vec<String> {
    let mut counts = Counts::default();
    counts.add(delta);
    let (mut embeds, mut formats) = (Tally::default(), Tally::default());
    for op in delta.ops() {
        match op {
            TextOp::Insert {
                content: Content::Embed(embed),
                ..
            } => embeds.add(embed_name(embed), 1),
            TextOp::Retain {
                len,
                attributes: Some(attributes),
            } => formats.add(format_name(attributes), *len),
            _ => {}
        }
    }
    let embeds = embeds.counts.into_iter().map(|(name, count)| match count {
        1 => format!("added {name}"),
        count => format!("added {count} × {name}"),
    });
    let formats = formats.counts.into_iter();
    let formats = formats.map(|(name, units)| format!("formatted {}: {name}", counted(units, "character")));
    counts.phrase().into_iter().chain(embeds).chain(formats).collect()
}

/// Counts by name, in the order in which the names come up.
#[derive(Default)]
struct Tally {
    counts: Vec<(String, usize)>,
    places: HashMap<String, usize>,
}

impl Tally {
    fn add(&mut self, name: String, count: usize) {
        let place = *self.places.entry(name).or_insert_with_key(|name| {
            self.counts.push((name.clone(), 0));
            self.counts.len() - 1
        });
        let (_, sum) = &mut self.counts[place];
        *sum = sum.saturating_add(count);
    }
}

fn embed_name(embed: &Embed) -> String {
    let kind = embed.json().as_object().and_then(|map| map.keys().next());
    kind.map_or_else(|| "embed".into(), |kind| word(kind))
}

/// `bold, color "red", no link`.
fn format_name(attributes: &Attributes) -> String {
    let names = attributes.iter().map(|(name, json)| {
        let name = word(name);
        match json {
            Json::Bool(true) => name,
            Json::Null => format!("no {name}"),
            json => format!("{name} {}", value(json)),
        }
    });
    names.collect::<Vec<_>>().join(", ")
}
