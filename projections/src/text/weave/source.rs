//! What the runs of a weave are slices of: the starting text, inserted text, embeds.

use super::order::number;
use crate::text::rope::Piece;
use crate::text::units::{byte_of, pairs};
use crate::text::{Attributes, Content, Embed, RichText, TextDelta, TextOp};

/// The most bytes of a slice whose letters do not all take one byte: finding a unit in it takes time.
const MIXED_MAX_BYTES: usize = 1_024;

/// All content that ever stood in the text.
#[derive(Debug, Clone)]
pub(super) struct Source {
    start: RichText,
    text: String,
    embeds: Vec<Embed>,
    has_pairs: bool,
}

/// A stretch of content. How many units it has, its run knows.
#[derive(Debug, Clone, Copy)]
pub(super) enum Slice {
    /// Of the starting text, from a unit on.
    Start { at: u32 },
    /// Of inserted text.
    Text { byte: u32, bytes: u32 },
    /// An inserted embed.
    Embed { index: u32 },
}

impl Source {
    pub(super) fn new(start: RichText) -> Self {
        let has_pairs = start.root().summary().pairs > 0;
        Self {
            start,
            text: String::new(),
            embeds: Vec::new(),
            has_pairs,
        }
    }

    /// Returns how many bytes of text were inserted.
    pub(super) fn text_bytes(&self) -> usize {
        self.text.len()
    }

    /// Says whether surrogate pairs ever stood in the text.
    pub(super) fn has_pairs(&self) -> bool {
        self.has_pairs
    }

    /// Takes an inserted embed in.
    pub(super) fn take_embed(&mut self, embed: &Embed) -> Slice {
        self.embeds.push(embed.clone());
        Slice::Embed {
            index: number(self.embeds.len() - 1),
        }
    }

    /// Takes a part of inserted text in.
    pub(super) fn take_text(&mut self, part: &str) -> Slice {
        let byte = number(self.text.len());
        self.text.push_str(part);
        self.has_pairs |= !part.is_ascii() && pairs(part) > 0;
        Slice::Text {
            byte,
            bytes: number(part.len()),
        }
    }

    /// Cuts a slice in two at a unit inside it. `None` between the halves of a surrogate pair.
    pub(super) fn cut(&self, slice: Slice, units: u32, at: u32) -> Option<(Slice, Slice)> {
        match slice {
            Slice::Start { at: start } => {
                let middle = start + at;
                let boundary = self.start.is_boundary(middle as usize);
                boundary.then_some((slice, Slice::Start { at: middle }))
            }
            Slice::Text { byte, bytes } => {
                let left = match bytes == units {
                    true => at,
                    false => number(byte_of(self.part(byte, bytes), at as usize)?),
                };
                let right = Slice::Text {
                    byte: byte + left,
                    bytes: bytes - left,
                };
                Some((Slice::Text { byte, bytes: left }, right))
            }
            Slice::Embed { .. } => None,
        }
    }

    /// Goes over the pieces of a slice that was inserted with some attributes. The starting text has its own.
    pub(super) fn pieces<'a>(
        &'a self,
        slice: Slice,
        units: u32,
        attributes: Option<&'a Attributes>,
    ) -> impl Iterator<Item = Piece<'a>> {
        let (mut start, mut inserted) = (None, None);
        match slice {
            Slice::Start { at } => {
                let (from, to) = (at as usize, (at + units) as usize);
                start = Some(self.start.root().pieces(from, to));
            }
            Slice::Text { byte, bytes } => {
                let text = self.part(byte, bytes);
                inserted = Some(Piece {
                    text,
                    units: units as usize,
                    attributes,
                    embed: None,
                });
            }
            Slice::Embed { index } => {
                let embed = self.embeds.get(index as usize);
                inserted = embed.map(|embed| Piece {
                    embed: Some(embed),
                    attributes,
                    ..Piece::plain("\u{fffc}")
                });
            }
        }
        start.into_iter().flatten().chain(inserted)
    }

    /// Says whether the last letter of a slice is a newline.
    pub(super) fn ends_line(&self, slice: Slice, units: u32) -> bool {
        match slice {
            Slice::Start { at } => {
                let end = (at + units) as usize;
                let last = self.start.slice(end - 1, end);
                last.is_ok_and(|last| is_newline(&last))
            }
            Slice::Text { byte, bytes } => self.part(byte, bytes).ends_with('\n'),
            Slice::Embed { .. } => false,
        }
    }

    /// Returns about how many bytes of memory it takes. The starting text is shared and does not count.
    pub(super) fn weight(&self) -> usize {
        let embeds: usize = self.embeds.iter().map(|embed| embed.canonical().len()).sum();
        // Embeds are held as text and as JSON, which takes several times the room.
        self.text.capacity() + self.embeds.capacity() * size_of::<Embed>() + 4 * embeds
    }

    fn part(&self, byte: u32, bytes: u32) -> &str {
        // Slices are only ever cut between letters.
        self.text
            .get(byte as usize..(byte + bytes) as usize)
            .unwrap_or_default()
    }
}

fn is_newline(document: &TextDelta) -> bool {
    matches!(document.ops(), [TextOp::Insert { content: Content::Text(text), .. }] if text == "\n")
}

/// Cuts a text to be inserted into parts in which a unit is found fast.
pub(super) fn parts(text: &str) -> impl Iterator<Item = &str> {
    let whole = text.len() <= MIXED_MAX_BYTES || text.is_ascii();
    let most = if whole { text.len() } else { MIXED_MAX_BYTES };
    let mut rest = text;
    std::iter::from_fn(move || {
        let (part, behind) = rest.split_at(rest.floor_char_boundary(most));
        rest = behind;
        (!part.is_empty()).then_some(part)
    })
}
