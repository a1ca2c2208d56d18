//! Durable appends against the raw disk and the raw engine, and their growth with the page.
#![expect(clippy::expect_used, reason = "a bench that cannot run has nothing to say")]

mod common;

use std::time::{Duration, Instant};

use common::{Lane, configuration, in_turns, is_wanted, lane, recto, runtime, time};
use criterion::{Criterion, criterion_group, criterion_main};
use recto_benches::floor::{BareWriter, RawFile, RawRocks};
use recto_benches::goals::group;
use recto_benches::rng::Rng;
use recto_benches::service::{self, Fault, PageClient, Service, StoreClient};
use recto_benches::trace::code_delta;
use recto_benches::workload::{design, text};
use recto_pages::projections::{Delta, Json, Kind};
use serde_json::json;
use tokio::runtime::Runtime;

const BENCH: &str = "append";
/// Delta and inverse of a keystroke, as the log gets them.
const KEYSTROKE_BYTES: usize = 24;
/// Delta and inverse of a design edit.
const EDIT_BYTES: usize = 150;
const BATCH_EVENTS: usize = 100;
/// Appends from which the bytes of one are learnt.
const PROBE_APPENDS: u64 = 200;
/// The entries that an append writes beside its events: receipt, feed, tip. Their keys are those of the bare writer.
const SIDE_ENTRIES: usize = 3;
const SIDE_BYTES: usize = 60;
const ENTRY_OVERHEAD_BYTES: usize = 40;

const DESIGN_NODES: [usize; 4] = [100, 1_000, 10_000, 100_000];
const TEXT_BYTES: [usize; 3] = [1_000, 100_000, 10_000_000];

fn one_client(criterion: &mut Criterion) {
    if !is_wanted(group::APPEND_ONE) {
        return;
    }
    let runtime = runtime();
    let service = runtime.block_on(Service::on_disk()).expect("a service");
    let shape = Shape::learn(&runtime, &service, 1, KEYSTROKE_BYTES).expect("appends");
    let floor = service::folder().expect("a folder");
    let mut file = RawFile::create(floor.path()).expect("a file");
    let mut rocks = RawRocks::create(floor.path()).expect("a database");
    let mut client = StoreClient::new(service.store(), "one-client", KEYSTROKE_BYTES).expect("a client");
    let lanes = vec![
        lane("F: 4 KiB append + fdatasync", 0, || time(|| file.append().expect("F"))),
        lane("raw synced batch", 0, || {
            time(|| rocks.write(shape.slices()).expect("a batch"))
        }),
        recto(0, || time(|| runtime.block_on(client.append(1)).expect("an append"))),
    ];
    in_turns(criterion, BENCH, group::APPEND_ONE, lanes);
}

fn one_client_pages(criterion: &mut Criterion) {
    if !is_wanted(group::SUBMIT_ONE) {
        return;
    }
    let runtime = runtime();
    let service = runtime.block_on(Service::on_disk()).expect("a service");
    let shape = Shape::learn(&runtime, &service, 1, KEYSTROKE_BYTES).expect("appends");
    let floor = service::folder().expect("a folder");
    let mut file = RawFile::create(floor.path()).expect("a file");
    let mut rocks = RawRocks::create(floor.path()).expect("a database");
    let mut typist = Typist::new(&runtime, &service, "one-client-pages", 10_000).expect("a page");
    let lanes = vec![
        lane("F: 4 KiB append + fdatasync", 0, || time(|| file.append().expect("F"))),
        lane("raw synced batch", 0, || {
            time(|| rocks.write(shape.slices()).expect("a batch"))
        }),
        recto(0, || typist.type_one(&runtime)),
    ];
    in_turns(criterion, BENCH, group::SUBMIT_ONE, lanes);
}

fn many_clients(criterion: &mut Criterion) {
    if !is_wanted(group::APPEND_CLIENTS) {
        return;
    }
    clients(
        criterion,
        group::APPEND_CLIENTS,
        &[8, 64, 512],
        1,
        KEYSTROKE_BYTES,
        4096,
    );
}

fn batches(criterion: &mut Criterion) {
    if !is_wanted(group::APPEND_BATCHES) {
        return;
    }
    clients(
        criterion,
        group::APPEND_BATCHES,
        &[1, 8, 64],
        BATCH_EVENTS,
        EDIT_BYTES,
        20_000,
    );
}

/// So many clients at the same time, each with a page of its own and one append under way. A round is about `events`
/// events; its figure is the time for one.
fn clients(
    criterion: &mut Criterion,
    group: &str,
    counts: &[usize],
    events: usize,
    payload: usize,
    round_events: usize,
) {
    let runtime = runtime();
    let service = runtime.block_on(Service::on_disk()).expect("a service");
    let shape = Shape::learn(&runtime, &service, events, payload).expect("appends");
    let floor = service::folder().expect("a folder");
    let writer = BareWriter::start(RawRocks::create(floor.path()).expect("a database")).expect("a thread");
    let (runtime, service, shape, writer_ref) = (&runtime, &service, &shape, &writer);
    let mut lanes = Vec::new();
    for &count in counts {
        let each = (round_events / events / count).max(1);
        let size = u64::try_from(count).expect("a small number");
        let name = |client: usize| format!("clients-{events}-{count}-{client}");
        let mut clients: Vec<StoreClient> = (0..count)
            .map(|client| StoreClient::new(service.store(), &name(client), payload).expect("a client"))
            .collect();
        let steps = u32::try_from(each * count * events).expect("a small number");
        lanes.push(recto(size, move || {
            let began = Instant::now();
            let taken = std::mem::take(&mut clients);
            clients = runtime.block_on(all(taken.into_iter().map(|mut client| async move {
                for _ in 0..each {
                    client.append(events).await.expect("an append");
                }
                client
            })));
            began.elapsed() / steps
        }));
        lanes.push(lane("bare writer thread", size, move || {
            let began = Instant::now();
            runtime.block_on(async {
                let clients = (0..count).map(|_| {
                    let (writer, values) = (writer_ref.clone(), shape.values.clone());
                    async move {
                        for _ in 0..each {
                            assert!(writer.write(values.clone()).await, "the bare writer is gone");
                        }
                    }
                });
                all(clients).await;
            });
            began.elapsed() / steps
        }));
    }
    in_turns(criterion, BENCH, group, lanes);
    drop(writer);
}

fn design_durable(criterion: &mut Criterion) {
    if !is_wanted(group::DESIGN_DURABLE) {
        return;
    }
    let runtime = runtime();
    let service = runtime.block_on(Service::on_disk()).expect("a service");
    in_turns(
        criterion,
        BENCH,
        group::DESIGN_DURABLE,
        design_lanes(&runtime, &service),
    );
}

fn design_memory(criterion: &mut Criterion) {
    if !is_wanted(group::DESIGN_MEMORY) {
        return;
    }
    let runtime = runtime();
    let service = runtime.block_on(Service::in_memory()).expect("a service");
    in_turns(criterion, BENCH, group::DESIGN_MEMORY, design_lanes(&runtime, &service));
}

fn code_durable(criterion: &mut Criterion) {
    if !is_wanted(group::CODE_DURABLE) {
        return;
    }
    let runtime = runtime();
    let service = runtime.block_on(Service::on_disk()).expect("a service");
    in_turns(criterion, BENCH, group::CODE_DURABLE, code_lanes(&runtime, &service));
}

fn code_memory(criterion: &mut Criterion) {
    if !is_wanted(group::CODE_MEMORY) {
        return;
    }
    let runtime = runtime();
    let service = runtime.block_on(Service::in_memory()).expect("a service");
    in_turns(criterion, BENCH, group::CODE_MEMORY, code_lanes(&runtime, &service));
}

fn design_lanes<'a>(runtime: &'a Runtime, service: &Service) -> Vec<Lane<'a>> {
    let lanes = DESIGN_NODES.map(|nodes| {
        let name = format!("design-{nodes}");
        let client = large_design(runtime, service, &name, nodes).expect("a page");
        let mut client = client;
        let mut rng = Rng::new(7);
        recto(u64::try_from(nodes).expect("a small number"), move || {
            let delta = service::delta(Kind::Design, &design::edit(nodes, &mut rng)).expect("a delta");
            submit(runtime, &mut client, delta)
        })
    });
    lanes.into()
}

/// A page of so many nodes, made in pieces so that no event is larger than the log takes.
fn large_design(runtime: &Runtime, service: &Service, name: &str, nodes: usize) -> Result<PageClient, Fault> {
    const PIECE: usize = 10_000;
    let page = design::page(nodes, 3);
    let all = page["nodes"].as_array().map(Vec::as_slice).unwrap_or_default();
    let first = json!({ "attributes": page["attributes"], "nodes": &all[..all.len().min(PIECE)] });
    let mut client = runtime.block_on(PageClient::create(&service.pages, name, Kind::Design, &first))?;
    for piece in all.get(PIECE..).unwrap_or_default().chunks(PIECE) {
        let added = piece
            .iter()
            .map(|node| json!({ "op": "addNode", "node": node, "placement": "last" }));
        let delta = service::delta(Kind::Design, &Json::Array(added.collect()))?;
        runtime.block_on(client.submit(vec![delta]))?;
    }
    Ok(client)
}

fn code_lanes<'a>(runtime: &'a Runtime, service: &Service) -> Vec<Lane<'a>> {
    let lanes = TEXT_BYTES.map(|bytes| {
        let mut typist = Typist::new(runtime, service, &format!("code-{bytes}"), bytes).expect("a page");
        recto(u64::try_from(bytes).expect("a small number"), move || {
            typist.type_one(runtime)
        })
    });
    lanes.into()
}

/// Somebody who types into a CODE page.
struct Typist {
    client: PageClient,
    rng: Rng,
    length: usize,
}

impl Typist {
    fn new(runtime: &Runtime, service: &Service, name: &str, bytes: usize) -> Result<Self, Fault> {
        let text = text::lines(bytes, 11);
        let client = runtime.block_on(PageClient::create(
            &service.pages,
            name,
            Kind::Code,
            &text::code_page(&text),
        ))?;
        // Where the text shrinks by a few letters, the positions still lie in it.
        Ok(Self {
            client,
            rng: Rng::new(13),
            length: text.encode_utf16().count() / 2,
        })
    }

    fn type_one(&mut self, runtime: &Runtime) -> Duration {
        let patch = text::keystroke(self.length, &mut self.rng);
        let delta = service::delta(Kind::Code, &code_delta(&[patch])).expect("a delta");
        submit(runtime, &mut self.client, delta)
    }
}

fn submit(runtime: &Runtime, client: &mut PageClient, delta: Delta) -> Duration {
    time(|| runtime.block_on(client.submit(vec![delta])).expect("a submit"))
}

/// The entries that an append of Recto comes down to, as values of the same bytes.
struct Shape {
    values: Vec<Vec<u8>>,
}

impl Shape {
    /// Looks at the growth of the write-ahead log.
    fn learn(runtime: &Runtime, service: &Service, events: usize, payload: usize) -> Result<Self, Fault> {
        let mut client = StoreClient::new(service.store(), &format!("probe-{events}-{payload}"), payload)?;
        runtime.block_on(client.append(events))?;
        let before = service.log_bytes()?;
        for _ in 0..PROBE_APPENDS {
            runtime.block_on(client.append(events))?;
        }
        let bytes = usize::try_from((service.log_bytes()? - before) / PROBE_APPENDS)?;
        let side = SIDE_ENTRIES * (SIDE_BYTES + ENTRY_OVERHEAD_BYTES);
        let event = (bytes.saturating_sub(side) / events)
            .saturating_sub(ENTRY_OVERHEAD_BYTES)
            .max(1);
        let mut values = vec![vec![0x3c; event]; events];
        values.resize(events + SIDE_ENTRIES, vec![0x3d; SIDE_BYTES]);
        Ok(Self { values })
    }

    fn slices(&self) -> impl Iterator<Item = &[u8]> {
        self.values.iter().map(Vec::as_slice)
    }
}

/// Runs every future as a task, and waits for all.
async fn all<T: Send + 'static>(work: impl Iterator<Item = impl Future<Output = T> + Send + 'static>) -> Vec<T> {
    let tasks: Vec<_> = work.map(tokio::spawn).collect();
    let mut done = Vec::with_capacity(tasks.len());
    for task in tasks {
        done.push(task.await.expect("a task"));
    }
    done
}

criterion_group! {
    name = append;
    config = configuration();
    targets = one_client, one_client_pages, many_clients, batches, design_durable, design_memory, code_durable, code_memory
}
criterion_main!(append);
