//! What the loader can be told.

use std::path::PathBuf;

use clap::Args;

/// Where `just run` listens.
const SERVER: &str = "http://127.0.0.1:7077";
/// Two pages at a time keep two cores busy.
const CONCURRENCY: usize = 2;
/// Transactions of a trace in a quick run.
const QUICK_EVENTS: usize = 2_000;
/// Versions of a history in a quick run.
const QUICK_VERSIONS: usize = 60;
/// Elements of a canvas in a quick run.
const QUICK_ELEMENTS: usize = 1_000;

/// What to load, where to, and how much of it.
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// What to load: `traces`, `all-traces`, `histories`, `canvases`, or names as `--list` prints them.
    /// Without any: the traces automerge-paper and rustcode, all histories, all canvases
    pub what: Vec<String>,

    /// The server to load into
    #[arg(long, default_value = SERVER, value_name = "URL", conflicts_with = "start")]
    pub server: String,

    /// Start a server for this run, on a free port and a folder that is removed afterwards
    #[arg(long)]
    pub start: bool,

    /// The server's program for --start; without it, the one beside this program
    #[arg(long, value_name = "FILE", requires = "start")]
    pub server_program: Option<PathBuf>,

    /// The folder for --start's data; it is kept
    #[arg(long, value_name = "DIR", requires = "start")]
    pub data: Option<PathBuf>,

    /// The bearer token
    #[arg(long, env = "RECTO_TOKEN", value_name = "TOKEN", hide_env_values = true)]
    pub token: Option<String>,

    /// The folder of the corpora; without it, the one that RECTO_CORPORA names, or ../shared/corpora
    #[arg(long, value_name = "DIR")]
    pub corpora: Option<PathBuf>,

    /// How many pages are loaded at the same time
    #[arg(long, default_value_t = CONCURRENCY, value_name = "COUNT")]
    pub concurrency: usize,

    /// The most transactions of each trace
    #[arg(long, value_name = "COUNT")]
    pub events: Option<usize>,

    /// The most versions of each history
    #[arg(long, value_name = "COUNT")]
    pub versions: Option<usize>,

    /// The most elements of each canvas
    #[arg(long, value_name = "COUNT")]
    pub elements: Option<usize>,

    /// A short run: the beginning of everything, some seconds in all
    #[arg(long)]
    pub quick: bool,

    /// What stands in front of the name in a page's id
    #[arg(long, default_value = "load-", value_name = "TEXT")]
    pub prefix: String,
}

impl Options {
    pub(super) fn events_max(&self) -> usize {
        self.events
            .unwrap_or(if self.quick { QUICK_EVENTS } else { usize::MAX })
    }

    pub(super) fn versions_max(&self) -> usize {
        self.versions
            .unwrap_or(if self.quick { QUICK_VERSIONS } else { usize::MAX })
    }

    pub(super) fn elements_max(&self) -> usize {
        self.elements
            .unwrap_or(if self.quick { QUICK_ELEMENTS } else { usize::MAX })
    }
}
