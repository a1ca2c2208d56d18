//! Who last wrote what: the properties of a node, the nodes of a page, the stretches of a text.

use std::collections::BTreeSet;
use std::sync::Arc;

use recto_projections::blame::{Blamed, DesignBlame, LineBlame, lines};
use recto_projections::text::RichText;
use recto_projections::text::weave::{BlamedRun, EditId};
use recto_projections::undo::{TextHistory, UndoError};
use recto_projections::{Kind, Value};
use recto_store::{Id, Limit, PageKey};

use crate::cache::Loaded;
use crate::decoded::{Decoded, payload_bytes};
use crate::error::ReadError;
use crate::event::{EventKind, PageEvent};
use crate::load::Way;
use crate::read::At;
use crate::service::Pages;

/// Events read at a time.
const READ_EVENTS: usize = 1024;
/// Bytes read at a time.
const READ_BYTES: usize = 4 * 1024 * 1024;

/// What is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlameOf {
    /// DESIGN: each node, background and the attributes as a whole. DOC: the text.
    Page,
    /// DESIGN: each property of a node.
    Node(String),
    /// CODE: the text of a file.
    File(String),
}

/// Who last wrote what.
#[derive(Clone, Debug)]
pub struct PageBlame {
    /// The page.
    pub page: PageKey,
    /// The version it is about.
    pub version: u64,
    /// The oldest version that was looked at: what is older has no event here.
    pub since: u64,
    /// What was found.
    pub found: Found,
    /// The events that are named, in order.
    pub events: Vec<PageEvent>,
}

/// What was found.
#[derive(Clone, Debug)]
pub enum Found {
    /// By field, or by thing.
    Fields(Vec<Blamed>),
    /// By stretch of text.
    Text {
        /// The stretches in order, without a gap.
        runs: Vec<BlamedRun>,
        /// The newest event with a letter in each line.
        lines: Vec<LineBlame>,
    },
}

impl Pages {
    /// Tells which event last wrote each field of a node, each thing of a page, or each stretch of a text. It looks back
    /// over as many events as undo reaches.
    ///
    /// # Errors
    /// [`ReadError::NothingThere`] where the page has no such node or file at that version, or its kind has no such
    /// question; and those of [`Pages::read`].
    pub async fn blame(&self, scope: &Id, page: &Id, at: At, of: BlameOf) -> Result<PageBlame, ReadError> {
        let state = self.read(scope, page, at).await?;
        let (page, version) = (state.page.clone(), state.at.version);
        let mut since = (version + 1).saturating_sub(self.settings().undo_events_max).max(1);
        let nothing = || ReadError::NothingThere {
            what: of.to_string(),
            version,
            kind: state.meta.kind,
        };
        let found = match (&state.value, &of) {
            (Value::Design(now), BlameOf::Page) => {
                Found::Fields(self.fields(&page, DesignBlame::of_page(now), version, since).await?)
            }
            (Value::Design(now), BlameOf::Node(node)) => {
                let blame = DesignBlame::of_node(now, node).ok_or_else(nothing)?;
                Found::Fields(self.fields(&page, blame, version, since).await?)
            }
            (Value::Doc(now), BlameOf::Page) => {
                let asked = (None, now.text().clone());
                self.runs(&page, asked, version, &mut since)
                    .await?
                    .ok_or_else(nothing)?
            }
            (Value::Code(now), BlameOf::File(path)) => {
                let text = now.file(path).ok_or_else(nothing)?.clone();
                let asked = (Some(path.clone()), text);
                self.runs(&page, asked, version, &mut since)
                    .await?
                    .ok_or_else(nothing)?
            }
            _ => return Err(nothing()),
        };
        let mut events = Vec::new();
        for version in found.versions() {
            events.push(self.event_at(&page, version).await?);
        }
        Ok(PageBlame {
            page,
            version,
            since,
            found,
            events,
        })
    }

    /// Goes back over the events until everything has its writer.
    async fn fields(
        &self,
        page: &PageKey,
        mut blame: DesignBlame,
        version: u64,
        since: u64,
    ) -> Result<Vec<Blamed>, ReadError> {
        let mut before = version + 1;
        while before > since && !blame.is_done() {
            let limit = Limit {
                entries: READ_EVENTS.min(usize::try_from(before - since).unwrap_or(READ_EVENTS)),
                bytes: READ_BYTES,
            };
            let events = self.store().events_back(page, before, limit).await?;
            let events: Vec<_> = events.into_iter().map(|event| PageEvent::new(page, event)).collect();
            let Some(oldest) = events.last().map(PageEvent::version) else {
                break;
            };
            before = oldest;
            blame = self
                .compute(payload_bytes(&events), move || take_back(blame, &events))
                .await??;
        }
        Ok(blame.finish())
    }

    /// Who wrote a text, from a version on; from a later one where there is more history than can be woven.
    async fn runs(
        &self,
        page: &PageKey,
        (file, text): (Option<String>, RichText),
        version: u64,
        since: &mut u64,
    ) -> Result<Option<Found>, ReadError> {
        let history = loop {
            match self.woven(page, version, *since).await? {
                Err(UndoError::HistoryTooLong { .. }) if *since < version => {
                    *since += (version + 1 - *since).div_ceil(2);
                }
                woven => break woven.map_err(|fault| unwoven(version, &fault))?,
            }
        };
        self.compute(history.weight(), move || {
            let runs = history.blame(file.as_deref())?;
            let lines = lines(&text.to_plain(), &runs);
            Some(Found::Text { runs, lines })
        })
        .await
    }

    /// Weaves the text in from a version on.
    async fn woven(
        &self,
        page: &PageKey,
        version: u64,
        since: u64,
    ) -> Result<Result<TextHistory, UndoError>, ReadError> {
        let head = self.load(page).await?;
        let kind = head.meta.kind;
        let start = self.before(page, &head, since).await?;
        let mut history = match TextHistory::new(&start) {
            Ok(history) => history,
            Err(fault) => return Ok(Err(fault)),
        };
        let mut at = since - 1;
        while at < version {
            let events = self.events_forward(page, at..version).await?;
            let Some(newest) = events.last().map(PageEvent::version) else {
                break;
            };
            at = newest;
            let woven = self.compute(payload_bytes(&events), move || weave(history, &events, kind, since));
            history = match woven.await?? {
                Ok(history) => history,
                Err(fault) => return Ok(Err(fault)),
            };
        }
        Ok(Ok(history))
    }

    /// The state before a version.
    pub(crate) async fn before(&self, page: &PageKey, head: &Arc<Loaded>, version: u64) -> Result<Value, ReadError> {
        match version - 1 {
            0 => Ok(Value::empty(head.meta.kind)),
            before => Ok(self.state_at(page, head, before, Way::Nearest).await?.value),
        }
    }
}

impl Found {
    /// The versions that are named, in order.
    fn versions(&self) -> BTreeSet<u64> {
        match self {
            Self::Fields(fields) => fields.iter().filter_map(|field| field.version).collect(),
            Self::Text { runs, .. } => {
                let typed = runs.iter().filter_map(|run| run.event);
                typed
                    .chain(runs.iter().filter_map(|run| run.format))
                    .map(|EditId(version)| version)
                    .collect()
            }
        }
    }
}

impl std::fmt::Display for BlameOf {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Page => out.write_str("blame of the page as a whole"),
            Self::Node(id) => write!(out, "node {id:?}"),
            Self::File(path) => write!(out, "file {path:?}"),
        }
    }
}

fn take_back(mut blame: DesignBlame, events: &[PageEvent]) -> Result<DesignBlame, ReadError> {
    for event in events {
        if blame.is_done() {
            break;
        }
        // Order keys made short leave the order as it was: nobody has written it.
        let written = event.kind()? != EventKind::Rebalance;
        if let Some(delta) = event.delta()?.filter(|_| written) {
            blame.take(event.version(), &delta);
        }
    }
    Ok(blame)
}

fn weave(
    mut history: TextHistory,
    events: &[PageEvent],
    kind: Kind,
    since: u64,
) -> Result<Result<TextHistory, UndoError>, ReadError> {
    for event in Decoded::read_all(events, kind)? {
        if let Err(fault) = history.take(event.version, event.undoes_since(since), event.forced, &event.delta) {
            return Ok(Err(fault));
        }
    }
    Ok(Ok(history))
}

fn unwoven(version: u64, fault: &UndoError) -> ReadError {
    ReadError::Corrupt {
        version,
        what: format!("the history does not lead to this text: {fault}"),
    }
}
