//! The log of a page as a page of HTML: a timeline of its events, with small pictures on the way.

mod entry;
mod write;

use std::ops::RangeInclusive;

use recto_pages::PageKey;
use recto_projections::manager::{HistoryManager, Stand};
use recto_projections::{Kind, Value};

use self::entry::Entry;
use self::write::{Timeline, Told};
use super::drawing::{Style, draw};
use crate::args::Log;
use crate::commands::log::{Walk, is_asked};
use crate::failure::Failure;
use crate::source::Source;
use crate::states::States;

/// The most bytes of events: with pictures and all else the page stays below 5 MB.
const EVENTS_BYTES_MAX: usize = 3_300_000;
/// The most pictures.
const PICTURES_MAX: usize = 24;
/// The most nodes of a picture.
const PICTURE_NODES_MAX: usize = 300;
/// A picture that takes more bytes is left out.
const PICTURE_BYTES_MAX: usize = 60_000;

/// Makes the page.
///
/// # Errors
/// [`Failure`], where the page cannot be read.
pub(super) async fn page(
    source: &Source,
    page: &PageKey,
    versions: RangeInclusive<u64>,
    asked: &Log,
) -> Result<String, Failure> {
    let mut states = States::of(source, page).await?;
    let mut found = collect(source, page, versions.clone(), asked).await?;
    let manager = undone(source, page, versions.clone()).await?;
    for entry in &mut found.entries {
        entry.undone_by = match manager.stand(entry.version) {
            Stand::Undone { by } if entry.is_edit => Some(by),
            _ => None,
        };
    }
    if states.kind() == Kind::Design {
        draw_some(&mut states, &mut found.entries).await?;
    }
    let timeline = Timeline {
        page: page.page.as_str(),
        kind: states.kind(),
        versions,
        told: &found,
        filters: &filters(asked),
    };
    Ok(timeline.to_string())
}

/// The events asked for, as many as fit.
async fn collect(source: &Source, page: &PageKey, versions: RangeInclusive<u64>, asked: &Log) -> Result<Told, Failure> {
    let (first, last) = (*versions.start(), *versions.end());
    let mut walk = Walk::new(source, page, asked.oldest_first, versions).await?;
    let limit = if asked.limit == 0 { usize::MAX } else { asked.limit };
    let mut told = Told::default();
    let mut bytes = 0;
    'walk: loop {
        let chunk = walk.next().await?;
        if chunk.is_empty() {
            break;
        }
        for event in chunk.iter().filter(|event| is_asked(asked, event)) {
            let entry = Entry::of(event);
            let version = entry.version;
            bytes += entry.size();
            told.is_full = bytes > EVENTS_BYTES_MAX;
            if told.is_full || told.entries.len() == limit {
                // From this one on nothing is told.
                told.left_out = if asked.oldest_first { last + 1 - version } else { version + 1 - first };
                break 'walk;
            }
            told.entries.push(entry);
        }
    }
    Ok(told)
}

/// What was undone, as the HistoryManager sees it at the end of the versions.
async fn undone(source: &Source, page: &PageKey, versions: RangeInclusive<u64>) -> Result<HistoryManager, Failure> {
    let (mut at, last) = (*versions.start(), *versions.end());
    let mut manager = HistoryManager::new(last - at + 1);
    while at <= last {
        for found in source.events(page, at..=last).await? {
            at = found.version() + 1;
            if let Some(event) = found.event() {
                manager.take(&event.header());
            }
        }
    }
    Ok(manager)
}

/// Draws the page at some of the events: at the first and the last, and evenly between them.
async fn draw_some(states: &mut States, entries: &mut [Entry]) -> Result<(), Failure> {
    let step = entries.len().div_ceil(PICTURES_MAX).max(1);
    // Rising, so that each state is found from the one before.
    let mut places: Vec<usize> = (0..entries.len()).step_by(step).collect();
    places.sort_by_key(|place| entries[*place].version);
    for place in places {
        let version = entries[place].version;
        let Value::Design(page) = states.at(version).await?.value else { continue };
        let prefix = format!("v{version}-");
        let style = Style {
            prefix: &prefix,
            nodes_max: PICTURE_NODES_MAX,
            ..Style::ALONE
        };
        let svg = draw(&page, style);
        if svg.len() <= PICTURE_BYTES_MAX {
            entries[place].picture = Some(svg);
        }
    }
    Ok(())
}

/// What narrows the events down, in words.
fn filters(asked: &Log) -> Vec<String> {
    let named = [
        ("by", &asked.actor),
        ("of turn", &asked.turn),
        ("that touch", &asked.node),
        ("whose words hold", &asked.grep),
    ];
    named
        .into_iter()
        .filter_map(|(name, value)| Some(format!("{name} {}", value.as_ref()?)))
        .collect()
}
