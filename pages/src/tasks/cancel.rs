//! Giving a task up.

use std::time::Duration;

use recto_store::Id;

use super::key::TaskKey;
use super::record::{RecordState, TaskRecord};
use super::result::{CANCELLED, Failure, TaskResult};
use super::run::{TaskView, count};
use super::{TaskError, Tasks};
use crate::assets::ledger::Wrote;
use crate::assets::{FileError, TaskId};

/// How often a record is looked at again where it changes under the writer's hands.
const TRIES_MAX: usize = 8;

impl Tasks {
    /// Ends a task as cancelled, and tells the service. One that has ended stays as it is.
    ///
    /// # Errors
    /// [`TaskError::NotFound`], or passing trouble with the ledger.
    pub async fn cancel(&self, scope: &Id, key: TaskKey) -> Result<TaskView, TaskError> {
        let result = TaskResult::Failed(Failure::error(CANCELLED, "the task was cancelled"));
        for _ in 0..TRIES_MAX {
            let found = self.record(scope, &key).await?;
            let found = found.ok_or_else(|| TaskError::NotFound { key: key.to_string() })?;
            if found.value.state == RecordState::Terminal {
                return self.view(scope, key, Duration::ZERO).await;
            }
            let task = found.value.task.is_some().then(|| found.value.task()).transpose()?;
            let record = TaskRecord {
                state: RecordState::Terminal,
                result: Some(result.to_json().to_string()),
                ..found.value
            };
            if self.write(scope, &key, found.revision, record).await? == Wrote::Yes {
                count(&result);
                if let Some(task) = task {
                    self.tell_cancelled(task).await;
                }
                return self.view(scope, key, Duration::ZERO).await;
            }
        }
        Err(FileError::Unavailable {
            reason: "the task changes faster than this request can follow".to_owned(),
        }
        .into())
    }

    /// Lets the service know. Where that fails, its image is made for nothing and never fetched.
    pub(super) async fn tell_cancelled(&self, task: TaskId) {
        if let Err(fault) = self.service().cancel(task.clone()).await {
            tracing::warn!(%task, %fault, "the image service was not told that a task is cancelled");
        }
    }
}
