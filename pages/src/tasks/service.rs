//! The image service that runs the tasks: what Recto asks of it, and how it can answer.

use std::fmt;

use bytes::Bytes;
use futures::future::BoxFuture;
use recto_projections::Json;

use super::result::{Failure, ImagePreview, Role};
use crate::assets::{AssetId, TaskId};

/// What the service answers, later.
pub type Answer<'a, T> = BoxFuture<'a, Result<T, ServiceFault>>;

/// A task as the service gets it.
#[derive(Clone, Debug)]
pub struct Submission {
    /// The service's idempotency key: the same key again is the same task, not paid for again.
    pub key: String,
    /// What is to be done.
    pub task_type: String,
    /// With what; files are named by their asset ids.
    pub payload: Json,
    /// The files in it, and what each is for.
    pub assets: Vec<(AssetId, Role)>,
}

/// How a task is doing.
#[derive(Clone, Debug, PartialEq)]
pub enum TaskStatus {
    /// It is under way.
    Running {
        /// How far, in percent.
        progress: Option<u8>,
    },
    /// The image can be fetched.
    Done {
        /// Where a small form of it can be seen.
        preview: Option<ImagePreview>,
    },
    /// There will be no image.
    Failed(Failure),
}

/// Why the service did not do as asked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ServiceFault {
    /// It does not find an asset (404 with code 102).
    #[error("the image service does not find an asset")]
    AssetNotFound {
        /// Which, where it says so.
        asset: Option<String>,
    },
    /// It does not know the task (404 otherwise).
    #[error("the image service does not know the task")]
    TaskNotFound,
    /// It refuses the task for good.
    #[error("the image service refuses the task")]
    Refused(Failure),
    /// Not now, or the answer was lost.
    #[error("the image service does not answer as it should: {reason}")]
    Passing {
        /// Why.
        reason: String,
    },
}

/// An image service. Every call can be repeated.
pub trait ImageService: Send + Sync + fmt::Debug + 'static {
    /// Asks whether the service can use an asset. It costs nothing.
    fn check(&self, asset: AssetId) -> Answer<'_, ()>;

    /// Has a task done, or finds the one that was submitted under the same key.
    fn submit(&self, submission: Submission) -> Answer<'_, TaskId>;

    /// Asks how a task is doing.
    fn status(&self, task: TaskId) -> Answer<'_, TaskStatus>;

    /// Fetches the image of a task that is done.
    fn image(&self, task: TaskId) -> Answer<'_, Bytes>;

    /// Gives up the task of a key, wherever it is: one that has not come yet is neither begun nor paid for when it comes.
    fn cancel(&self, key: String) -> Answer<'_, ()>;
}

/// No service: every task is refused until one is set.
#[derive(Clone, Copy, Debug)]
pub struct NoService;

impl NoService {
    fn fault<T: Send + 'static>() -> Answer<'static, T> {
        Box::pin(std::future::ready(Err(ServiceFault::Passing {
            reason: "this server was started without an image service".to_owned(),
        })))
    }
}

impl ImageService for NoService {
    fn check(&self, _asset: AssetId) -> Answer<'_, ()> {
        Self::fault()
    }

    fn submit(&self, _submission: Submission) -> Answer<'_, TaskId> {
        Self::fault()
    }

    fn status(&self, _task: TaskId) -> Answer<'_, TaskStatus> {
        Self::fault()
    }

    fn image(&self, _task: TaskId) -> Answer<'_, Bytes> {
        Self::fault()
    }

    fn cancel(&self, _key: String) -> Answer<'_, ()> {
        Self::fault()
    }
}
