//! Lives of the service in one process, each ended by a crash at a random point or by its workers being done: what random
//! schedules share.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use recto_pages::projections::{Kind, Value};
use recto_pages::{
    Assets, Blobs, Clock, Crash, CreatePage, FileSettings, ImageService, Pages, Settings, TaskSettings, Tasks,
};
use recto_store::{CommitFault, Engine, MemoryEngine, Store};
use recto_tests::seed::Random;
use recto_tests::service::{caller, id};
use tokio::runtime::Runtime;
use tokio::sync::Notify;

pub(crate) fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

/// Ends a life at a point that is reached at a random time, after fewer than so many others.
pub(crate) fn crash(random: &mut Random, points: usize, ended: &Arc<Notify>) -> Crash {
    let left = Mutex::new(random.below(points));
    let ended = Arc::clone(ended);
    Crash::freezing(move |_| {
        let mut left = left.lock().unwrap();
        match left.checked_sub(1) {
            Some(fewer) => {
                *left = fewer;
                false
            }
            None => {
                ended.notify_one();
                true
            }
        }
    })
}

/// Up to two of the next commits, so many at the most, are not known to have landed.
pub(crate) fn fail_commits(random: &mut Random, commits: u64, engine: &MemoryEngine) {
    for _ in 0..random.below(3) {
        let nth = random.next() % commits + 1;
        let applied = random.chance(1, 2);
        engine.fail_commit(nth, CommitFault::Indeterminate { applied });
    }
}

/// Begins a life over what is left of those before.
pub(crate) async fn begin(
    engine: &Arc<MemoryEngine>,
    blobs: &Blobs,
    crash: Crash,
    service: Arc<dyn ImageService>,
) -> (Pages, Assets, Tasks) {
    engine.reopen();
    let engine: Arc<dyn Engine> = Arc::<MemoryEngine>::clone(engine);
    let store = loop {
        // A planned fault can meet the making of the store.
        if let Ok(store) = Store::open(Arc::clone(&engine)).await {
            break store;
        }
    };
    let pages = Pages::new(store, Settings::default(), Clock::system());
    let files = FileSettings {
        crash,
        ..FileSettings::default()
    };
    let assets = Assets::new(pages.clone(), blobs.clone(), files);
    let polls = TaskSettings {
        poll_min: Duration::from_micros(50),
        poll_max: Duration::from_micros(50),
        faults_max: 3,
    };
    let tasks = Tasks::new(assets.clone(), service, polls);
    (pages, assets, tasks)
}

/// The page on which everything happens: an empty canvas.
pub(crate) fn new_page() -> CreatePage {
    CreatePage {
        caller: caller(),
        page: id("p"),
        kind: Kind::Design,
        file: None,
        value: Value::empty(Kind::Design),
        command: id("make"),
    }
}
