//! The history of a DOC or CODE page, from which undos of its events are planned.

use std::collections::{BTreeMap, HashMap};

use super::fault::UndoError;
use super::plan::{Policy, UndoPlan, UndoStep};
use super::report::Report;
use super::text_conflict::found;
use crate::delta::Delta;
use crate::rebase::Standing;
use crate::text::weave::{BlamedRun, CodeConflict, CodeWeave, CodeWeaveError, EditId, OnConflict, Weave};
use crate::value::Value;

/// A DOC or CODE page with its events since some version, kept up to date event by event: a [weave](crate::text::weave).
///
/// It takes memory in proportion to the events that it has taken, see [`TextHistory::weight`]. Planning costs what the
/// undo changes, not what the page or the history holds.
#[derive(Clone, Debug)]
pub struct TextHistory {
    text: Text,
    /// The events that each compensation takes back, by its version.
    undoes: BTreeMap<u64, Vec<u64>>,
    /// The compensations of each event, by its version.
    undoers: HashMap<u64, Vec<u64>>,
}

#[derive(Clone, Debug)]
enum Text {
    Doc(Box<Weave>),
    Code(Box<CodeWeave>),
}

/// What taking an event back does, and what it comes upon.
struct Back {
    delta: Delta,
    switches: bool,
    conflicts: Vec<CodeConflict>,
}

impl TextHistory {
    /// Starts with the page before the first event that it is to take. O(1): the page is shared.
    ///
    /// # Errors
    /// [`UndoError::WrongKind`] for a page that is neither DOC nor CODE, [`UndoError::HistoryTooLong`] for a text that is
    /// too long.
    pub fn new(start: &Value) -> Result<TextHistory, UndoError> {
        let text = match start {
            Value::Doc(doc) => Text::Doc(Box::new(
                Weave::of_document(doc.text()).map_err(|error| UndoError::of_weave(0, error))?,
            )),
            Value::Code(code) => Text::Code(Box::new(CodeWeave::new(code))),
            Value::Design(_) | Value::Sheet(_) => return Err(UndoError::WrongKind { kind: start.kind() }),
        };
        Ok(TextHistory {
            text,
            undoes: BTreeMap::new(),
            undoers: HashMap::new(),
        })
    }

    /// Takes the next event in: its version; the versions that it takes back, none for an edit; whether it was an undo
    /// that was forced; and its delta as committed, which for an undo or redo is not looked at.
    ///
    /// # Errors
    /// [`UndoError::UnknownTarget`] if it takes back an event from before the start: then the history must be made again
    /// from the version that [`reach`](crate::rebase::reach) gives. [`UndoError::HistoryTooLong`],
    /// [`UndoError::OutOfOrder`], [`UndoError::DoesNotFollow`], [`UndoError::WrongKind`]. The history is then as it was.
    pub fn take(&mut self, version: u64, undoes: &[u64], forced: bool, delta: &Delta) -> Result<(), UndoError> {
        if undoes.is_empty() {
            return self.text.edit(version, delta);
        }
        self.text.back(version, undoes, forced)?;
        self.undoes.insert(version, undoes.to_vec());
        for target in undoes {
            self.undoers.entry(*target).or_default().push(version);
        }
        Ok(())
    }

    /// Plans the undo of events, the newest first, each on what the one before leaves. The history stays as it is: the
    /// steps that are committed are to be taken in as events.
    ///
    /// What a later event stands in the way of stays as it is, and is reported; of the policies only
    /// [`Policy::Abort`] says something else. So a path that a later rename gave a file stays under [`Policy::Restore`] too:
    /// an undo switches what edits did, and does nothing of its own. What meets a conflict is at most partial. `force` takes files away in which something was written since. A document
    /// knows no conflicts.
    ///
    /// # Errors
    /// [`UndoError::NoTarget`], [`UndoError::UnknownTarget`], [`UndoError::AlreadyUndone`], [`UndoError::Aborted`].
    pub fn plan(&mut self, targets: &[u64], policy: Policy, force: bool) -> Result<UndoPlan, UndoError> {
        let mut targets = targets.to_vec();
        targets.sort_unstable_by(|a, b| b.cmp(a));
        targets.dedup();
        if targets.is_empty() {
            return Err(UndoError::NoTarget);
        }
        if let Some(version) = targets.iter().copied().find(|version| self.is_undone(*version)) {
            return Err(UndoError::AlreadyUndone { version });
        }
        let before = self.newest();
        let steps = self.steps(&targets, force);
        self.text.rewind(before);
        let (steps, report) = steps?;
        let is_complete = !report.has_conflicts();
        report.into_plan(steps, is_complete, policy)
    }

    /// Tells who wrote the text as it shows: of a document or, given its path, of a file of a CODE page. `None` where there
    /// is no such text.
    pub fn blame(&self, file: Option<&str>) -> Option<Vec<BlamedRun>> {
        match (&self.text, file) {
            (Text::Doc(weave), None) => Some(weave.blame()),
            (Text::Code(weave), Some(path)) => weave.blame(path),
            _ => None,
        }
    }

    /// Gives the version of the newest event that it has taken.
    pub fn newest(&self) -> Option<u64> {
        self.text.newest()
    }

    /// Gives roughly how many bytes of memory it takes, beside the page at its start.
    pub fn weight(&self) -> usize {
        // Each version stands in both maps.
        let compensations = self.undoes.values().map(|undoes| 64 + 64 * undoes.len());
        let text = match &self.text {
            Text::Doc(weave) => weave.weight(),
            Text::Code(weave) => weave.weight(),
        };
        size_of::<TextHistory>() + text + compensations.sum::<usize>()
    }

    /// Makes the steps; what they switch stays switched.
    fn steps(&mut self, targets: &[u64], force: bool) -> Result<(Vec<UndoStep>, Report), UndoError> {
        let mut report = Report::default();
        let mut steps = Vec::with_capacity(targets.len());
        for (version, target) in (self.newest().map_or(0, |newest| newest + 1)..).zip(targets) {
            let back = self.text.back(version, &[*target], force)?;
            for conflict in back.conflicts {
                found(*target, conflict, &mut report);
            }
            steps.push(UndoStep {
                target: *target,
                delta: back.delta,
                remember: back.switches,
            });
        }
        Ok((steps, report))
    }

    /// Says whether an event is undone. The cost follows the compensations that have to do with it.
    fn is_undone(&self, version: u64) -> bool {
        let mut concerned: BTreeMap<u64, &[u64]> = BTreeMap::new();
        let mut open = vec![version];
        while let Some(version) = open.pop() {
            for undoer in self.undoers.get(&version).into_iter().flatten() {
                let undoes = self.undoes.get(undoer).map_or(&[][..], Vec::as_slice);
                if concerned.insert(*undoer, undoes).is_none() {
                    open.push(*undoer);
                }
            }
        }
        Standing::of(concerned).is_undone(version)
    }
}

impl Text {
    fn newest(&self) -> Option<u64> {
        let newest = match self {
            Text::Doc(weave) => weave.newest(),
            Text::Code(weave) => weave.newest(),
        };
        newest.map(|newest| newest.0)
    }

    fn edit(&mut self, version: u64, delta: &Delta) -> Result<(), UndoError> {
        match (self, delta) {
            (Text::Doc(weave), Delta::Doc(delta)) => {
                let woven = weave.edit(EditId(version), delta);
                woven.map_err(|error| UndoError::of_weave(version, error))
            }
            (Text::Code(weave), Delta::Code(ops)) => {
                let woven = weave.edit(EditId(version), ops);
                woven.map_err(|error| code_fault(version, error))
            }
            (_, delta) => Err(UndoError::WrongKind { kind: delta.kind() }),
        }
    }

    fn back(&mut self, version: u64, undoes: &[u64], force: bool) -> Result<Back, UndoError> {
        let event = EditId(version);
        let of: Vec<EditId> = undoes.iter().copied().map(EditId).collect();
        match self {
            Text::Doc(weave) => {
                let switches = weave
                    .switches(&of)
                    .map_err(|error| UndoError::of_weave(version, error))?;
                let delta = weave
                    .undo(event, &of)
                    .map_err(|error| UndoError::of_weave(version, error))?;
                Ok(Back {
                    delta: Delta::Doc(delta),
                    switches: !switches.is_empty(),
                    conflicts: Vec::new(),
                })
            }
            Text::Code(weave) => {
                let on_conflict = if force { OnConflict::Force } else { OnConflict::Keep };
                let undo = weave.undo(event, &of, on_conflict);
                let undo = undo.map_err(|error| code_fault(version, error))?;
                Ok(Back {
                    delta: Delta::Code(undo.ops),
                    switches: undo.switches,
                    conflicts: undo.conflicts,
                })
            }
        }
    }

    fn rewind(&mut self, to: Option<u64>) {
        let to = to.map(EditId);
        match self {
            Text::Doc(weave) => weave.rewind(to),
            Text::Code(weave) => weave.rewind(to),
        }
    }
}

fn code_fault(version: u64, error: CodeWeaveError) -> UndoError {
    match error {
        CodeWeaveError::Weave(error) => UndoError::of_weave(version, error),
        CodeWeaveError::Refused { rule, .. } => UndoError::DoesNotFollow { version, rule },
    }
}
