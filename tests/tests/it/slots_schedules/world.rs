//! What outlives a crash, the lives over it, and what must be so in the end.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use recto_pages::{Blobs, Crash, EventKind, SlotSettings, Slots};
use recto_store::MemoryEngine;
use recto_tests::seed::Random;
use recto_tests::service::{SCOPE, id};
use tokio::sync::Notify;

use super::life::{Life, Seen, slot};
use super::service::Scripted;
use super::told::Told;
use crate::lives;

/// How many slots there are, each for a request of its own.
pub(super) const THINGS: usize = 3;
const WORKERS: usize = 3;
/// Before how many points, and among how many commits, a life meets its trouble.
const POINTS: usize = 60;
const COMMITS: u64 = 60;
/// What must happen often enough.
pub(super) const WATCHED: [&str; 5] = [
    "crashes",
    "drops",
    "undone images",
    "attempts after a failure",
    "failed slots",
];

/// What outlives a crash.
pub(super) struct World {
    random: Random,
    told: String,
    engine: Arc<MemoryEngine>,
    blobs: Blobs,
    service: Scripted,
    seen: Arc<Mutex<Seen>>,
    crashes: usize,
}

impl World {
    pub(super) fn new(mut random: Random, told: String) -> Self {
        Self {
            engine: Arc::new(MemoryEngine::new()),
            blobs: Blobs::memory(),
            service: Scripted::new(random.fork(), THINGS),
            seen: Arc::default(),
            random,
            told,
            crashes: 0,
        }
    }

    /// Lives until all workers are done, or somebody reaches a point where it ends. The last life ends well.
    pub(super) fn live(&mut self, crashing: bool) {
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
            let mut follower = life.slots.follow(&id(SCOPE), None);
            let mut told = Told::default();
            let workers = (0..WORKERS).map(|worker| life.work(self.random.fork(), worker, crashing));
            let all = async {
                life.recover().await;
                futures::future::join_all(workers).await
            };
            tokio::select! {
                () = ended.notified() => true,
                _ = all => {
                    life.settle(&mut follower, &mut told, crashing).await;
                    false
                }
            }
        });
        // Whatever was under way is gone.
        runtime.shutdown_background();
        self.crashes += usize::from(crashed);
        assert!(crashing || !crashed, "a life without crash points crashed");
    }

    async fn begin(&mut self, crash: Crash) -> Life {
        let service = Arc::new(self.service.clone());
        let (pages, assets, tasks) = lives::begin(&self.engine, &self.blobs, crash, service).await;
        let lease = *self.random.pick(&[1, 2, 600_000]);
        Life {
            slots: Slots::new(tasks.clone(), SlotSettings::of_lease(lease)),
            pages,
            assets,
            tasks,
            seen: Arc::clone(&self.seen),
            told: self.told.clone(),
        }
    }

    /// How often each of what is watched happened.
    pub(super) fn watched(&self) -> [usize; WATCHED.len()] {
        let (undone, charged) = (self.undone(), self.service.charged().len());
        let seen = self.seen.lock().unwrap();
        [
            self.crashes,
            seen.drops,
            undone,
            charged.saturating_sub(THINGS),
            seen.failed,
        ]
    }

    fn undone(&self) -> usize {
        self.run(async |life, _| {
            let events = life.events().await;
            events.iter().filter(|(kind, ..)| *kind == EventKind::Undo).count()
        })
    }

    fn run<T>(&self, look: impl AsyncFnOnce(&Life, &Self) -> T) -> T {
        let runtime = lives::runtime();
        let mut copy = Self {
            random: self.random.clone(),
            told: self.told.clone(),
            engine: Arc::clone(&self.engine),
            blobs: self.blobs.clone(),
            service: self.service.clone(),
            seen: Arc::clone(&self.seen),
            crashes: 0,
        };
        runtime.block_on(async {
            let life = copy.begin(Crash::default()).await;
            look(&life, self).await
        })
    }

    /// What must be so when all is done.
    pub(super) fn check(&self) {
        self.run(async |life, world| {
            let told = &world.told;
            let mut deliveries: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for (kind, command, added) in life.events().await {
                if kind == EventKind::Edit {
                    deliveries.entry(command).or_default().extend(added);
                }
            }
            let seen = world.seen.lock().unwrap().nodes.clone();
            let slots: BTreeSet<String> = (0..THINGS).map(slot).collect();
            assert_eq!(deliveries.keys().cloned().collect::<BTreeSet<_>>(), slots, "{told}");
            for (slot, nodes) in &deliveries {
                assert_eq!(*nodes, [seen[slot].clone()], "one node for {slot}: {told}");
            }
            let charged = world.service.charged();
            let keys: BTreeSet<_> = charged.iter().map(|(key, _)| key).collect();
            assert_eq!(keys.len(), charged.len(), "paid twice: {told}");
            life.check_nodes(&charged).await;
        });
    }
}
