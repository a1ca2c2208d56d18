//! Driving a task to its end: submit, wait, resolve. Each step begins with the record, so that a run goes on where an
//! earlier one was cut off.

use std::time::Duration;

use bytes::Bytes;
use futures::stream;
use recto_store::Id;
use tokio::sync::watch;

use super::key::TaskKey;
use super::record::{RecordState, TaskRecord};
use super::result::{ASSET_GONE, BAD_IMAGE, Failure, Image, ImagePreview, TaskResult};
use super::run::count;
use super::service::{ServiceFault, TaskStatus};
use super::{Run, TaskError, Tasks};
use crate::assets::ledger::{Versioned, Wrote};
use crate::assets::{Asset, AttachmentId, FileError, FileRef, TaskId};
use crate::crash::Point;

/// How often in a row the service may have lost the task.
const LOST_MAX: u32 = 3;

/// What one step found.
enum Step {
    Ended(TaskResult),
    /// The record is another one now: begin with it.
    Changed,
    Waiting {
        progress: Option<u8>,
    },
    /// The service does not know the task any more.
    Lost,
}

impl Tasks {
    /// Runs a task that has a record to its end.
    pub(super) async fn drive(
        &self,
        scope: &Id,
        key: &TaskKey,
        news: &watch::Sender<Run>,
    ) -> Result<TaskResult, TaskError> {
        let (mut pause, mut faults, mut lost) = (self.settings().poll_min, 0, 0);
        loop {
            let found = self.record(scope, key).await?;
            let found = found.ok_or_else(|| TaskError::NotFound { key: key.to_string() })?;
            match self.step(scope, key, found).await {
                Ok(Step::Ended(result)) => return Ok(result),
                Ok(Step::Changed) => faults = 0,
                Ok(Step::Waiting { progress }) => {
                    faults = 0;
                    news.send_replace(Run::Working { progress });
                    self.sleep(&mut pause).await;
                }
                Ok(Step::Lost) => {
                    lost += 1;
                    if lost >= LOST_MAX {
                        return Err(TaskError::service("status", &ServiceFault::TaskNotFound));
                    }
                }
                Err(fault) => {
                    faults += 1;
                    if faults >= self.settings().faults_max {
                        return Err(fault);
                    }
                    self.sleep(&mut pause).await;
                }
            }
        }
    }

    async fn sleep(&self, pause: &mut Duration) {
        tokio::time::sleep(*pause).await;
        *pause = pause.saturating_mul(2).min(self.settings().poll_max);
    }

    async fn step(&self, scope: &Id, key: &TaskKey, found: Versioned<TaskRecord>) -> Result<Step, TaskError> {
        match found.value.state {
            RecordState::Terminal => {
                let result = found.value.result()?;
                Ok(result.map_or(Step::Changed, Step::Ended))
            }
            RecordState::Submitting => self.submit(scope, key, found).await,
            RecordState::Pending => self.wait(scope, key, found).await,
        }
    }

    async fn submit(&self, scope: &Id, key: &TaskKey, found: Versioned<TaskRecord>) -> Result<Step, TaskError> {
        self.assets().crash().reached(Point::TaskSubmitting).await;
        let submission = found.value.submission(scope, key)?;
        let task = match self.service().submit(submission).await {
            Ok(task) => task,
            Err(ServiceFault::AssetNotFound { asset }) => {
                let failure = self.which_is_missing(&found.value.assets()?, asset.as_deref()).await;
                return self.end(scope, key, found, TaskResult::Failed(failure)).await;
            }
            Err(ServiceFault::Refused(failure)) => {
                return self.end(scope, key, found, TaskResult::Failed(failure)).await;
            }
            Err(fault) => return Err(TaskError::service("submit", &fault)),
        };
        self.assets().crash().reached(Point::TaskSubmitted).await;
        let record = TaskRecord {
            state: RecordState::Pending,
            task: Some(task.to_string()),
            ..found.value
        };
        if self.write(scope, key, found.revision, record).await? == Wrote::LookAgain {
            self.give_up_if_cancelled(scope, key, task).await?;
            return Ok(Step::Changed);
        }
        self.assets().crash().reached(Point::TaskPending).await;
        Ok(Step::Changed)
    }

    /// It was cancelled while the service took it.
    async fn give_up_if_cancelled(&self, scope: &Id, key: &TaskKey, task: TaskId) -> Result<(), TaskError> {
        let found = self.record(scope, key).await?;
        if found.is_some_and(|found| found.value.state == RecordState::Terminal && found.value.task.is_none()) {
            self.tell_cancelled(task).await;
        }
        Ok(())
    }

    async fn wait(&self, scope: &Id, key: &TaskKey, found: Versioned<TaskRecord>) -> Result<Step, TaskError> {
        let task = found.value.task()?;
        match self.service().status(task.clone()).await {
            Ok(TaskStatus::Running { progress }) => Ok(Step::Waiting { progress }),
            Ok(TaskStatus::Failed(failure)) => self.end(scope, key, found, TaskResult::Failed(failure)).await,
            Ok(TaskStatus::Done { preview }) => {
                self.assets().crash().reached(Point::TaskDone).await;
                self.resolve(scope, key, found, task, preview).await
            }
            Err(ServiceFault::AssetNotFound { .. }) => self.end(scope, key, found, gone()).await,
            Err(ServiceFault::Refused(failure)) => self.end(scope, key, found, TaskResult::Failed(failure)).await,
            Err(ServiceFault::TaskNotFound) => {
                let record = TaskRecord {
                    state: RecordState::Submitting,
                    task: None,
                    ..found.value
                };
                self.write(scope, key, found.revision, record).await?;
                Ok(Step::Lost)
            }
            Err(fault) => Err(TaskError::service("status", &fault)),
        }
    }

    /// Makes an asset of the image: under a name that the task makes, so that it is one however often this is done.
    async fn resolve(
        &self,
        scope: &Id,
        key: &TaskKey,
        found: Versioned<TaskRecord>,
        task: TaskId,
        preview: Option<ImagePreview>,
    ) -> Result<Step, TaskError> {
        let bytes = match self.service().image(task).await {
            Ok(bytes) => bytes,
            Err(ServiceFault::AssetNotFound { .. }) => return self.end(scope, key, found, gone()).await,
            Err(ServiceFault::Refused(failure)) => {
                return self.end(scope, key, found, TaskResult::Failed(failure)).await;
            }
            Err(fault) => return Err(TaskError::service("image", &fault)),
        };
        let result = match self.keep(scope, key, found.value.attempt, bytes).await {
            Ok(asset) => TaskResult::Succeeded(Image {
                asset: asset.id,
                preview,
                width: asset.width,
                height: asset.height,
            }),
            Err(FileError::NotAnImage { fault, .. }) => {
                TaskResult::Failed(Failure::error(BAD_IMAGE, fault.to_string()))
            }
            Err(FileError::TooLarge { limit }) => TaskResult::Failed(Failure::error(
                BAD_IMAGE,
                format!("the image has more than {limit} bytes"),
            )),
            Err(fault) => return Err(fault.into()),
        };
        self.assets().crash().reached(Point::TaskResolved).await;
        self.end(scope, key, found, result).await
    }

    async fn keep(&self, scope: &Id, key: &TaskKey, attempt: u32, bytes: Bytes) -> Result<Asset, FileError> {
        let bad = |fault| FileError::BadId {
            given: key.to_string(),
            fault,
        };
        let name = AttachmentId::of_result(&format!("{key}.{attempt}")).map_err(bad)?;
        let body = stream::iter([Ok::<_, std::convert::Infallible>(bytes)]);
        match self.assets().attach(scope, &name, None, body).await {
            // An earlier run kept the image; a service that now sends other bytes for it changes nothing.
            Ok(_) | Err(FileError::AttachmentExists { .. }) => {}
            Err(fault) => return Err(fault),
        }
        self.assets().promote(scope, &FileRef::Attachment(name)).await
    }

    async fn end(
        &self,
        scope: &Id,
        key: &TaskKey,
        found: Versioned<TaskRecord>,
        result: TaskResult,
    ) -> Result<Step, TaskError> {
        let record = TaskRecord {
            state: RecordState::Terminal,
            result: Some(result.to_json().to_string()),
            ..found.value
        };
        if self.write(scope, key, found.revision, record).await? == Wrote::LookAgain {
            return Ok(Step::Changed);
        }
        count(&result);
        self.assets().crash().reached(Point::TaskNoted).await;
        Ok(Step::Ended(result))
    }
}

fn gone() -> TaskResult {
    TaskResult::Failed(Failure::error(
        ASSET_GONE,
        "an image that the task uses was deleted while it ran",
    ))
}
