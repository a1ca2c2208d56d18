//! The states of one page, for whoever goes back and forth in its history: near any version a state is kept, and
//! damage makes states uncertain instead of ending them.

use std::collections::BTreeMap;

use recto_pages::{At, PageKey, ReadError};
use recto_projections::{Kind, Value};

use crate::failure::Failure;
use crate::history::Found;
use crate::source::Source;

/// How many versions apart states are kept.
const KEPT_EVERY: u64 = 1024;
/// How far a state may be from one that is kept before the page service is asked, which has snapshots.
const NEAR: u64 = 2 * KEPT_EVERY;
/// The most states kept; beyond, every other one is dropped.
const KEPT_MAX: usize = 512;

/// A state, and how far it can be believed.
#[derive(Clone, Debug)]
pub struct State {
    /// The value.
    pub value: Value,
    /// Whether it is surely what the page was.
    pub doubt: Option<Doubt>,
}

/// From when on states are uncertain, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// The first version that is.
    pub since: u64,
    /// Why.
    pub reason: String,
}

/// The states of a page. A value shares what it has in common with those before and after it, so that keeping many costs
/// little.
pub struct States {
    source: Source,
    page: PageKey,
    kind: Kind,
    head: u64,
    kept: BTreeMap<u64, State>,
}

impl States {
    /// The states of a page.
    ///
    /// # Errors
    /// [`Failure`], where there is no such page or its record cannot be read.
    pub async fn of(source: &Source, page: &PageKey) -> Result<Self, Failure> {
        let kind = source.pages.kind_of(&page.scope, &page.page).await?;
        let empty = State {
            value: Value::empty(kind),
            doubt: None,
        };
        Ok(Self {
            source: source.clone(),
            page: page.clone(),
            kind,
            head: source.head(page).await?,
            kept: BTreeMap::from([(0, empty)]),
        })
    }

    /// The kind of the page.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The newest version.
    #[must_use]
    pub fn head(&self) -> u64 {
        self.head
    }

    /// The state at a version; 0 is the empty page.
    ///
    /// # Errors
    /// [`Failure`], where the store is away. Damage is told in the state.
    pub async fn at(&mut self, version: u64) -> Result<State, Failure> {
        let nearest = self.kept.range(..=version).next_back();
        let (mut at, mut state) = nearest.map_or_else(|| (0, self.empty()), |(at, state)| (*at, state.clone()));
        if version - at > NEAR
            && let Some(read) = self.read(version).await?
        {
            self.keep(version, &read);
            return Ok(read);
        }
        while at < version {
            for found in self.source.events(&self.page, at + 1..=version).await? {
                at = found.version();
                step(&mut state, &found);
                if at % KEPT_EVERY == 0 {
                    self.keep(at, &state);
                }
            }
        }
        Ok(state)
    }

    /// What the page service says, where it can.
    async fn read(&self, version: u64) -> Result<Option<State>, Failure> {
        let (scope, page) = (&self.page.scope, &self.page.page);
        match self.source.pages.read(scope, page, At::Version(version)).await {
            Ok(read) => Ok(Some(State {
                value: read.value,
                doubt: None,
            })),
            Err(ReadError::Corrupt { .. }) => Ok(None),
            Err(fault) => Err(fault.into()),
        }
    }

    fn empty(&self) -> State {
        State {
            value: Value::empty(self.kind),
            doubt: None,
        }
    }

    fn keep(&mut self, version: u64, state: &State) {
        self.kept.insert(version, state.clone());
        if self.kept.len() > KEPT_MAX {
            let mut odd = false;
            self.kept.retain(|version, _| {
                odd = !odd;
                odd || *version == 0
            });
        }
    }
}

/// Goes from the state before an event to the one after it, as far as that is possible. A digest that fits ends all doubt.
pub fn step(state: &mut State, found: &Found) {
    let doubt = match found {
        Found::Damaged(damaged) => Some(damaged.reason.clone()),
        Found::Event(event) => match event.delta() {
            Err(fault) => Some(fault.to_string()),
            Ok(None) => None,
            Ok(Some(delta)) => state
                .value
                .replay(&delta)
                .err()
                .map(|fault| format!("the stored change does not apply: {fault}")),
        },
    };
    let fits = found
        .event()
        .is_some_and(|event| event.digest() == state.value.digest());
    if fits {
        state.doubt = None;
    } else if state.doubt.is_none() {
        let reason = doubt.unwrap_or_else(|| "the state is not the one that its event recorded".to_owned());
        let since = found.version();
        state.doubt = Some(Doubt { since, reason });
    }
}
