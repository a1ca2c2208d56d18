//! The options of the commands that search, check and carry histories, and of those about the tool itself.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use clap_complete::Shell;
use recto_store::Id;

use super::{Point, id};

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
    /// The chat whose trajectory was noted at the server: its id
    #[arg(long, value_name = "ID", value_parser = id, conflicts_with = "trajectory")]
    pub chat: Option<Id>,
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
