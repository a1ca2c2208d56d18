//! The ledger's record of a task.

use std::sync::LazyLock;

use recto_projections::Json;
use recto_store::Id;
use serde::{Deserialize, Serialize};

use super::Tasks;
use super::key::TaskKey;
use super::request::Converted;
use super::result::{Role, TaskResult};
use super::service::Submission;
use crate::assets::ledger::{Stored, Versioned, Wrote, put, table};
use crate::assets::{AssetId, FileError, TaskId};

static TASKS: LazyLock<Id> = LazyLock::new(|| table("task"));

/// What is known of a task. The JSON in it stands as text, so that it reads back as it was.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TaskRecord {
    pub v: u8,
    pub task_type: String,
    pub payload: String,
    pub assets: Vec<TaskAsset>,
    /// Which attempt this is, from 1.
    pub attempt: u32,
    pub state: RecordState,
    /// The service's name for it, from `pending` on.
    pub task: Option<String>,
    pub result: Option<String>,
    /// Whether the service has still to hear that the task was given up.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untold: bool,
    pub created_ms: i64,
    pub updated_ms: i64,
}

/// An asset that a task uses.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TaskAsset {
    pub id: String,
    pub is_source: bool,
}

/// How far a task is. Only the first two are waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RecordState {
    /// It is being submitted: it may or may not have reached the service.
    Submitting,
    /// The service runs it.
    Pending,
    /// It has ended.
    Terminal,
}

impl Stored for TaskRecord {
    const TABLE: &'static LazyLock<Id> = &TASKS;
}

impl TaskRecord {
    pub(super) fn new(task_type: &Id, converted: &Converted, attempt: u32, now_ms: i64) -> Self {
        Self {
            v: 1,
            task_type: task_type.to_string(),
            payload: converted.payload.to_string(),
            assets: converted
                .assets
                .iter()
                .map(|(id, role)| TaskAsset {
                    id: id.to_string(),
                    is_source: *role == Role::Source,
                })
                .collect(),
            attempt,
            state: RecordState::Submitting,
            task: None,
            result: None,
            untold: false,
            created_ms: now_ms,
            updated_ms: now_ms,
        }
    }

    /// As it is once the task has ended.
    pub(super) fn ended(self, result: &TaskResult) -> Self {
        Self {
            state: RecordState::Terminal,
            result: Some(result.to_json(self.attempt.into()).to_string()),
            ..self
        }
    }

    /// The result, where the task has ended.
    pub(super) fn result(&self) -> Result<Option<TaskResult>, FileError> {
        if self.state != RecordState::Terminal {
            return Ok(None);
        }
        let read = || TaskResult::from_json(&serde_json::from_str::<Json>(self.result.as_deref()?).ok()?);
        read().map(Some).ok_or_else(|| damaged("result"))
    }

    pub(super) fn task(&self) -> Result<TaskId, FileError> {
        let read = || TaskId::new(self.task.as_deref()?).ok();
        read().ok_or_else(|| damaged("task id"))
    }

    pub(super) fn submission(&self, scope: &Id, key: &TaskKey) -> Result<Submission, FileError> {
        Ok(Submission {
            key: key.for_service(scope, self.attempt),
            task_type: self.task_type.clone(),
            payload: serde_json::from_str(&self.payload).map_err(|_| damaged("payload"))?,
            assets: self.assets()?,
        })
    }

    pub(super) fn assets(&self) -> Result<Vec<(AssetId, Role)>, FileError> {
        let read = |asset: &TaskAsset| {
            let role = if asset.is_source { Role::Source } else { Role::Reference };
            asset.id.parse().map(|id| (id, role)).map_err(|_| damaged("asset id"))
        };
        self.assets.iter().map(read).collect()
    }
}

impl Tasks {
    pub(super) async fn record(&self, scope: &Id, key: &TaskKey) -> Result<Option<Versioned<TaskRecord>>, FileError> {
        self.assets().ledger().read(scope, &key.record_key()).await
    }

    /// Writes a record in place of the one that was read at this revision.
    pub(super) async fn write(
        &self,
        scope: &Id,
        key: &TaskKey,
        revision: u64,
        mut record: TaskRecord,
    ) -> Result<Wrote, FileError> {
        record.updated_ms = self.assets().pages().clock().now_ms();
        let write = put(key.record_key(), revision, &record)?;
        self.assets().ledger().write(scope, vec![write]).await
    }
}

fn damaged(what: &str) -> FileError {
    FileError::Corrupt {
        what: format!("the record of a task has no readable {what}"),
    }
}
