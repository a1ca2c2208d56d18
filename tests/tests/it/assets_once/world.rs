//! What outlives a crash, the lives over it, and what must be so in the end.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::stream;
use recto_pages::{
    Assets, AttachmentId, Blobs, Crash, Hold, Pages, Place, SlotSettings, Slots, Started, TaskRequest, TaskResult,
    Tasks,
};
use recto_store::MemoryEngine;
use recto_tests::png::png;
use recto_tests::seed::Random;
use recto_tests::service::{SCOPE, caller, id};
use serde_json::json;
use tokio::sync::Notify;

use super::service::Scripted;
use crate::lives;

/// How many attachments, requests and slots there are. Two attachments have the same bytes.
pub(super) const THINGS: usize = 3;
/// The version of the page when all slots are filled.
const THINGS_VERSION: u64 = 4;
/// How many workers do everything at the same time.
const WORKERS: usize = 2;
/// How often a worker tries again what failed.
const TRIES_MAX: usize = 200;

/// Before how many points, and among how many commits, a life meets its trouble.
const POINTS: usize = 40;
const COMMITS: u64 = 30;

/// What was answered, by what was asked: every answer must be the same.
type Answers = Arc<Mutex<BTreeMap<String, String>>>;

/// What outlives a crash.
pub(super) struct World {
    random: Random,
    told: String,
    engine: Arc<MemoryEngine>,
    blobs: Blobs,
    service: Scripted,
    answers: Answers,
}

/// One life of the service.
#[derive(Clone)]
struct Life {
    pages: Pages,
    assets: Assets,
    tasks: Tasks,
    slots: Slots,
    answers: Answers,
    told: String,
}

impl World {
    pub(super) fn new(mut random: Random, told: String) -> Self {
        Self {
            engine: Arc::new(MemoryEngine::new()),
            blobs: Blobs::memory(),
            service: Scripted::new(random.fork()),
            answers: Answers::default(),
            random,
            told,
        }
    }

    /// Lives until all workers are done, or somebody reaches a point where it ends; `true` for the latter.
    pub(super) fn live(&mut self, crashing: bool) -> bool {
        let runtime = lives::runtime();
        let ended = Arc::new(Notify::new());
        let crash = match crashing {
            true => lives::crash(&mut self.random, POINTS, &ended),
            false => Crash::default(),
        };
        self.service.set_faulty(crashing);
        if crashing {
            lives::fail_commits(&mut self.random, COMMITS, &self.engine);
        }
        let crashed = runtime.block_on(async {
            let life = self.begin(crash).await;
            let workers = (0..WORKERS).map(|_| life.work(self.random.fork()));
            let all = futures::future::join_all(workers);
            tokio::select! {
                () = ended.notified() => true,
                _ = all => false,
            }
        });
        // Whatever was under way is gone.
        runtime.shutdown_background();
        crashed
    }

    async fn begin(&mut self, crash: Crash) -> Life {
        let service = Arc::new(self.service.clone());
        let (pages, assets, tasks) = lives::begin(&self.engine, &self.blobs, crash, service).await;
        Life {
            pages,
            slots: Slots::new(tasks.clone(), SlotSettings::default()),
            assets,
            tasks,
            answers: Arc::clone(&self.answers),
            told: self.told.clone(),
        }
    }

    /// How often the image service was asked for a task.
    pub(super) fn submits(&self) -> usize {
        self.service.submits()
    }

    /// What must be so when all is done.
    pub(super) fn check(&mut self) {
        let runtime = lives::runtime();
        let told = self.told.clone();
        runtime.block_on(async {
            let life = self.begin(Crash::default()).await;
            let scope = id(SCOPE);
            life.assets.recover(&scope).await.unwrap();
            let answers = self.answers.lock().unwrap().clone();
            let told_of = |what: &str| answers.keys().filter(|key| key.starts_with(what)).count();
            assert_eq!(
                [told_of("file"), told_of("task"), told_of("slot")],
                [THINGS; 3],
                "{told}"
            );

            let charged = self.service.charged();
            let mut keys = charged.clone();
            keys.sort();
            keys.dedup();
            assert_eq!((charged.len(), keys.len()), (THINGS, THINGS), "paid twice: {told}");

            // Two of the attachments have the same bytes.
            assert_eq!(
                self.blobs.contents(&scope).await.unwrap().len(),
                2 * THINGS - 1,
                "{told}"
            );
            let books = life.assets.collect(&scope, 0, true).await.unwrap();
            assert_eq!(books.assets, 2 * THINGS, "{told}");

            let page = life
                .assets
                .of_page(&scope, &id("p"), recto_pages::At::Head)
                .await
                .unwrap();
            let present = page
                .assets
                .iter()
                .filter(|asset| asset.state == recto_pages::PageAssetState::Present)
                .count();
            assert_eq!((page.version, present), (THINGS_VERSION, THINGS), "{told}");
        });
    }
}

impl Life {
    /// One worker: everything, in some order, until it is done.
    async fn work(&self, mut random: Random) {
        self.make_page().await;
        for _ in 0..2 {
            let first = random.below(THINGS);
            for number in (0..THINGS).map(|number| (number + first) % THINGS) {
                self.promote(number).await;
                let asset = self.run(number).await;
                self.deliver(number, asset).await;
            }
        }
    }

    async fn make_page(&self) {
        self.until_done("the page", async || {
            self.pages
                .create(lives::new_page())
                .await
                .map(drop)
                .map_err(|fault| fault.to_string())
        })
        .await;
    }

    async fn promote(&self, number: usize) {
        let asset = self
            .until_done("a promotion", async || {
                let scope = id(SCOPE);
                let name = format!("file-{number}");
                let attachment = AttachmentId::new(&name).expect("a name");
                // The first two have the same bytes.
                let bytes = png(9, 9, u64::try_from(number.max(1)).expect("a small number"));
                let body = stream::iter([Ok::<_, String>(bytes.into())]);
                let attached = self.assets.attach(&scope, &attachment, None, body).await;
                attached.map_err(|fault| fault.to_string())?;
                let asset = self.assets.promote_text(&scope, &name).await;
                asset
                    .map(|asset| asset.id.to_string())
                    .map_err(|fault| fault.to_string())
            })
            .await;
        self.answered(format!("file-{number}"), asset);
    }

    async fn run(&self, number: usize) -> String {
        let asset = self
            .until_done("a task", async || {
                let payload = json!({"prompt": "a cat", "n": number, "sources": [format!("file-{number}")]});
                let request = TaskRequest {
                    task_type: id("edit"),
                    payload: payload.as_object().expect("an object").clone(),
                    again: None,
                };
                let started = self.tasks.run(&id(SCOPE), request, Duration::from_secs(60)).await;
                match started.map_err(|fault| fault.to_string())? {
                    Started::Task(view) => match view.result {
                        Some(TaskResult::Succeeded(image)) => Ok(image.asset.to_string()),
                        other => panic!("the task ended with {other:?}: {}", self.told),
                    },
                    Started::Refused(failure) => panic!("refused: {failure:?}: {}", self.told),
                }
            })
            .await;
        self.answered(format!("task-{number}"), asset.clone());
        asset
    }

    async fn deliver(&self, number: usize, asset: String) {
        let node = self
            .until_done("a delivery", async || {
                let hold = Hold {
                    caller: caller(),
                    page: id("p"),
                    slot: id(&format!("slot-{number}")),
                    at: None,
                    size: (16.0, 16.0),
                    task: None,
                };
                let place = Place {
                    caller: caller(),
                    page: id("p"),
                    slot: hold.slot.clone(),
                    image: asset.clone(),
                    at: None,
                    size: None,
                };
                self.slots.hold(hold).await.map_err(|fault| fault.to_string())?;
                let placed = self.slots.place(place).await.map_err(|fault| fault.to_string())?;
                Ok(format!("{} at {}", placed.node, placed.written.version))
            })
            .await;
        self.answered(format!("slot-{number}"), node);
    }

    /// Tries again until it is done, as a worker does.
    async fn until_done<T>(&self, what: &str, mut ask: impl AsyncFnMut() -> Result<T, String>) -> T {
        let mut last = String::new();
        for _ in 0..TRIES_MAX {
            match ask().await {
                Ok(done) => return done,
                Err(fault) => last = fault,
            }
            tokio::task::yield_now().await;
        }
        panic!("{what} is never done: {last}: {}", self.told)
    }

    fn answered(&self, what: String, answer: String) {
        let mut answers = self.answers.lock().unwrap();
        let first = answers.entry(what.clone()).or_insert_with(|| answer.clone());
        assert_eq!(*first, answer, "{what} was answered twice: {}", self.told);
    }
}
