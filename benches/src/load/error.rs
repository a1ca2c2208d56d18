//! What can end a load.

use std::io;
use std::path::PathBuf;

use crate::client::RequestError;
use crate::corpora::CorpusError;

/// Why a load ended early.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A version is not what its source says.
    #[error("page {page} at version {version} is not what the source says: {what}")]
    Differs {
        /// The page.
        page: String,
        /// The version.
        version: String,
        /// The first difference.
        what: String,
    },
    /// A request failed.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// No such thing in the corpora.
    #[error("there is nothing named {name:?} to load; --list prints all names")]
    UnknownName {
        /// The name.
        name: String,
    },
    /// The corpora cannot be read.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// The trace itself is broken.
    #[error("the trace {name} cannot be replayed: {what}")]
    Trace {
        /// The trace.
        name: String,
        /// What is wrong with it.
        what: String,
    },
    /// The server cannot be started.
    #[error("{} cannot be started: {fault}", program.display())]
    Start {
        /// The server's program.
        program: PathBuf,
        /// Why.
        fault: String,
    },
    /// The server that was started did not end well.
    #[error("the server ended with {status}")]
    Stop {
        /// Its status.
        status: String,
    },
    /// A file of this run cannot be used.
    #[error("{}: {fault}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        fault: io::Error,
    },
    /// Another page failed first.
    #[error("another page failed first")]
    Stopped,
}
