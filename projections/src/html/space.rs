//! White space: where it means something and where it does not.

/// A text being gathered from pieces of HTML.
#[derive(Debug, Default)]
pub(super) struct Run {
    text: String,
    /// White space counts as it stands.
    exact: bool,
    /// White space came since the last letter.
    pending: bool,
    /// White space that was no line break of its own.
    raw_break: bool,
    /// What comes next begins a new line.
    line: bool,
}

impl Run {
    pub(super) fn new(exact: bool) -> Run {
        Run {
            exact,
            ..Run::default()
        }
    }

    /// Takes in a piece of text.
    pub(super) fn push(&mut self, text: &str) {
        self.push_as(text, self.exact);
    }

    /// Takes in a piece of text in which white space counts, or not.
    pub(super) fn push_as(&mut self, text: &str, exact: bool) {
        if exact {
            self.flush();
            self.raw_break |= text.contains('\n');
            self.text.push_str(text);
            return;
        }
        for part in text.split_inclusive(is_space) {
            let word = part.trim_end_matches(is_space);
            if !word.is_empty() {
                self.flush();
                self.text.push_str(word);
            }
            self.pending |= word.len() < part.len();
        }
    }

    /// Takes in a line break.
    pub(super) fn push_break(&mut self) {
        (self.pending, self.line) = (false, false);
        self.text.push('\n');
    }

    /// Has what comes next begin a new line, unless nothing came yet.
    pub(super) fn end_line(&mut self) {
        self.line = !self.text.is_empty();
    }

    /// Says whether there is nothing but the white space between elements.
    pub(super) fn is_blank(&self) -> bool {
        self.text.is_empty() || (self.raw_break && self.text.chars().all(is_space))
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    /// Puts in the one space that white space between two words comes to.
    fn flush(&mut self) {
        if std::mem::take(&mut self.line) {
            self.push_break();
        }
        if std::mem::take(&mut self.pending) && !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push(' ');
        }
    }
}

/// Says whether a text comes back as it is although white space does not count; its line breaks are elements.
pub(super) fn is_simple(text: &str) -> bool {
    let mut before = b'\n';
    for byte in text.bytes() {
        match (before, byte) {
            (_, b'\t' | b'\r' | 0x0c) | (b' ' | b'\n', b' ') | (b' ', b'\n') => return false,
            _ => before = byte,
        }
    }
    before != b' '
}

/// Gives a text with white space as HTML takes it where it does not count.
pub(super) fn collapsed(text: &str) -> String {
    let mut run = Run::new(false);
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            run.push_break();
        }
        run.push(line);
    }
    run.finish()
}

/// Says whether a value of `white-space` makes it count.
pub(super) fn keeps_space(value: &str) -> bool {
    ["pre", "pre-wrap", "break-spaces"].contains(&value.trim())
}

pub(super) fn is_space(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\n' | '\r' | '\u{c}')
}
