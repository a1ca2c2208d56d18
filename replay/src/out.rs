//! Where answers go, and how they look: on a terminal, in a file, in a pipe.

mod time;

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anstyle::{AnsiColor, Style};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use serde_json::{Value as Json, json};

pub use self::time::{time, time_full};
use crate::args::{Common, When};
use crate::failure::Failure;

/// The names of things: pages, nodes, actors.
pub const NAME: Style = AnsiColor::Cyan.on_default();
/// Numbers that are versions.
pub const VERSION: Style = AnsiColor::Yellow.on_default();
/// What came to be.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// What is gone or wrong.
pub const BAD: Style = AnsiColor::Red.on_default();
/// What is less important.
pub const DIM: Style = Style::new().dimmed();
/// What stands out.
pub const STRONG: Style = Style::new().bold();

/// What of an answer is gathered before a file is written.
const FILE_BUFFER_BYTES: usize = 64 * 1024;

/// The place where an answer goes.
pub struct Out {
    writer: Box<dyn Write + Send>,
    /// Whether the answer is JSON.
    pub json: bool,
    /// Whether somebody looks at it.
    pub terminal: bool,
    colour: bool,
    when: When,
}

impl Out {
    /// The output of a command.
    #[must_use]
    pub fn of(common: &Common) -> Self {
        let terminal = io::stdout().is_terminal();
        Self {
            writer: Box::new(BufWriter::new(io::stdout())),
            json: common.json,
            terminal,
            colour: wants_colour(common.color, terminal),
            when: common.color,
        }
    }

    /// Writes to a file from now on, where one is named; `-` is stdout. The file is made, or emptied, when the first of
    /// the answer is written: what has no answer leaves it as it is.
    ///
    /// # Errors
    /// None now; writing fails where the file cannot be made.
    pub fn send_to(&mut self, file: Option<&Path>) -> Result<(), Failure> {
        let Some(path) = file.filter(|path| *path != Path::new("-")) else {
            return Ok(());
        };
        let file = LateFile::Named(path.to_owned());
        self.writer = Box::new(BufWriter::with_capacity(FILE_BUFFER_BYTES, file));
        self.terminal = false;
        self.colour = wants_colour(self.when, false);
        Ok(())
    }

    /// A text in a style, where there is colour.
    #[must_use]
    pub fn paint(&self, style: Style, text: impl std::fmt::Display) -> String {
        if self.colour {
            format!("{style}{text}{style:#}")
        } else {
            text.to_string()
        }
    }

    /// Writes a line of text. On a terminal, what would hide or turn other letters is shown as its code.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn line(&mut self, text: impl std::fmt::Display) -> io::Result<()> {
        if self.terminal {
            return writeln!(self.writer, "{}", unveiled(&text.to_string()));
        }
        writeln!(self.writer, "{text}")
    }

    /// Writes JSON as one line, or spread out for whoever looks.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn json(&mut self, json: &Json) -> io::Result<()> {
        if self.terminal {
            serde_json::to_writer_pretty(&mut self.writer, json)?;
        } else {
            serde_json::to_writer(&mut self.writer, json)?;
        }
        self.writer.write_all(b"\n")
    }

    /// Writes bytes as they are.
    ///
    /// # Errors
    /// Where they cannot be written.
    pub fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.writer.write_all(bytes)
    }

    /// Writes a table. Columns named in `right` stand at the right: they hold numbers.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn table(&mut self, head: &[&str], right: &[usize], rows: Vec<Vec<String>>) -> io::Result<()> {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_content_arrangement(ContentArrangement::Disabled);
        table.set_header(head.iter().map(|name| self.paint(STRONG, name)).collect::<Vec<_>>());
        table.add_rows(rows);
        for (index, column) in table.column_iter_mut().enumerate() {
            column.set_padding((0, 2));
            if right.contains(&index) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        for line in table.lines() {
            writeln!(self.writer, "{}", line.trim_end())?;
        }
        Ok(())
    }

    /// Hands on what was written so far, so that a reader sees it now.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// A file that is made when something is written to it.
enum LateFile {
    Named(PathBuf),
    Made(File),
}

impl LateFile {
    fn file(&mut self) -> io::Result<&mut File> {
        if let Self::Named(path) = self {
            *self = Self::Made(File::create(path)?);
        }
        match self {
            Self::Made(file) => Ok(file),
            Self::Named(path) => Err(io::Error::other(format!("{} was not made", path.display()))),
        }
    }
}

impl Write for LateFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Made(file) => file.flush(),
            Self::Named(_) => Ok(()),
        }
    }
}

/// Tells why there is no answer.
#[expect(clippy::print_stderr, reason = "it is the last word of a command")]
pub fn tell_failure(failure: &Failure, json: bool) {
    if json {
        eprintln!("{}", json!({ "error": failure.name(), "message": failure.to_string() }));
    } else {
        eprintln!("recto: {failure}");
    }
}

fn wants_colour(when: When, terminal: bool) -> bool {
    match when {
        When::Always => true,
        When::Never => false,
        When::Auto => terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
    }
}

/// Gives a text in which letters that nobody sees, but that hide or turn others, stand as their code: a name from
/// outside cannot make a line look like another one.
fn unveiled(text: &str) -> Cow<'_, str> {
    if !text.contains(is_veiling) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        match is_veiling(letter) {
            true => shown.extend(letter.escape_unicode()),
            false => shown.push(letter),
        }
    }
    Cow::Owned(shown)
}

/// Says whether a letter turns the direction of others, or has no width. Joiners are left: emoji need them.
fn is_veiling(letter: char) -> bool {
    matches!(letter,
        '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_hide_others_are_shown() {
        assert_eq!(
            unveiled("plain \u{1b}[31mé 👨\u{200d}👩\u{1b}[0m"),
            "plain \u{1b}[31mé 👨\u{200d}👩\u{1b}[0m"
        );
        assert_eq!(
            unveiled("a\u{202e}b\u{200b}c\u{feff}"),
            "a\\u{202e}b\\u{200b}c\\u{feff}"
        );
    }
}
