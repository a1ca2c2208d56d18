//! The parts of sentences: values, names, numbers, lists.

use std::io;

use crate::json::{self, Json};

/// How many characters of a name or value are shown.
pub(super) const SHOWN_MAX: usize = 40;
/// The bytes that [`SHOWN_MAX`] characters take at most.
const SHOWN_MAX_BYTES: usize = 4 * SHOWN_MAX;
const CUT: char = '…';

/// Gives a count and what is counted, which gets an s for any count but one.
#[must_use]
pub fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// Joins words as English does: `a`, `a and b`, `a, b and c`.
pub(super) fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [word] => word.clone(),
        [words @ .., last] => format!("{} and {last}", words.join(", ")),
    }
}

/// Gives a name or id in straight double quotes: on one line, cut, with quotes inside escaped.
pub(super) fn quoted(name: &str) -> String {
    json::text(&on_one_line(name))
}

/// Gives a name without quotes: on one line, without control characters, cut.
pub(super) fn on_one_line(name: &str) -> String {
    let mut line = String::new();
    for word in name.split_whitespace() {
        if line.len() > SHOWN_MAX_BYTES {
            break;
        }
        let word: String = word
            .chars()
            .filter(|letter| !letter.is_control())
            .take(SHOWN_MAX + 1)
            .collect();
        if !line.is_empty() && !word.is_empty() {
            line.push(' ');
        }
        line.push_str(&word);
    }
    cut(&line)
}

/// Gives a key as it is called in a sentence: on one line, cut; an empty one as a pair of quotes.
pub(super) fn word(key: &str) -> String {
    match on_one_line(key) {
        line if line.is_empty() => "\"\"".into(),
        line => line,
    }
}

/// Gives a value as JSON: on one line, cut.
pub(super) fn value(json: &Json) -> String {
    let text = match json {
        Json::String(text) => json::text(&cut(text)),
        json => {
            let mut short = Short(Vec::new());
            // It fails where the text is long enough.
            let _ = serde_json::to_writer(&mut short, json);
            cut(&String::from_utf8_lossy(&short.0))
        }
    };
    // JSON leaves some of them as they are.
    text.replace(char::is_control, "\u{fffd}")
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => {
            let mut short = text[..end].to_owned();
            short.push(CUT);
            short
        }
        None => text.to_owned(),
    }
}

/// Text that takes in a little more than can be shown.
struct Short(Vec<u8>);

impl io::Write for Short {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() > SHOWN_MAX_BYTES {
            return Err(io::ErrorKind::WriteZero.into());
        }
        // A string comes in whole.
        let end = bytes.len().min(2 * SHOWN_MAX_BYTES);
        self.0.extend_from_slice(&bytes[..end]);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
