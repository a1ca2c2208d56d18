//! The snapshots of a page: each is the state of its version.

use recto_pages::{PageKey, snapshot};
use recto_store::{Near, Place, ReadError, SnapshotError};

use super::fault::{FaultClass, Found};
use crate::failure::Failure;
use crate::source::Source;

/// Compares every snapshot with the digest that the event of its version recorded, which the replay has checked;
/// returns how many are right.
pub(super) async fn verify(
    source: &Source,
    page: &PageKey,
    versions: u64,
    faults: &mut Vec<Found>,
) -> Result<u64, Failure> {
    let kept = match source.store().snapshot_versions(page).await {
        Ok(kept) => kept,
        Err(ReadError::Corrupt { at, fault }) => {
            faults.push(Found::of(at, &fault));
            return Ok(0);
        }
        Err(away) => return Err(away.into()),
    };
    let mut right = 0;
    for version in kept {
        let place = Place::Snapshot {
            page: page.clone(),
            version,
        };
        match compare(source, page, version, versions).await? {
            Ok(()) => right += 1,
            Err((class, what)) => faults.push(Found { place, class, what }),
        }
    }
    Ok(right)
}

type Compared = Result<(), (FaultClass, String)>;

async fn compare(source: &Source, page: &PageKey, version: u64, versions: u64) -> Result<Compared, Failure> {
    let damaged = |what: String| Ok(Err((FaultClass::SnapshotDamaged, what)));
    let wrong = |what: String| Ok(Err((FaultClass::SnapshotWrong, what)));
    if version > versions || version == 0 {
        return wrong("the page has no such version".to_owned());
    }
    let bytes = match source.store().snapshot_near(page, version, Near::AtOrBefore).await {
        Ok(Some(found)) if found.version == version => found.value,
        // Dropped in the meantime: it is a cache.
        Ok(_) => return Ok(Ok(())),
        Err(SnapshotError::Read(ReadError::Corrupt { fault, .. })) => return damaged(fault.to_string()),
        Err(SnapshotError::Read(away)) => return Err(away.into()),
        Err(fault) => return damaged(fault.to_string()),
    };
    let value = match snapshot::decode(&bytes) {
        Ok(value) => value,
        Err(fault) => return damaged(fault),
    };
    let event = source.event(page, version).await?;
    let Some(event) = event.event() else {
        // There is nothing to compare it with; that is told where the event is missed.
        return Ok(Ok(()));
    };
    if value.digest() == event.digest() {
        return Ok(Ok(()));
    }
    wrong(format!(
        "it has the digest {}, and its event recorded {}",
        value.digest(),
        event.digest()
    ))
}
