//! The records of a page: what it is, and its entry in the list of its file.

use recto_pages::{PageKey, PageMeta};
use recto_store::{Fault, Key, Place, ReadError, frames};

use super::fault::{FaultClass, Found};
use crate::failure::Failure;
use crate::source::Source;

/// Reads a page's record, and its entry in the list of its file.
pub(super) async fn record(
    source: &Source,
    page: &PageKey,
    faults: &mut Vec<Found>,
) -> Result<Option<PageMeta>, Failure> {
    let key = PageMeta::key(page);
    let Some(bytes) = stored(source, &key, faults).await? else {
        return Ok(None);
    };
    let meta = match PageMeta::from_record(&bytes) {
        Ok(meta) => meta,
        Err(fault) => {
            faults.push(Found {
                place: record_place(&key),
                class: FaultClass::RecordUndecodable,
                what: fault.to_string(),
            });
            return Ok(None);
        }
    };
    if let Some(file) = &meta.file
        && let Ok(key) = PageMeta::file_key(page, file)
    {
        stored(source, &key, faults).await?;
    }
    Ok(Some(meta))
}

/// A record that must be there.
async fn stored(source: &Source, key: &Key, faults: &mut Vec<Found>) -> Result<Option<bytes::Bytes>, Failure> {
    let read = match source.engine().last(key).await {
        Ok(Some(entry)) => frames::open_record(key, &entry),
        Ok(None) => {
            faults.push(Found::of(record_place(key), &Fault::Missing));
            return Ok(None);
        }
        Err(fault) => Err(fault),
    };
    match read {
        Ok(bytes) => Ok(Some(bytes)),
        Err(ReadError::Corrupt { at, fault }) => {
            faults.push(Found::of(at, &fault));
            Ok(None)
        }
        Err(away) => Err(away.into()),
    }
}

pub(super) fn record_place(key: &Key) -> Place {
    Place::of(key, 1)
}
