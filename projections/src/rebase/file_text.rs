//! The text of a file, followed through what was committed since.

use std::borrow::Cow;

use super::bridge::{self, Did, Step};
use super::committed::Committed;
use crate::text::weave::Weave;
use crate::text::{RichText, TextDelta, apply_plain, diff_plain};

/// What events did to the text of one file, in order, each with the index of the event.
#[derive(Clone, Debug, Default)]
pub(super) struct FileText<'a> {
    log: Vec<(usize, Deed<'a>)>,
}

/// What an operation did.
#[derive(Clone, Copy, Debug)]
pub(super) enum Deed<'a> {
    Edited {
        delta: &'a TextDelta,
        inverse: &'a TextDelta,
    },
    /// Removed the file; with the text that it had.
    Removed(&'a str),
    /// Brought the file back, with a text.
    Returned(&'a str),
}

impl<'a> FileText<'a> {
    pub(super) fn push(&mut self, event: usize, deed: Deed<'a>) {
        self.log.push((event, deed));
    }

    /// Goes over the events that edited it.
    pub(super) fn edited(&self) -> impl Iterator<Item = usize> {
        let edits = |(event, deed): &(usize, Deed<'_>)| matches!(deed, Deed::Edited { .. }).then_some(*event);
        self.log.iter().filter_map(edits)
    }

    /// Goes over the events that removed its file.
    pub(super) fn removers(&self) -> impl Iterator<Item = usize> {
        let removals = |(event, deed): &(usize, Deed<'_>)| matches!(deed, Deed::Removed(_)).then_some(*event);
        self.log.iter().filter_map(removals)
    }

    /// Gives the text that it had when its file was removed last.
    pub(super) fn removed(&self) -> Option<&'a str> {
        self.log.iter().rev().find_map(|(_, deed)| match deed {
            Deed::Removed(text) => Some(*text),
            _ => None,
        })
    }

    /// Gives what has to be gone over from the base to the head, where the file has a text: one change where some of the
    /// events took others back that edited it, else what each of them did.
    pub(super) fn theirs(&self, over: &[Committed<'_>], head: &RichText) -> Vec<TextDelta> {
        match self.has_pair(over).then(|| self.change(over, head)).flatten() {
            Some(change) => vec![change],
            None => self.one_by_one(),
        }
    }

    fn has_pair(&self, over: &[Committed<'_>]) -> bool {
        let edited: Vec<u64> = self.edited().map(|event| over[event].version).collect();
        let targets = || over.iter().flat_map(|event| event.undoes);
        !edited.is_empty() && targets().any(|target| edited.binary_search(target).is_ok())
    }

    fn change(&self, over: &[Committed<'_>], head: &RichText) -> Option<TextDelta> {
        let base = self.base(head)?;
        let weave = Weave::new(&base).ok()?;
        let mut log = self.log.as_slice();
        let mut steps = Vec::new();
        for (index, event) in over.iter().enumerate() {
            let (own, later) = log.split_at(log.partition_point(|(of, _)| *of == index));
            log = later;
            if !own.is_empty() || !event.undoes.is_empty() {
                steps.push(Step {
                    version: event.version,
                    undoes: event.undoes,
                    did: together(own)?,
                });
            }
        }
        bridge::change(weave, base, steps, head.len())
    }

    /// Takes everything back from the text at the head.
    fn base(&self, head: &RichText) -> Option<RichText> {
        let removed = self.log.iter().enumerate().find_map(|(at, (_, deed))| match deed {
            Deed::Removed(text) => Some((at, RichText::from_plain(text))),
            _ => None,
        });
        let (until, mut text) = removed.unwrap_or_else(|| (self.log.len(), head.clone()));
        for (_, deed) in self.log[..until].iter().rev() {
            if let Deed::Edited { inverse, .. } = deed {
                text.replay(inverse).ok()?;
            }
        }
        Some(text)
    }

    fn one_by_one(&self) -> Vec<TextDelta> {
        let mut removed = None;
        let deltas = self.log.iter().filter_map(|(_, deed)| match deed {
            Deed::Edited { delta, .. } => Some((*delta).clone()),
            Deed::Removed(text) => {
                removed = Some(*text);
                None
            }
            // An older edit can be undone while the file is away.
            Deed::Returned(text) => {
                let was = removed.filter(|was| was != text)?;
                Some(diff_plain(was, text))
            }
        });
        deltas.collect()
    }
}

/// Puts together what the operations of one event did.
fn together<'a>(deeds: &[(usize, Deed<'a>)]) -> Option<Did<'a>> {
    let mut did = Did::Nothing;
    for (_, deed) in deeds {
        did = match (did, *deed) {
            (Did::Edit(first), Deed::Edited { delta, .. }) => Did::Edit(Cow::Owned(first.compose(delta).ok()?)),
            (Did::Returned(text), Deed::Edited { delta, .. }) => {
                Did::Returned(Cow::Owned(apply_plain(&text, delta).ok()?.0))
            }
            (_, Deed::Edited { delta, .. }) => Did::Edit(Cow::Borrowed(delta)),
            (_, Deed::Removed(_)) => Did::Removed,
            (_, Deed::Returned(text)) => Did::Returned(Cow::Borrowed(text)),
        };
    }
    Some(did)
}
