//! Searching the events: by node, by actor, by what they did in words.

use recto_pages::PageKey;

use crate::commands::log::{Told, Walk};
use crate::failure::Failure;
use crate::screen::news::Search;
use crate::source::Source;

/// What an event must have to be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fits {
    /// The actor's name holds this; written `@anna`.
    Actor(String),
    /// It touches this node, background or file; written `#title`.
    Node(String),
    /// Any of the two, or its turn, or its words hold this.
    Any(String),
}

impl Fits {
    /// Reads what was typed.
    #[must_use]
    pub fn of(query: &str) -> Self {
        let query = query.trim();
        if let Some(actor) = query.strip_prefix('@').filter(|actor| !actor.is_empty()) {
            return Self::Actor(actor.to_lowercase());
        }
        if let Some(node) = query.strip_prefix('#').filter(|node| !node.is_empty()) {
            return Self::Node(node.to_owned());
        }
        Self::Any(query.to_owned())
    }

    /// Whether an event has it.
    #[must_use]
    pub fn is_in(&self, told: &Told) -> bool {
        match self {
            Self::Actor(name) => by(told, name),
            Self::Node(node) => touches(told, node),
            Self::Any(text) => {
                let small = text.to_lowercase();
                let turn = told.found.event().and_then(|event| event.event.turn.as_deref());
                by(told, &small)
                    || touches(told, text)
                    || turn == Some(text.as_str())
                    || told.words.iter().any(|words| words.to_lowercase().contains(&small))
            }
        }
    }
}

/// Finds the next event that fits, once around the history; the one it starts from comes last. `progress` is told every
/// now and then where it is.
///
/// # Errors
/// [`Failure`], where the store is away.
pub async fn search(
    source: &Source,
    page: &PageKey,
    search: &Search,
    mut progress: impl FnMut(u64) + Send,
) -> Result<Option<u64>, Failure> {
    let head = source.head(page).await?;
    let from = search.from.clamp(1, head);
    let fits = Fits::of(&search.query);
    let (behind, before) = (from + 1..=head, 1..=from - 1);
    let parts = if search.forward {
        [behind, 1..=from]
    } else {
        [before, from..=head]
    };
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        let mut walk = Walk::new(source, page, search.forward, part).await?;
        loop {
            let chunk = walk.next().await?;
            let Some(last) = chunk.last() else { break };
            if let Some(told) = chunk.iter().find(|told| fits.is_in(told)) {
                return Ok(Some(told.found.version()));
            }
            progress(last.found.version());
        }
    }
    Ok(None)
}

fn by(told: &Told, name: &str) -> bool {
    let event = told.found.event();
    event.is_some_and(|event| event.event.actor.to_lowercase().contains(name))
}

fn touches(told: &Told, node: &str) -> bool {
    let Some(event) = told.found.event() else { return false };
    let deltas = [event.delta(), event.inverse()];
    deltas
        .into_iter()
        .filter_map(Result::ok)
        .flatten()
        .any(|delta| delta.touches(node))
}
