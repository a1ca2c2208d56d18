//! What can be asked: the commands and their options.

mod asking;
mod point;
mod upkeep;

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use recto_store::Id;

pub use self::asking::{Blame, Diff, DiffForm, Log, LogForm, Pages, Replay, Show, ShowForm, Stack, Undo, UndoPolicy};
pub use self::point::Point;
pub use self::upkeep::{Bisect, Check, Completions, Export, Import, Manual, Verify, Why};

/// Where the data lies, unless said otherwise.
const DATA: &str = "data";
/// Room for a page of a hundred megabytes, which takes some thirty times as much as values; only what is looked at
/// takes it.
const CACHE_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// The exit codes, for the manual.
const AFTER_HELP: &str = "\
Exit codes:
  0  answered; nothing is wrong
  1  answered; a fault was found, a check failed, or there are conflicts
  2  the arguments do not make a question
  3  there is no such page, version, node, file, command or workspace
  4  the data folder or the file cannot be opened or written
  5  the answer needs something that is damaged: run `recto verify`
  6  the undo, redo or import is refused

A VERSION is a number, `head`, `head~3` (three before the newest), or `@` and a time: `@2026-11-30T10:15:00Z`.";

/// Looks into the history of pages: what happened, at which event, and why. Nothing is written where it looks.
#[derive(Clone, Debug, Parser)]
#[command(name = "recto", version, after_help = AFTER_HELP, max_term_width = 100)]
pub struct Args {
    /// What every command has.
    #[command(flatten)]
    pub common: Common,
    /// What is asked.
    #[command(subcommand)]
    pub command: Command,
}

/// What every command has.
#[derive(Clone, Debug, ClapArgs)]
pub struct Common {
    /// A server's data folder (it may be running), or an exported file
    #[arg(long, global = true, env = "RECTO_DATA", default_value = DATA, value_name = "PATH")]
    pub data: PathBuf,

    /// The workspace; needed where the data holds several
    #[arg(long, global = true, env = "RECTO_WORKSPACE", value_name = "ID", value_parser = id)]
    pub workspace: Option<Id>,

    /// Answer with JSON: one object, or one a line where there are many
    #[arg(long, global = true)]
    pub json: bool,

    /// When to use colour
    #[arg(long, global = true, default_value = "auto", value_name = "WHEN")]
    pub color: When,

    /// Memory for the states of pages; the largest page has to have room in it
    #[arg(long, global = true, default_value_t = CACHE_BYTES, value_name = "BYTES")]
    pub cache_bytes: u64,

    /// Read what is left of a data folder whose log is damaged; what stood behind the damage may be missing
    #[arg(long, global = true)]
    pub salvage: bool,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The commands.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Lists the pages: kind, newest version (which counts the events), bytes, last edit
    Pages(Pages),
    /// Tells the events of a page: who, when, what changed in words, what it undoes
    Log(Log),
    /// Shows a page at a version: as JSON, text, HTML, or a picture
    Show(Show),
    /// Steps through a page's history in the terminal
    Replay(Replay),
    /// Shows an actor's undo and redo stack, and what each step would do
    Stack(Stack),
    /// Tells what an undo or redo would append, without appending it
    Undo(Undo),
    /// Tells what differs between two versions
    Diff(Diff),
    /// Tells which event last wrote each property, node or line
    Blame(Blame),
    /// Finds the first version at which a check fails
    Bisect(Bisect),
    /// Verifies pages: gaps, checksums, chain, inverses, digests, receipts, snapshots
    Verify(Verify),
    /// Writes a page's history to a file
    Export(Export),
    /// Puts an exported page into a data folder; never over anything
    Import(Import),
    /// Tells what became of a command, and what stood in its way
    Why(Why),
    /// Checks an agent's recorded run against rules
    Check(Check),
    /// Writes completions for a shell
    Completions(Completions),
    /// Writes the manual, in roff
    Manual(Manual),
}

fn id(text: &str) -> Result<Id, String> {
    Id::new(text).map_err(|fault| fault.to_string())
}
