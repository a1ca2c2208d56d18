//! Blame by line.

use crate::text::weave::{BlamedRun, EditId};

/// A line of a text, and the newest event that wrote in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineBlame {
    /// The number of the line, from 1.
    pub line: usize,
    /// The newest event with a letter in the line; `None` if all of it stood there before the first event.
    pub event: Option<EditId>,
}

/// Sums up by line who wrote a text. An embed is one letter.
///
/// A newline ends its line and counts as a letter of it only where the line has no other: whoever breaks a line in two, or
/// goes on below it, has not written in what stands before. A text that ends with a newline has no further line after it.
/// Letters that the runs do not reach count as if they had stood there before.
#[must_use]
pub fn lines(text: &str, runs: &[BlamedRun]) -> Vec<LineBlame> {
    let mut authors = Authors {
        runs,
        left: 0,
        event: None,
    };
    let mut lines = Vec::new();
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let (letters, newline) = match line.strip_suffix('\n') {
            Some(letters) => (letters, true),
            None => (line, false),
        };
        let mut event = letters
            .chars()
            .map(|letter| authors.next(letter.len_utf16()))
            .max()
            .flatten();
        let ending = newline.then(|| authors.next(1)).flatten();
        if letters.is_empty() {
            event = ending;
        }
        lines.push(LineBlame { line: index + 1, event });
    }
    lines
}

/// Walks over runs letter by letter.
struct Authors<'a> {
    /// The runs that were not come upon yet.
    runs: &'a [BlamedRun],
    /// The units of the present run that are left, and its event.
    left: usize,
    event: Option<EditId>,
}

impl Authors<'_> {
    /// Goes over a letter; gives the event of the run in which it begins.
    fn next(&mut self, units: usize) -> Option<EditId> {
        self.skip_spent();
        let event = self.event;
        let mut units = units;
        while units > self.left && !self.runs.is_empty() {
            units -= self.left;
            self.left = 0;
            self.skip_spent();
        }
        self.left = self.left.saturating_sub(units);
        event
    }

    fn skip_spent(&mut self) {
        while self.left == 0 {
            let Some((run, rest)) = self.runs.split_first() else {
                self.event = None;
                return;
            };
            (self.left, self.event, self.runs) = (run.units, run.event, rest);
        }
    }
}
