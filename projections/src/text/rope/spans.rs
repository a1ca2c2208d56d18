//! Where in a leaf's text which attributes and embeds are.

use crate::text::attributes::Attributes;
use crate::text::embed::Embed;
use crate::text::hash::Lanes;

/// A stretch of a leaf's text with the same attributes, or one embed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Span {
    pub(super) units: usize,
    pub(super) bytes: usize,
    pub(super) attributes: Option<Attributes>,
    pub(super) embed: Option<Embed>,
}

/// The spans of a leaf, in order. None at all stands for one plain stretch; else they cover the whole text, and
/// neighbours that could be one are one.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Spans(Vec<Span>);

impl Span {
    pub(super) fn plain(units: usize, bytes: usize) -> Self {
        Self {
            units,
            bytes,
            attributes: None,
            embed: None,
        }
    }

    pub(super) fn is_plain(&self) -> bool {
        self.attributes.is_none() && self.embed.is_none()
    }

    /// What this span adds to the hash of each of its units.
    pub(super) fn lanes(&self) -> impl Iterator<Item = Lanes> {
        let attributes = self.attributes.as_ref().map(Attributes::lanes);
        let embed = self.embed.as_ref().map(Embed::lanes);
        attributes.into_iter().chain(embed)
    }

    /// About how many bytes of memory it holds, as if it shared nothing.
    pub(super) fn weight(&self) -> usize {
        let attributes = self.attributes.as_ref().map_or(0, |it| it.canonical().len());
        let embed = self.embed.as_ref().map_or(0, |it| it.canonical().len());
        // Both are held twice: as text and as JSON, which takes several times the room.
        size_of::<Self>() + 4 * (attributes + embed)
    }
}

impl Spans {
    /// Says whether all of the text is plain.
    pub(super) fn is_plain(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, Span> {
        self.0.iter()
    }

    /// Writes the plain stretch of a text out, if it is one, so that spans can be cut out of it.
    pub(super) fn spell_out(&mut self, units: usize, bytes: usize) {
        if self.0.is_empty() && units > 0 {
            self.0.push(Span::plain(units, bytes));
        }
    }

    /// Undoes [`Spans::spell_out`] where the text is all plain.
    pub(super) fn fold_up(&mut self) {
        if let [only] = self.0.as_slice()
            && only.is_plain()
        {
            self.0.clear();
        }
    }

    /// Makes a span begin at unit `at`, which is byte `byte`, and returns its index. Spans are spelt out.
    pub(super) fn cut(&mut self, at: usize, byte: usize) -> usize {
        let (mut units, mut bytes) = (0, 0);
        for (index, span) in self.0.iter_mut().enumerate() {
            if units == at {
                return index;
            }
            if at < units + span.units {
                let right = Span {
                    units: units + span.units - at,
                    bytes: bytes + span.bytes - byte,
                    ..span.clone()
                };
                (span.units, span.bytes) = (at - units, byte - bytes);
                self.0.insert(index + 1, right);
                return index + 1;
            }
            units += span.units;
            bytes += span.bytes;
        }
        self.0.len()
    }

    /// Puts a span at an index, and joins it to its neighbours.
    pub(super) fn insert(&mut self, index: usize, span: Span) {
        self.0.insert(index, span);
        self.join(index + 1);
        self.join(index);
    }

    /// Takes the spans of an index range out.
    pub(super) fn remove(&mut self, start: usize, end: usize) {
        self.0.drain(start..end);
        self.join(start);
    }

    /// Changes the attributes of the spans of an index range.
    pub(super) fn update(&mut self, start: usize, end: usize, update: impl FnMut(&mut Span)) {
        self.0[start..end].iter_mut().for_each(update);
        for index in (start..=end).rev() {
            self.join(index);
        }
    }

    /// Takes the spans from an index on away.
    pub(super) fn split_off(&mut self, index: usize) -> Self {
        Self(self.0.split_off(index))
    }

    /// Puts the spans of the text that follows behind these.
    pub(super) fn append(&mut self, mut other: Self) {
        let seam = self.0.len();
        self.0.append(&mut other.0);
        self.join(seam);
    }

    /// Makes one span of the span at an index and the one before it, if they can be one.
    fn join(&mut self, index: usize) {
        let Some([left, right]) = index.checked_sub(1).and_then(|left| self.0.get_mut(left..=index)) else {
            return;
        };
        if left.embed.is_none() && right.embed.is_none() && left.attributes == right.attributes {
            left.units += right.units;
            left.bytes += right.bytes;
            self.0.remove(index);
        }
    }
}
