//! Undo and rebase: what one's own newest edit costs against an edit, and how an older one grows with what came since.
#![expect(clippy::expect_used, reason = "a bench that cannot run has nothing to say")]

mod common;

use common::{Lane, configuration, in_turns, is_wanted, lane, recto, runtime, time};
use criterion::{Criterion, criterion_group, criterion_main};
use recto_benches::goals::group;
use recto_benches::rng::Rng;
use recto_benches::service::{self, Fault, PageClient, Service};
use recto_benches::trace::code_delta;
use recto_benches::workload::{design, text};
use recto_pages::projections::{Delta, Kind};
use serde_json::json;
use tokio::runtime::Runtime;

const BENCH: &str = "undo";
const DESIGN_NODES: [usize; 3] = [100, 1_000, 10_000];
const LATER: [u64; 5] = [1, 10, 100, 1_000, 10_000];
const NODES: usize = 1_000;
const TEXT_BYTES: usize = 10_000;
/// Deltas of one command while a history is made.
const BATCH: usize = 500;

fn own_newest(criterion: &mut Criterion) {
    if !is_wanted(group::UNDO_OWN) {
        return;
    }
    let runtime = runtime();
    let service = runtime.block_on(Service::in_memory()).expect("a service");
    let lanes = DESIGN_NODES
        .into_iter()
        .flat_map(|nodes| own_lanes(&runtime, &service, nodes));
    in_turns(criterion, BENCH, group::UNDO_OWN, lanes.collect());
}

/// An edit in one page; an undo and its redo, by turns, in another.
fn own_lanes<'a>(runtime: &'a Runtime, service: &Service, nodes: usize) -> [Lane<'a>; 2] {
    let size = u64::try_from(nodes).expect("a small number");
    let page = design::page(nodes, 3);
    let open = |name: &str| {
        let name = format!("{name}-{nodes}");
        let create = PageClient::create(&service.pages, &name, Kind::Design, &page);
        runtime.block_on(create).expect("a page")
    };
    let (mut editor, mut undoer) = (open("edit"), open("undo"));
    let mut rng = Rng::new(5);
    let mut edit = move || service::delta(Kind::Design, &design::edit(nodes, &mut rng)).expect("a delta");
    runtime.block_on(undoer.submit(vec![edit()])).expect("an edit");
    let mut redo = true;
    [
        recto(size, move || {
            redo = !redo;
            time(|| runtime.block_on(undoer.undo_newest(redo)).expect("an undo"))
        }),
        lane("an edit", size, move || {
            let delta = edit();
            time(|| runtime.block_on(editor.submit(vec![delta])).expect("an edit"))
        }),
    ]
}

fn text_anew(criterion: &mut Criterion) {
    selective(criterion, group::UNDO_TEXT, Kind::Code, true);
}

fn text_woven(criterion: &mut Criterion) {
    selective(criterion, group::UNDO_TEXT_WARM, Kind::Code, false);
}

fn fields(criterion: &mut Criterion) {
    selective(criterion, group::UNDO_FIELDS, Kind::Design, false);
}

/// Plans the undo of one edit, with so many of somebody else's after it.
fn selective(criterion: &mut Criterion, group: &str, kind: Kind, forget: bool) {
    if !is_wanted(group) {
        return;
    }
    let runtime = runtime();
    let service = runtime.block_on(Service::on_disk()).expect("a service");
    let lanes = LATER.map(|later| {
        let name = format!("{}-{later}", kind.as_str());
        let client = history(&runtime, &service, &name, kind, later).expect("a history");
        let event = client.version() - later;
        let (runtime, pages) = (&runtime, service.pages.clone());
        runtime.block_on(client.preview_undo(event)).expect("a plan");
        recto(later, move || {
            if forget {
                pages.forget_cached();
                let scope = service::caller().expect("a caller").scope;
                let read = pages.read(&scope, client.page(), recto_pages::At::Head);
                runtime.block_on(read).expect("a page");
            }
            time(|| runtime.block_on(client.preview_undo(event)).expect("a plan"))
        })
    });
    in_turns(criterion, BENCH, group, lanes.into());
}

/// A page with one edit, and so many of somebody else's after it.
fn history(runtime: &Runtime, service: &Service, name: &str, kind: Kind, later: u64) -> Result<PageClient, Fault> {
    let mut rng = Rng::new(17);
    let value = match kind {
        Kind::Design => design::page(NODES, 3),
        _ => text::code_page(&text::lines(TEXT_BYTES, 11)),
    };
    let mut client = runtime.block_on(PageClient::create(&service.pages, name, kind, &value))?;
    runtime.block_on(client.submit(vec![edit(kind, &mut rng)?]))?;
    client.act_as("user:other")?;
    let mut left = usize::try_from(later)?;
    while left > 0 {
        let batch = left.min(BATCH);
        let deltas = (0..batch).map(|_| edit(kind, &mut rng)).collect::<Result<_, _>>()?;
        runtime.block_on(client.submit(deltas))?;
        left = usize::try_from(later + 2)? - usize::try_from(client.version())?;
    }
    client.act_as("user:bench")?;
    Ok(client)
}

fn edit(kind: Kind, rng: &mut Rng) -> Result<Delta, Fault> {
    match kind {
        // Each sets what none before it did, so that each makes an event.
        Kind::Design => {
            let node = design::id(1 + rng.below(NODES - 1));
            let set = json!({ "/props/opacity": rng.next_u64() >> 12 });
            service::delta(kind, &json!([{ "op": "setNode", "id": node, "set": set }]))
        }
        _ => service::delta(kind, &code_delta(&[text::keystroke(TEXT_BYTES / 2, rng)])),
    }
}

fn rebase(criterion: &mut Criterion) {
    if !is_wanted(group::REBASE) {
        return;
    }
    let runtime = runtime();
    let service = runtime.block_on(Service::in_memory()).expect("a service");
    let lanes = LATER.map(|later| {
        let client = history(&runtime, &service, &format!("rebase-{later}"), Kind::Design, later).expect("a history");
        let (runtime, mut client, mut next) = (&runtime, client, 0_u64);
        recto(later, move || {
            next += 1;
            // A property that nobody else sets.
            let ops = json!([{ "op": "setNode", "id": design::id(1), "set": { "/props/mine": next } }]);
            let delta = service::delta(Kind::Design, &ops).expect("a delta");
            let behind = client.behind(later);
            time(|| {
                runtime
                    .block_on(client.submit_from(behind, vec![delta]))
                    .expect("a rebase")
            })
        })
    });
    in_turns(criterion, BENCH, group::REBASE, lanes.into());
}

criterion_group! {
    name = undo;
    config = configuration();
    targets = own_newest, text_anew, text_woven, fields, rebase
}
criterion_main!(undo);
