//! What a command would do, without doing it.

use recto_projections::{Delta, Digest};
use recto_store::PageKey;

use crate::cache::Loaded;
use crate::command::Operation;
use crate::error::{ReadError, WriteError};
use crate::event::EventKind;
use crate::head::HeadInfo;
use crate::plan::{Plan, Step};
use crate::report::Report;
use crate::write::Job;

/// What a command would do to a page as it is now.
#[derive(Debug)]
pub struct Preview {
    /// The page.
    pub page: PageKey,
    /// What was asked for.
    pub operation: Operation,
    /// Where the page stands.
    pub head: HeadInfo,
    /// The events that it would make, in order; none where nothing would change.
    pub events: Vec<PreviewEvent>,
    /// The digest of the state after them.
    pub digest: Digest,
    /// What there is to tell beside them.
    pub report: Report,
}

/// An event that a command would make.
#[derive(Debug)]
pub struct PreviewEvent {
    /// What it would do.
    pub kind: EventKind,
    /// The version that it would answer to.
    pub cause: Option<u64>,
    /// The change.
    pub delta: Delta,
    /// The change that takes it back.
    pub inverse: Delta,
}

impl Preview {
    pub(crate) fn new(job: &Job<'_>, on: &Loaded, plan: Plan) -> Result<Self, WriteError> {
        let next = on.head.version + 1;
        let events = plan.steps.iter().map(|step| PreviewEvent::new(step, next));
        Ok(Self {
            page: job.page.clone(),
            operation: job.operation,
            head: on.head,
            events: events.collect::<Result<_, _>>()?,
            digest: plan.value.digest(),
            report: plan.report,
        })
    }
}

impl PreviewEvent {
    fn new(step: &Step, version: u64) -> Result<Self, ReadError> {
        let read = |bytes| Delta::from_bytes(bytes).map_err(|fault| ReadError::undecodable(version, &fault));
        Ok(Self {
            kind: step.nature.kind,
            cause: step.nature.cause,
            delta: read(&step.delta)?,
            inverse: read(&step.inverse)?,
        })
    }
}
