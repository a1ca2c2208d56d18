//! An image service in this process: it loses answers, fails, and charges once for a key.

use std::sync::Arc;

use bytes::Bytes;
use recto_pages::{Answer, AssetId, ImageService, ServiceFault, Submission, TaskId, TaskStatus};
use recto_tests::png::png;
use recto_tests::seed::Random;
use std::sync::Mutex;

/// The service; its clones are the same one.
#[derive(Clone, Debug)]
pub(super) struct Scripted(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    random: Random,
    /// The keys that were charged for, in order; the name of a task is its place.
    charged: Vec<String>,
    submits: usize,
    faulty: bool,
}

impl Scripted {
    pub(super) fn new(random: Random) -> Self {
        Self(Arc::new(Mutex::new(State {
            random,
            charged: Vec::new(),
            submits: 0,
            faulty: true,
        })))
    }

    /// Whether it fails now and then.
    pub(super) fn set_faulty(&self, faulty: bool) {
        self.0.lock().unwrap().faulty = faulty;
    }

    pub(super) fn charged(&self) -> Vec<String> {
        self.0.lock().unwrap().charged.clone()
    }

    /// How often it was asked for a task, whether that was charged for or not.
    pub(super) fn submits(&self) -> usize {
        self.0.lock().unwrap().submits
    }

    /// Does something, unless it fails before; the answer can be lost after.
    fn answer<T: Send + 'static>(&self, work: impl FnOnce(&mut State) -> Result<T, ServiceFault>) -> Answer<'_, T> {
        let mut state = self.0.lock().unwrap();
        let passing = || {
            Err(ServiceFault::Passing {
                reason: "as planned".to_owned(),
            })
        };
        let faulty = state.faulty;
        let answer = if faulty && state.random.chance(1, 10) {
            passing()
        } else {
            let done = work(&mut state);
            if faulty && state.random.chance(1, 10) {
                passing()
            } else {
                done
            }
        };
        drop(state);
        Box::pin(async move {
            tokio::task::yield_now().await;
            answer
        })
    }
}

fn number(task: &TaskId) -> u64 {
    task.as_str().parse().expect("a number")
}

impl ImageService for Scripted {
    fn check(&self, _asset: AssetId) -> Answer<'_, ()> {
        self.answer(|_| Ok(()))
    }

    fn submit(&self, submission: Submission) -> Answer<'_, TaskId> {
        self.0.lock().unwrap().submits += 1;
        self.answer(|state| {
            let known = state.charged.iter().position(|key| *key == submission.key);
            let at = known.unwrap_or_else(|| {
                state.charged.push(submission.key);
                state.charged.len() - 1
            });
            Ok(TaskId::new(&at.to_string()).expect("an id"))
        })
    }

    fn status(&self, _task: TaskId) -> Answer<'_, TaskStatus> {
        self.answer(|state| {
            Ok(if state.random.chance(1, 3) {
                TaskStatus::Running { progress: None }
            } else {
                TaskStatus::Done { preview: None }
            })
        })
    }

    fn image(&self, task: TaskId) -> Answer<'_, Bytes> {
        self.answer(|_| Ok(png(16, 16, 1000 + number(&task)).into()))
    }

    fn cancel(&self, _key: String) -> Answer<'_, ()> {
        self.answer(|_| Ok(()))
    }
}
