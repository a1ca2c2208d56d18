//! Delivery slots: promises of places on a page for images that are still being made.
//!
//! A slot lives in memory with a lease, and on the feed; never in the log. What it becomes is a node, added by a command
//! whose id is the slot's: so there is at most one node for a slot, over retries, reconnects and restarts.
//!
//! A page that was deleted takes no image: it goes to the default canvas of the page's file, under the same command.
//!
//! Invariants:
//! - The place of a slot meets neither a node nor another slot, at the moment when it is claimed; and no image that is
//!   added later, wherever it may, claims a place that is held.
//! - A hold has a number. What a worker brings for a hold that is over is not placed.
//! - Whatever becomes of a slot is told once: it was placed, or it failed.
//! - A node is added where the slot is; where the slot was lost, at a place that is claimed then.

mod board;
mod bounds;
mod deliver;
mod hold;
mod lease;
mod news;
mod once;
mod work;

use std::sync::Arc;
use std::time::Duration;

pub(crate) use self::board::Boards;
pub use self::bounds::{Bounds, COORDINATE_MAX, SIDE_MAX};
pub use self::deliver::{Place, Placed};
pub use self::hold::{Held, Hold};
pub use self::news::{SlotFollower, SlotNews, SlotStatus};
use crate::assets::{Assets, FileError};
use crate::crash::Crash;
use crate::error::{ReadError, WriteError};
use crate::locks::PageLocks;
use crate::service::Pages;
use crate::tasks::{TaskError, Tasks};

/// Why a slot failed whose image went to another page.
pub(crate) const PLACED_ELSEWHERE: &str = "placed_elsewhere";
/// The most slots that one page has at the same time.
pub const SLOTS_MAX: usize = 1_000;

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
    /// One claim, delivery or end of a slot at a time on a page.
    gates: PageLocks,
}

impl Slots {
    /// Begins to look after leases. Must be called within a tokio runtime.
    #[must_use]
    pub fn new(tasks: Tasks, settings: SlotSettings) -> Self {
        let slots = Self {
            inner: Arc::new(Inner {
                tasks,
                settings,
                gates: PageLocks::default(),
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

    /// The boards are with the pages, so that whoever adds an image keeps out of what is held.
    fn boards(&self) -> &Boards {
        self.pages().boards()
    }
}
