//! An image service in this process: each request has a number of attempts that end without an image, it loses answers,
//! and it charges once for a key.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use recto_pages::{Answer, AssetId, Failure, ImageService, ServiceFault, Submission, TaskId, TaskStatus};
use recto_tests::png::png;
use recto_tests::seed::Random;

/// The service; its clones are the same one.
#[derive(Clone, Debug)]
pub(super) struct Scripted(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    random: Random,
    /// What was charged for: the key, and the number of the request. The name of a task is its place.
    charged: Vec<(String, usize)>,
    /// How many attempts of each request end without an image.
    failing: Vec<usize>,
    faulty: bool,
}

impl Scripted {
    pub(super) fn new(mut random: Random, requests: usize) -> Self {
        let failing = (0..requests).map(|_| random.below(3)).collect();
        Self(Arc::new(Mutex::new(State {
            random,
            charged: Vec::new(),
            failing,
            faulty: true,
        })))
    }

    /// Whether it fails now and then, beside what ends without an image.
    pub(super) fn set_faulty(&self, faulty: bool) {
        self.0.lock().unwrap().faulty = faulty;
    }

    pub(super) fn charged(&self) -> Vec<(String, usize)> {
        self.0.lock().unwrap().charged.clone()
    }

    /// Does something, unless it fails before; the answer can be lost after.
    fn answer<T: Send + 'static>(&self, work: impl FnOnce(&mut State) -> Result<T, ServiceFault>) -> Answer<'_, T> {
        let mut state = self.0.lock().unwrap();
        let trouble = |state: &mut State| state.faulty && state.random.chance(1, 8);
        let lost = || {
            Err(ServiceFault::Passing {
                reason: "as planned".to_owned(),
            })
        };
        let answer = match trouble(&mut state) {
            true => lost(),
            false => match work(&mut state) {
                done if trouble(&mut state) => done.and_then(|_| lost()),
                done => done,
            },
        };
        drop(state);
        Box::pin(async move {
            tokio::task::yield_now().await;
            answer
        })
    }
}

impl State {
    /// Which attempt of its request a task is, from 0.
    fn attempt(&self, at: usize) -> usize {
        let number = self.charged[at].1;
        self.charged[..at].iter().filter(|(_, other)| *other == number).count()
    }
}

fn place(task: &TaskId) -> usize {
    task.as_str().parse().expect("a number")
}

impl ImageService for Scripted {
    fn check(&self, _asset: AssetId) -> Answer<'_, ()> {
        self.answer(|_| Ok(()))
    }

    fn submit(&self, submission: Submission) -> Answer<'_, TaskId> {
        let number = submission.payload["n"].as_u64().expect("a number");
        let number = usize::try_from(number).expect("a small number");
        self.answer(move |state| {
            let known = state.charged.iter().position(|(key, _)| *key == submission.key);
            let at = known.unwrap_or_else(|| {
                state.charged.push((submission.key, number));
                state.charged.len() - 1
            });
            Ok(TaskId::new(&at.to_string()).expect("an id"))
        })
    }

    fn status(&self, task: TaskId) -> Answer<'_, TaskStatus> {
        self.answer(|state| {
            let at = place(&task);
            if state.random.chance(1, 2) {
                return Ok(TaskStatus::Running { progress: None });
            }
            if state.attempt(at) < state.failing[state.charged[at].1] {
                let message = "as planned".to_owned();
                return Ok(TaskStatus::Failed(Failure::NoImage { message }));
            }
            Ok(TaskStatus::Done { preview: None })
        })
    }

    fn image(&self, task: TaskId) -> Answer<'_, Bytes> {
        let seed = u64::try_from(place(&task)).expect("a small number");
        self.answer(move |_| Ok(png(16, 16, 1000 + seed).into()))
    }

    fn cancel(&self, _key: String) -> Answer<'_, ()> {
        self.answer(|_| Ok(()))
    }
}
