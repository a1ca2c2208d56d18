//! Two texts side by side, line by line, with what was put in and taken out.

use std::fmt::Write;

use recto_projections::text::{Content, RichText, TextOp};

use super::doc::embed_label;
use crate::picture::escape::{Text, cut};

/// Lines that stay are shown as far as this many from one that does not.
const CONTEXT: usize = 3;
/// The most rows that are shown; the table says how many are not.
const ROWS_MAX: usize = 20_000;
/// The most characters of a line.
const LINE_CHARS: usize = 5_000;
/// The most characters of formats that are told.
const FORMAT_CHARS: usize = 200;

/// What happened to a stretch of text, the gravest last.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    #[default]
    Stayed,
    Formatted,
    Removed,
    Added,
}

/// A line of one of the texts, as markup.
struct Line {
    number: u64,
    markup: String,
    fate: Fate,
}

/// One side while it is read.
#[derive(Default)]
struct Side {
    /// Lines that no row holds yet.
    done: Vec<Line>,
    markup: String,
    chars: usize,
    /// The gravest of what happened to parts of the line.
    fate: Fate,
    number: u64,
}

#[derive(Default)]
struct Rows {
    rows: Vec<(Option<Line>, Option<Line>)>,
    old: Side,
    new: Side,
}

/// Writes the table that shows how one text became another. It is empty where nothing did.
pub(super) fn write(out: &mut String, old: &RichText, new: &RichText) {
    let rows = rows(old, new);
    let is_near = near(&rows);
    out.push_str("<table class=\"lines diff\">\n");
    let (mut written, mut passed) = (0, 0);
    for ((left, right), is_near) in rows.iter().zip(&is_near) {
        if !is_near {
            passed += 1;
            continue;
        }
        if written == ROWS_MAX {
            break;
        }
        gap(out, &mut passed);
        out.push_str("<tr>");
        cell(out, left.as_ref());
        cell(out, right.as_ref());
        out.push_str("</tr>\n");
        written += 1;
    }
    gap(out, &mut passed);
    let left_out = is_near.iter().filter(|is_near| **is_near).count() - written;
    if left_out > 0 {
        let _ = writeln!(
            out,
            "<tr class=\"gap\"><td colspan=\"4\">{left_out} more lines are not shown</td></tr>"
        );
    }
    out.push_str("</table>\n");
}

fn rows(old: &RichText, new: &RichText) -> Vec<(Option<Line>, Option<Line>)> {
    let (mut rows, mut at) = (Rows::default(), 0);
    for op in old.diff(new).ops() {
        match op {
            TextOp::Insert { content, .. } => rows.take(content, Fate::Added, None),
            TextOp::Retain { len, attributes } => {
                let told = attributes.as_ref().map(|attributes| attributes.canonical());
                let fate = if told.is_some() { Fate::Formatted } else { Fate::Stayed };
                rows.take_old(old, (at, at + len), fate, told);
                at += len;
            }
            TextOp::Delete { len } => {
                rows.take_old(old, (at, at + len), Fate::Removed, None);
                at += len;
            }
        }
    }
    rows.take_old(old, (at, old.len()), Fate::Stayed, None);
    rows.finish()
}

/// Which rows differ, or stand near one that does.
fn near(rows: &[(Option<Line>, Option<Line>)]) -> Vec<bool> {
    let mut near = vec![false; rows.len()];
    for (index, (left, right)) in rows.iter().enumerate() {
        let is_marked = |line: &Option<Line>| line.as_ref().is_none_or(|line| line.fate != Fate::Stayed);
        if is_marked(left) || is_marked(right) {
            let last = rows.len().min(index + CONTEXT + 1);
            near[index.saturating_sub(CONTEXT)..last].fill(true);
        }
    }
    near
}

fn gap(out: &mut String, passed: &mut usize) {
    if *passed > 0 {
        let lines = if *passed == 1 { "line" } else { "lines" };
        let _ = writeln!(
            out,
            "<tr class=\"gap\"><td colspan=\"4\">{passed} {lines} without a change</td></tr>"
        );
    }
    *passed = 0;
}

fn cell(out: &mut String, line: Option<&Line>) {
    let Some(line) = line else {
        out.push_str("<td class=\"n\"></td><td class=\"none\"></td>");
        return;
    };
    let class = match line.fate {
        Fate::Stayed => "",
        Fate::Formatted => " class=\"mod\"",
        Fate::Removed => " class=\"del\"",
        Fate::Added => " class=\"add\"",
    };
    let _ = write!(
        out,
        "<td class=\"n\">{}</td><td{class}>{}</td>",
        line.number, line.markup
    );
}

impl Rows {
    fn take_old(&mut self, old: &RichText, (start, end): (usize, usize), fate: Fate, told: Option<&str>) {
        // The diff leads from this very text: its places are in it.
        let Ok(slice) = old.slice(start, end) else { return };
        for op in slice.ops() {
            if let TextOp::Insert { content, .. } = op {
                self.take(content, fate, told);
            }
        }
    }

    fn take(&mut self, content: &Content, fate: Fate, told: Option<&str>) {
        match content {
            Content::Embed(embed) => self.piece(&format!("[{}]", embed_label(embed)), fate, told),
            Content::Text(text) => {
                let mut lines = text.split('\n').peekable();
                while let Some(line) = lines.next() {
                    if !line.is_empty() {
                        self.piece(line, fate, told);
                    }
                    if lines.peek().is_some() {
                        self.end(fate, told);
                    }
                }
            }
        }
    }

    fn piece(&mut self, text: &str, fate: Fate, told: Option<&str>) {
        if fate != Fate::Added {
            self.old.push(text, fate, told);
        }
        if fate != Fate::Removed {
            self.new.push(text, fate, told);
        }
    }

    /// A line break: where it stands in both texts, their lines meet again.
    fn end(&mut self, fate: Fate, told: Option<&str>) {
        if fate == Fate::Formatted {
            self.piece("¶", fate, told);
        }
        if fate != Fate::Added {
            self.old.end(fate);
        }
        if fate != Fate::Removed {
            self.new.end(fate);
        }
        if matches!(fate, Fate::Stayed | Fate::Formatted) {
            self.meet();
        }
    }

    /// Puts the lines so far side by side, the last ones beside each other.
    fn meet(&mut self) {
        let (mut old, mut new) = (std::mem::take(&mut self.old.done), std::mem::take(&mut self.new.done));
        let last = (old.pop(), new.pop());
        self.beside(old, new);
        if last.0.is_some() || last.1.is_some() {
            self.rows.push(last);
        }
    }

    /// Puts lines side by side, the first ones beside each other.
    fn beside(&mut self, old: Vec<Line>, new: Vec<Line>) {
        let (mut old, mut new) = (old.into_iter(), new.into_iter());
        loop {
            let row = (old.next(), new.next());
            if row.0.is_none() && row.1.is_none() {
                break;
            }
            self.rows.push(row);
        }
    }

    fn finish(mut self) -> Vec<(Option<Line>, Option<Line>)> {
        for side in [&mut self.old, &mut self.new] {
            if !side.markup.is_empty() {
                side.end(Fate::Stayed);
            }
        }
        let last = |side: &Side| side.done.last().map(|line| line.markup.clone());
        if last(&self.old) == last(&self.new) {
            self.meet();
        } else {
            let (old, new) = (std::mem::take(&mut self.old.done), std::mem::take(&mut self.new.done));
            self.beside(old, new);
        }
        self.rows
    }
}

impl Side {
    fn push(&mut self, text: &str, fate: Fate, told: Option<&str>) {
        let text = cut(text, LINE_CHARS.saturating_sub(self.chars));
        self.chars += text.chars().count();
        let text = Text(&text);
        let _ = match fate {
            Fate::Stayed => write!(self.markup, "{text}"),
            Fate::Removed => write!(self.markup, "<del>{text}</del>"),
            Fate::Added => write!(self.markup, "<ins>{text}</ins>"),
            Fate::Formatted => {
                let told = cut(told.unwrap_or_default(), FORMAT_CHARS);
                write!(self.markup, "<mark title=\"{}\">{text}</mark>", Text(&told))
            }
        };
        self.fate = self.fate.max(fate);
    }

    fn end(&mut self, fate: Fate) {
        self.number += 1;
        self.done.push(Line {
            number: self.number,
            markup: std::mem::take(&mut self.markup),
            fate: std::mem::take(&mut self.fate).max(fate),
        });
        self.chars = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows as `old|new`: `+` and `-` around what was put in and taken out, `~` for no line.
    fn told(old: &str, new: &str) -> Vec<String> {
        let side = |line: &Option<Line>| match line {
            None => "~".to_owned(),
            Some(line) => line
                .markup
                .replace("<ins>", "+")
                .replace("</ins>", "+")
                .replace("<del>", "-")
                .replace("</del>", "-"),
        };
        let rows = rows(&RichText::from_plain(old), &RichText::from_plain(new));
        rows.iter()
            .map(|(old, new)| format!("{}|{}", side(old), side(new)))
            .collect()
    }

    #[test]
    fn lines_stand_beside_those_that_they_became() {
        assert_eq!(told("a\nb\nc\n", "a\nb\nc\n"), ["a|a", "b|b", "c|c"]);
        assert_eq!(told("a\nc\n", "a\nb\nc\n"), ["a|a", "~|+b+", "c|c"]);
        assert_eq!(told("a\nb\nc\n", "a\nc\n"), ["a|a", "-b-|~", "c|c"]);
        assert_eq!(told("one two\n", "one 2 two\n"), ["one two|one +2 +two"]);
        assert_eq!(told("a", "a\nb"), ["a|a", "~|+b+"]);
        assert_eq!(told("b", "a\nb"), ["~|+a+", "b|b"]);
        assert_eq!(told("", "x\n"), ["~|+x+"]);
        assert_eq!(told("", ""), [""; 0]);
    }

    #[test]
    fn lines_far_from_a_change_are_passed_over() {
        let old: String = (0..100).map(|line| format!("line {line}\n")).collect();
        let new = old.replace("line 50\n", "line fifty\n");
        let mut out = String::new();
        write(&mut out, &RichText::from_plain(&old), &RichText::from_plain(&new));
        assert!(
            out.contains("47 lines without a change") && out.contains("46 lines without a change"),
            "{out}"
        );
        assert_eq!(out.matches("<tr>").count(), 7);
    }
}
