//! The options of the commands that ask of one history: what happened, what is there, what an undo would do.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use recto_store::Id;

use super::{Point, id};

/// The events that `log` tells, unless said otherwise.
const LOG_EVENTS: usize = 100;
/// The entries of a stack that are told, unless said otherwise.
const STACK_ENTRIES: usize = 20;

/// `recto pages`
#[derive(Clone, Debug, ClapArgs)]
pub struct Pages {
    /// Only pages of this file of the design tool
    #[arg(long, value_parser = id)]
    pub file: Option<Id>,
    /// Leave deleted pages out
    #[arg(long)]
    pub existing: bool,
}

/// `recto log`
#[derive(Clone, Debug, ClapArgs)]
pub struct Log {
    /// The page
    #[arg(value_parser = id)]
    pub page: Id,
    /// The oldest version told
    #[arg(long, value_name = "VERSION")]
    pub from: Option<Point>,
    /// The newest version told
    #[arg(long, value_name = "VERSION")]
    pub to: Option<Point>,
    /// The oldest first
    #[arg(long)]
    pub oldest_first: bool,
    /// The most events told; 0 tells all
    #[arg(long, short = 'n', default_value_t = LOG_EVENTS, value_name = "COUNT")]
    pub limit: usize,
    /// Only events of this actor, such as user:anna
    #[arg(long)]
    pub actor: Option<String>,
    /// Only events of this turn
    #[arg(long)]
    pub turn: Option<String>,
    /// Only events that touch this node or file
    #[arg(long, value_name = "NODE")]
    pub node: Option<String>,
    /// Only events whose words or delta hold this text, in upper or lower case
    #[arg(long, value_name = "TEXT")]
    pub grep: Option<String>,
    /// A whole page to look at, instead of text
    #[arg(long = "as", value_name = "FORM", default_value = "text")]
    pub form: LogForm,
    /// Write to this file
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// The forms of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogForm {
    /// Lines of text.
    Text,
    /// One self-contained web page with a timeline.
    Html,
}

/// `recto show`
#[derive(Clone, Debug, ClapArgs)]
pub struct Show {
    /// The page
    #[arg(value_parser = id)]
    pub page: Id,
    /// The version
    #[arg(long, default_value = "head", value_name = "VERSION")]
    pub at: Point,
    /// In which form; without it text on a terminal, else JSON
    #[arg(long = "as", value_name = "FORM")]
    pub form: Option<ShowForm>,
    /// CODE: only this file
    #[arg(long, value_name = "PATH")]
    pub file: Option<String>,
    /// Write to this file
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// The forms of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ShowForm {
    /// The value as the API has it.
    Json,
    /// An outline of nodes, or the text.
    Text,
    /// The page as HTML.
    Html,
    /// A drawing.
    Svg,
    /// A drawing, in pixels.
    Png,
}

/// `recto replay`
#[derive(Clone, Debug, ClapArgs)]
pub struct Replay {
    /// The page
    #[arg(value_parser = id)]
    pub page: Id,
    /// The version to begin at
    #[arg(long, default_value = "head", value_name = "VERSION")]
    pub at: Point,
}

/// `recto stack`
#[derive(Clone, Debug, ClapArgs)]
pub struct Stack {
    /// The page
    #[arg(value_parser = id)]
    pub page: Id,
    /// Whose stack, such as user:anna; without it, everybody's
    #[arg(long)]
    pub actor: Option<String>,
    /// As it was at this version
    #[arg(long, default_value = "head", value_name = "VERSION")]
    pub at: Point,
    /// The most entries of each stack
    #[arg(long, short = 'n', default_value_t = STACK_ENTRIES, value_name = "COUNT")]
    pub limit: usize,
}

/// `recto undo`
#[derive(Clone, Debug, ClapArgs)]
pub struct Undo {
    /// The page
    #[arg(value_parser = id)]
    pub page: Id,
    /// The event to take back, by its version
    #[arg(long, value_name = "VERSION", group = "what")]
    pub event: Option<u64>,
    /// The turn to take back
    #[arg(long, group = "what", value_parser = id)]
    pub turn: Option<Id>,
    /// The actor whose newest step is to be taken back
    #[arg(long, group = "what")]
    pub actor: Option<String>,
    /// Take an undo back
    #[arg(long)]
    pub redo: bool,
    /// What becomes of a field that was overwritten since: `restore` where the newest of a user is taken back, else `keep`
    #[arg(long)]
    pub policy: Option<UndoPolicy>,
    /// Whether what the event created goes even if others edited it
    #[arg(long)]
    pub force: bool,
    /// As it would have been at this version
    #[arg(long, default_value = "head", value_name = "VERSION")]
    pub at: Point,
    /// Only tell; this tool appends nothing, so it must be said
    #[arg(long, required = true)]
    pub dry_run: bool,
}

/// What becomes of a field that was overwritten since.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum UndoPolicy {
    /// It stays, and is reported.
    Keep,
    /// It is set back.
    Restore,
    /// The whole undo is refused.
    Abort,
}

/// `recto diff`
#[derive(Clone, Debug, ClapArgs)]
pub struct Diff {
    /// The page
    #[arg(value_parser = id)]
    pub page: Id,
    /// The version to start from
    #[arg(value_name = "FROM")]
    pub from: Point,
    /// The version to compare with
    #[arg(value_name = "TO", default_value = "head")]
    pub to: Point,
    /// In which form
    #[arg(long = "as", value_name = "FORM", default_value = "words")]
    pub form: DiffForm,
    /// Write to this file
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// The forms of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DiffForm {
    /// A sentence for each thing that changed.
    Words,
    /// The delta, as the API has it.
    Delta,
    /// Both versions side by side, with what changed outlined.
    Html,
}

/// `recto blame`
#[derive(Clone, Debug, ClapArgs)]
pub struct Blame {
    /// The page
    #[arg(value_parser = id)]
    pub page: Id,
    /// DESIGN: a node, told by property. CODE: a file, told by line
    #[arg(value_name = "NODE|FILE")]
    pub thing: Option<String>,
    /// As it was at this version
    #[arg(long, default_value = "head", value_name = "VERSION")]
    pub at: Point,
}
