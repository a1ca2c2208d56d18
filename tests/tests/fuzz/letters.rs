//! A text as all the letters that ever stood in it, each with the edits that put it in, took it out and dressed it. What
//! shows is a function of the edits and of what is undone, and nothing else.

use std::collections::{BTreeMap, HashSet};

use recto_pages::projections::Json;

/// A letter or embed as it shows: its text, and its attributes by name.
pub(crate) type Shown = (String, BTreeMap<String, String>);

/// A text.
#[derive(Clone, Debug)]
pub(crate) struct Letters {
    cells: Vec<Cell>,
    /// Whether a newline stands at the end whatever is undone.
    document: bool,
}

#[derive(Clone, Debug)]
struct Cell {
    content: String,
    attributes: BTreeMap<String, String>,
    by: u64,
    /// Whether it is a newline that the edit found at the end: it shows if the text needs one where that edit and all later
    /// ones do not count.
    is_found: bool,
    deleted: Vec<u64>,
    set: Vec<(u64, String, Option<String>)>,
}

const NEWLINE: &str = "\n";

impl Letters {
    /// An empty text; a document holds a newline from the start.
    pub(crate) fn new(document: bool) -> Self {
        let newline = document.then(|| Cell::new(NEWLINE.to_owned(), BTreeMap::new(), 0));
        let cells = newline.into_iter().collect();
        Self { cells, document }
    }

    /// Works in what an edit did to the text as it showed.
    pub(crate) fn edit(&mut self, edit: u64, delta: &Json, off: &HashSet<u64>) {
        let mut at = 0;
        if self.wants_newline(off, edit) {
            let newline = Cell::new(NEWLINE.to_owned(), BTreeMap::new(), edit);
            self.cells.push(Cell {
                is_found: true,
                ..newline
            });
        }
        let ops = delta.as_array().expect("a text delta is an array");
        for op in ops {
            if let Some(content) = op.get("insert") {
                at = self.skip_hidden(at, off);
                let attributes = attributes(op)
                    .into_iter()
                    .filter_map(|(name, value)| Some((name, value?)))
                    .collect();
                for content in units(content) {
                    self.cells
                        .insert(at, Cell::new(content, BTreeMap::clone(&attributes), edit));
                    at += 1;
                }
                continue;
            }
            for _ in 0..base_len(op) {
                at = self.skip_hidden(at, off);
                let cell = &mut self.cells[at];
                if op.get("delete").is_some() {
                    cell.deleted.push(edit);
                } else {
                    cell.set
                        .extend(attributes(op).into_iter().map(|(name, value)| (edit, name, value)));
                }
                at += 1;
            }
        }
    }

    /// What shows.
    pub(crate) fn render(&self, off: &HashSet<u64>) -> Vec<Shown> {
        let shown = self.shown(off).map(|cell| (cell.content.clone(), cell.dress(off)));
        let mut shown: Vec<Shown> = shown.collect();
        if self.wants_newline(off, u64::MAX) {
            shown.push((NEWLINE.to_owned(), BTreeMap::new()));
        }
        shown
    }

    fn shown<'a>(&'a self, off: &'a HashSet<u64>) -> impl Iterator<Item = &'a Cell> {
        self.cells.iter().filter(|cell| self.shows(cell, off, u64::MAX))
    }

    /// Says whether a cell shows where only edits before one count.
    fn shows(&self, cell: &Cell, off: &HashSet<u64>, before: u64) -> bool {
        let there = match cell.is_found {
            true => cell.by < before && self.wants_newline(off, cell.by),
            false => cell.by < before && !off.contains(&cell.by),
        };
        there && cell.deleted.iter().all(|edit| *edit >= before || off.contains(edit))
    }

    /// Says whether the text needs a newline where only edits before one count.
    fn wants_newline(&self, off: &HashSet<u64>, before: u64) -> bool {
        let last = self.cells.iter().rev().find(|cell| self.shows(cell, off, before));
        self.document && last.is_none_or(|cell| cell.content != NEWLINE)
    }

    fn skip_hidden(&self, mut at: usize, off: &HashSet<u64>) -> usize {
        while self.cells.get(at).is_some_and(|cell| !self.shows(cell, off, u64::MAX)) {
            at += 1;
        }
        at
    }
}

impl Cell {
    fn new(content: String, attributes: BTreeMap<String, String>, by: u64) -> Self {
        Self {
            content,
            attributes,
            by,
            is_found: false,
            deleted: Vec::new(),
            set: Vec::new(),
        }
    }

    fn dress(&self, off: &HashSet<u64>) -> BTreeMap<String, String> {
        let mut now = self.attributes.clone();
        for (edit, name, value) in &self.set {
            match value {
                _ if off.contains(edit) => {}
                Some(value) => drop(now.insert(name.clone(), value.clone())),
                None => drop(now.remove(name)),
            }
        }
        now
    }
}

/// What a document or a plain text shows, in the same form.
pub(crate) fn shown_of(ops: &Json) -> Vec<Shown> {
    let ops = ops.as_array().expect("a document is an array");
    let shown = ops.iter().flat_map(|op| {
        let dress: BTreeMap<String, String> = attributes(op)
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)))
            .collect();
        units(&op["insert"])
            .into_iter()
            .map(move |content| (content, dress.clone()))
    });
    shown.collect()
}

/// The letters without what they wear, for a message.
pub(crate) fn plain(shown: &[Shown]) -> String {
    let units: Vec<u16> = shown.iter().flat_map(|(content, _)| content.encode_utf16()).collect();
    String::from_utf16_lossy(&units)
}

/// One text for every unit; the halves of a pair are told by their numbers.
fn units(content: &Json) -> Vec<String> {
    let Some(text) = content.as_str() else {
        return vec![content.to_string()];
    };
    let unit = |unit: u16| char::from_u32(u32::from(unit)).map_or_else(|| format!("\\{unit:x}"), String::from);
    text.encode_utf16().map(unit).collect()
}

fn base_len(op: &Json) -> usize {
    let len = op.get("retain").or_else(|| op.get("delete")).and_then(Json::as_u64);
    usize::try_from(len.unwrap_or(0)).expect("a length")
}

fn attributes(op: &Json) -> Vec<(String, Option<String>)> {
    let fields = op.get("attributes").and_then(Json::as_object).into_iter().flatten();
    fields
        .map(|(name, value)| (name.clone(), (!value.is_null()).then(|| value.to_string())))
        .collect()
}
