//! What events did to a text from its base to its head, as one change, where some of them took others back.
//!
//! Gone over one by one, text that an edit deletes and its undo brings back is other text, so that what was made on it
//! before is misplaced or lost. A [weave](crate::text::weave) knows it for the same: what is undone leaves no trace in
//! the change that it gives.

use std::borrow::Cow;

use super::committed::Committed;
use crate::text::weave::{EditId, Weave};
use crate::text::{RichText, TextDelta, diff_plain};

/// An event, as far as a text is concerned.
pub(super) struct Step<'a> {
    pub(super) version: u64,
    pub(super) undoes: &'a [u64],
    pub(super) did: Did<'a>,
}

/// What an event did to a text.
#[derive(Debug)]
pub(super) enum Did<'a> {
    /// Nothing that shows.
    Nothing,
    Edit(Cow<'a, TextDelta>),
    /// Took it away as a whole.
    Removed,
    /// Brought the same text back, as it is by then.
    Returned(Cow<'a, str>),
}

/// Says whether an event takes another one of them back.
pub(super) fn has_pair(over: &[Committed<'_>]) -> bool {
    let first = over.first().map_or(u64::MAX, |event| event.version);
    over.iter()
        .any(|event| event.undoes.iter().any(|target| *target >= first))
}

/// Gives the change that leads from the text at the base to the one at the head, of which the length is given. The weave
/// starts with the text at the base. `None` if the steps do not lead there, or the weave is too long.
///
/// The cost follows the steps and the runs of the weave, not the text.
pub(super) fn change<'a>(
    weave: Weave,
    base: RichText,
    steps: impl IntoIterator<Item = Step<'a>>,
    head_len: usize,
) -> Option<TextDelta> {
    let mut bridge = Bridge {
        weave,
        text: base,
        is_away: false,
    };
    for step in steps {
        bridge.take(step)?;
    }
    let arrived = !bridge.is_away && bridge.weave.len() == head_len;
    arrived.then(|| bridge.weave.change())
}

/// The weave on its way to the head, with the text as the events really left it.
struct Bridge {
    weave: Weave,
    text: RichText,
    is_away: bool,
}

impl Bridge {
    fn take(&mut self, step: Step<'_>) -> Option<()> {
        let (event, mend) = ids(step.version)?;
        let before = self.weave.newest();
        let undone = self.undo(event, step.undoes)?;
        match step.did {
            Did::Nothing => {
                // What is undone in a text that is away shows when that returns.
                if undone.is_some_and(|delta| !self.is_away && !self.reads_as(&delta, &self.text)) {
                    self.weave.rewind(before);
                }
            }
            Did::Edit(delta) => {
                let was = self.text.clone();
                self.text.replay(&delta).ok()?;
                if undone.as_ref().is_some_and(|undone| self.came_of(undone, &was, &delta)) {
                    return Some(());
                }
                // It was not the undo that the weave knows: one that took older events back too, for example.
                self.weave.rewind(before);
                self.weave.edit(event, &delta).ok()?;
            }
            Did::Removed => self.is_away = true,
            Did::Returned(text) => {
                (self.text, self.is_away) = (RichText::from_plain(&text), false);
                let known = self.weave.plain();
                if known != *text {
                    self.weave.edit(mend, &diff_plain(&known, &text)).ok()?;
                }
            }
        }
        Some(())
    }

    /// Undoes those of the events that the weave knows; gives what that changes, if there are any.
    fn undo(&mut self, event: EditId, undoes: &[u64]) -> Option<Option<TextDelta>> {
        let mut known = Vec::new();
        for target in undoes {
            let (target, mend) = ids(*target)?;
            let both = [target, mend].into_iter();
            known.extend(both.filter(|id| self.weave.switches(&[*id]).is_ok()));
        }
        if known.is_empty() {
            return Some(None);
        }
        self.weave.undo(event, &known).ok().map(Some)
    }

    /// Says whether an undo makes of a text what a delta made of it.
    fn came_of(&self, undone: &TextDelta, was: &RichText, delta: &TextDelta) -> bool {
        undone == delta || self.reads_as(undone, was)
    }

    /// Says whether a text reads as it really is once a delta is applied to it.
    fn reads_as(&self, delta: &TextDelta, was: &RichText) -> bool {
        let mut text = was.clone();
        text.replay(delta).is_ok() && text == self.text
    }
}

/// Gives the numbers by which the weave knows an event, and what has to be mended after it.
fn ids(version: u64) -> Option<(EditId, EditId)> {
    let event = version.checked_mul(2)?;
    Some((EditId(event), EditId(event + 1)))
}
