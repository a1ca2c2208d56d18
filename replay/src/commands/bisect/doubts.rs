//! Where it is known that a check need not fail from a version on: what was undone or restored brings states back.

use recto_pages::{EventKind, PageKey};

use crate::failure::Failure;
use crate::history::Found;
use crate::search::{Ends, Turned};
use crate::source::Source;

/// The restores that are told; each is found in as many reads of events as the versions have binary digits.
const RESTORES_TOLD: usize = 8;

/// The warnings, a sentence each.
pub(super) async fn of(source: &Source, page: &PageKey, ends: Ends, turned: Turned) -> Result<Vec<String>, Failure> {
    let mut doubts: Vec<String> = brought_back(source, page, ends, turned).await?.into_iter().collect();
    doubts.extend(taken_back(source, page, ends, turned).await?);
    doubts.extend(restores(source, page, ends, turned).await?);
    Ok(doubts)
}

/// Whether the event is itself an undo, redo or restore: then what fails may be older.
async fn brought_back(source: &Source, page: &PageKey, ends: Ends, turned: Turned) -> Result<Option<String>, Failure> {
    let found = source.event(page, turned.first_failing).await?;
    let Some(event) = found.event() else {
        return Ok(None);
    };
    let (Ok(kind), Some(cause)) = (event.kind(), event.cause()) else {
        return Ok(None);
    };
    // An undo or redo goes back to before its cause, a restore to the version itself.
    let older = match kind {
        EventKind::Restore => cause,
        _ => cause.saturating_sub(1),
    };
    Ok((older > ends.good).then(|| {
        format!(
            "version {} is itself {} of version {cause}, so the check may have failed before; \
             `recto bisect --bad {older}` looks there",
            turned.first_failing,
            match kind {
                EventKind::Undo => "an undo",
                EventKind::Redo => "a redo",
                _ => "a restore",
            }
        )
    }))
}

/// Whether the event was undone soon after: only the events of one read are looked at.
async fn taken_back(source: &Source, page: &PageKey, ends: Ends, turned: Turned) -> Result<Option<String>, Failure> {
    let first = turned.first_failing;
    let later = source.events(page, first + 1..=ends.bad).await?;
    let undo = later
        .iter()
        .filter_map(Found::event)
        .find(|event| event.cause() == Some(first) && matches!(event.kind(), Ok(EventKind::Undo | EventKind::Redo)));
    Ok(undo.map(|undo| {
        format!(
            "version {} took version {first} back, so the check may hold again from there on; \
             `recto bisect --good {}` looks behind it",
            undo.version(),
            undo.version()
        )
    }))
}

/// The restores behind the version found that went back to one before it. Each raises the epoch, so they are found by
/// halving.
async fn restores(source: &Source, page: &PageKey, ends: Ends, turned: Turned) -> Result<Vec<String>, Failure> {
    let mut doubts = Vec::new();
    let mut at = turned.first_failing;
    while doubts.len() < RESTORES_TOLD {
        let Some(restore) = next_restore(source, page, at, ends.bad).await? else {
            break;
        };
        at = restore;
        let found = source.event(page, restore).await?;
        let Some(to) = found.event().and_then(recto_pages::PageEvent::cause) else {
            continue;
        };
        if to < turned.first_failing {
            doubts.push(format!(
                "version {restore} restored version {to}, from before the check failed, so it may hold again there; \
                 `recto bisect --good {restore}` looks behind it"
            ));
        }
    }
    Ok(doubts)
}

/// The first version behind `after` with another epoch; none up to `last`, or where an event cannot be read.
async fn next_restore(source: &Source, page: &PageKey, after: u64, last: u64) -> Result<Option<u64>, Failure> {
    let Some(epoch) = epoch(source, page, after).await? else {
        return Ok(None);
    };
    if self::epoch(source, page, last)
        .await?
        .is_none_or(|newest| newest == epoch)
    {
        return Ok(None);
    }
    let (mut same, mut other) = (after, last);
    while other - same > 1 {
        let middle = same + (other - same) / 2;
        match self::epoch(source, page, middle).await? {
            Some(found) if found == epoch => same = middle,
            Some(_) => other = middle,
            None => return Ok(None),
        }
    }
    Ok(Some(other))
}

async fn epoch(source: &Source, page: &PageKey, version: u64) -> Result<Option<u64>, Failure> {
    let found = source.event(page, version).await?;
    Ok(found.event().map(|event| event.event.epoch))
}
