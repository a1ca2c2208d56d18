//! Why a command has no answer, and the exit code that says so.

use std::path::PathBuf;
use std::process::ExitCode;

use recto_pages::{ReadError, WriteError};
use recto_store::{AppendError, CommitError, OpenError, ReadError as StoreError, RocksError};

/// How a command ended, as the exit code of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// 0: answered; nothing is wrong with what was looked at.
    Ok,
    /// 1: answered; a fault was found, a check failed, or there are conflicts.
    Found,
    /// 2: the arguments do not make a question.
    Usage,
    /// 3: there is no such page, version, node, file, command or workspace.
    NotFound,
    /// 4: the data folder or the file cannot be opened or written.
    Source,
    /// 5: the answer needs something that is damaged: run `verify`.
    Damaged,
    /// 6: the undo, redo or import is refused.
    Refused,
}

/// Why a command has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The arguments do not make a question.
    #[error("{0}")]
    Usage(String),
    /// There is no such thing.
    #[error("{0}")]
    NotFound(String),
    /// The path is neither a data folder nor an exported file.
    #[error("{} is neither a data folder of a server nor an exported file; name one with --data", path.display())]
    NoSource {
        /// The path.
        path: PathBuf,
    },
    /// The data folder does not open.
    #[error("{}: {fault}{}", folder.display(), way_out(fault))]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// Why.
        fault: RocksError,
    },
    /// The store in it does not open.
    #[error("the store does not open: {0}{next}", next = opening_step(.0))]
    Store(#[from] OpenError),
    /// The exported file cannot be read.
    #[error("{}, line {line}: {what}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The line at fault, from 1; 0 where it is none.
        line: u64,
        /// What is wrong.
        what: String,
    },
    /// A file or folder of the system cannot be used.
    #[error("{}: {fault}", path.display())]
    System {
        /// The file or folder.
        path: PathBuf,
        /// In the system's words.
        fault: std::io::Error,
    },
    /// The page service has no answer.
    #[error(transparent)]
    Read(ReadError),
    /// The page service refuses.
    #[error(transparent)]
    Write(WriteError),
    /// The log has no answer.
    #[error("{0}{next}", next = next_step(.0))]
    Log(#[from] StoreError),
    /// What was asked for is refused.
    #[error("{0}")]
    Refused(String),
    /// The store could not be written to.
    #[error("nothing was imported: {0}")]
    Commit(#[from] CommitError),
    /// The answer cannot be written.
    #[error("the answer cannot be written: {0}")]
    Output(#[from] std::io::Error),
    /// A picture cannot be drawn.
    #[error("the picture cannot be drawn: {0}")]
    Picture(String),
}

impl Failure {
    /// The exit code.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::Usage(_) => Code::Usage,
            Self::NotFound(_) => Code::NotFound,
            Self::NoSource { .. }
            | Self::Folder { .. }
            | Self::Store(_)
            | Self::File { .. }
            | Self::System { .. }
            | Self::Commit(_)
            | Self::Picture(_)
            | Self::Output(_) => Code::Source,
            Self::Read(fault) => of_read(fault),
            Self::Write(WriteError::Read(fault)) => of_read(fault),
            Self::Write(WriteError::PageNotFound { .. }) => Code::NotFound,
            Self::Write(_) | Self::Refused(_) => Code::Refused,
            Self::Log(StoreError::Corrupt { .. }) => Code::Damaged,
            Self::Log(StoreError::Unavailable(_)) => Code::Source,
        }
    }

    /// The stable name of the failure, for programs.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self.code() {
            Code::Ok => "ok",
            Code::Found => "found",
            Code::Usage => "usage",
            Code::NotFound => "not_found",
            Code::Source => "source",
            Code::Damaged => "damaged",
            Code::Refused => "refused",
        }
    }
}

impl From<ReadError> for Failure {
    fn from(fault: ReadError) -> Self {
        Self::Read(fault)
    }
}

impl From<WriteError> for Failure {
    fn from(fault: WriteError) -> Self {
        Self::Write(fault)
    }
}

impl From<AppendError> for Failure {
    fn from(fault: AppendError) -> Self {
        Self::Refused(format!("nothing was imported: {fault}"))
    }
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        Self::from(match code {
            Code::Ok => 0,
            Code::Found => 1,
            Code::Usage => 2,
            Code::NotFound => 3,
            Code::Source => 4,
            Code::Damaged => 5,
            Code::Refused => 6,
        })
    }
}

fn of_read(fault: &ReadError) -> Code {
    match fault {
        ReadError::Corrupt { .. } => Code::Damaged,
        ReadError::Unavailable { .. } => Code::Source,
        ReadError::NoDiff { .. } => Code::Refused,
        _ => Code::NotFound,
    }
}

/// What can be done where the log has no answer.
fn next_step(fault: &StoreError) -> &'static str {
    match fault {
        StoreError::Corrupt { .. } => {
            "; `recto verify` tells of each page what is whole; else restore the folder from a backup"
        }
        StoreError::Unavailable(_) => "",
    }
}

/// What can be done where the store does not open.
fn opening_step(fault: &OpenError) -> &'static str {
    match fault {
        OpenError::Read(StoreError::Corrupt { .. }) => "; restore the folder from a backup",
        _ => "",
    }
}

/// What can still be done with a folder that does not open.
fn way_out(fault: &RocksError) -> &'static str {
    match fault {
        RocksError::Damaged { .. } => {
            "; --salvage reads what is left of it, where only the log is damaged; else restore the folder from a backup"
        }
        _ => "",
    }
}
