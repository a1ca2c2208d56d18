//! Image tasks: the ledger of jobs that an image service runs, so that each is submitted once, survives everything,
//! and ends in a value that a model can act on.
//!
//! A task is found by its key, which is made of the request after its files became assets: the same request is the
//! same task, whichever call it came from. Its record is `submitting` before the service hears of it, `pending` from
//! the moment that its id is known, and in the end holds the result. Nothing is submitted before every source and
//! reference was found.
//!
//! Invariants:
//! - A record is never taken back to an earlier state, except from `pending` to `submitting` where the service has
//!   lost the task, and for a new attempt.
//! - What cannot be submitted leaves no record.
//! - The end of a task is a value; only passing trouble is an error.

mod cancel;
mod drive;
mod key;
mod record;
mod request;
mod result;
mod run;
mod service;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use recto_store::Id;
use tokio::sync::{Notify, watch};

pub use self::key::{BadTaskKey, TaskKey};
pub use self::request::{PAYLOAD_BYTES_MAX, TASK_FILES_MAX, TaskRequest};
pub use self::result::{Failure, Image, ImagePreview, ResolutionOf, Role, Size, TaskResult};
pub use self::run::{Started, TaskView};
pub use self::service::{Answer, ImageService, NoService, ServiceFault, Submission, TaskStatus};
use crate::assets::{Assets, FileError};

/// What can be set.
#[derive(Clone, Debug)]
pub struct TaskSettings {
    /// How long to wait between two questions how a task is doing, at first.
    pub poll_min: Duration,
    /// And in the end.
    pub poll_max: Duration,
    /// How often in a row the service may fail before a run is given up; the task stays, and is run again when asked
    /// for.
    pub faults_max: u32,
}

impl Default for TaskSettings {
    fn default() -> Self {
        Self {
            poll_min: Duration::from_millis(250),
            poll_max: Duration::from_secs(5),
            faults_max: 5,
        }
    }
}

/// Why a task could not be begun or asked about. The same request may pass later, except where it is malformed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum TaskError {
    /// There is no such task.
    #[error("there is no image task {key}; send its request")]
    NotFound {
        /// The key that was asked for.
        key: String,
    },
    /// A field of the payload has another shape.
    #[error("{field} of a payload is {expected}")]
    BadPayload {
        /// The field.
        field: &'static str,
        /// What it should be.
        expected: &'static str,
    },
    /// More than a limit allows.
    #[error("{what}: at most {limit}")]
    TooLarge {
        /// What is limited.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// The service has passing trouble. What was begun stays, and goes on where it was.
    #[error("the image service does not answer as it should: {reason}; send the same request again later")]
    Service {
        /// Why.
        reason: String,
    },
    /// The ledger or the store of files has passing trouble.
    #[error(transparent)]
    File(Arc<FileError>),
}

/// The image tasks of all workspaces. Clones share everything.
#[derive(Clone, Debug)]
pub struct Tasks {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    assets: Assets,
    service: Arc<dyn ImageService>,
    settings: TaskSettings,
    running: Mutex<HashMap<(Id, TaskKey), Runner>>,
}

/// A run that is under way, or was given up and not asked about since.
#[derive(Clone, Debug)]
struct Runner {
    news: watch::Receiver<Run>,
    /// Ends its pause: the record has changed.
    wake: Arc<Notify>,
}

/// How a run is doing.
#[derive(Clone, Debug)]
pub(crate) enum Run {
    Working { progress: Option<u8> },
    Ended(Result<(), TaskError>),
}

impl Tasks {
    /// Joins the files and an image service.
    #[must_use]
    pub fn new(assets: Assets, service: Arc<dyn ImageService>, settings: TaskSettings) -> Self {
        Self {
            inner: Arc::new(Inner {
                assets,
                service,
                settings,
                running: Mutex::default(),
            }),
        }
    }

    pub(crate) fn assets(&self) -> &Assets {
        &self.inner.assets
    }

    fn service(&self) -> &dyn ImageService {
        &*self.inner.service
    }

    fn settings(&self) -> &TaskSettings {
        &self.inner.settings
    }

    fn running(&self) -> &Mutex<HashMap<(Id, TaskKey), Runner>> {
        &self.inner.running
    }
}

impl TaskError {
    pub(crate) fn service(operation: &'static str, fault: &ServiceFault) -> Self {
        count_fault(operation);
        let reason = match fault {
            ServiceFault::Passing { reason } => reason.clone(),
            other => other.to_string(),
        };
        Self::Service { reason }
    }
}

/// Counts a fault of the service, by what it was asked.
fn count_fault(operation: &'static str) {
    metrics::counter!("recto_image_service_faults_total", "operation" => operation).increment(1);
}

impl From<FileError> for TaskError {
    fn from(fault: FileError) -> Self {
        Self::File(Arc::new(fault))
    }
}
