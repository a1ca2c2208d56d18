//! Driving a task to its end: submit, wait, resolve. Each step begins with the record, so that a run goes on where an
//! earlier one was cut off.

use bytes::Bytes;
use futures::stream;
use recto_store::Id;
use tokio::sync::{Notify, watch};

use super::key::TaskKey;
use super::record::{RecordState, TaskRecord};
use super::result::{ASSET_GONE, BAD_IMAGE, Failure, Image, ImagePreview, TASK_LOST, TaskResult};
use super::run::count;
use super::service::{ServiceFault, TaskStatus};
use super::{Run, TaskError, Tasks, count_fault};
use crate::assets::ledger::{Versioned, Wrote};
use crate::assets::{Asset, AttachmentId, FileError, FileRef};
use crate::crash::Point;

/// How often the service may have lost the task, or its image, in one run.
const LOST_MAX: u32 = 3;

/// What one step found.
enum Step {
    Ended,
    /// The record is another one now: begin with it.
    Changed,
    Waiting {
        progress: Option<u8>,
    },
    /// The service does not know the task any more, and has to be given it again.
    Lost,
}

impl Tasks {
    /// Runs a task that has a record to its end.
    pub(super) async fn drive(
        &self,
        scope: &Id,
        key: &TaskKey,
        news: &watch::Sender<Run>,
        wake: &Notify,
    ) -> Result<(), TaskError> {
        let (mut pause, mut faults, mut lost) = (self.settings().poll_min, 0, 0);
        loop {
            let found = self.record(scope, key).await?;
            let found = found.ok_or_else(|| TaskError::NotFound { key: key.to_string() })?;
            match self.step(scope, key, found, lost).await {
                Ok(Step::Ended) => return Ok(()),
                Ok(Step::Changed) => {
                    faults = 0;
                    continue;
                }
                Ok(Step::Waiting { progress }) => {
                    faults = 0;
                    news.send_replace(Run::Working { progress });
                }
                Ok(Step::Lost) => lost += 1,
                Err(fault) => {
                    faults += 1;
                    if faults >= self.settings().faults_max {
                        return Err(fault);
                    }
                }
            }
            // Woken, it looks at the record at once.
            let _ = tokio::time::timeout(pause, wake.notified()).await;
            pause = pause.saturating_mul(2).min(self.settings().poll_max);
        }
    }

    async fn step(
        &self,
        scope: &Id,
        key: &TaskKey,
        found: Versioned<TaskRecord>,
        lost: u32,
    ) -> Result<Step, TaskError> {
        match found.value.state {
            RecordState::Terminal => {
                if found.value.untold {
                    self.tell(scope, key, found).await?;
                }
                Ok(Step::Ended)
            }
            RecordState::Submitting => self.submit(scope, key, found).await,
            RecordState::Pending => self.wait(scope, key, found, lost).await,
        }
    }

    async fn submit(&self, scope: &Id, key: &TaskKey, found: Versioned<TaskRecord>) -> Result<Step, TaskError> {
        self.assets().crash().reached(Point::TaskSubmitting).await;
        // From the record on no collection takes them; one that took one before is seen here.
        for (asset, _) in found.value.assets()? {
            if self.assets().bring_back(scope, asset).await?.is_none() {
                return self.end(scope, key, found, gone()).await;
            }
        }
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
        let attempt = found.value.attempt;
        let record = TaskRecord {
            state: RecordState::Pending,
            task: Some(task.to_string()),
            ..found.value
        };
        if self.write(scope, key, found.revision, record).await? == Wrote::LookAgain {
            self.give_up_if_over(scope, key, attempt).await?;
            return Ok(Step::Changed);
        }
        self.assets().crash().reached(Point::TaskPending).await;
        Ok(Step::Changed)
    }

    /// While the service took an attempt it was given up, and the next one begun. Of one that was only given up, the next
    /// step lets the service know.
    async fn give_up_if_over(&self, scope: &Id, key: &TaskKey, attempt: u32) -> Result<(), TaskError> {
        let found = self.record(scope, key).await?;
        if found.is_some_and(|found| found.value.attempt != attempt) {
            self.tell_cancelled(scope, key, attempt).await?;
        }
        Ok(())
    }

    async fn wait(
        &self,
        scope: &Id,
        key: &TaskKey,
        found: Versioned<TaskRecord>,
        lost: u32,
    ) -> Result<Step, TaskError> {
        let task = found.value.task()?;
        match self.service().status(task.clone()).await {
            Ok(TaskStatus::Running { progress }) => Ok(Step::Waiting { progress }),
            Ok(TaskStatus::Failed(failure)) => self.end(scope, key, found, TaskResult::Failed(failure)).await,
            Ok(TaskStatus::Done { preview }) => {
                self.assets().crash().reached(Point::TaskDone).await;
                match self.service().image(task).await {
                    Ok(bytes) => self.resolve(scope, key, found, bytes, preview).await,
                    Err(fault) => self.no_answer(scope, key, found, lost, ("image", fault)).await,
                }
            }
            Err(fault) => self.no_answer(scope, key, found, lost, ("status", fault)).await,
        }
    }

    /// What becomes of a task about which the service does not say what it was asked.
    async fn no_answer(
        &self,
        scope: &Id,
        key: &TaskKey,
        found: Versioned<TaskRecord>,
        lost: u32,
        (operation, fault): (&'static str, ServiceFault),
    ) -> Result<Step, TaskError> {
        match fault {
            ServiceFault::AssetNotFound { .. } => self.end(scope, key, found, gone()).await,
            ServiceFault::Refused(failure) => self.end(scope, key, found, TaskResult::Failed(failure)).await,
            ServiceFault::TaskNotFound if lost + 1 < LOST_MAX => {
                count_fault(operation);
                let record = TaskRecord {
                    state: RecordState::Submitting,
                    task: None,
                    ..found.value
                };
                self.write(scope, key, found.revision, record).await?;
                Ok(Step::Lost)
            }
            ServiceFault::TaskNotFound => {
                count_fault(operation);
                let failure = Failure::error(
                    TASK_LOST,
                    "the image service loses the task each time that it is given it",
                );
                self.end(scope, key, found, TaskResult::Failed(failure)).await
            }
            fault @ ServiceFault::Passing { .. } => Err(TaskError::service(operation, &fault)),
        }
    }

    /// Makes an asset of the image: under a name that the task makes, so that it is one however often this is done.
    async fn resolve(
        &self,
        scope: &Id,
        key: &TaskKey,
        found: Versioned<TaskRecord>,
        bytes: Bytes,
        preview: Option<ImagePreview>,
    ) -> Result<Step, TaskError> {
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
        let asset = match &result {
            TaskResult::Succeeded(image) => Some(image.asset),
            TaskResult::Failed(_) => None,
        };
        let step = self.end(scope, key, found, result).await?;
        if let Some(asset) = asset {
            // A collection that took it before the record named it did not see it.
            self.assets().bring_back(scope, asset).await?;
        }
        Ok(step)
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
        let record = found.value.ended(&result);
        if self.write(scope, key, found.revision, record).await? == Wrote::LookAgain {
            return Ok(Step::Changed);
        }
        count(&result);
        self.assets().crash().reached(Point::TaskNoted).await;
        Ok(Step::Ended)
    }
}

fn gone() -> TaskResult {
    TaskResult::Failed(Failure::error(
        ASSET_GONE,
        "an image that the task uses was deleted before it ended",
    ))
}
