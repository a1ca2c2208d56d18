//! Named points at which a test ends the process, armed from outside: inert unless armed.
//!
//! Every point lies in a window between two steps that must not come apart. Armed with `name:3`,
//! the third time that the point is reached is the end: the process aborts, as if power were cut.
//! In process, a schedule can freeze the work at a point instead, and drop it there.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where the process can be ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Point {
    /// The attachment's bytes are stored, its record is not.
    AttachStored,
    /// The promotion is reserved, nothing is uploaded.
    PromoteReserved,
    /// The asset's bytes are stored, the promotion is not committed.
    PromoteUploaded,
    /// The promotion is committed, the answer is not given.
    PromoteCommitted,
    /// Assets are marked as gone, and their bytes are there.
    CollectMarked,
    /// The task is noted as being submitted; the service was not asked.
    TaskSubmitting,
    /// The service has taken the task; its id is not noted.
    TaskSubmitted,
    /// The task's id is noted.
    TaskPending,
    /// The service says that the image is there; nothing of it is stored.
    TaskDone,
    /// The image is an asset; the result is not noted.
    TaskResolved,
    /// The result is noted, nobody was told.
    TaskNoted,
    /// It is noted that the task was given up; the service was not told.
    TaskCancelled,
    /// The place of a slot is found, and the node is not added.
    SlotPlacing,
    /// The node is added, and nobody was told.
    SlotPlaced,
}

/// What happens at the points.
#[derive(Clone, Default)]
pub struct Crash(Option<Arc<Plan>>);

enum Plan {
    Abort { point: Point, left: AtomicU64 },
    Freeze(Box<dyn Fn(Point) -> bool + Send + Sync>),
}

/// The setting names no point.
#[derive(Debug, thiserror::Error)]
#[error(
    "a crash point is armed as NAME:COUNT with a count from 1; the names are {}; got {got:?}",
    names()
)]
pub struct UnknownPoint {
    /// What was given.
    pub got: String,
}

impl Point {
    /// All points.
    pub const ALL: [Self; 14] = [
        Self::AttachStored,
        Self::PromoteReserved,
        Self::PromoteUploaded,
        Self::PromoteCommitted,
        Self::CollectMarked,
        Self::TaskSubmitting,
        Self::TaskSubmitted,
        Self::TaskPending,
        Self::TaskDone,
        Self::TaskResolved,
        Self::TaskNoted,
        Self::TaskCancelled,
        Self::SlotPlacing,
        Self::SlotPlaced,
    ];

    /// The name by which it is armed.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AttachStored => "attach-stored",
            Self::PromoteReserved => "promote-reserved",
            Self::PromoteUploaded => "promote-uploaded",
            Self::PromoteCommitted => "promote-committed",
            Self::CollectMarked => "collect-marked",
            Self::TaskSubmitting => "task-submitting",
            Self::TaskSubmitted => "task-submitted",
            Self::TaskPending => "task-pending",
            Self::TaskDone => "task-done",
            Self::TaskResolved => "task-resolved",
            Self::TaskNoted => "task-noted",
            Self::TaskCancelled => "task-cancelled",
            Self::SlotPlacing => "slot-placing",
            Self::SlotPlaced => "slot-placed",
        }
    }
}

impl Crash {
    /// Arms a point: `promote-uploaded:1`.
    ///
    /// # Errors
    /// [`UnknownPoint`].
    pub fn armed(setting: &str) -> Result<Self, UnknownPoint> {
        let read = || {
            let (name, count) = setting.split_once(':')?;
            let point = Point::ALL.into_iter().find(|point| point.as_str() == name)?;
            let count = count.parse::<u64>().ok().filter(|count| *count > 0)?;
            Some((point, count))
        };
        let (point, count) = read().ok_or_else(|| UnknownPoint {
            got: setting.to_owned(),
        })?;
        Ok(Self(Some(Arc::new(Plan::Abort {
            point,
            left: AtomicU64::new(count),
        }))))
    }

    /// Freezes whoever reaches a point at which `freezes` says so: the work waits there for ever, and is to be dropped.
    pub fn freezing(freezes: impl Fn(Point) -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(Plan::Freeze(Box::new(freezes)))))
    }

    /// Says that a point is reached.
    pub(crate) async fn reached(&self, point: Point) {
        match self.0.as_deref() {
            Some(Plan::Abort { point: armed, left }) if *armed == point && left.fetch_sub(1, Ordering::SeqCst) == 1 => {
                tracing::error!(point = point.as_str(), "ending the process here, as it was armed to");
                std::process::abort();
            }
            Some(Plan::Freeze(freezes)) if freezes(point) => std::future::pending().await,
            _ => {}
        }
    }
}

impl fmt::Debug for Crash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(if self.0.is_some() {
            "Crash(armed)"
        } else {
            "Crash(inert)"
        })
    }
}

fn names() -> String {
    Point::ALL.map(Point::as_str).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_can_be_armed_by_its_name_and_nothing_else_can() {
        for point in Point::ALL {
            assert!(Crash::armed(&format!("{}:2", point.as_str())).is_ok());
        }
        for setting in [
            "",
            "promote-uploaded",
            "promote-uploaded:0",
            "elsewhere:1",
            "task-done:x",
        ] {
            assert!(Crash::armed(setting).is_err(), "{setting:?}");
        }
    }
}
