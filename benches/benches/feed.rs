//! The live feed: from an append to its receipt by every subscriber.
#![expect(clippy::expect_used, reason = "a bench that cannot run has nothing to say")]

mod common;

use std::sync::Arc;
use std::time::{Duration, Instant};

use common::{configuration, is_wanted, keep, runtime, time};
use criterion::{Criterion, criterion_group, criterion_main};
use recto_benches::figures::{RECTO, Series};
use recto_benches::floor::RawFile;
use recto_benches::goals::group;
use recto_benches::rng::Rng;
use recto_benches::service::{self, PageClient, SCOPE, Service};
use recto_benches::trace::code_delta;
use recto_benches::workload::text;
use recto_pages::projections::Kind;
use recto_pages::{FeedItem, FeedStream, Id};
use tokio::runtime::Runtime;
use tokio::sync::{Barrier, mpsc};

const BENCH: &str = "feed";
const SUBSCRIBERS: [usize; 3] = [10, 100, 1_000];
const APPENDS: u64 = 200;
/// Between two appends, so that each finds the subscribers at rest.
const PAUSE: Duration = Duration::from_millis(5);
/// No event comes later than this, or it is lost.
const LOST_AFTER: Duration = Duration::from_secs(10);

/// A version, and when a subscriber had it.
type Received = (u64, Instant);

fn feed(_: &mut Criterion) {
    if !is_wanted(group::FEED) {
        return;
    }
    let runtime = runtime();
    let service = runtime.block_on(Service::on_disk()).expect("a service");
    let folder = service::folder().expect("a folder");
    let mut file = RawFile::create(folder.path()).expect("a file");
    for subscribers in SUBSCRIBERS {
        let size = u64::try_from(subscribers).expect("a small number");
        let (name, page) = (format!("feed-{subscribers}"), text::code_page(&text::lines(1_000, 11)));
        let made = PageClient::create(&service.pages, &name, Kind::Code, &page);
        let mut client = runtime.block_on(made).expect("a page");
        let mut received = subscribe(&runtime, &service, client.page(), subscribers);
        let (mut floor, mut series, mut rng) = (Series::default(), Series::default(), Rng::new(3));
        for _ in 0..APPENDS {
            floor.add(time(|| file.append().expect("F")));
            let delta = service::delta(Kind::Code, &code_delta(&[text::keystroke(400, &mut rng)])).expect("a delta");
            let began = Instant::now();
            runtime.block_on(client.submit(vec![delta])).expect("a submit");
            for _ in 0..subscribers {
                let (version, at) = runtime.block_on(next(&mut received));
                assert_eq!(
                    version,
                    client.version(),
                    "every subscriber gets every event once, in order"
                );
                series.add(at - began);
            }
            std::thread::sleep(PAUSE);
        }
        let floor = floor.figure(group::FEED, "F: 4 KiB append + fdatasync", size);
        keep(BENCH, &[series.figure(group::FEED, RECTO, size), floor]);
    }
}

fn subscribe(runtime: &Runtime, service: &Service, page: &Id, count: usize) -> mpsc::UnboundedReceiver<Received> {
    let (sender, receiver) = mpsc::unbounded_channel();
    let scope = Id::new(SCOPE).expect("a name");
    runtime.block_on(async {
        let ready = Arc::new(Barrier::new(count + 1));
        for _ in 0..count {
            let stream = service.pages.feed(&scope, Some(page), None).await.expect("a feed");
            tokio::spawn(follow(stream, Arc::clone(&ready), sender.clone()));
        }
        ready.wait().await;
    });
    receiver
}

/// Reports every event; the barrier opens when all have caught up.
async fn follow(mut stream: FeedStream, ready: Arc<Barrier>, sender: mpsc::UnboundedSender<Received>) {
    let mut ready = Some(ready);
    while let Ok(Some(item)) = stream.next().await {
        match item {
            // Later ones tell of a reader that fell behind and came back.
            FeedItem::CaughtUp { .. } => {
                if let Some(ready) = ready.take() {
                    ready.wait().await;
                }
            }
            FeedItem::Event(event) => {
                if sender.send((event.event.version(), Instant::now())).is_err() {
                    return;
                }
            }
        }
    }
}

async fn next(received: &mut mpsc::UnboundedReceiver<Received>) -> Received {
    let next = tokio::time::timeout(LOST_AFTER, received.recv()).await;
    next.expect("an event was lost").expect("the subscribers are there")
}

criterion_group! {
    name = benches;
    config = configuration();
    targets = feed
}
criterion_main!(benches);
