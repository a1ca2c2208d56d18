//! Records: reading them, and writing some that belong to no page. Those of a page are written with an append.

use bytes::Bytes;

use crate::append::RecordWrite;
use crate::codec::{self, Context};
use crate::engine::{CommitError, Entry, Guard, Place, Put, ReadError, Rejection, Unavailable};
use crate::id::{Id, PageKey, RecordKey};
use crate::keys::{Key, KeyPrefix};
use crate::limits::{BATCH_MAX_RECORDS, READ_MAX_ENTRIES, RECORD_MAX_BYTES};
use crate::store::Store;

/// Why records were not written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordsError {
    /// One is at another revision; nothing was written. Read it, and decide again.
    #[error("record {key} of table {table} is at revision {actual}, not at {expected}")]
    Conflict {
        /// The table.
        table: Id,
        /// The key.
        key: RecordKey,
        /// What the caller expected.
        expected: u64,
        /// The revision it has; 0: there is none.
        actual: u64,
    },
    /// More, or larger, than a limit allows; nothing was written.
    #[error("{what} is limited to {limit}, this has {got}")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// The most allowed.
        limit: usize,
        /// What came.
        got: usize,
    },
    /// They can never be written as they are, for instance since one stands twice; nothing was written.
    #[error("the records are refused: {0}")]
    Rejected(Rejection),
    /// Maybe written: read them to find out. Writing them again is safe, their revisions guard them.
    #[error("whether the records were written is unknown: {reason}")]
    OutcomeUnknown {
        /// What the engine ran into.
        reason: String,
    },
    /// Surely not written: try again later.
    #[error("nothing was written: {0}")]
    Unavailable(Unavailable),
}

/// A record at its newest revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The key in its table.
    pub key: RecordKey,
    /// How often it was written.
    pub revision: u64,
    /// The value.
    pub value: Bytes,
}

impl Store {
    /// Writes records of the scope of `home`, all or nothing, each at the revision that the caller has seen.
    /// `home` names the partition: what must ever be written together has the same.
    ///
    /// # Errors
    /// [`RecordsError`] says what to do next; only [`RecordsError::OutcomeUnknown`] leaves open whether they were
    /// written.
    pub async fn write_records(&self, home: &PageKey, writes: Vec<RecordWrite>) -> Result<(), RecordsError> {
        within("the number of records", BATCH_MAX_RECORDS, writes.len())?;
        let mut guards = Vec::with_capacity(writes.len());
        let mut puts = Vec::with_capacity(writes.len());
        for write in writes {
            within("a record's size in bytes", RECORD_MAX_BYTES, write.value.len())?;
            let key = Key::record(&home.scope, &write.table, &write.key);
            let context = Context {
                key: &key.encode(),
                revision: write.expected_revision.saturating_add(1),
            };
            let value = codec::seal_record(context, &write.value).bytes;
            guards.push(Guard {
                key: key.clone(),
                revision: write.expected_revision,
            });
            puts.push(Put { key, value });
        }
        let committed = self.inner.engine.commit(self.partition(home), guards, puts).await;
        committed.map(drop).map_err(RecordsError::from)
    }

    /// A record at its newest revision; `None` if it was never written.
    ///
    /// # Errors
    /// [`ReadError`], if it is damaged or the engine is away.
    pub async fn record(&self, scope: &Id, table: &Id, key: &RecordKey) -> Result<Option<Record>, ReadError> {
        let name = Key::record(scope, table, key);
        let entry = self.inner.engine.last(&name).await?;
        entry.map(|entry| record(&name, key.clone(), &entry)).transpose()
    }

    /// The records of a table whose keys begin with `prefix`, in the order of their keys,
    /// behind `after`.
    ///
    /// # Errors
    /// [`ReadError`], if one is damaged or the engine is away.
    pub async fn records(
        &self,
        scope: &Id,
        table: &Id,
        prefix: &str,
        after: Option<&RecordKey>,
        limit: usize,
    ) -> Result<Vec<Record>, ReadError> {
        let after = after.map(|key| Key::record(scope, table, key));
        let prefix = KeyPrefix::Records {
            scope: scope.clone(),
            table: table.clone(),
            prefix: prefix.to_owned(),
        };
        let found = self
            .inner
            .engine
            .latest(&prefix, after.as_ref(), limit.min(READ_MAX_ENTRIES))
            .await?;
        let mut records = Vec::with_capacity(found.len());
        for (name, entry) in found {
            if let Key::Record { key, .. } = &name {
                let key = key.clone();
                records.push(record(&name, key, &entry)?);
            }
        }
        Ok(records)
    }
}

impl From<CommitError> for RecordsError {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Conflict {
                key: Key::Record { table, key, .. },
                expected,
                actual,
            } => Self::Conflict {
                table,
                key,
                expected,
                actual,
            },
            // Nothing but records is guarded here.
            CommitError::Conflict { key, .. } => Self::Rejected(Rejection::Unguarded { key }),
            CommitError::Rejected(rejection) => Self::Rejected(rejection),
            CommitError::Unavailable(reason) => Self::Unavailable(reason),
            CommitError::Indeterminate { reason } => Self::OutcomeUnknown { reason },
        }
    }
}

fn within(what: &'static str, limit: usize, got: usize) -> Result<(), RecordsError> {
    if got > limit {
        Err(RecordsError::TooLarge { what, limit, got })
    } else {
        Ok(())
    }
}

/// A record's value from its entry.
pub(crate) fn decode_record(name: &Key, entry: &Entry) -> Result<Bytes, ReadError> {
    let context = Context {
        key: &name.encode(),
        revision: entry.revision,
    };
    codec::open_record(context, &entry.value)
        .map_err(|fault| ReadError::corrupt(Place::of(name, entry.revision), fault.into()))
}

fn record(name: &Key, key: RecordKey, entry: &Entry) -> Result<Record, ReadError> {
    Ok(Record {
        key,
        revision: entry.revision,
        value: decode_record(name, entry)?,
    })
}
