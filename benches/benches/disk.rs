//! Bytes on the disk for each keystroke of a real trace, after compaction. No time is measured, so criterion is not
//! needed.
#![expect(clippy::expect_used, reason = "a bench that cannot run has nothing to say")]

mod common;

use std::path::Path;

use common::{is_wanted, keep, runtime, say};
use recto_benches::corpora::Corpora;
use recto_benches::figures::{Figure, RECTO, Unit, to_f64};
use recto_benches::goals::group;
use recto_benches::service::{self, PageClient, Service};
use recto_benches::trace::{PAPER, Trace, code_delta};
use recto_benches::workload::text::code_page;
use recto_pages::SnapshotPolicy;
use recto_pages::projections::Kind;
use recto_store::RocksOptions;
use rocksdb::{BottommostLevelCompaction, CompactOptions, DB, Env, Options, properties};

const BENCH: &str = "disk";

fn main() {
    if !is_wanted(group::DISK) {
        return;
    }
    let corpora = match Corpora::find(None) {
        Ok(corpora) => corpora,
        Err(fault) => return say(&format!("passed over: {fault}")),
    };
    let trace = Trace::read(&corpora, PAPER).expect("a trace");
    let runtime = runtime();
    let (folder, json_bytes) = runtime.block_on(load(&trace));
    let areas = compacted(&folder.path().join("rocksdb"));
    report(&trace, &areas, json_bytes);
}

/// Every keystroke as a command of its own, as it comes over HTTP. Returns the bytes of delta and inverse as JSON too.
async fn load(trace: &Trace) -> (tempfile::TempDir, usize) {
    // What an acknowledgement promises changes no byte on the disk.
    let service = Service::on_disk_with(RocksOptions::relaxed(), SnapshotPolicy::default())
        .await
        .expect("a service");
    let mut client = PageClient::create(&service.pages, PAPER, Kind::Code, &code_page(&trace.start))
        .await
        .expect("a page");
    let mut json_bytes = 0;
    for transaction in &trace.transactions {
        let delta = service::delta(Kind::Code, &code_delta(transaction)).expect("a delta");
        let written = client.submit(vec![delta]).await.expect("a submit");
        for event in &written.events {
            let both = [event.delta(), event.inverse()];
            let both = both
                .into_iter()
                .map(|delta| delta.expect("a delta").expect("one").to_json().to_string().len());
            json_bytes += both.sum::<usize>();
        }
    }
    (
        service.close().await.expect("a clean end").expect("a folder"),
        json_bytes,
    )
}

/// Compacts every area to its last level, with the options it was made with, and returns their bytes.
fn compacted(path: &Path) -> Vec<(String, u64)> {
    let env = Env::new().expect("an environment");
    let cache = rocksdb::Cache::new_lru_cache(64 << 20);
    let (options, areas) = Options::load_latest(path, env, true, cache).expect("the database's options");
    let names: Vec<String> = areas.iter().map(|area| area.name().to_owned()).collect();
    let db = DB::open_cf_descriptors(&options, path, areas).expect("the database");
    let mut whole = CompactOptions::default();
    whole.set_bottommost_level_compaction(BottommostLevelCompaction::Force);
    let bytes = |name: String| {
        let area = db.cf_handle(&name).expect("an area");
        db.flush_cf(area).expect("a flush");
        db.compact_range_cf_opt(area, None::<&[u8]>, None::<&[u8]>, &whole);
        let bytes = db
            .property_int_value_cf(area, properties::TOTAL_SST_FILES_SIZE)
            .expect("a property");
        (name, bytes.unwrap_or(0))
    };
    names.into_iter().map(bytes).collect()
}

fn report(trace: &Trace, areas: &[(String, u64)], json_bytes: usize) {
    let events = to_f64(trace.transactions.len());
    let each = |bytes: u64| to_f64(usize::try_from(bytes).expect("it fits")) / events;
    for (name, bytes) in areas {
        say(&format!(
            "{name}: {bytes} bytes, {:.1} for each keystroke",
            each(*bytes)
        ));
    }
    let is_kept = |name: &str| name != "snapshots";
    let total: u64 = areas
        .iter()
        .filter(|(name, _)| is_kept(name))
        .map(|(_, bytes)| bytes)
        .sum();
    keep(
        BENCH,
        &[
            Figure::single(group::DISK, RECTO, 0, each(total), Unit::Bytes),
            Figure::single(
                group::DISK,
                "delta and inverse as JSON",
                0,
                to_f64(json_bytes) / events,
                Unit::Bytes,
            ),
        ],
    );
}
