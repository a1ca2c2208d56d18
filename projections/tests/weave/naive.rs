//! The weave letter by letter, as the reference model has it, with the newline at the end of a document: slow on purpose.

use std::collections::{BTreeMap, BTreeSet};

use recto_projections::text::{Attributes, Content, TextDelta, TextOp};
use serde_json::Value as Json;

/// A letter or an embed that ever stood in the text. Edits go by number; the starting text has none.
struct Cell {
    content: Content,
    inserted_by: Option<usize>,
    /// Of a newline that an edit found at the end: it shows if the text needs one where that edit and all later ones do not
    /// count.
    found_by: Option<usize>,
    attributes: BTreeMap<String, Json>,
    deleted_by: Vec<usize>,
    set: Vec<(usize, String, Json)>,
}

/// A text as cells, with the edits that are undone.
pub(crate) struct Naive {
    cells: Vec<Cell>,
    undone: BTreeSet<usize>,
    edits: usize,
    is_document: bool,
}

impl Cell {
    fn attributes(&self, undone: &BTreeSet<usize>) -> Option<Attributes> {
        let mut now = self.attributes.clone();
        for (_, name, value) in self.set.iter().filter(|(edit, ..)| !undone.contains(edit)) {
            match value {
                Json::Null => now.remove(name),
                value => now.insert(name.clone(), value.clone()),
            };
        }
        Attributes::new(now).unwrap()
    }

    fn is_newline(&self) -> bool {
        self.content == Content::Text("\n".to_owned())
    }
}

impl Naive {
    pub(crate) fn new(start: &TextDelta, is_document: bool) -> Self {
        let mut naive = Self {
            cells: Vec::new(),
            undone: BTreeSet::new(),
            edits: 0,
            is_document,
        };
        start.ops().iter().for_each(|op| naive.cells.extend(cells(op, None)));
        naive
    }

    /// Works an edit in; returns its number.
    pub(crate) fn edit(&mut self, delta: &TextDelta) -> usize {
        let edit = self.edits;
        self.edits += 1;
        if self.adds_newline(&self.undone, edit) {
            let (newline, found_by) = (newline(), Some(edit));
            let found = cells(&newline, None).map(|cell| Cell { found_by, ..cell });
            self.cells.extend(found);
        }
        let mut at = 0;
        for op in delta.ops() {
            let mut left = op.len();
            if matches!(op, TextOp::Insert { .. }) {
                at = self.next_visible(at);
                let fresh: Vec<Cell> = cells(op, Some(edit)).collect();
                let count = fresh.len();
                self.cells.splice(at..at, fresh);
                at += count;
                continue;
            }
            while left > 0 {
                at = self.next_visible(at);
                let cell = &mut self.cells[at];
                match op.attributes() {
                    Some(patch) => {
                        cell.set
                            .extend(patch.iter().map(|(name, value)| (edit, name.to_owned(), value.clone())));
                    }
                    None if matches!(op, TextOp::Delete { .. }) => cell.deleted_by.push(edit),
                    None => {}
                }
                left -= cell.content.len();
                at += 1;
            }
        }
        edit
    }

    /// Undoes these edits and no others; returns the compensation, made cell by cell.
    pub(crate) fn leave_undone(&mut self, then: BTreeSet<usize>) -> TextDelta {
        let delta = self.change(&then);
        self.undone = then;
        delta
    }

    pub(crate) fn rendered(&self) -> TextDelta {
        let mut document = TextDelta::new();
        for cell in self.visible(&self.undone) {
            document.push(cell_insert(cell, &self.undone));
        }
        if self.adds_newline(&self.undone, self.edits) {
            document.push(newline());
        }
        document
    }

    /// Tells of every unit that shows which edit typed it and which one formatted it last.
    pub(crate) fn blame(&self) -> Vec<(Option<usize>, Option<usize>)> {
        let mut blamed = Vec::new();
        for cell in self.visible(&self.undone) {
            let setters = cell.set.iter().map(|(edit, ..)| *edit);
            let format = setters.filter(|edit| !self.undone.contains(edit)).max();
            let units = cell.content.len();
            blamed.extend(std::iter::repeat_n((cell.inserted_by, format), units));
        }
        if self.adds_newline(&self.undone, self.edits) {
            blamed.push((None, None));
        }
        blamed
    }

    /// Counts the letters of edits that show.
    pub(crate) fn letters_of(&self, wanted: impl Fn(usize) -> bool) -> usize {
        self.visible(&self.undone)
            .filter(|cell| cell.inserted_by.is_some_and(&wanted))
            .count()
    }

    fn change(&self, then: &BTreeSet<usize>) -> TextDelta {
        let mut delta = TextDelta::new();
        for cell in &self.cells {
            let len = cell.content.len();
            delta.push(
                match (
                    self.shows(cell, &self.undone, self.edits),
                    self.shows(cell, then, self.edits),
                ) {
                    (true, true) => {
                        let (was, shall) = (cell.attributes(&self.undone), cell.attributes(then));
                        TextOp::Retain {
                            len,
                            attributes: Attributes::diff(was.as_ref(), shall.as_ref()),
                        }
                    }
                    (true, false) => TextOp::Delete { len },
                    (false, true) => cell_insert(cell, then),
                    (false, false) => continue,
                },
            );
        }
        let adds = |undone| self.adds_newline(undone, self.edits);
        match (adds(&self.undone), adds(then)) {
            (true, false) => delta.push(TextOp::Delete { len: 1 }),
            (false, true) => delta.push(newline()),
            _ => {}
        }
        delta.chop()
    }

    fn visible<'a>(&'a self, undone: &'a BTreeSet<usize>) -> impl Iterator<Item = &'a Cell> {
        self.cells.iter().filter(|cell| self.shows(cell, undone, self.edits))
    }

    /// Says whether a cell shows where only the first so many edits count.
    fn shows(&self, cell: &Cell, undone: &BTreeSet<usize>, count: usize) -> bool {
        let counts = |edit: usize| edit < count && !undone.contains(&edit);
        let there = match (cell.inserted_by, cell.found_by) {
            (Some(edit), _) => counts(edit),
            (None, Some(edit)) => edit < count && self.adds_newline(undone, edit),
            (None, None) => true,
        };
        there && !cell.deleted_by.iter().any(|edit| counts(*edit))
    }

    /// Says whether the text needs a newline where only the first so many edits count.
    fn adds_newline(&self, undone: &BTreeSet<usize>, count: usize) -> bool {
        let mut cells = self.cells.iter().rev();
        let last = cells.find(|cell| self.shows(cell, undone, count));
        self.is_document && !last.is_some_and(Cell::is_newline)
    }

    fn next_visible(&self, from: usize) -> usize {
        let hidden = |cell: &&Cell| !self.shows(cell, &self.undone, self.edits);
        from + self.cells[from..].iter().take_while(hidden).count()
    }
}

fn cells(op: &TextOp, inserted_by: Option<usize>) -> impl Iterator<Item = Cell> {
    let TextOp::Insert { content, attributes } = op else {
        panic!("{op:?} is no insert")
    };
    let contents = match content {
        Content::Text(text) => text.chars().map(|letter| Content::Text(letter.to_string())).collect(),
        embed => vec![embed.clone()],
    };
    let attributes: BTreeMap<_, _> = attributes
        .iter()
        .flat_map(Attributes::iter)
        .map(|(name, value)| (name.to_owned(), value.clone()))
        .collect();
    contents.into_iter().map(move |content| Cell {
        content,
        inserted_by,
        found_by: None,
        attributes: attributes.clone(),
        deleted_by: Vec::new(),
        set: Vec::new(),
    })
}

fn cell_insert(cell: &Cell, undone: &BTreeSet<usize>) -> TextOp {
    TextOp::Insert {
        content: cell.content.clone(),
        attributes: cell.attributes(undone),
    }
}

fn newline() -> TextOp {
    TextOp::Insert {
        content: Content::Text("\n".to_owned()),
        attributes: None,
    }
}
