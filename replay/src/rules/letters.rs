//! Who wrote the letters of a text, as far as it is known.

use std::collections::BTreeSet;
use std::sync::Arc;

use recto_projections::text::{TextDelta, TextOp};

/// Who wrote a letter; `None` where nobody is to be named, as of what an undo brought back.
pub(super) type Author = Option<Arc<str>>;

/// The authors of a text: stretches from its beginning, and then one of all the rest, however long it is.
#[derive(Clone, Debug)]
pub(super) struct Letters {
    /// Lengths in UTF-16 units, above zero; no two neighbours have one author.
    runs: Vec<(usize, Author)>,
    rest: Author,
}

impl Letters {
    /// A text of one author.
    pub(super) fn of(author: Author) -> Self {
        let runs = Vec::new();
        Self { runs, rest: author }
    }

    /// All who wrote what stands there.
    pub(super) fn authors(&self) -> BTreeSet<Arc<str>> {
        let all = self.runs.iter().map(|(_, author)| author).chain([&self.rest]);
        all.flatten().cloned().collect()
    }

    /// Takes an edit in, whose letters are by `author`; gives the authors of those that it takes out.
    pub(super) fn edit(&mut self, delta: &TextDelta, author: &Author) -> BTreeSet<Arc<str>> {
        let mut old = Cursor::over(std::mem::take(&mut self.runs), self.rest.clone());
        let mut lost = BTreeSet::new();
        for op in delta.ops() {
            match op {
                TextOp::Insert { content, .. } => self.push(content.len(), author.clone()),
                TextOp::Retain { len, .. } => old.take(*len, |len, author| self.push(len, author)),
                TextOp::Delete { len } => old.take(*len, |_, author| lost.extend(author)),
            }
        }
        for (len, author) in old.left() {
            self.push(len, author);
        }
        lost
    }

    fn push(&mut self, len: usize, author: Author) {
        match self.runs.last_mut() {
            Some((before, last)) if *last == author => *before += len,
            _ => self.runs.push((len, author)),
        }
    }
}

/// Goes over the stretches of a text.
struct Cursor {
    /// The last first.
    runs: Vec<(usize, Author)>,
    rest: Author,
}

impl Cursor {
    fn over(mut runs: Vec<(usize, Author)>, rest: Author) -> Self {
        runs.reverse();
        Self { runs, rest }
    }

    fn take(&mut self, mut len: usize, mut give: impl FnMut(usize, Author)) {
        while len > 0 {
            let Some((run, author)) = self.runs.pop() else {
                return give(len, self.rest.clone());
            };
            let taken = run.min(len);
            if run > taken {
                self.runs.push((run - taken, author.clone()));
            }
            give(taken, author);
            len -= taken;
        }
    }

    fn left(self) -> impl Iterator<Item = (usize, Author)> {
        self.runs.into_iter().rev()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn author(name: &str) -> Author {
        Some(name.into())
    }

    fn names(all: &[&str]) -> BTreeSet<Arc<str>> {
        all.iter().map(|name| (*name).into()).collect()
    }

    #[test]
    fn letters_keep_their_authors_and_those_of_lost_ones_are_told() {
        let mut text = Letters::of(author("ben"));
        // ben ben | anna | ben …
        assert_eq!(
            text.edit(&TextDelta::new().retain(2, None).insert("an", None), &author("anna")),
            names(&[])
        );
        // Over the border of anna's stretch, and of the rest.
        let lost = text.edit(&TextDelta::new().retain(3, None).delete(4).insert("x", None), &None);
        assert_eq!(lost, names(&["anna", "ben"]));
        assert_eq!(text.authors(), names(&["anna", "ben"]));
        // What an undo brought back is nobody's.
        let lost = text.edit(&TextDelta::new().retain(3, None).delete(1), &author("anna"));
        assert_eq!(lost, names(&[]));
        assert_eq!(text.edit(&TextDelta::new().delete(2), &None), names(&["ben"]));
    }
}
