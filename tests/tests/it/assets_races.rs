//! Collections beside whoever uses assets, in process: the work stands still at a point, something else happens, and it
//! goes on.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::{TryStreamExt, stream};

use recto_pages::{
    Answer, Asset, AssetId, Assets, AttachmentId, Blobs, Clock, Crash, FileError, FileSettings, ImageService, Pages,
    Point, ServiceFault, Settings, Started, Submission, TaskId, TaskRequest, TaskResult, TaskSettings, TaskStatus,
    Tasks,
};
use recto_store::{MemoryEngine, Store};
use recto_tests::png::png;
use recto_tests::service::{SCOPE, id};
use serde_json::json;

const HOUR_MS: i64 = 60 * 60 * 1000;
const DAY_MS: i64 = 24 * HOUR_MS;

/// Files in memory, with a clock that is set by hand.
struct Studio {
    assets: Assets,
    blobs: Blobs,
    now_ms: Arc<AtomicI64>,
}

/// One end of a work that stands still at a point.
struct Still {
    reached: Receiver<()>,
    go_on: Sender<()>,
}

impl Studio {
    async fn new(crash: Crash) -> Self {
        let store = Store::open(Arc::new(MemoryEngine::new())).await.unwrap();
        let now_ms = Arc::new(AtomicI64::new(DAY_MS));
        let clock = Clock::from_fn({
            let now_ms = Arc::clone(&now_ms);
            move || now_ms.load(Ordering::Relaxed)
        });
        let pages = Pages::new(store, Settings::default(), clock);
        let blobs = Blobs::memory();
        let settings = FileSettings {
            crash,
            ..FileSettings::default()
        };
        Self {
            assets: Assets::new(pages, blobs.clone(), settings),
            blobs,
            now_ms,
        }
    }

    fn pass(&self, time_ms: i64) {
        self.now_ms.fetch_add(time_ms, Ordering::Relaxed);
    }

    async fn upload(&self, name: &str, bytes: Vec<u8>) {
        let body = stream::iter([Ok::<_, String>(bytes.into())]);
        let attachment = AttachmentId::new(name).unwrap();
        self.assets.attach(&id(SCOPE), &attachment, None, body).await.unwrap();
    }

    async fn promote(&self, name: &str) -> Asset {
        self.assets.promote_text(&id(SCOPE), name).await.unwrap()
    }

    async fn collect(&self, kept_ms: i64) -> Vec<AssetId> {
        let collected = self.assets.collect(&id(SCOPE), kept_ms, false).await.unwrap();
        collected.unused.into_iter().map(|unused| unused.asset.id).collect()
    }

    async fn content(&self, asset: &Asset) -> Result<Vec<u8>, FileError> {
        let pieces = self.assets.content(&id(SCOPE), asset, None).await?;
        let pieces: Vec<_> = pieces.try_collect().await.unwrap();
        Ok(pieces.concat())
    }

    async fn stored(&self) -> usize {
        self.blobs.contents(&id(SCOPE)).await.unwrap().len()
    }
}

impl Still {
    /// Has the first work that reaches a point stand still there. The runtime needs a thread to spare.
    fn at(point: Point) -> (Crash, Self) {
        let (tell, reached) = channel();
        let (go_on, wait) = channel::<()>();
        let once = Mutex::new(Some((tell, wait)));
        let crash = Crash::freezing(move |at| {
            let mine = if at == point { once.lock().unwrap().take() } else { None };
            if let Some((tell, wait)) = mine {
                tell.send(()).unwrap();
                wait.recv().unwrap();
            }
            false
        });
        (crash, Self { reached, go_on })
    }

    async fn reached(self) -> Sender<()> {
        let waiting = tokio::task::spawn_blocking(move || self.reached.recv().unwrap());
        waiting.await.unwrap();
        self.go_on
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_asset_that_comes_back_during_a_collection_keeps_its_bytes() {
    let (crash, still) = Still::at(Point::CollectMarked);
    let studio = Arc::new(Studio::new(crash).await);
    studio.upload("cat", png(8, 8, 1)).await;
    studio.upload("dog", png(8, 8, 2)).await;
    let (cat, dog) = (studio.promote("cat").await, studio.promote("dog").await);
    let collecting = tokio::spawn({
        let studio = Arc::clone(&studio);
        async move { studio.collect(0).await }
    });
    let go_on = still.reached().await;
    assert_eq!(studio.promote("cat").await.id, cat.id);
    go_on.send(()).unwrap();
    assert_eq!(collecting.await.unwrap(), [dog.id]);
    assert_eq!(studio.content(&cat).await.unwrap(), png(8, 8, 1));
    assert_eq!(studio.stored().await, 1);
}

#[tokio::test]
async fn an_asset_that_was_just_handed_out_is_not_collected_as_old() {
    let studio = Studio::new(Crash::default()).await;
    studio.upload("cat", png(8, 8, 1)).await;
    let cat = studio.promote("cat").await;
    studio.pass(3 * DAY_MS);
    assert_eq!(studio.promote("cat").await, cat);
    assert_eq!(studio.collect(DAY_MS).await, []);
    studio.pass(HOUR_MS);
    assert_eq!(studio.promote(&cat.id.to_string()).await, cat);
    studio.pass(DAY_MS - 1);
    assert_eq!(studio.collect(DAY_MS).await, []);
    studio.pass(1);
    assert_eq!(studio.collect(DAY_MS).await, [cat.id]);
}

#[tokio::test]
async fn a_read_beside_a_collection_finds_no_asset() {
    let studio = Studio::new(Crash::default()).await;
    studio.upload("cat", png(8, 8, 1)).await;
    let cat = studio.promote("cat").await;
    assert_eq!(studio.collect(0).await, [cat.id]);
    // It was looked up before the collection, and is read after it.
    let refused = studio.content(&cat).await;
    assert!(matches!(refused, Err(FileError::AssetNotFound { .. })), "{refused:?}");
}

#[tokio::test]
async fn a_dry_run_counts_bytes_that_are_shared_once() {
    let studio = Studio::new(Crash::default()).await;
    let bytes = png(8, 8, 1);
    let size = u64::try_from(bytes.len()).unwrap();
    for name in ["a", "b", "c"] {
        studio.upload(name, bytes.clone()).await;
        studio.promote(name).await;
    }
    for dry_run in [true, false] {
        let collected = studio.assets.collect(&id(SCOPE), 0, dry_run).await.unwrap();
        assert_eq!(
            (collected.assets, collected.unused.len(), collected.bytes),
            (3, 3, size),
            "{dry_run}"
        );
        assert!(
            collected.unused.iter().all(|unused| unused.last_of_content),
            "{dry_run}"
        );
    }
    assert_eq!(studio.stored().await, 0);
}

/// An image service during whose question for an asset a collection takes it.
#[derive(Debug)]
struct Collecting(Assets);

impl ImageService for Collecting {
    fn check(&self, _asset: AssetId) -> Answer<'_, ()> {
        Box::pin(async {
            self.0.collect(&id(SCOPE), 0, false).await.unwrap();
            Ok(())
        })
    }

    fn submit(&self, submission: Submission) -> Answer<'_, TaskId> {
        Box::pin(async move {
            for (asset, _) in submission.assets {
                let there = self.0.asset(&id(SCOPE), asset).await;
                there.map_err(|_| ServiceFault::AssetNotFound { asset: None })?;
            }
            Ok(TaskId::new("1").unwrap())
        })
    }

    fn status(&self, _task: TaskId) -> Answer<'_, TaskStatus> {
        Box::pin(async { Ok(TaskStatus::Done { preview: None }) })
    }

    fn image(&self, _task: TaskId) -> Answer<'_, bytes::Bytes> {
        Box::pin(async { Ok(png(9, 9, 7).into()) })
    }

    fn cancel(&self, _key: String) -> Answer<'_, ()> {
        Box::pin(async { Ok(()) })
    }
}

#[tokio::test]
async fn an_asset_that_is_collected_before_its_task_is_noted_comes_back_for_it() {
    let studio = Studio::new(Crash::default()).await;
    studio.upload("cat", png(8, 8, 1)).await;
    let cat = studio.promote("cat").await;
    let service = Arc::new(Collecting(studio.assets.clone()));
    let tasks = Tasks::new(studio.assets.clone(), service, TaskSettings::default());
    let payload = json!({"sources": ["cat"]});
    let request = TaskRequest {
        task_type: id("edit"),
        payload: payload.as_object().unwrap().clone(),
        again: None,
    };
    let started = tasks.run(&id(SCOPE), request, Duration::from_secs(60)).await.unwrap();
    let Started::Task(view) = started else {
        panic!("{started:?}")
    };
    assert!(matches!(view.result, Some(TaskResult::Succeeded(_))), "{view:?}");
    assert_eq!(studio.content(&cat).await.unwrap(), png(8, 8, 1));
    // What a task refers to stays.
    assert_eq!(studio.collect(0).await, []);
}
