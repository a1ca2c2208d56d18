//! Giving a task up.

use std::time::Duration;

use recto_store::Id;

use super::key::TaskKey;
use super::record::{RecordState, TaskRecord};
use super::result::{CANCELLED, Failure, TaskResult};
use super::run::{TaskView, count};
use super::service::ServiceFault;
use super::{TaskError, Tasks};
use crate::assets::ledger::{Tries, Versioned, Wrote};
use crate::crash::Point;

impl Tasks {
    /// Ends a task as cancelled. One that has ended stays as it is. The service hears of it as soon as it can: also where
    /// it is being asked for the task right now, and after a restart.
    ///
    /// # Errors
    /// [`TaskError::NotFound`], or passing trouble with the ledger.
    pub async fn cancel(&self, scope: &Id, key: TaskKey) -> Result<TaskView, TaskError> {
        let result = TaskResult::Failed(Failure::error(CANCELLED, "the task was cancelled"));
        let mut tries = Tries::of("the task");
        loop {
            tries.next()?;
            let found = self.record(scope, &key).await?;
            let found = found.ok_or_else(|| TaskError::NotFound { key: key.to_string() })?;
            if found.value.state == RecordState::Terminal {
                break;
            }
            let record = TaskRecord {
                untold: true,
                ..found.value.ended(&result)
            };
            if self.write(scope, &key, found.revision, record).await? == Wrote::Yes {
                count(&result);
                self.assets().crash().reached(Point::TaskCancelled).await;
                self.wake(scope, key);
                break;
            }
        }
        self.view(scope, key, Duration::ZERO).await
    }

    /// Lets the service know of an attempt that was given up, and notes that it knows.
    pub(super) async fn tell(&self, scope: &Id, key: &TaskKey, found: Versioned<TaskRecord>) -> Result<(), TaskError> {
        self.tell_cancelled(scope, key, found.value.attempt).await?;
        let told = TaskRecord {
            untold: false,
            ..found.value
        };
        // Where it was changed meanwhile, whoever did so has told it too.
        self.write(scope, key, found.revision, told).await?;
        Ok(())
    }

    /// Lets the service know. It may never have heard of the task.
    pub(super) async fn tell_cancelled(&self, scope: &Id, key: &TaskKey, attempt: u32) -> Result<(), TaskError> {
        match self.service().cancel(key.for_service(scope, attempt)).await {
            Ok(()) | Err(ServiceFault::TaskNotFound) => Ok(()),
            Err(fault @ ServiceFault::Passing { .. }) => Err(TaskError::service("cancel", &fault)),
            Err(fault) => {
                tracing::warn!(%key, attempt, %fault, "the image service does not give a task up");
                Ok(())
            }
        }
    }
}
