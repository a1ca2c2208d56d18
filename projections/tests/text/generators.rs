//! Random texts and changes of them, rich in what goes wrong: emoji, families, flags, combining marks, line ends.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use recto_projections::text::{Attributes, Content, Embed, RichText, TextDelta, TextOp};
use serde_json::{Value as Json, json};

use crate::model::Model;

const WORDS: [&str; 30] = [
    "a",
    "aa",
    "abab",
    "the ",
    "page",
    " ",
    "\n",
    "\r\n",
    "\t",
    "\u{0}",
    "\"",
    "\\",
    "é",
    "e\u{301}",
    "a\u{308}\u{323}",
    "中",
    "文字",
    "한글",
    "שלום",
    "हिन्दी",
    "\u{200d}",
    "\u{fffc}",
    "\u{ffff}",
    "😀",
    "👍🏽",
    "👩‍👩‍👧‍👦",
    "🏳️‍🌈",
    "🇩🇪",
    "𝒳",
    "\u{10ffff}",
];

/// A step of a random change, not yet fitted to a text.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Insert(Content, Option<Attributes>),
    Retain(usize, Option<Attributes>),
    Delete(usize),
}

pub(crate) fn plain() -> impl Strategy<Value = String> {
    vec(select(WORDS.to_vec()), 1..8).prop_map(|words| words.concat())
}

pub(crate) fn embed() -> impl Strategy<Value = Embed> {
    let embeds = vec![
        json!({"image": "a.png"}),
        json!({"image": "b.png", "alt": "😀"}),
        json!({"mention": {"id": "u1", "label": "Ünï"}}),
        json!({"mention": {"label": "Ünï", "id": "u1"}}),
        json!({"never-heard-of": [1, null, {"deep": {}}]}),
        json!({}),
    ];
    select(embeds).prop_map(|json| Embed::new(json).unwrap())
}

/// Attributes, with nulls among them for a patch.
pub(crate) fn attributes(nulls: bool) -> impl Strategy<Value = Option<Attributes>> {
    let mut values = vec![
        json!(true),
        json!("red"),
        json!(1),
        json!({"u": 1}),
        json!({"u": 2}),
        json!([]),
    ];
    if nulls {
        values.extend([Json::Null, Json::Null, Json::Null]);
    }
    let pair = (select(vec!["bold", "color", "link", "a/b~c"]), select(values));
    option::of(vec(pair, 1..3)).prop_map(|pairs| {
        let pairs = pairs
            .into_iter()
            .flatten()
            .map(|(name, value)| (name.to_owned(), value));
        Attributes::new(pairs.collect::<BTreeMap<_, _>>()).unwrap()
    })
}

pub(crate) fn content() -> impl Strategy<Value = Content> {
    prop_oneof![5 => plain().prop_map(Content::Text), 1 => embed().prop_map(Content::Embed)]
}

pub(crate) fn document(pieces: usize) -> impl Strategy<Value = TextDelta> {
    vec((content(), attributes(false)), 0..pieces).prop_map(|pieces| {
        let mut document = TextDelta::new();
        for (content, attributes) in pieces {
            document.push(TextOp::Insert { content, attributes });
        }
        document
    })
}

pub(crate) fn text(pieces: usize) -> impl Strategy<Value = RichText> {
    document(pieces).prop_map(|document| RichText::from_document(&document).unwrap())
}

pub(crate) fn steps(count: usize) -> impl Strategy<Value = Vec<Step>> {
    let len = || prop_oneof![4 => 1_usize..6, 1 => 1_usize..400];
    let step = prop_oneof![
        3 => (content(), attributes(false)).prop_map(|(content, it)| Step::Insert(content, it)),
        3 => (len(), attributes(true)).prop_map(|(len, it)| Step::Retain(len, it)),
        2 => len().prop_map(Step::Delete),
    ];
    vec(step, 1..count)
}

/// Fits steps to a text: no step goes past the end or into a surrogate pair.
pub(crate) fn fit(steps: &[Step], text: &Model) -> TextDelta {
    let mut delta = TextDelta::new();
    let mut at = 0;
    let go = |at: &mut usize, len: usize| {
        let mut end = (*at + len).min(text.len());
        end += usize::from(text.splits(end));
        end - std::mem::replace(at, end)
    };
    for step in steps {
        delta.push(match step.clone() {
            Step::Insert(content, attributes) => TextOp::Insert { content, attributes },
            Step::Retain(len, attributes) => TextOp::Retain {
                len: go(&mut at, len),
                attributes,
            },
            Step::Delete(len) => TextOp::Delete { len: go(&mut at, len) },
        });
    }
    delta
}
