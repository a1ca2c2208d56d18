//! From the events to take back to what takes them back.

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::sync::Arc;

use recto_projections::manager::{HistoryManager, Stand};
use recto_projections::rebase::{Committed, reach};
use recto_projections::text::weave::Counted;
use recto_projections::undo::{self, Request, TextHistory, UndoError, UndoPlan};
use recto_projections::{Delta, Kind};
use recto_store::PageKey;

use super::UndoPage;
use super::refusal::UndoRefusal;
use crate::cache::Loaded;
use crate::decoded::{Decoded, payload_bytes};
use crate::error::{ReadError, WriteError};
use crate::event::{EventFlags, EventKind, PageEvent};
use crate::history::{HeldHistory, KeptEvents, ReadEvents, Texts};
use crate::load::hole;
use crate::plan::StepNature;
use crate::service::Pages;

/// How many events before the first one needed are taken in too, at the least: the next undo may step further back.
const AHEAD_EVENTS: u64 = 64;
/// After how many bytes more a page's history is weighed anew.
const REWEIGHED_BYTES: usize = 256 * 1024;
/// The most bytes of events that one undo goes over.
const UNDO_BYTES_MAX: usize = 256 * 1024 * 1024;

/// One undo being planned.
pub(super) struct Planner<'a> {
    pub(super) pages: &'a Pages,
    pub(super) page: &'a PageKey,
    pub(super) on: &'a Arc<Loaded>,
    pub(super) asked: &'a UndoPage,
    held: HeldHistory,
}

/// What takes events back.
pub(super) struct Taken {
    pub(super) undo: UndoPlan,
    /// The targets that are undos: to take them back is a redo.
    undos: HashSet<u64>,
}

impl<'a> Planner<'a> {
    pub(super) async fn new(
        pages: &'a Pages,
        page: &'a PageKey,
        on: &'a Arc<Loaded>,
        asked: &'a UndoPage,
    ) -> Result<Self, ReadError> {
        let mut held = pages.history(page, on.head.version).await?;
        // Somebody appended since the head was looked at, and the history knows it already.
        if held.history.manager.newest() > on.head.version {
            held.history.manager = pages.manager_at(page, on.head.version).await?;
            held.history.texts = None;
            held.history.events = KeptEvents::default();
            held.read = ReadEvents::default();
        }
        Ok(Self {
            pages,
            page,
            on,
            asked,
            held,
        })
    }

    pub(super) fn manager(&self) -> &HistoryManager {
        &self.held.history.manager
    }

    /// Puts what was learned of the page where the next undo finds it.
    pub(super) fn finish(self) {
        self.pages.keep_history(self.page, self.held);
    }

    /// Plans to take events back, given newest first.
    pub(super) async fn take(&mut self, targets: &[u64]) -> Result<Taken, WriteError> {
        let undos = self.undos_among(targets);
        let undo = match self.inverses(targets).await? {
            Some(undo) => undo,
            None => self.over_what_came_later(targets).await?,
        };
        Ok(Taken { undo, undos })
    }

    fn undos_among(&self, targets: &[u64]) -> HashSet<u64> {
        let undos = targets.iter().copied();
        undos
            .filter(|target| self.manager().stand(*target) == Stand::Undone { by: *target })
            .collect()
    }

    /// Where nothing came after the events, their stored inverses take them back.
    async fn inverses(&self, targets: &[u64]) -> Result<Option<UndoPlan>, WriteError> {
        let head = self.on.head.version;
        let newest = (0..=head)
            .rev()
            .zip(targets)
            .all(|(version, target)| version == *target);
        if !newest {
            return Ok(None);
        }
        let (on, first) = (self.on, targets.last().map_or(head, |first| *first));
        let events = self.pages.events_between(self.page, first, head).await?;
        let events = Decoded::read_all(&events, on.meta.kind)?;
        let history: Vec<_> = events.iter().map(Decoded::committed).collect();
        let stored = undo::newest(&Request {
            history: &history,
            targets,
            head: &on.value,
            policy: self.asked.policy(),
            force: self.asked.force,
        });
        stored.map_err(|refusal| self.refused(refusal))
    }

    fn is_text(&self) -> bool {
        matches!(self.on.meta.kind, Kind::Doc | Kind::Code)
    }

    async fn over_what_came_later(&mut self, targets: &[u64]) -> Result<UndoPlan, WriteError> {
        let Some(first) = self.reach(targets) else {
            return Err(self.refused(UndoError::NoTarget));
        };
        self.check_reach(first)?;
        if self.is_text() {
            self.over_text(targets, first).await
        } else {
            self.over_fields(targets, first).await
        }
    }

    /// DESIGN and SHEET: field by field.
    async fn over_fields(&mut self, targets: &[u64], first: u64) -> Result<UndoPlan, WriteError> {
        self.keep_events_from(first).await?;
        let events = self.held.history.events.clone();
        let (on, targets) = (Arc::clone(self.on), targets.to_vec());
        let (policy, force) = (self.asked.policy(), self.asked.force);
        let work = events.since(first).len() * size_of::<Decoded>();
        let plan = self.pages.compute(work, move || {
            let history: Vec<Committed<'_>> = events.since(first).iter().map(|event| event.committed()).collect();
            undo::plan(&Request {
                history: &history,
                targets: &targets,
                head: &on.value,
                policy,
                force,
            })
        });
        plan.await?.map_err(|refusal| self.refused(refusal))
    }

    /// Sees to it that the events from a version up to the head are kept, decoded.
    async fn keep_events_from(&mut self, first: u64) -> Result<(), WriteError> {
        let head = self.on.head.version;
        let (before, after) = match self.held.history.events.range() {
            None => (first..=head, head + 1..=head),
            Some((kept, newest)) if first < kept => {
                // Whoever asked for less before may ask for more soon.
                (reaching_ahead(first, kept)..=kept - 1, newest + 1..=head)
            }
            Some((_, newest)) => (head + 1..=head, newest + 1..=head),
        };
        let (before, after) = (self.decoded(before).await?, self.decoded(after).await?);
        let bytes: usize = before.iter().chain(&after).map(Decoded::weight).sum();
        if bytes > REWEIGHED_BYTES {
            self.held.rebuilt();
        }
        self.held.history.events.extend(before, after);
        Ok(())
    }

    async fn decoded(&self, versions: RangeInclusive<u64>) -> Result<Vec<Decoded>, WriteError> {
        if versions.is_empty() {
            return Ok(Vec::new());
        }
        let events = match self.held.read.between(*versions.start(), *versions.end()) {
            Some(read) => Some(read.cloned().collect()),
            None => self.pages.events_within(self.page, versions, UNDO_BYTES_MAX).await?,
        };
        let Some(events) = events else {
            return Err(self.refused(UndoError::HistoryTooLong {
                counted: Counted::TextBytes,
                limit: UNDO_BYTES_MAX,
            }));
        };
        let kind = self.on.meta.kind;
        let decoded = self
            .pages
            .compute(payload_bytes(&events), move || Decoded::read_all(&events, kind));
        Ok(decoded.await??)
    }

    /// DOC and CODE: by the weave.
    async fn over_text(&mut self, targets: &[u64], first: u64) -> Result<UndoPlan, WriteError> {
        let mut texts = self.texts_from(first).await?;
        let (policy, force) = (self.asked.policy(), self.asked.force);
        let targets = targets.to_vec();
        let work = self.on.value.weight();
        let planned = self.pages.compute(work, move || {
            let plan = texts.history.plan(&targets, policy, force);
            (texts, plan)
        });
        let (texts, plan) = planned.await?;
        self.held.history.texts = Some(texts);
        plan.map_err(|refusal| self.refused(refusal))
    }

    /// The woven text up to the head, from a version or an earlier one on.
    async fn texts_from(&mut self, first: u64) -> Result<Texts, WriteError> {
        let kept = self.held.history.texts.take().filter(|texts| texts.first <= first);
        if let Some(kept) = kept
            && let Ok(texts) = self.woven_up(kept).await?
        {
            return Ok(texts);
        }
        let begun = self.begin_texts(self.start_for(first)).await?;
        let begun_at = begun.first;
        match self.woven_up(begun).await? {
            // What was taken in beside what is needed is too much.
            Err(UndoError::HistoryTooLong { .. }) if begun_at < first => {
                let begun = self.begin_texts(first).await?;
                self.woven_up(begun).await?.map_err(|refusal| self.refused(refusal))
            }
            woven => woven.map_err(|refusal| self.refused(refusal)),
        }
    }

    /// Weaves in what came since. Refused where that takes back something from before the weave's start.
    async fn woven_up(&self, mut texts: Texts) -> Result<Result<Texts, UndoError>, WriteError> {
        let (head, kind) = (self.on.head.version, self.on.meta.kind);
        while texts.newest < head {
            let events = match self.held.read.between(texts.newest + 1, head) {
                Some(read) => read.cloned().collect(),
                None => self.pages.events_forward(self.page, texts.newest..head).await?,
            };
            let newest = events.last().map(PageEvent::version);
            let newest = newest.ok_or_else(|| hole(texts.newest + 1))?;
            let woven = self.pages.compute(payload_bytes(&events), move || {
                let taken = take_all(&mut texts, &events, kind);
                (texts, taken)
            });
            let (back, taken) = woven.await?;
            if let Err(refusal) = taken? {
                return Ok(Err(refusal));
            }
            texts = back;
            texts.newest = newest;
        }
        Ok(Ok(texts))
    }

    async fn begin_texts(&mut self, first: u64) -> Result<Texts, WriteError> {
        self.held.rebuilt();
        let start = self.pages.before(self.page, self.on, first).await?;
        let history = TextHistory::new(&start).map_err(|refusal| self.refused(refusal))?;
        Ok(Texts {
            first,
            newest: first - 1,
            history,
        })
    }

    /// Where a weave begins that is to hold the events from a version on: earlier, so that the next undos find it, but
    /// never where an undo since then reaches further back still.
    fn start_for(&self, first: u64) -> u64 {
        let head = self.on.head.version;
        let ahead = self.reach(&[reaching_ahead(first, head)]).unwrap_or(first);
        if head - ahead < self.pages.settings().undo_events_max {
            ahead
        } else {
            first
        }
    }

    /// The first event that is needed to take events back.
    fn reach(&self, targets: &[u64]) -> Option<u64> {
        let compensations: Vec<_> = self
            .manager()
            .compensations()
            .map(|(version, of)| (version, [of]))
            .collect();
        let compensations = compensations.iter().map(|(version, of)| (*version, &of[..]));
        reach(targets, self.on.head.version, compensations)
    }

    fn refused(&self, refusal: UndoError) -> WriteError {
        match refusal {
            UndoError::Aborted { conflicts } => UndoRefusal::Conflicts { conflicts }.into(),
            UndoError::AlreadyUndone { version } => {
                let (Stand::Stands { by } | Stand::Undone { by }) = self.manager().stand(version);
                UndoRefusal::AlreadyUndone { version, by }.into()
            }
            UndoError::HistoryTooLong { limit, .. } => UndoRefusal::HistoryTooLong {
                version: self.on.head.version,
                limit: u64::try_from(limit).unwrap_or(u64::MAX),
            }
            .into(),
            other => ReadError::Corrupt {
                version: self.on.head.version,
                what: format!("the history does not lead to this page: {other}"),
            }
            .into(),
        }
    }
}

impl Taken {
    /// About how much work it is to apply it, in bytes.
    pub(super) fn weight(&self) -> usize {
        self.undo.steps.len() * 256
    }

    pub(super) fn nature(&self, target: u64, force: bool) -> StepNature {
        let kind = if self.undos.contains(&target) {
            EventKind::Redo
        } else {
            EventKind::Undo
        };
        StepNature {
            flags: if force { EventFlags::FORCED } else { EventFlags::NONE },
            ..StepNature::caused(kind, target)
        }
    }
}

/// A version far enough before another that consecutive undos do not begin anew each time.
fn reaching_ahead(first: u64, head: u64) -> u64 {
    let span = (head - first).max(AHEAD_EVENTS);
    first.saturating_sub(span).max(1)
}

/// Weaves events in. Nobody asks for their inverses, nor for the delta of one that takes another back.
fn take_all(texts: &mut Texts, events: &[PageEvent], kind: Kind) -> Result<Result<(), UndoError>, ReadError> {
    for event in events {
        let undoes = event.undoes()?;
        let forced = event.flags().has(EventFlags::FORCED);
        let delta = if undoes.is_some() { None } else { event.delta()? };
        let delta = delta.unwrap_or_else(|| Delta::empty(kind));
        let taken = texts.history.take(event.version(), undoes.as_slice(), forced, &delta);
        if taken.is_err() {
            return Ok(taken);
        }
    }
    Ok(Ok(()))
}
