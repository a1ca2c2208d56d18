//! In process: what happens to a slot in the very middle of its delivery, and a follower that does not listen.

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::stream;
use recto_pages::projections::{Kind, Value};
use recto_pages::{
    Assets, AttachmentId, Blobs, Clock, Crash, CreatePage, FileSettings, Hold, NoService, Pages, Place, Placed, Point,
    Settings, SlotError, SlotFollower, SlotSettings, SlotStatus, Slots, TaskSettings, Tasks,
};
use recto_store::{MemoryEngine, Store};
use recto_tests::png::png;
use recto_tests::service::{SCOPE, caller, id, key};
use tokio::task::JoinHandle;

/// More news than anybody is told again.
const BURST: usize = 2_500;

/// A service with a page `p`, and an image.
struct House {
    pages: Pages,
    slots: Slots,
    image: String,
    /// Says that a delivery is in its middle.
    reached: Receiver<()>,
    /// Lets it go on.
    go: Sender<()>,
}

impl House {
    async fn new(settings: SlotSettings) -> Self {
        let store = Store::open(Arc::new(MemoryEngine::new())).await.unwrap();
        let pages = Pages::new(store, Settings::default(), Clock::system());
        let ((tell, reached), (go, goes)) = (mpsc::channel(), mpsc::channel::<()>());
        let goes = Mutex::new(goes);
        let crash = Crash::freezing(move |point| {
            if point == Point::SlotPlacing && tell.send(()).is_ok() {
                // It stands still here until it is told to go on, or the test is over.
                let _ = goes.lock().unwrap().recv();
            }
            false
        });
        let settings_of_files = FileSettings {
            crash,
            ..FileSettings::default()
        };
        let assets = Assets::new(pages.clone(), Blobs::memory(), settings_of_files);
        let tasks = Tasks::new(assets.clone(), Arc::new(NoService), TaskSettings::default());
        let attachment = AttachmentId::new("cat").unwrap();
        let body = stream::iter([Ok::<_, String>(png(16, 16, 1).into())]);
        assets.attach(&id(SCOPE), &attachment, None, body).await.unwrap();
        for page in ["p", "other"] {
            let create = CreatePage {
                caller: caller(),
                page: id(page),
                kind: Kind::Design,
                file: None,
                value: Value::empty(Kind::Design),
                command: id(&format!("make {page}")),
            };
            pages.create(create).await.unwrap();
        }
        Self {
            image: assets.promote_text(&id(SCOPE), "cat").await.unwrap().id.to_string(),
            slots: Slots::new(tasks, settings),
            pages,
            reached,
            go,
        }
    }

    async fn hold(&self, page: &str, slot: &str) {
        let hold = Hold {
            caller: caller(),
            page: id(page),
            slot: id(slot),
            at: None,
            size: (16.0, 16.0),
            task: None,
        };
        self.slots.hold(hold).await.unwrap();
    }

    async fn drop_slot(&self, page: &str, slot: &str) {
        self.slots.drop_slot(&key(page), &id(slot), "dropped").await.unwrap();
    }

    fn follow(&self) -> SlotFollower {
        self.slots.follow(&id(SCOPE), Some(&id("p")))
    }

    /// Begins to place, and comes back when it is in the middle.
    fn begin_to_place(&self, slot: &str) -> JoinHandle<Result<Placed, SlotError>> {
        let (slots, place) = (self.slots.clone(), self.placing(slot));
        let placing = tokio::spawn(async move { slots.place(place).await });
        self.reached.recv().unwrap();
        placing
    }

    fn placing(&self, slot: &str) -> Place {
        Place {
            caller: caller(),
            page: id("p"),
            slot: id(slot),
            image: self.image.clone(),
            at: None,
            size: None,
        }
    }

    async fn place(&self, slot: &str) -> Placed {
        let placing = self.begin_to_place(slot);
        self.go.send(()).unwrap();
        placing.await.unwrap().unwrap()
    }

    async fn head(&self) -> u64 {
        let state = self.pages.read(&id(SCOPE), &id("p"), recto_pages::At::Head).await;
        state.unwrap().at.version
    }
}

async fn next(follower: &mut SlotFollower) -> (String, SlotStatus, Option<String>) {
    let news = recto_tests::wait::in_time("news of a slot", follower.next()).await;
    (news.slot.to_string(), news.status, news.reason.clone())
}

fn told(slot: &str, status: SlotStatus, reason: Option<&str>) -> (String, SlotStatus, Option<String>) {
    (slot.to_owned(), status, reason.map(str::to_owned))
}

/// Its place is found and its node is not added: who lets go of the slot now comes too late.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_slot_dropped_in_the_middle_of_its_delivery_is_placed() {
    let house = House::new(SlotSettings::default()).await;
    let mut follower = house.follow();
    house.hold("p", "s").await;
    let placing = house.begin_to_place("s");
    let (page, slot) = (key("p"), id("s"));
    let mut dropping = Box::pin(house.slots.drop_slot(&page, &slot, "dropped"));
    let early = futures::poll!(&mut dropping);
    assert!(early.is_pending(), "{early:?}");
    house.go.send(()).unwrap();
    assert!(placing.await.unwrap().unwrap().held);
    assert!(matches!(dropping.await, Err(SlotError::NotFound { .. })));
    assert_eq!(next(&mut follower).await, told("s", SlotStatus::Pending, None));
    assert_eq!(next(&mut follower).await, told("s", SlotStatus::Placed, None));
    assert!(futures::poll!(std::pin::pin!(follower.next())).is_pending());
    assert_eq!(house.head().await, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_lease_that_ends_in_the_middle_of_a_delivery_does_not_fail_the_slot() {
    let lease = Duration::from_millis(200);
    let house = House::new(SlotSettings {
        lease,
        look: Duration::from_millis(1),
    })
    .await;
    for number in 0.. {
        let slot = format!("s{number}");
        let mut follower = house.follow();
        house.hold("p", &slot).await;
        let placing = house.begin_to_place(&slot);
        // Its time is over by now, and was looked at.
        tokio::time::sleep(2 * lease).await;
        house.go.send(()).unwrap();
        let placed = placing.await.unwrap().unwrap();
        assert_eq!(next(&mut follower).await, told(&slot, SlotStatus::Pending, None));
        if placed.held {
            assert_eq!(next(&mut follower).await, told(&slot, SlotStatus::Placed, None));
            assert!(futures::poll!(std::pin::pin!(follower.next())).is_pending());
            return;
        }
        // This machine was too slow to come to the middle within the lease: once more.
        assert_eq!(
            next(&mut follower).await,
            told(&slot, SlotStatus::Failed, Some("lease_expired"))
        );
    }
}

/// L: so much happens on another page that what happens on this one goes by unheard.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_follower_that_did_not_listen_hears_how_every_slot_is() {
    let house = House::new(SlotSettings::default()).await;
    for slot in ["placed", "dropped", "waits"] {
        house.hold("p", slot).await;
    }
    let mut follower = house.follow();
    for slot in ["placed", "dropped", "waits"] {
        assert_eq!(next(&mut follower).await, told(slot, SlotStatus::Pending, None));
    }
    house.place("placed").await;
    house.drop_slot("p", "dropped").await;
    house.hold("p", "new").await;
    house.hold("p", "gone by").await;
    house.drop_slot("p", "gone by").await;
    for _ in 0..BURST {
        house.hold("other", "s").await;
        house.drop_slot("other", "s").await;
    }
    let mut ends = [next(&mut follower).await, next(&mut follower).await];
    ends.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!(
        ends,
        [
            told("dropped", SlotStatus::Failed, Some("not_heard")),
            told("placed", SlotStatus::Placed, None)
        ]
    );
    assert_eq!(next(&mut follower).await, told("new", SlotStatus::Pending, None));
    assert!(futures::poll!(std::pin::pin!(follower.next())).is_pending());
    // From here on it hears everything as it happens.
    house.drop_slot("p", "waits").await;
    house.place("new").await;
    assert_eq!(
        next(&mut follower).await,
        told("waits", SlotStatus::Failed, Some("dropped"))
    );
    assert_eq!(next(&mut follower).await, told("new", SlotStatus::Placed, None));
}
