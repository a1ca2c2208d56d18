//! What can be asked: the commands and their options.

mod point;

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use recto_store::Id;

pub use self::point::Point;

/// Where the data lies, unless said otherwise.
const DATA: &str = "data";
/// The events that `log` tells, unless said otherwise.
const LOG_EVENTS: usize = 100;
/// The entries of a stack that are told, unless said otherwise.
const STACK_ENTRIES: usize = 20;

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
    /// Lists the pages: kind, newest version, events, bytes, last edit
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

/// `recto bisect`
#[derive(Clone, Debug, ClapArgs)]
#[command(after_help = "\
A CHECK is one of
  node ID             the page has this node
  file PATH           the page has this file
  contains TEXT       the page's text holds this
  /POINTER            there is something at this JSON pointer
  /POINTER = JSON     it equals this (also !=, <, <=, >, >=)
  ! CHECK             it is not so
  anything else       a command for the shell: it reads the page as JSON from stdin; exit code 0 passes, 125 skips

An id, path or pointer with white space is written as a JSON string. A program called node, file or contains is
started with `command node ...`, one by its path with `exec /path ...`. RECTO_PAGE and RECTO_VERSION say what a command is
given; 126 and above are no answer.

It is found in log2(versions) reads if the check passes up to some version and fails from there on.
The exit code is 1 where a version was found, 0 where the check holds at both ends, and 6 where it fails at the good one.")]
pub struct Bisect {
    /// The page
    #[arg(value_parser = id)]
    pub page: Id,
    /// What is to hold
    #[arg(long, value_name = "CHECK")]
    pub check: String,
    /// A version at which it holds
    #[arg(long, default_value = "1", value_name = "VERSION")]
    pub good: Point,
    /// A version at which it does not
    #[arg(long, default_value = "head", value_name = "VERSION")]
    pub bad: Point,
}

/// `recto verify`
#[derive(Clone, Debug, ClapArgs)]
pub struct Verify {
    /// Only this page; without it all, and what belongs to none
    #[arg(value_parser = id)]
    pub page: Option<Id>,
}

/// `recto export`
#[derive(Clone, Debug, ClapArgs)]
pub struct Export {
    /// The page
    #[arg(value_parser = id)]
    pub page: Id,
    /// The file; without it stdout
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace texts, asset ids and names by stand-ins of the same length and structure; numbers, node ids and times stay
    #[arg(long)]
    pub stand_ins: bool,
}

/// `recto import`
#[derive(Clone, Debug, ClapArgs)]
pub struct Import {
    /// The exported file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Under another id; the hash chain is made anew
    #[arg(long = "as", value_name = "PAGE", value_parser = id)]
    pub page: Option<Id>,
}

/// `recto why`
#[derive(Clone, Debug, ClapArgs)]
#[command(after_help = "\
The exit code is 0 where the command was carried out, also where it changed nothing; 1 where an undo was partial;
3 where nothing is recorded of it; 5 where its receipt or an event of it is damaged.")]
pub struct Why {
    /// The command's id: its idempotency key
    #[arg(value_parser = id)]
    pub command: Id,
    /// The page, where the id was used on several
    #[arg(long, value_parser = id)]
    pub page: Option<Id>,
}

/// `recto check`
#[derive(Clone, Debug, ClapArgs)]
#[command(after_help = "\
The rules, and the form of a trajectory, are told in replay/RULES.md. A rule that needs a trajectory is not checked
without one. The exit code is 1 where a rule is broken, or where a line or an event could not be read.")]
pub struct Check {
    /// The page
    #[arg(value_parser = id, required_unless_present = "list")]
    pub page: Option<Id>,
    /// The chat's trajectory: JSON Lines
    #[arg(long, value_name = "FILE")]
    pub trajectory: Option<PathBuf>,
    /// Only these rules; without it, all
    #[arg(long = "rule", value_name = "NAME")]
    pub rules: Vec<String>,
    /// List the rules
    #[arg(long)]
    pub list: bool,
}

/// `recto completions`
#[derive(Clone, Debug, ClapArgs)]
pub struct Completions {
    /// The shell
    pub shell: Shell,
}

/// `recto manual`
#[derive(Clone, Debug, ClapArgs)]
pub struct Manual {
    /// The folder for one page a command; without it, one page on stdout
    #[arg(long, value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
}

fn id(text: &str) -> Result<Id, String> {
    Id::new(text).map_err(|fault| fault.to_string())
}
