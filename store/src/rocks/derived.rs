//! Derived things: snapshots. Never synced, written after everything else.

use bytes::Bytes;
use rocksdb::IteratorMode;

use super::db::{Db, read_error};
use super::layout::{Area, revision_key, split_revision};
use super::options;
use crate::engine::{Fault, Near, Place, ReadError};
use crate::id::PageKey;
use crate::keys::DerivedKey;

pub(super) fn put(db: &Db, key: &DerivedKey, value: &[u8]) -> Result<(), ReadError> {
    let put = db.db.put_cf_opt(
        db.area(Area::Snapshots)?,
        key.encode(),
        value,
        &options::write_derived(),
    );
    put.map_err(|error| read_error(|| place(&key.page, key.version), error))
}

pub(super) fn delete(db: &Db, key: &DerivedKey) -> Result<(), ReadError> {
    let delete = db
        .db
        .delete_cf_opt(db.area(Area::Snapshots)?, key.encode(), &options::write_derived());
    delete.map_err(|error| read_error(|| place(&key.page, key.version), error))
}

/// The derived entry nearest to a version on one side.
pub(super) fn near(db: &Db, page: &PageKey, version: u64, side: Near) -> Result<Option<(u64, Bytes)>, ReadError> {
    let bytes = page_bytes(page);
    let (from, to, mode) = match side {
        Near::AtOrBefore => (0, version.saturating_add(1), IteratorMode::End),
        Near::AtOrAfter => (version, u64::MAX, IteratorMode::Start),
    };
    let bounds = options::between(revision_key(&bytes, from), revision_key(&bytes, to));
    let mut entries = db.db.iterator_cf_opt(db.area(Area::Snapshots)?, bounds, mode);
    let Some(found) = entries.next() else {
        return Ok(None);
    };
    let (key, value) = found.map_err(|error| read_error(|| place(page, version), error))?;
    Ok(Some((version_of(page, &key)?, Bytes::from(value))))
}

/// The versions of a page that have a derived entry, rising.
pub(super) fn versions(db: &Db, page: &PageKey) -> Result<Vec<u64>, ReadError> {
    let bytes = page_bytes(page);
    let bounds = options::between(revision_key(&bytes, 0), revision_key(&bytes, u64::MAX));
    let mut versions = Vec::new();
    for found in db
        .db
        .iterator_cf_opt(db.area(Area::Snapshots)?, bounds, IteratorMode::Start)
    {
        let (key, _) = found.map_err(|error| read_error(|| place(page, 0), error))?;
        versions.push(version_of(page, &key)?);
    }
    Ok(versions)
}

fn version_of(page: &PageKey, key: &[u8]) -> Result<u64, ReadError> {
    let version = split_revision(key).map(|(_, version)| version);
    version.ok_or_else(|| ReadError::corrupt(place(page, 0), Fault::Key))
}

fn page_bytes(page: &PageKey) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(96);
    DerivedKey::encode_page_into(page, &mut bytes);
    bytes
}

fn place(page: &PageKey, version: u64) -> Place {
    Place::Snapshot {
        page: page.clone(),
        version,
    }
}
