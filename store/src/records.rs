//! Reading records. They are written with an append.

use bytes::Bytes;

use crate::codec::{self, Context};
use crate::engine::{Entry, Place, ReadError};
use crate::id::{Id, RecordKey};
use crate::keys::{Key, KeyPrefix};
use crate::limits::READ_MAX_ENTRIES;
use crate::store::Store;

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
