//! Texts cut and broken to a width.

use ratatui::text::Span;

/// A text in at most so many columns, with `…` where it was longer.
pub(super) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut short = String::new();
    let mut left = columns.saturating_sub(1);
    for letter in text.chars() {
        let wide = width(letter.encode_utf8(&mut [0; 4]));
        if wide > left {
            break;
        }
        left -= wide;
        short.push(letter);
    }
    if columns > 0 {
        short.push('…');
    }
    short
}

/// A text in as many lines as it needs, those after the first indented by two columns.
pub(super) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(8);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let room = columns.saturating_sub(width(&line) + 1);
        if !line.trim().is_empty() && width(word) > room {
            lines.push(std::mem::replace(&mut line, "  ".to_owned()));
        } else if !line.trim().is_empty() {
            line.push(' ');
        }
        break_into(word, columns, &mut line, &mut lines);
    }
    lines.push(line);
    lines
}

/// Appends a word, over several lines where it is longer than one.
fn break_into(word: &str, columns: usize, line: &mut String, lines: &mut Vec<String>) {
    for letter in word.chars() {
        if width(line) + width(letter.encode_utf8(&mut [0; 4])) > columns {
            lines.push(std::mem::replace(line, "  ".to_owned()));
        }
        line.push(letter);
    }
}

fn width(text: &str) -> usize {
    Span::raw(text).width()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_cut_and_wide_letters_count_twice() {
        assert_eq!(cut("recto", 5), "recto");
        assert_eq!(cut("recto", 4), "rec…");
        assert_eq!(cut("日本語", 5), "日本…");
        assert_eq!(cut("recto", 0), "");
    }

    #[test]
    fn a_line_is_broken_between_words_or_else_within_one() {
        assert_eq!(wrap("one two three four", 10), ["one two", "  three", "  four"]);
        assert_eq!(wrap("abcdefghijklmnop", 10), ["abcdefghij", "  klmnop"]);
        assert_eq!(wrap("", 10), [""]);
        for line in wrap("some words and averyveryverylongone, and 日本語日本語日本語", 8) {
            assert!(width(&line) <= 8, "{line:?}");
        }
    }
}
