//! Random deltas: letters of all widths, embeds, attributes; boundaries never inside a surrogate pair.

use recto_projections::text::{Attributes, Content, Embed, RichText, TextDelta, TextOp};
use serde_json::{Value as Json, json};

/// A small generator of numbers: the same ones at every run.
pub(crate) struct Random(u64);

/// What kind of text is edited.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Style {
    /// Attributes, embeds, a newline at the end; edits may reach over it, but leave one.
    Document,
    /// Letters only.
    Plain,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Self(seed ^ 0x9e37_79b9_7f4a_7c15);
        random.below(2);
        random
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// The letters that an author types: of one, two, three and four bytes, and sequences of several.
pub(crate) fn letters(author: usize) -> &'static [&'static str] {
    [
        &["a", "A", "á", "😀", "👩‍👩‍👧", "a\u{301}"][..],
        &["b", "B", "ß", "🦀", "🇩🇪", "bb"],
        &["c", "C", "ç", "漢", "𝒞", "c\nc"],
    ][author]
}

/// Makes a random delta that fits a text.
pub(crate) fn edit(text: &RichText, author: usize, style: Style, random: &mut Random) -> TextDelta {
    let mut delta = TextDelta::new();
    let mut at = 0;
    for _ in 0..=random.below(3) {
        let skip = boundary(text, at, random.below(text.len() - at + 1).min(40));
        delta.push(TextOp::Retain {
            len: skip,
            attributes: None,
        });
        at += skip;
        let kind = random.below(100);
        if kind < 50 {
            delta.push(insert(author, style, random));
        } else {
            let len = boundary(text, at, random.below(6).min(text.len() - at));
            if kind < 80 || style == Style::Plain {
                delta.push(TextOp::Delete { len });
            } else {
                delta.push(TextOp::Retain {
                    len,
                    attributes: patch(random),
                });
            }
            at += len;
        }
    }
    // Sometimes everything goes, or is formatted.
    if random.chance(2) {
        let rest = text.len() - at;
        delta.push(match random.chance(50) {
            true => TextOp::Delete { len: rest },
            false if style == Style::Document => TextOp::Retain {
                len: rest,
                attributes: patch(random),
            },
            false => TextOp::Retain {
                len: rest,
                attributes: None,
            },
        });
    }
    let delta = delta.chop();
    if style == Style::Plain || ends_with_newline(text, &delta) {
        return delta;
    }
    // The last newline was deleted, or something stands behind it: the edit brings its own.
    let rest = text.len() - delta.base_len();
    delta.retain(rest, None).insert("\n", None)
}

fn ends_with_newline(text: &RichText, delta: &TextDelta) -> bool {
    let mut after = text.clone();
    after.replay(delta).unwrap();
    after.to_plain().ends_with('\n')
}

fn insert(author: usize, style: Style, random: &mut Random) -> TextOp {
    if style == Style::Plain {
        return TextOp::Insert {
            content: Content::Text(text(author, random)),
            attributes: None,
        };
    }
    let content = match random.below(10) {
        0 => Content::Embed(Embed::new(json!({ "image": author })).unwrap()),
        1 => Content::Text("\n".to_owned()),
        _ => Content::Text(text(author, random)),
    };
    let attributes = patch(random).filter(|patch| patch.first_null().is_none());
    TextOp::Insert { content, attributes }
}

fn text(author: usize, random: &mut Random) -> String {
    (0..=random.below(4)).map(|_| *random.pick(letters(author))).collect()
}

fn patch(random: &mut Random) -> Option<Attributes> {
    let names = ["bold", "color", "header", "link"];
    let values = [Json::Null, json!(true), json!("red"), json!(1), json!({ "u": 1 })];
    let count = random.below(3);
    let pairs = (0..count).map(|_| ((*random.pick(&names)).to_owned(), random.pick(&values).clone()));
    Attributes::new(pairs.collect()).unwrap()
}

/// Returns the nearest length at or below one that does not cut a surrogate pair.
fn boundary(text: &RichText, at: usize, len: usize) -> usize {
    if text.is_boundary(at + len) { len } else { len - 1 }
}
