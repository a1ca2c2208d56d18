//! One page: its record, events, states, receipts and snapshots.

use recto_pages::{PageEvent, PageKey, PageMeta};
use recto_projections::{Delta, Kind};
use recto_store::{Fault, Place};
use tokio::task::JoinHandle;

use super::agreement::receipts_faults;
use super::deep::Deep;
use super::fault::{FaultClass, Found};
use super::receipts::{ReceiptsTask, Run, Tally};
use super::record::{record, record_place};
use super::snapshots;
use crate::failure::Failure;
use crate::history;
use crate::source::Source;

/// What was found of a page.
#[derive(Clone, Debug)]
pub struct PageVerdict {
    /// The page.
    pub page: PageKey,
    /// Whether it is no page, but the stream of a chat.
    pub is_chat: bool,
    /// Its kind, where that is known.
    pub kind: Option<Kind>,
    /// Its newest version.
    pub versions: u64,
    /// How many events can be read.
    pub events: u64,
    /// How many receipts agree with them.
    pub receipts: u64,
    /// How many snapshots are the state of their version.
    pub snapshots: u64,
    /// What is wrong, the first fault of the history first. Of what is behind a fault, only what does not follow from it
    /// is told.
    pub faults: Vec<Found>,
}

/// Verifies a page. `watch` is told of events gone over, as they are.
///
/// # Errors
/// [`Failure`], where the store is away; what is damaged is in the answer.
pub async fn verify_page(
    source: &Source,
    page: &PageKey,
    versions: u64,
    receipts: &mut ReceiptsTask,
    watch: &(dyn Fn(u64) + Sync),
) -> Result<PageVerdict, Failure> {
    let mut faults = Vec::new();
    let is_chat = source.is_chat(page).await?;
    // A chat has no record among those of pages.
    let meta = if is_chat {
        None
    } else {
        record(source, page, &mut faults).await?
    };
    let mut walk = Walk::new(page, meta.as_ref().map(|meta| meta.kind));
    let mut at = 0;
    let mut reading = read_ahead(source, page, 1, versions);
    while at < versions {
        let read = reading
            .await
            .map_err(|gone| Failure::Output(std::io::Error::other(gone)))?;
        let chunk = read?;
        at = chunk.last().map_or(versions, history::Found::version);
        reading = read_ahead(source, page, at + 1, versions);
        watch(chunk.len() as u64);
        walk.chunk(chunk, meta.as_ref());
    }
    walk.end_run();
    let mut found = std::mem::take(&mut walk.faults);
    found.append(&mut faults);
    let known = receipts.ready().await?.of(&page.page);
    match receipts.lost() {
        Some(lost) => found.push(lost.clone()),
        None if walk.is_whole => receipts_faults(source, page, versions, &walk.tally, &known, &mut found).await?,
        None => {}
    }
    let snapshots = snapshots::verify(source, page, versions, &mut found).await?;
    Ok(PageVerdict {
        page: page.clone(),
        is_chat,
        kind: walk.kind,
        versions,
        events: walk.events,
        receipts: match receipts.lost() {
            Some(_) => 0,
            None => walk.tally.count + known.silent.len() as u64,
        },
        snapshots,
        faults: found,
    })
}

/// Reads the next events while those before them are checked.
fn read_ahead(
    source: &Source,
    page: &PageKey,
    first: u64,
    last: u64,
) -> JoinHandle<Result<Vec<history::Found>, Failure>> {
    let (source, page) = (source.clone(), page.clone());
    tokio::spawn(async move { source.events(&page, first..=last).await })
}

struct Walk<'a> {
    page: &'a PageKey,
    kind: Option<Kind>,
    deep: Option<Deep>,
    tally: Tally,
    run: Option<Run>,
    events: u64,
    previous: Option<Previous>,
    /// Whether every event could be read, and follows the one before it.
    is_whole: bool,
    faults: Vec<Found>,
}

/// What the next event is compared with.
struct Previous {
    hash: [u8; 32],
    position: u64,
}

impl<'a> Walk<'a> {
    fn new(page: &'a PageKey, kind: Option<Kind>) -> Self {
        Self {
            page,
            kind,
            deep: kind.map(Deep::new),
            tally: Tally::default(),
            run: None,
            events: 0,
            previous: None,
            is_whole: true,
            faults: Vec::new(),
        }
    }

    fn chunk(&mut self, chunk: Vec<history::Found>, meta: Option<&PageMeta>) {
        let mut sound = Vec::with_capacity(chunk.len());
        for found in chunk {
            match found {
                history::Found::Event(event) => {
                    if event.version() == 1 {
                        self.first(&event, meta);
                    }
                    if self.follows(&event) {
                        self.events += 1;
                        sound.push(event);
                        continue;
                    }
                    self.states(&sound);
                    sound.clear();
                    self.deep = None;
                }
                history::Found::Damaged(damaged) => {
                    self.states(&sound);
                    sound.clear();
                    self.deep = None;
                    self.note(damaged.version, damaged.class, damaged.reason);
                    (self.previous, self.run, self.is_whole) = (None, None, false);
                }
            }
        }
        self.states(&sound);
    }

    /// What the first event tells of the page.
    fn first(&mut self, event: &PageEvent, meta: Option<&PageMeta>) {
        let made = event.delta().ok().flatten().map(|delta: Delta| delta.kind());
        if self.kind.is_none() {
            self.kind = made;
            self.deep = made.map(Deep::new);
        }
        let Some(meta) = meta else { return };
        let same = made.is_none_or(|kind| kind == meta.kind) && event.event.time_ms == meta.created_ms;
        if !same {
            let what = "its record tells another kind or time than its first event".to_owned();
            self.faults.push(Found {
                place: record_place(&PageMeta::key(self.page)),
                class: FaultClass::RecordDisagrees,
                what,
            });
        }
    }

    /// Checks an event's place: in the chain, in the feed, among the receipts.
    fn follows(&mut self, event: &PageEvent) -> bool {
        let event = &event.event;
        let is_first = event.version == 1;
        let (hash, position) = match &self.previous {
            Some(previous) => (Some(previous.hash), previous.position),
            None => (is_first.then_some([0; 32]), 0),
        };
        let same_command = self.run.as_ref().is_some_and(|run| run.holds(event));
        let is_behind = event.position > position && (!same_command || event.position == position + 1);
        let is_chained = hash.is_none_or(|hash| event.prev_hash == hash);
        if !is_chained {
            self.note(event.version, FaultClass::ChainBroken, Fault::BrokenChain.to_string());
        } else if !is_behind {
            let fault = Fault::Position {
                position: event.position,
                previous: position,
            };
            self.note(event.version, FaultClass::PositionWrong, fault.to_string());
        }
        self.previous = Some(Previous {
            hash: event.hash,
            position: event.position,
        });
        self.in_run(event, same_command);
        self.is_whole &= is_chained;
        is_chained
    }

    fn in_run(&mut self, event: &recto_store::Event, same_command: bool) {
        if same_command {
            if let Some(run) = &mut self.run {
                run.extend(event);
            }
        } else {
            self.end_run();
            self.run = Some(Run::begin(event));
        }
    }

    fn end_run(&mut self) {
        if let Some(run) = self.run.take() {
            self.tally.add_run(&run);
        }
    }

    fn states(&mut self, events: &[PageEvent]) {
        let Some(deep) = &mut self.deep else { return };
        if let Err(fault) = deep.check(events) {
            self.deep = None;
            self.note(fault.version, fault.class, fault.what);
        }
    }

    /// Notes a fault of an event, if it is the first of its sort.
    fn note(&mut self, version: u64, class: FaultClass, what: String) {
        if self.faults.iter().any(|known| known.class == class) {
            return;
        }
        self.faults.push(Found {
            place: Place::Event {
                page: self.page.clone(),
                version,
            },
            class,
            what,
        });
    }
}
