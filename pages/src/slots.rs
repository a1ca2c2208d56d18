//! Delivery slots: promises of places on a page for images that are still being made.
//!
//! A slot lives in memory with a lease, and on the feed; never in the log. What it becomes is a node, added by a command
//! whose id is the slot's: so there is at most one node for a slot, over retries, reconnects and restarts.
//!
//! A page that was deleted takes no image: it goes to the default canvas of the page's file, under the same command.
//!
//! Invariants:
//! - The place of a slot meets neither a node nor another slot, at the moment when it is claimed.
//! - Whatever becomes of a slot is told once: it was placed, or it failed.
//! - A node is added where the slot is; where the slot was lost, at a place that is claimed then.

mod bounds;
mod deliver;
mod hold;
mod lease;
mod news;
mod once;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use recto_store::{Id, PageKey};
use tokio::sync::broadcast;

pub use self::bounds::{Bounds, COORDINATE_MAX, GAP, ROW_WIDTH, SIDE_MAX};
pub use self::deliver::{Place, Placed};
pub use self::hold::{Held, Hold};
pub use self::news::{SlotFollower, SlotNews, SlotStatus};
use crate::actor::Caller;
use crate::assets::{Assets, FileError};
use crate::crash::Crash;
use crate::error::{ReadError, WriteError};
use crate::locks::PageLocks;
use crate::service::Pages;
use crate::tasks::{TaskError, TaskKey, Tasks};

/// The most slots that one page has at the same time.
pub const SLOTS_MAX: usize = 1_000;
/// How much news a follower may be behind before it gets the slots of its pages again.
const NEWS_MAX: usize = 4_096;

/// What can be set.
#[derive(Clone, Debug)]
pub struct SlotSettings {
    /// How long a slot is kept for one who does not come back.
    pub lease: Duration,
    /// How often leases are looked at.
    pub look: Duration,
}

impl Default for SlotSettings {
    fn default() -> Self {
        Self {
            lease: Duration::from_secs(10 * 60),
            look: Duration::from_secs(1),
        }
    }
}

impl SlotSettings {
    /// A lease of so many ms, at least one, and leases are looked at often enough for it.
    #[must_use]
    pub fn of_lease(lease_ms: u64) -> Self {
        let lease = Duration::from_millis(lease_ms.max(1));
        let look = Self::default().look.min(lease);
        Self { lease, look }
    }
}

/// Why a slot was not held, or nothing was placed.
#[derive(Debug, thiserror::Error)]
pub enum SlotError {
    /// Too many slots are held.
    #[error("a page holds at most {SLOTS_MAX} slots at the same time; place or drop some")]
    TooMany,
    /// The size or place is none.
    #[error("a slot has sides of 1 to {SIDE_MAX} px, and lies within {COORDINATE_MAX} px of the origin")]
    BadBounds,
    /// The slot is held otherwise.
    #[error("slot {slot:?} is held for another task; hold another slot for another image")]
    HeldOtherwise {
        /// The slot.
        slot: String,
    },
    /// There is no such slot.
    #[error("there is no slot {slot:?} on this page: it was placed, it failed, or it was never held")]
    NotFound {
        /// The slot.
        slot: String,
    },
    /// The image cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// The task that the slot waits for cannot be asked for.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// The page cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The node cannot be added.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl SlotError {
    /// Whether the same may pass later, and nothing is known to be wrong with it.
    fn is_passing(&self) -> bool {
        match self {
            Self::Write(WriteError::OutcomeUnknown { .. } | WriteError::Unavailable { .. })
            | Self::Write(WriteError::Read(ReadError::Unavailable { .. }))
            | Self::Read(ReadError::Unavailable { .. })
            | Self::File(FileError::Unavailable { .. })
            | Self::Task(TaskError::Service { .. }) => true,
            Self::Task(TaskError::File(fault)) => matches!(**fault, FileError::Unavailable { .. }),
            _ => false,
        }
    }
}

/// The slots of all pages. Clones share everything.
#[derive(Clone, Debug)]
pub struct Slots {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    tasks: Tasks,
    settings: SlotSettings,
    boards: Mutex<HashMap<PageKey, Board>>,
    /// One claim or delivery at a time on a page.
    gates: PageLocks,
    news: broadcast::Sender<Arc<SlotNews>>,
}

/// The slots of one page, in the order in which they were held.
#[derive(Debug, Default)]
struct Board {
    slots: Vec<Slot>,
}

#[derive(Clone, Debug)]
struct Slot {
    id: Id,
    bounds: Bounds,
    caller: Caller,
    task: Option<TaskKey>,
    until: Instant,
}

impl Slots {
    /// Makes an empty board for every page, and begins to look after leases. Must be called within a tokio runtime.
    #[must_use]
    pub fn new(tasks: Tasks, settings: SlotSettings) -> Self {
        let slots = Self {
            inner: Arc::new(Inner {
                tasks,
                settings,
                boards: Mutex::default(),
                gates: PageLocks::default(),
                news: broadcast::channel(NEWS_MAX).0,
            }),
        };
        lease::look_after(&slots);
        slots
    }

    fn tasks(&self) -> &Tasks {
        &self.inner.tasks
    }

    fn assets(&self) -> &Assets {
        self.inner.tasks.assets()
    }

    fn pages(&self) -> &Pages {
        self.assets().pages()
    }

    fn crash(&self) -> &Crash {
        self.assets().crash()
    }

    fn slot(&self, page: &PageKey, id: &Id) -> Option<Slot> {
        let boards = self.inner.boards.lock();
        boards.get(page)?.slots.iter().find(|slot| slot.id == *id).cloned()
    }

    /// Takes a slot off the board; whoever gets it tells what became of it.
    fn take(&self, page: &PageKey, id: &Id) -> Option<Slot> {
        let mut boards = self.inner.boards.lock();
        let board = boards.get_mut(page)?;
        let at = board.slots.iter().position(|slot| slot.id == *id)?;
        let slot = board.slots.remove(at);
        if board.slots.is_empty() {
            boards.remove(page);
        }
        Some(slot)
    }
}
