//! Who wrote what shows.

use super::fates::Deed;
use super::runs::Run;
use super::woven::{EditId, Weave};

/// A stretch of a text that one event typed and one event formatted last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlamedRun {
    /// How many UTF-16 units it has.
    pub units: usize,
    /// The event that typed it; `None` if it stood there at the weave's start, or is the newline that a document is given
    /// so that it ends with one.
    pub event: Option<EditId>,
    /// The newest active event that set attributes on it after it was typed.
    pub format: Option<EditId>,
}

/// What the fates above and including one say of its runs.
#[derive(Clone, Copy)]
struct Written {
    event: Option<EditId>,
    format: Option<EditId>,
}

impl Weave {
    /// Tells who wrote the text as it shows: runs in their order, no two neighbours alike. Text that an undo brought back
    /// keeps the event that typed it. Goes over everything that ever stood in the text.
    #[must_use]
    pub fn blame(&self) -> Vec<BlamedRun> {
        let written = self.written();
        let mut blamed = Vec::new();
        for (run, shown) in self.order.iter().filter(|(_, shown)| *shown > 0) {
            let Run { fate, .. } = self.runs[run as usize];
            let Written { event, format } = written[fate as usize];
            let units = shown as usize;
            push(&mut blamed, BlamedRun { units, event, format });
        }
        if self.ending.is_added() {
            push(&mut blamed, BlamedRun::started(1));
        }
        blamed
    }

    /// Tells for every fate who wrote its runs. A parent comes before its children, and what a fate adds is newer.
    fn written(&self) -> Vec<Written> {
        let mut written: Vec<Written> = Vec::with_capacity(self.fates.len());
        for fate in self.fates.iter() {
            let edit = self.edits.get(fate.edit as usize);
            let above = written.get(fate.parent as usize).copied();
            let above = above.unwrap_or(Written {
                event: None,
                format: None,
            });
            written.push(match (fate.deed, edit) {
                (Deed::Insert(_), edit) => Written {
                    event: edit.filter(|edit| !edit.is_ending).map(|edit| edit.id),
                    format: None,
                },
                (Deed::Set(_), Some(edit)) if edit.active => Written {
                    format: Some(edit.id),
                    ..above
                },
                (Deed::Set(_) | Deed::Delete, _) => above,
            });
        }
        written
    }
}

impl BlamedRun {
    /// Makes a run that stood there at the start.
    pub(in crate::text::weave) fn started(units: usize) -> Self {
        Self {
            units,
            event: None,
            format: None,
        }
    }
}

fn push(blamed: &mut Vec<BlamedRun>, run: BlamedRun) {
    match blamed.last_mut() {
        Some(last) if (last.event, last.format) == (run.event, run.format) => last.units += run.units,
        _ => blamed.push(run),
    }
}
