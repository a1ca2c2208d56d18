//! Reading pages: the head warm and cold, and any version of a long history.
#![expect(clippy::expect_used, reason = "a bench that cannot run has nothing to say")]

mod common;

use std::time::Duration;

use common::{Lane, configuration, in_turns, is_wanted, keep, lane, recto, runtime, time};
use criterion::{Criterion, criterion_group, criterion_main};
use recto_benches::figures::{RECTO, Series};
use recto_benches::goals::group;
use recto_benches::rng::Rng;
use recto_benches::service::{self, PageClient, SCOPE, Service};
use recto_benches::workload::design;
use recto_pages::projections::{Kind, Value};
use recto_pages::{At, Id, PageKey, PageState, SnapshotPolicy};
use recto_store::{Near, RocksOptions};
use tokio::runtime::Runtime;

const BENCH: &str = "read";
/// Pages that are made with one event.
const NODES: [usize; 3] = [100, 1_000, 10_000];
/// Histories of a page of [`LONG_NODES`] nodes.
const EVENTS: [u64; 3] = [10_000, 100_000, 1_000_000];
const LONG_NODES: usize = 1_000;
/// Events of one commit while a history is made.
const COMMIT_EVENTS: u64 = 100;
/// Reads of each history, at versions spread over all of it.
const READS: usize = 500;
/// How long a snapshot may take to be written behind the answer before another edit asks for one.
const SNAPSHOT_WAIT: Duration = Duration::from_millis(300);

fn warm(criterion: &mut Criterion) {
    if !is_wanted(group::READ_WARM) {
        return;
    }
    let runtime = runtime();
    let service = runtime.block_on(Service::on_disk()).expect("a service");
    let mut lanes = Vec::new();
    for nodes in NODES {
        let client = page(&runtime, &service, nodes);
        let state = read(&runtime, &service, client.page(), At::Head);
        let (runtime, service, size) = (&runtime, &service, size(nodes));
        lanes.push(recto(size, move || {
            second(|| json(&read(runtime, service, client.page(), At::Head).value))
        }));
        lanes.push(lane("encoding alone", size, move || second(|| json(&state.value))));
    }
    in_turns(criterion, BENCH, group::READ_WARM, lanes);
}

/// The time of the second of two, so that no lane finds the processor's caches as another left them.
fn second<T>(mut work: impl FnMut() -> T) -> Duration {
    time(&mut work);
    time(work)
}

fn cold(criterion: &mut Criterion) {
    if !is_wanted(group::READ_COLD) {
        return;
    }
    let runtime = runtime();
    let every = SnapshotPolicy {
        events_min: 1,
        events_max: 1,
    };
    let service = runtime
        .block_on(Service::on_disk_with(RocksOptions::synced(), every))
        .expect("a service");
    let small = page(&runtime, &service, 1);
    let mut lanes = Vec::new();
    for nodes in NODES {
        let mut client = page(&runtime, &service, nodes);
        let snapshot = snapshot(&runtime, &service, &mut client, nodes);
        lanes.extend(cold_lanes(&runtime, &service, client, small.page(), nodes, snapshot));
    }
    in_turns(criterion, BENCH, group::READ_COLD, lanes);
}

fn cold_lanes<'a>(
    runtime: &'a Runtime,
    service: &'a Service,
    client: PageClient,
    small: &'a Id,
    nodes: usize,
    snapshot: Vec<u8>,
) -> [Lane<'a>; 2] {
    let own = recto(size(nodes), move || {
        service.pages.forget_cached();
        // The cache drops what it forgot when it is used next; that is not this read's cost.
        read(runtime, service, small, At::Head);
        time(|| read(runtime, service, client.page(), At::Head))
    });
    let floor = lane("decoding its snapshot", size(nodes), move || time(|| decode(&snapshot)));
    [own, floor]
}

fn any_version(_: &mut Criterion) {
    if !is_wanted(group::READ_ANY) {
        return;
    }
    let runtime = runtime();
    let service = Service::on_disk_with(RocksOptions::relaxed(), SnapshotPolicy::default());
    let service = runtime.block_on(service).expect("a service");
    let mut client = page(&runtime, &service, LONG_NODES);
    let mut edits = Rng::new(5);
    let mut versions = Rng::new(6);
    for events in EVENTS {
        while client.version() < events {
            let deltas =
                (0..COMMIT_EVENTS).map(|_| service::delta(Kind::Design, &design::edit(LONG_NODES, &mut edits)));
            let deltas = deltas.collect::<Result<_, _>>().expect("deltas");
            runtime.block_on(client.submit(deltas)).expect("a submit");
        }
        let mut series = Series::default();
        for _ in 0..READS {
            let version = size(versions.below(usize::try_from(client.version()).expect("a small number"))) + 1;
            series.add(time(|| read(&runtime, &service, client.page(), At::Version(version))));
        }
        keep(BENCH, &[series.figure(group::READ_ANY, RECTO, events)]);
    }
}

fn page(runtime: &Runtime, service: &Service, nodes: usize) -> PageClient {
    let (name, page) = (format!("design-{nodes}"), design::page(nodes, 3));
    let made = PageClient::create(&service.pages, &name, Kind::Design, &page);
    runtime.block_on(made).expect("a page")
}

/// Edits the page until its head has a snapshot, and returns its bytes. One is left out while another is written.
fn snapshot(runtime: &Runtime, service: &Service, client: &mut PageClient, nodes: usize) -> Vec<u8> {
    let page = PageKey::new(scope(), client.page().clone());
    let (store, mut rng) = (service.store(), Rng::new(4));
    loop {
        let delta = service::delta(Kind::Design, &design::edit(nodes, &mut rng)).expect("a delta");
        runtime.block_on(client.submit(vec![delta])).expect("a submit");
        std::thread::sleep(SNAPSHOT_WAIT);
        let found = runtime.block_on(store.snapshot_near(&page, client.version(), Near::AtOrBefore));
        if let Some(found) = found.expect("a look").filter(|found| found.version == client.version()) {
            return found.value.to_vec();
        }
    }
}

/// What reading a snapshot takes: zstd behind five bytes, then the value.
fn decode(snapshot: &[u8]) -> Value {
    let plain = zstd::stream::decode_all(&snapshot[5..]).expect("zstd");
    Value::from_bytes(&plain).expect("a value")
}

fn read(runtime: &Runtime, service: &Service, page: &Id, at: At) -> PageState {
    runtime
        .block_on(service.pages.read(&scope(), page, at))
        .expect("a read")
}

fn json(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    value.write_json(&mut out);
    out
}

fn scope() -> Id {
    Id::new(SCOPE).expect("a name")
}

fn size(count: usize) -> u64 {
    u64::try_from(count).expect("a small number")
}

criterion_group! {
    name = benches;
    config = configuration();
    targets = warm, cold, any_version
}
criterion_main!(benches);
