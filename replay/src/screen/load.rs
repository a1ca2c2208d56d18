//! Reading what the screen shows.

mod hex;
mod picture;
mod search;
mod shown;
mod snapshots;
mod stacks;
mod trial;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use recto_pages::PageKey;
use recto_projections::Kind;

pub use self::search::{Fits, search};
pub use self::snapshots::Snapshots;
pub use self::stacks::StackReader;
pub use self::trial::try_at;
use super::news::{Row, Shown};
use crate::failure::Failure;
use crate::source::Source;
use crate::states::{State, States, step};
use crate::telling;

/// How many events from a state that is near at hand the next one is reached by going on.
const NEAR_EVENTS: u64 = 256;
/// The most states near at hand. They share what they have in common.
const NEAR_STATES: usize = 1024;
/// The same on a SHEET page, whose states share nothing.
const NEAR_SHEETS: usize = 16;

/// Reads events and states. States of the events in the list are kept at hand, so that a step is immediate.
pub struct Loader {
    source: Source,
    page: PageKey,
    states: States,
    near: BTreeMap<u64, State>,
}

impl Loader {
    /// A loader for a page.
    ///
    /// # Errors
    /// [`Failure`], where there is no such page or its record cannot be read.
    pub async fn new(source: &Source, page: &PageKey) -> Result<Self, Failure> {
        Ok(Self {
            source: source.clone(),
            page: page.clone(),
            states: States::of(source, page).await?,
            near: BTreeMap::new(),
        })
    }

    /// The kind of the page.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.states.kind()
    }

    /// The newest version of the page.
    #[must_use]
    pub fn head(&self) -> u64 {
        self.states.head()
    }

    /// Events with their words.
    ///
    /// # Errors
    /// [`Failure`], where the store is away. Damage is told in the rows.
    pub async fn rows(&mut self, versions: RangeInclusive<u64>) -> Result<Vec<Row>, Failure> {
        let (first, last) = (*versions.start(), *versions.end());
        let mut state = self.state(first.saturating_sub(1)).await?;
        let mut rows = Vec::new();
        let mut at = first;
        while at <= last {
            for found in self.source.events(&self.page, at..=last).await? {
                at = found.version() + 1;
                let words = telling::words(&found, &state.value);
                step(&mut state, &found);
                self.keep(found.version(), &state);
                let doubt = state.doubt.clone();
                rows.push(Row { found, words, doubt });
            }
        }
        Ok(rows)
    }

    /// The page at a version.
    ///
    /// # Errors
    /// As [`Loader::rows`].
    pub async fn shown(&mut self, version: u64) -> Result<Shown, Failure> {
        let before = self.state(version.saturating_sub(1)).await?;
        let after = self.state(version).await?;
        let found = self.source.event(&self.page, version).await?;
        let previous = match version {
            0 | 1 => None,
            _ => Some(self.source.event(&self.page, version - 1).await?),
        };
        Ok(Shown::new(found, previous.as_ref(), &before, after))
    }

    /// The state at a version; 0 is the empty page.
    async fn state(&mut self, version: u64) -> Result<State, Failure> {
        let near = self.near.range(..=version).next_back();
        let Some((mut at, mut state)) = near
            .filter(|(at, _)| version - **at <= NEAR_EVENTS)
            .map(|(at, state)| (*at, state.clone()))
        else {
            let state = self.states.at(version).await?;
            self.keep(version, &state);
            return Ok(state);
        };
        while at < version {
            for found in self.source.events(&self.page, at + 1..=version).await? {
                at = found.version();
                step(&mut state, &found);
                self.keep(at, &state);
            }
        }
        Ok(state)
    }

    fn keep(&mut self, version: u64, state: &State) {
        let most = if self.kind() == Kind::Sheet {
            NEAR_SHEETS
        } else {
            NEAR_STATES
        };
        self.near.insert(version, state.clone());
        // What is farthest from here goes.
        while self.near.len() > most {
            let (Some((first, _)), Some((last, _))) = (self.near.first_key_value(), self.near.last_key_value()) else {
                return;
            };
            let far = if version - first > last - version {
                *first
            } else {
                *last
            };
            self.near.remove(&far);
        }
    }
}
