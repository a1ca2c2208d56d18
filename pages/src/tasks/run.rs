//! Asking for a task: it is found by its key and waited for, or begun.

use std::sync::Arc;
use std::time::Duration;

use recto_store::Id;
use tokio::sync::watch;
use tokio::time::Instant;

use super::key::TaskKey;
use super::record::{RecordState, TaskRecord};
use super::request::{Converted, TaskRequest};
use super::result::{ASSET_NOT_FOUND, Failure, Role, TaskResult};
use super::service::ServiceFault;
use super::{Run, Runner, TaskError, Tasks};
use crate::assets::ledger::{Tries, Versioned, Wrote};
use crate::assets::{AssetId, FileError};

/// What became of a request.
#[derive(Clone, Debug)]
pub enum Started {
    /// It was refused before anything was submitted; there is no task.
    Refused(Failure),
    /// It is this task.
    Task(TaskView),
}

/// A task as it is now.
#[derive(Clone, Debug)]
pub struct TaskView {
    /// Its key.
    pub key: TaskKey,
    /// Which attempt this is, from 1.
    pub attempt: u32,
    /// Whether the service has it.
    pub submitted: bool,
    /// How far it is, in percent, where the service says so.
    pub progress: Option<u8>,
    /// The end, where it has come.
    pub result: Option<TaskResult>,
}

impl Tasks {
    /// Finds or begins the task of a request, and waits for its end for so long. Two callers with one request submit
    /// once.
    ///
    /// # Errors
    /// [`TaskError`]: passing trouble, or a request that is malformed. What was begun stays.
    pub async fn run(&self, scope: &Id, request: TaskRequest, wait: Duration) -> Result<Started, TaskError> {
        let converted = match self.convert(scope, &request).await? {
            Ok(converted) => converted,
            Err(failure) => return Ok(Started::Refused(refused(failure))),
        };
        let key = converted.key;
        if let Err(failure) = self.begin(scope, &request, converted).await? {
            return Ok(Started::Refused(refused(failure)));
        }
        self.watch(scope, key, wait).await.map(Started::Task)
    }

    /// How a task is doing, waiting for its end for so long. One whose run was given up goes on.
    ///
    /// # Errors
    /// [`TaskError::NotFound`], or passing trouble: also that for which a run was given up since somebody asked last.
    pub async fn view(&self, scope: &Id, key: TaskKey, wait: Duration) -> Result<TaskView, TaskError> {
        let trouble = self.take_trouble(scope, key);
        let view = self.watch(scope, key, wait).await?;
        match trouble {
            Some(fault) if view.result.is_none() => Err(fault),
            _ => Ok(view),
        }
    }

    /// Goes on with a task that has a record, and waits for its end for so long; `None` where it has not ended.
    pub(crate) async fn resume(
        &self,
        scope: &Id,
        key: TaskKey,
        wait: Duration,
    ) -> Result<Option<TaskResult>, TaskError> {
        Ok(self.watch(scope, key, wait).await?.result)
    }

    /// Goes on with all tasks that had not ended when the service was stopped, and with telling of those that were given
    /// up; returns how many.
    ///
    /// # Errors
    /// Where the ledger cannot be read.
    pub async fn recover(&self, scope: &Id) -> Result<usize, FileError> {
        let mut found = 0;
        for (key, record) in self.assets().ledger().list::<TaskRecord>(scope).await? {
            let is_over = record.value.state == RecordState::Terminal && !record.value.untold;
            if let (Ok(key), false) = (key.parse(), is_over) {
                self.ensure_running(scope, key);
                found += 1;
            }
        }
        Ok(found)
    }

    /// Sees to it that there is a record. The inner error is an asset that the service does not have.
    async fn begin(
        &self,
        scope: &Id,
        request: &TaskRequest,
        converted: Converted,
    ) -> Result<Result<(), Failure>, TaskError> {
        let key = converted.key;
        let mut tries = Tries::of("the task");
        loop {
            tries.next()?;
            let found = self.record(scope, &key).await?;
            let (revision, attempt) = match &found {
                None => (0, 1),
                Some(found) if is_seen(&found.value, request.again)? => {
                    if found.value.untold {
                        self.tell_cancelled(scope, &key, found.value.attempt).await?;
                    }
                    (found.revision, found.value.attempt.saturating_add(1))
                }
                Some(_) => return Ok(Ok(())),
            };
            if let Err(failure) = self.check(&converted.assets).await? {
                return Ok(Err(failure));
            }
            let now_ms = self.assets().pages().clock().now_ms();
            let record = TaskRecord::new(&request.task_type, &converted, attempt, now_ms);
            if self.write(scope, &key, revision, record).await? == Wrote::Yes {
                return Ok(Ok(()));
            }
        }
    }

    /// Asks the service for every asset, with the role that its caller gave it.
    pub(super) async fn check(&self, assets: &[(AssetId, Role)]) -> Result<Result<(), Failure>, TaskError> {
        for (asset, role) in assets {
            match self.service().check(*asset).await {
                Ok(()) => {}
                Err(ServiceFault::AssetNotFound { .. }) => {
                    return Ok(Err(Failure::not_found(*role, &asset.to_string())));
                }
                Err(ServiceFault::Refused(failure)) => return Ok(Err(failure)),
                Err(fault) => return Err(TaskError::service("check", &fault)),
            }
        }
        Ok(Ok(()))
    }

    /// Finds out which asset the service does not have, where it does not say so itself.
    pub(super) async fn which_is_missing(&self, assets: &[(AssetId, Role)], named: Option<&str>) -> Failure {
        let role = named.and_then(|named| {
            let found = assets.iter().find(|(asset, _)| asset.to_string() == named);
            found.map(|(_, role)| *role)
        });
        if let (Some(named), Some(role)) = (named, role) {
            return Failure::not_found(role, named);
        }
        match self.check(assets).await {
            Ok(Err(failure)) => failure,
            _ => Failure::error(ASSET_NOT_FOUND, "the image service does not find one of the images"),
        }
    }

    async fn watch(&self, scope: &Id, key: TaskKey, wait: Duration) -> Result<TaskView, TaskError> {
        let until = Instant::now() + wait;
        let mut known = None;
        loop {
            let found = self.record(scope, &key).await?;
            let found = found.ok_or_else(|| TaskError::NotFound { key: key.to_string() })?;
            if let Some(result) = found.value.result()? {
                if found.value.untold {
                    self.ensure_running(scope, key);
                }
                return Ok(view(key, &found, None, Some(result)));
            }
            if let Some(progress) = known {
                return Ok(view(key, &found, progress, None));
            }
            let mut news = self.ensure_running(scope, key).news;
            let ended = news.wait_for(|run| matches!(run, Run::Ended(_)));
            // The time running out is no fault: what is known is told.
            let _ = tokio::time::timeout_at(until, ended).await;
            match &*news.borrow() {
                Run::Ended(Err(fault)) => return Err(fault.clone()),
                // What has ended is in the record; where that was an earlier attempt, the next one is run.
                Run::Ended(Ok(())) => {}
                Run::Working { progress } => known = Some(*progress),
            }
        }
    }

    /// One run for a task, however many ask for it.
    pub(super) fn ensure_running(&self, scope: &Id, key: TaskKey) -> Runner {
        let name = (scope.clone(), key);
        let mut running = self.running().lock();
        if let Some(runner) = running.get(&name).filter(|runner| runner.trouble().is_none()) {
            return runner.clone();
        }
        let (sender, news) = watch::channel(Run::Working { progress: None });
        let runner = Runner {
            news,
            wake: Arc::default(),
        };
        running.insert(name.clone(), runner.clone());
        drop(running);
        let (tasks, wake) = (self.clone(), Arc::clone(&runner.wake));
        tokio::spawn(async move {
            // Also where the run panics, the next one begins anew.
            let _leaving = Leaving(&tasks, &name);
            let ended = tasks.drive(&name.0, &name.1, &sender, &wake).await;
            let mut running = tasks.running().lock();
            // One that was given up is kept, so that whoever asks next hears why.
            if ended.is_ok() {
                running.remove(&name);
            }
            sender.send_replace(Run::Ended(ended));
        });
        runner
    }

    /// Has the run of a task look at its record, which has changed.
    pub(super) fn wake(&self, scope: &Id, key: TaskKey) {
        self.ensure_running(scope, key).wake.notify_one();
    }

    /// For what the run of a task was given up, where nobody has asked for it since.
    fn take_trouble(&self, scope: &Id, key: TaskKey) -> Option<TaskError> {
        let name = (scope.clone(), key);
        let mut running = self.running().lock();
        let trouble = running.get(&name)?.trouble()?;
        running.remove(&name);
        Some(trouble)
    }
}

impl Runner {
    fn trouble(&self) -> Option<TaskError> {
        match &*self.news.borrow() {
            Run::Ended(Err(fault)) => Some(fault.clone()),
            _ => None,
        }
    }
}

struct Leaving<'a>(&'a Tasks, &'a (Id, TaskKey));

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.running().lock().remove(self.1);
        }
    }
}

fn view(key: TaskKey, found: &Versioned<TaskRecord>, progress: Option<u8>, result: Option<TaskResult>) -> TaskView {
    TaskView {
        key,
        attempt: found.value.attempt,
        submitted: found.value.state != RecordState::Submitting,
        progress,
        result,
    }
}

/// Whether the newest attempt is the one whose failure was seen.
fn is_seen(record: &TaskRecord, seen: Option<u32>) -> Result<bool, FileError> {
    Ok(seen == Some(record.attempt) && matches!(record.result()?, Some(TaskResult::Failed(_))))
}

/// Counts a request that was refused before anything was submitted: it is its caller's fault.
fn refused(failure: Failure) -> Failure {
    count(&TaskResult::Failed(failure.clone()));
    failure
}

/// Counts the end of a task; faults of callers and of the service apart.
pub(super) fn count(result: &TaskResult) {
    metrics::counter!("recto_image_tasks_total", "outcome" => result.outcome()).increment(1);
    if let TaskResult::Failed(failure) = result
        && failure.is_callers()
    {
        metrics::counter!("recto_image_caller_errors_total").increment(1);
    }
}
