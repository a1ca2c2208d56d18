//! An event of a timeline: only what is shown of it is kept.

use recto_pages::EventKind;
use recto_projections::manager::Deed;

use crate::commands::log::Told;
use crate::out::time_full;
use crate::picture::escape::{Text, cut};

/// The most characters of a sentence.
const WORDS_CHARS: usize = 400;
/// The bytes that the markup around an event takes, about.
const MARKUP_BYTES: usize = 450;

/// An event.
pub(super) struct Entry {
    pub(super) version: u64,
    /// The kind of event, or what is the matter.
    pub(super) kind: &'static str,
    pub(super) actor: Option<String>,
    pub(super) turn: Option<String>,
    /// In full, with `T` and `Z`.
    pub(super) time: Option<String>,
    pub(super) words: Vec<String>,
    /// The version that it undoes, redoes or restores.
    pub(super) cause: Option<u64>,
    pub(super) is_edit: bool,
    pub(super) undone_by: Option<u64>,
    /// From when on states are uncertain, and why, where this one is.
    pub(super) doubt: Option<String>,
    /// The page at this version.
    pub(super) picture: Option<String>,
}

impl Entry {
    pub(super) fn of(told: &Told) -> Self {
        let event = told.found.event();
        let kind = event.map_or("damaged", |event| event.kind().map_or("unknown", EventKind::as_str));
        Self {
            version: told.found.version(),
            kind,
            actor: event.map(|event| event.event.actor.clone()),
            turn: event.and_then(|event| event.event.turn.clone()),
            time: event.map(|event| time_full(event.event.time_ms)),
            words: told
                .words
                .iter()
                .map(|words| cut(words, WORDS_CHARS).into_owned())
                .collect(),
            cause: event.and_then(|event| event.cause()),
            is_edit: event.is_some_and(|event| event.header().deed == Deed::Edit),
            undone_by: None,
            doubt: told
                .doubt
                .as_ref()
                .map(|doubt| format!("uncertain since {}: {}", doubt.since, doubt.reason)),
            picture: None,
        }
    }

    /// About how many bytes it takes on the page, without its picture.
    pub(super) fn size(&self) -> usize {
        let texts = [&self.actor, &self.turn, &self.doubt];
        let texts = texts.into_iter().flatten().chain(&self.words);
        MARKUP_BYTES + texts.map(|text| Text(text).to_string().len() + 10).sum::<usize>()
    }
}
