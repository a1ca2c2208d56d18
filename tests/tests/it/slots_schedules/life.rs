//! One life of the service: what its workers do, and how it comes to its end.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use recto_pages::projections::{Delta, DesignOp};
use recto_pages::{
    Assets, At, EventKind, EventRange, Hold, Pages, Place, SlotFollower, SlotStatus, Slots, Started, TaskKey,
    TaskRequest, TaskResult, TaskView, Tasks, UndoPage, UndoTarget,
};
use recto_tests::seed::Random;
use recto_tests::service::{SCOPE, caller, id, key};
use serde_json::json;

use super::told::Told;
use super::world::THINGS;
use crate::lives;

/// How many things a worker does in a life.
const ACTIONS: usize = 25;
const TRIES_MAX: usize = 400;

/// One life of the service.
#[derive(Clone)]
pub(super) struct Life {
    pub(super) pages: Pages,
    pub(super) assets: Assets,
    pub(super) tasks: Tasks,
    pub(super) slots: Slots,
    pub(super) seen: Arc<Mutex<Seen>>,
    pub(super) told: String,
}

/// What was seen, over all lives.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The node of each slot, as it was answered or told: always the same one.
    pub(super) nodes: BTreeMap<String, String>,
    pub(super) drops: usize,
    pub(super) failed: usize,
}

impl Life {
    /// What a server does when it starts. Trouble on the way is picked up later.
    pub(super) async fn recover(&self) {
        let _ = self.assets.recover(&id(SCOPE)).await;
        let _ = self.tasks.recover(&id(SCOPE)).await;
    }

    /// One worker: whatever comes to its mind.
    pub(super) async fn work(&self, mut random: Random, worker: usize, crashing: bool) {
        self.make_page().await;
        for number in 0..ACTIONS {
            let thing = random.below(THINGS);
            match random.below(if crashing { 12 } else { 9 }) {
                0..3 => _ = self.hold(thing, random.chance(3, 4)).await,
                3 => _ = self.run(thing, false).await,
                4 => _ = self.run(thing, true).await,
                5 => self.place(thing).await,
                6 => self.undo(&format!("undo {worker} {number}"), random.chance(1, 3)).await,
                7 => _ = self.assets.collect(&id(SCOPE), 60_000, false).await,
                8 => tokio::time::sleep(Duration::from_millis(random.next() % 3)).await,
                9..11 => self.drop_slot(thing).await,
                _ => self.cancel(thing).await,
            }
            tokio::task::yield_now().await;
        }
    }

    /// Brings everything to its end, and hears what is told of it.
    pub(super) async fn settle(&self, follower: &mut SlotFollower, told: &mut Told, crashing: bool) {
        for thing in 0..THINGS {
            if !crashing {
                self.until_placed(thing).await;
            }
        }
        told.listen(follower, &self.told).await;
        assert!(
            crashing || told.waiting() == 0,
            "a slot waits for ever: {told:?}: {}",
            self.told
        );
        self.seen.lock().unwrap().failed += told.failed;
        for (slot, node) in &told.nodes {
            self.saw(slot, node);
        }
    }

    async fn until_placed(&self, thing: usize) {
        for _ in 0..TRIES_MAX {
            if self.run(thing, true).await.is_some() {
                match self.hold(thing, true).await {
                    Some(SlotStatus::Placed) => return,
                    Some(_) => {}
                    // It is held by one who would place it by hand.
                    None => self.place(thing).await,
                }
            }
            tokio::time::sleep(Duration::from_micros(200)).await;
        }
        panic!("{} is never placed: {}", slot(thing), self.told)
    }

    async fn make_page(&self) {
        for _ in 0..TRIES_MAX {
            if self.pages.create(lives::new_page()).await.is_ok() {
                return;
            }
        }
        panic!("the page is never made: {}", self.told)
    }

    async fn hold(&self, thing: usize, waits: bool) -> Option<SlotStatus> {
        let task = if waits { Some(self.begin(thing).await?) } else { None };
        let hold = Hold {
            caller: caller(),
            page: id("p"),
            slot: id(&slot(thing)),
            at: None,
            size: (16.0, 16.0),
            task,
        };
        let held = self.slots.hold(hold).await.ok()?;
        if let Some(node) = &held.node {
            self.saw(&slot(thing), node);
        }
        Some(held.status)
    }

    /// The image of a request, where there is one; by another attempt, if that is asked for and this one has failed.
    async fn run(&self, thing: usize, again: bool) -> Option<String> {
        let seen = if again {
            Some(self.view(thing, None, Duration::ZERO).await?.attempt)
        } else {
            None
        };
        match self.view(thing, seen, Duration::from_secs(60)).await?.result? {
            TaskResult::Succeeded(image) => Some(image.asset.to_string()),
            TaskResult::Failed(_) => None,
        }
    }

    /// The key of a request, whose task is begun now, or was before.
    async fn begin(&self, thing: usize) -> Option<TaskKey> {
        Some(self.view(thing, None, Duration::ZERO).await?.key)
    }

    async fn view(&self, thing: usize, again: Option<u32>, wait: Duration) -> Option<TaskView> {
        let request = TaskRequest {
            again,
            ..request(thing)
        };
        match self.tasks.run(&id(SCOPE), request, wait).await.ok()? {
            Started::Task(view) => Some(view),
            Started::Refused(failure) => panic!("refused: {failure:?}: {}", self.told),
        }
    }

    async fn cancel(&self, thing: usize) {
        if let Some(key) = self.begin(thing).await {
            let _ = self.tasks.cancel(&id(SCOPE), key).await;
        }
    }

    /// Places the image of the slot's own request by hand.
    async fn place(&self, thing: usize) {
        let Some(image) = self.run(thing, false).await else {
            return;
        };
        let place = Place {
            caller: caller(),
            page: id("p"),
            slot: id(&slot(thing)),
            image,
            at: None,
            size: None,
        };
        if let Ok(placed) = self.slots.place(place).await {
            self.saw(&slot(thing), &placed.node);
        }
    }

    async fn drop_slot(&self, thing: usize) {
        if self
            .slots
            .drop_slot(&key("p"), &id(&slot(thing)), "dropped")
            .await
            .is_ok()
        {
            self.seen.lock().unwrap().drops += 1;
        }
    }

    async fn undo(&self, command: &str, redo: bool) {
        let Ok(state) = self.pages.read(&id(SCOPE), &id("p"), At::Head).await else {
            return;
        };
        let undo = UndoPage {
            caller: caller(),
            page: id("p"),
            base: state.at.base(),
            redo,
            target: UndoTarget::Newest { actor: None },
            policy: None,
            force: false,
            command: id(command),
        };
        // Nothing to undo is no fault, and an id of an earlier life is refused.
        let _ = self.pages.undo(undo).await;
    }

    fn saw(&self, slot: &str, node: &str) {
        let mut seen = self.seen.lock().unwrap();
        let first = seen.nodes.entry(slot.to_owned()).or_insert_with(|| node.to_owned());
        assert_eq!(first, node, "{slot} is two nodes: {}", self.told);
    }

    /// The kind and command of each event of the page, and the nodes that it adds.
    pub(super) async fn events(&self) -> Vec<(EventKind, String, Vec<String>)> {
        let range = EventRange::After {
            version: 1,
            limit: 100_000,
        };
        let (events, _) = self.pages.events(&id(SCOPE), &id("p"), range).await.unwrap();
        let told = events.iter().map(|event| {
            let ops = match event.delta().unwrap() {
                Some(Delta::Design(ops)) => ops,
                _ => Vec::new(),
            };
            let added = ops.iter().filter_map(|op| match op {
                DesignOp::AddNode { node, .. } => Some(node.id.to_string()),
                _ => None,
            });
            (event.kind().unwrap(), event.event.command.to_string(), added.collect())
        });
        told.collect()
    }

    /// Each node is that of a slot, and shows an image that was made for it and is there.
    pub(super) async fn check_nodes(&self, charged: &[(String, usize)]) {
        let state = self.pages.read(&id(SCOPE), &id("p"), At::Head).await.unwrap();
        let nodes = state.value.to_json()["nodes"].clone();
        let slots: BTreeMap<String, String> = {
            let seen = self.seen.lock().unwrap();
            seen.nodes
                .iter()
                .map(|(slot, node)| (node.clone(), slot.clone()))
                .collect()
        };
        for (node, value) in nodes.as_object().unwrap() {
            let thing: usize = slots[node].trim_start_matches("slot-").parse().unwrap();
            let asset = value["props"]["assetId"].as_str().unwrap().parse().unwrap();
            let asset = self.assets.asset(&id(SCOPE), asset).await;
            let made_of = asset
                .unwrap_or_else(|fault| panic!("{fault}: {}", self.told))
                .attachment;
            let key = self.begin(thing).await.expect("the task is there").to_string();
            assert!(made_of.contains(&key), "{made_of}: {}", self.told);
            assert!(charged.iter().any(|(_, number)| *number == thing), "{}", self.told);
        }
    }
}

pub(super) fn slot(thing: usize) -> String {
    format!("slot-{thing}")
}

fn request(thing: usize) -> TaskRequest {
    TaskRequest {
        task_type: id("generate"),
        payload: json!({"prompt": "a cat", "n": thing})
            .as_object()
            .expect("an object")
            .clone(),
        again: None,
    }
}
