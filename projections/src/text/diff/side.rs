//! One of the two texts that are compared: plain text, and where embeds stand in it.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::ops::Range;

use crate::text::rich_text::RichText;

/// Where embeds stand in two texts: at which byte of the plain text, and which one, by a number that equal embeds share.
pub(super) struct Embeds {
    pub(super) old: Vec<(usize, u32)>,
    pub(super) new: Vec<(usize, u32)>,
}

/// A text or a part of one.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub(super) text: &'a str,
    embeds: &'a [(usize, u32)],
    /// The byte that the places of embeds are counted from.
    base: usize,
}

impl Embeds {
    pub(super) fn of(old: &RichText, new: &RichText) -> Self {
        let mut numbers = HashMap::new();
        let old = Self::number(old, &mut numbers);
        let new = Self::number(new, &mut numbers);
        Self { old, new }
    }

    fn number<'a>(text: &'a RichText, numbers: &mut HashMap<&'a str, u32>) -> Vec<(usize, u32)> {
        let mut embeds = Vec::new();
        let mut at = 0;
        for piece in text.pieces() {
            if let Some(embed) = piece.embed {
                let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                embeds.push((at, *numbers.entry(embed.canonical()).or_insert(next)));
            }
            at += piece.text.len();
        }
        embeds
    }
}

impl<'a> Side<'a> {
    pub(super) fn new(text: &'a str, embeds: &'a [(usize, u32)]) -> Self {
        Self { text, embeds, base: 0 }
    }

    pub(super) fn plain(text: &'a str) -> Self {
        Self::new(text, &[])
    }

    /// Returns a part, from one byte to another.
    pub(super) fn part(&self, bytes: Range<usize>) -> Self {
        let absolute = self.base + bytes.start;
        let first = self.embeds.partition_point(|(at, _)| *at < absolute);
        let last = self.embeds.partition_point(|(at, _)| *at < self.base + bytes.end);
        Self {
            text: &self.text[bytes],
            embeds: &self.embeds[first..last],
            base: absolute,
        }
    }

    /// Cuts the text at the end of each line.
    pub(super) fn lines(&self) -> impl Iterator<Item = Self> {
        let mut at = 0;
        self.text.split_inclusive('\n').map(move |line| {
            let start = at;
            at += line.len();
            self.part(start..at)
        })
    }

    /// Returns one symbol for each character and embed.
    pub(super) fn symbols(&self) -> Vec<u32> {
        let mut embeds = self.embeds().peekable();
        let symbol = |(at, character)| match embeds.next_if(|(place, _)| *place == at) {
            // Behind all characters.
            Some((_, number)) => (u32::from(char::MAX) + 1).saturating_add(number),
            None => u32::from(character),
        };
        self.text.char_indices().map(symbol).collect()
    }

    /// Returns how many bytes both begin with, embeds included, up to the boundary of a character.
    pub(super) fn common_prefix(&self, other: &Self) -> usize {
        let mut common = equal_start(self.text.as_bytes(), other.text.as_bytes());
        let mut pairs = (self.embeds(), other.embeds());
        loop {
            match (pairs.0.next(), pairs.1.next()) {
                (a, b) if a == b && a.is_some() => {}
                (a, b) => {
                    let differs = a.into_iter().chain(b).map(|(at, _)| at).min();
                    common = common.min(differs.unwrap_or(common));
                    break;
                }
            }
        }
        while !self.text.is_char_boundary(common) || !other.text.is_char_boundary(common) {
            common -= 1;
        }
        common
    }

    /// Returns how many bytes both end with, embeds included, up to the boundary of a character.
    pub(super) fn common_suffix(&self, other: &Self) -> usize {
        let mut common = equal_end(self.text.as_bytes(), other.text.as_bytes());
        let (len, other_len) = (self.text.len(), other.text.len());
        let mut ours = self.embeds().rev().map(|(at, number)| (len - at, number));
        let mut theirs = other.embeds().rev().map(|(at, number)| (other_len - at, number));
        loop {
            match (ours.next(), theirs.next()) {
                (a, b) if a == b && a.is_some() => {}
                (a, b) => {
                    let differs = a.into_iter().chain(b).map(|(behind, _)| behind - 1).min();
                    common = common.min(differs.unwrap_or(common));
                    break;
                }
            }
        }
        while !self.text.is_char_boundary(len - common) || !other.text.is_char_boundary(other_len - common) {
            common -= 1;
        }
        common
    }

    /// The embeds, counted from the start of this part.
    fn embeds(&self) -> impl DoubleEndedIterator<Item = (usize, u32)> {
        self.embeds.iter().map(|&(at, number)| (at - self.base, number))
    }
}

impl PartialEq for Side<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text && self.embeds().eq(other.embeds())
    }
}

impl Eq for Side<'_> {}

impl Hash for Side<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
        self.embeds().for_each(|embed| embed.hash(state));
    }
}

/// How many bytes are compared at once.
const STRIDE: usize = 4096;

fn equal_start(a: &[u8], b: &[u8]) -> usize {
    let whole = a.chunks(STRIDE).zip(b.chunks(STRIDE)).take_while(|(a, b)| a == b);
    let skipped: usize = whole.map(|(a, _)| a.len()).sum();
    skipped
        + a[skipped..]
            .iter()
            .zip(&b[skipped..])
            .take_while(|(a, b)| a == b)
            .count()
}

fn equal_end(a: &[u8], b: &[u8]) -> usize {
    let whole = a.rchunks(STRIDE).zip(b.rchunks(STRIDE)).take_while(|(a, b)| a == b);
    let skipped: usize = whole.map(|(a, _)| a.len()).sum();
    let (a, b) = (&a[..a.len() - skipped], &b[..b.len() - skipped]);
    skipped + a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}
