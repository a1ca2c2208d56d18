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
use crate::states::{State, States, step};

/// The most bytes of events: with pictures and all else the page stays below 5 MB.
const EVENTS_BYTES_MAX: usize = 3_000_000;
/// The most pictures.
const PICTURES_MAX: usize = 24;
/// The most nodes of a picture.
const PICTURE_NODES_MAX: usize = 300;
/// The most events that are gone over from one picture to the next before the nearest kept state is taken instead.
const STEPS_MAX: u64 = 1024;
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
    // What undoes an event comes after it.
    let oldest = found.entries.iter().map(|entry| entry.version).min();
    let since = oldest.unwrap_or(*versions.end());
    let manager = undone(source, page, since..=*versions.end()).await?;
    for entry in &mut found.entries {
        entry.undone_by = match manager.stand(entry.version) {
            Stand::Undone { by } if entry.is_edit => Some(by),
            _ => None,
        };
    }
    if states.kind() == Kind::Design {
        draw_some(source, page, &mut states, &mut found.entries).await?;
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
                told.left_out = if asked.oldest_first {
                    last + 1 - version
                } else {
                    version + 1 - first
                };
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

/// Draws the page at some of the events: at the first one, and evenly from there.
async fn draw_some(source: &Source, page: &PageKey, states: &mut States, entries: &mut [Entry]) -> Result<(), Failure> {
    let every = entries.len().div_ceil(PICTURES_MAX).max(1);
    // Rising, so that a state is found from the one before where that is near.
    let mut places: Vec<usize> = (0..entries.len()).step_by(every).collect();
    places.sort_by_key(|place| entries[*place].version);
    let mut last: Option<(u64, State)> = None;
    for place in places {
        let version = entries[place].version;
        let state = match last.take() {
            Some((at, state)) if version - at <= STEPS_MAX => walked(source, page, (at, state), version).await?,
            _ => states.at(version).await?,
        };
        entries[place].picture = picture(&state.value, version);
        last = Some((version, state));
    }
    Ok(())
}

/// Goes from one state to that at a later version.
async fn walked(source: &Source, page: &PageKey, (mut at, mut state): (u64, State), to: u64) -> Result<State, Failure> {
    while at < to {
        for found in source.events(page, at + 1..=to).await? {
            at = found.version();
            step(&mut state, &found);
        }
    }
    Ok(state)
}

fn picture(value: &Value, version: u64) -> Option<String> {
    let Value::Design(page) = value else { return None };
    let prefix = format!("v{version}-");
    let style = Style {
        prefix: &prefix,
        nodes_max: PICTURE_NODES_MAX,
        ..Style::ALONE
    };
    Some(draw(page, style)).filter(|svg| svg.len() <= PICTURE_BYTES_MAX)
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
