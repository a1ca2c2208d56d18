//! The same keystrokes through HTTP and in process, on one server.
#![expect(clippy::expect_used, reason = "a bench that cannot run has nothing to say")]

mod common;

use std::time::{Duration, Instant};

use common::{configuration, in_turns, is_wanted, lane, recto, runtime, time};
use criterion::{Criterion, criterion_group, criterion_main};
use recto_api::{Config, Server};
use recto_benches::client::Client;
use recto_benches::floor::RawFile;
use recto_benches::goals::group;
use recto_benches::rng::Rng;
use recto_benches::service::{self, Fault, PageClient};
use recto_benches::trace::code_delta;
use recto_benches::workload::text;
use recto_pages::projections::Kind;
use tokio::runtime::Runtime;

const BENCH: &str = "http";
const TEXT_BYTES: usize = 10_000;
/// Keystrokes fall into the first units, so that they stay in the text when it shrinks.
const TYPED_UNITS: usize = 4_000;
const CLIENTS: [usize; 3] = [1, 8, 64];
/// Edits of one round, over all its clients.
const ROUND_EDITS: usize = 512;

/// Somebody who types over HTTP.
struct HttpTypist {
    client: Client,
    page: String,
    etag: String,
    rng: Rng,
    next: usize,
}

fn one_client(criterion: &mut Criterion) {
    if !is_wanted(group::HTTP_ONE) {
        return;
    }
    let runtime = runtime();
    let folder = service::folder().expect("a folder");
    let server = runtime
        .block_on(Server::start(Config::at(folder.path().join("data"))))
        .expect("a server");
    let mut file = RawFile::create(folder.path()).expect("a file");
    let mut typist = HttpTypist::new(&server, "one-client").expect("a page");
    let mut inside = inside(&runtime, &server).expect("a page");
    let mut rng = Rng::new(17);
    let lanes = vec![
        lane("F: 4 KiB append + fdatasync", 0, || time(|| file.append().expect("F"))),
        lane("in process", 0, || {
            let delta = code_delta(&[text::keystroke(TYPED_UNITS, &mut rng)]);
            let delta = service::delta(Kind::Code, &delta).expect("a delta");
            time(|| runtime.block_on(inside.submit(vec![delta])).expect("a submit"))
        }),
        recto(0, || time(|| typist.type_one().expect("an answer"))),
    ];
    in_turns(criterion, BENCH, group::HTTP_ONE, lanes);
    stop(&runtime, server);
}

/// So many clients with a connection and a page each; the figure is the time for one edit.
fn many_clients(criterion: &mut Criterion) {
    if !is_wanted(group::HTTP_CLIENTS) {
        return;
    }
    let runtime = runtime();
    let folder = service::folder().expect("a folder");
    let server = runtime
        .block_on(Server::start(Config::at(folder.path().join("data"))))
        .expect("a server");
    let mut file = RawFile::create(folder.path()).expect("a file");
    let mut lanes = vec![lane("F: 4 KiB append + fdatasync", 1, || {
        time(|| file.append().expect("F"))
    })];
    for count in CLIENTS {
        let names = (0..count).map(|client| format!("clients-{count}-{client}"));
        let mut typists: Vec<_> = names
            .map(|name| HttpTypist::new(&server, &name).expect("a page"))
            .collect();
        lanes.push(recto(u64::try_from(count).expect("a small number"), move || {
            round(&mut typists)
        }));
    }
    in_turns(criterion, BENCH, group::HTTP_CLIENTS, lanes);
    stop(&runtime, server);
}

fn round(typists: &mut [HttpTypist]) -> Duration {
    let each = (ROUND_EDITS / typists.len()).max(1);
    let edits = u32::try_from(each * typists.len()).expect("a small number");
    let began = Instant::now();
    std::thread::scope(|scope| {
        for typist in typists {
            scope.spawn(|| (0..each).for_each(|_| typist.type_one().expect("an answer")));
        }
    });
    began.elapsed() / edits
}

/// A client of the server's own page service, without HTTP.
fn inside(runtime: &Runtime, server: &Server) -> Result<PageClient, Fault> {
    let page = text::code_page(&text::lines(TEXT_BYTES, 11));
    runtime.block_on(PageClient::create(server.app().pages(), "inside", Kind::Code, &page))
}

fn stop(runtime: &Runtime, server: Server) {
    server.stop();
    runtime.block_on(server.finished()).expect("a clean end");
}

impl HttpTypist {
    fn new(server: &Server, page: &str) -> Result<Self, Fault> {
        let client = Client::new(&format!("http://{}", server.address()), None);
        let value = text::code_page(&text::lines(TEXT_BYTES, 11));
        let created = client.create(page, "CODE", &value, "create")?;
        Ok(Self {
            client,
            page: page.to_owned(),
            etag: created.etag,
            rng: Rng::new(17),
            next: 0,
        })
    }

    fn type_one(&mut self) -> Result<(), Fault> {
        let delta = code_delta(&[text::keystroke(TYPED_UNITS, &mut self.rng)]);
        self.next += 1;
        let written = self
            .client
            .delta(&self.page, &self.etag, &delta, &format!("edit-{}", self.next))?;
        self.etag = written.etag;
        Ok(())
    }
}

criterion_group! {
    name = benches;
    config = configuration();
    targets = one_client, many_clients
}
criterion_main!(benches);
