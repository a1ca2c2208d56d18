//! The loader: real histories go in through the real door and come out again, compared with their source.
//!
//! - A **trace** becomes a CODE page, one event a transaction.
//! - A **history** becomes a DOC or CODE page, one whole-value replace a version.
//! - A **canvas** becomes a DESIGN page; see [`crate::canvas`] for its rules.
//!
//! Then versions spread over the whole history are read back and compared byte for byte. The first difference ends
//! the run. Every request has an idempotency key made of the page and the step, so that a run that was broken off,
//! or a second one, gets the first one's answers and finds the same.

mod canvas_page;
mod compare;
mod error;
mod history_page;
mod options;
mod progress;
mod report;
mod selection;
mod server;
mod trace_page;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

pub use self::error::LoadError;
pub use self::options::Options;
use self::progress::Board;
pub use self::report::{Loaded, Report};
use self::selection::Source;
pub use self::selection::names;
use self::server::Server;
use crate::client::Client;
use crate::corpora::Corpora;

/// What every page's loading needs.
struct Context<'a> {
    corpora: &'a Corpora,
    options: &'a Options,
    client: &'a Client,
    board: &'a Board,
    /// Set by the first fault, so that the others stop as well.
    stop: &'a AtomicBool,
}

/// Loads what the options select, and reads it back.
///
/// # Errors
/// [`LoadError::Differs`] where a version is not what its source says; otherwise what kept the loader from its work.
pub fn run(options: &Options) -> Result<Report, LoadError> {
    let corpora = Corpora::find(options.corpora.as_deref())?;
    let sources = selection::select(&corpora, options)?;
    let server = options.start.then(|| Server::start(options)).transpose()?;
    let address = server.as_ref().map_or(options.server.as_str(), Server::address);
    let client = Client::new(address, options.token.as_deref());
    let board = Board::new();
    board.say(&format!("loading into {address}; pages: {}", sources.len()));
    let loaded = load_all(&corpora, options, &client, &board, &sources);
    let data_bytes = server.map(Server::stop).transpose()?;
    Ok(Report {
        loaded: loaded?,
        data_bytes,
    })
}

/// Each worker takes the next page until none is left. A page's requests go one after the other.
fn load_all(
    corpora: &Corpora,
    options: &Options,
    client: &Client,
    board: &Board,
    sources: &[Source],
) -> Result<Vec<Loaded>, LoadError> {
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (loaded, fault) = (Mutex::new(Vec::new()), Mutex::new(None));
    let context = Context {
        corpora,
        options,
        client,
        board,
        stop: &stop,
    };
    std::thread::scope(|scope| {
        for _ in 0..options.concurrency.clamp(1, sources.len().max(1)) {
            scope.spawn(|| {
                while let Some(source) = sources.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    match source.load(&context) {
                        Ok(page) => push(&loaded, page),
                        Err(LoadError::Stopped) => return,
                        Err(error) => {
                            stop.store(true, Ordering::Relaxed);
                            keep_first(&fault, error);
                            return;
                        }
                    }
                }
            });
        }
    });
    match fault.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(loaded.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)),
    }
}

fn push(list: &Mutex<Vec<Loaded>>, page: Loaded) {
    list.lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
        .push(page);
}

fn keep_first(slot: &Mutex<Option<LoadError>>, error: LoadError) {
    slot.lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
        .get_or_insert(error);
}

impl Context<'_> {
    fn check_stop(&self) -> Result<(), LoadError> {
        if self.stop.load(Ordering::Relaxed) {
            Err(LoadError::Stopped)
        } else {
            Ok(())
        }
    }

    fn page_id(&self, name: &str) -> String {
        format!("{}{name}", self.options.prefix)
    }
}
