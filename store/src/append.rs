//! Appending: events, receipt and records in one commit, or none of them.

mod error;
mod finish;
mod plan;

use bytes::Bytes;

pub use self::error::{AppendError, What};
use self::finish::Finish;
use self::plan::Plan;
pub(crate) use self::plan::receipt_of;
use crate::engine::CommitError;
use crate::event::{Event, Head, NewEvent};
use crate::id::{Id, PageKey, RecordKey};
use crate::keys::Key;
use crate::receipt::{CommandClaim, Receipt};
use crate::store::Store;

/// What to append.
#[derive(Clone, Debug)]
pub struct Append {
    /// The page (or chat, …) that the command is sent to.
    pub page: PageKey,
    /// The version that the caller has seen.
    pub expected: Expected,
    /// The events, in order; none for a command that changes nothing.
    pub events: Vec<NewEvent>,
    /// The command: its id is taken in the same commit.
    pub command: CommandClaim,
    /// Records that must agree with it.
    pub records: Vec<RecordWrite>,
}

/// What an append did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appended {
    /// The receipt: what a retry of the command is answered with.
    pub receipt: Receipt,
    /// The events, as they will be read back.
    pub events: Vec<Event>,
}

/// The version that an append was made from. There is no "any".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// The page has no event.
    New,
    /// The page's head is this version; 0 means the same as [`Expected::New`].
    Exactly(u64),
}

impl Expected {
    /// As a version; 0 for a new page.
    #[must_use]
    pub const fn version(self) -> u64 {
        match self {
            Self::New => 0,
            Self::Exactly(version) => version,
        }
    }
}

/// A record to write with an append.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordWrite {
    /// The table, in the page's scope.
    pub table: Id,
    /// The key.
    pub key: RecordKey,
    /// The revision that the caller has seen; 0: there is none.
    pub expected_revision: u64,
    /// The new value.
    pub value: Bytes,
}

impl Store {
    /// Appends events to a page, with the command's receipt and records, all or nothing.
    ///
    /// The receipt counts before the version: a command that was done is answered by what it
    /// did, whatever base it comes with now. Once begun, an append is finished even if its future
    /// is dropped.
    ///
    /// # Errors
    /// [`AppendError`] says what to do next. Only [`AppendError::OutcomeUnknown`] leaves open
    /// whether the command was done; sending it again settles that.
    pub async fn append(&self, append: Append) -> Result<Appended, AppendError> {
        let store = self.clone();
        Finish::new(async move { store.append_whole(append).await }).await
    }

    async fn append_whole(&self, append: Append) -> Result<Appended, AppendError> {
        plan::check(&append)?;
        match self.base(&append).await? {
            Base::Seen(head) => self.commit(append, head).await,
            Base::Other(actual) => match self.done(&append).await? {
                Some(done) => Err(done),
                None => Err(AppendError::Conflict {
                    expected: append.expected,
                    actual,
                }),
            },
        }
    }

    /// Compares the expected version with the head. Of a new page nothing is read: the commit's
    /// guard decides.
    async fn base(&self, append: &Append) -> Result<Base, AppendError> {
        let expected = append.expected.version();
        let known = self.inner.heads.get(&append.page);
        let head = match known {
            Some(head) if head.version >= expected => Some(head),
            None if expected == 0 => return Ok(Base::Seen(None)),
            _ => self.load_head(&append.page).await?,
        };
        let version = head.map_or(0, |head| head.version);
        Ok(if version == expected {
            Base::Seen(head)
        } else {
            Base::Other(head)
        })
    }

    async fn commit(&self, append: Append, head: Option<Head>) -> Result<Appended, AppendError> {
        let mut plan = Plan::new(&append, head, self.inner.durability)?;
        let (guards, puts) = (std::mem::take(&mut plan.guards), std::mem::take(&mut plan.puts));
        match self
            .inner
            .engine
            .commit(self.partition(&append.page), guards, puts)
            .await
        {
            Ok(committed) => {
                let (receipt, head) = plan.receipt(&append, &committed);
                if let Some(head) = head {
                    self.inner.heads.note(&append.page, head);
                }
                let events = plan.appended(append.events, &append.command.id, receipt.index);
                Ok(Appended { receipt, events })
            }
            Err(error) => Err(self.refusal(append, error).await),
        }
    }

    async fn refusal(&self, append: Append, error: CommitError) -> AppendError {
        match error {
            CommitError::Conflict { key, expected, actual } => self
                .conflict(append, key, expected, actual)
                .await
                .unwrap_or_else(|error| error),
            CommitError::Rejected(rejection) => rejection.into(),
            CommitError::Unavailable(reason) => AppendError::Unavailable(reason),
            CommitError::Indeterminate { reason } => {
                self.inner.heads.forget(&append.page);
                AppendError::OutcomeUnknown {
                    command: append.command.id,
                    reason,
                }
            }
        }
    }

    /// A guard did not hold: perhaps because this very command was done in the meantime.
    async fn conflict(&self, append: Append, key: Key, expected: u64, actual: u64) -> Result<AppendError, AppendError> {
        if let Some(done) = self.done(&append).await? {
            return Ok(done);
        }
        if let Key::Record { table, key, .. } = key {
            return Ok(AppendError::RecordConflict {
                table,
                key,
                expected,
                actual,
            });
        }
        let actual = self.load_head(&append.page).await?;
        Ok(AppendError::Conflict {
            expected: append.expected,
            actual,
        })
    }

    /// The answer to a command that was done already.
    async fn done(&self, append: &Append) -> Result<Option<AppendError>, AppendError> {
        let Some(receipt) = self.receipt(&append.page, &append.command.id).await? else {
            return Ok(None);
        };
        Ok(Some(if receipt.fingerprint == append.command.fingerprint {
            AppendError::AlreadyDone(Box::new(receipt))
        } else {
            AppendError::CommandIdReused {
                command: append.command.id.clone(),
            }
        }))
    }
}

enum Base {
    /// The head is the version that the caller has seen.
    Seen(Option<Head>),
    Other(Option<Head>),
}
