//! How fast appends are, beside the floor: a raw append with `fdatasync`, and a raw synced RocksDB
//! batch of the same bytes. `cargo run --release -p recto-store --example append_speed [folder] [seconds]`

#![expect(clippy::print_stdout, reason = "it is a program that prints a table")]

use std::error::Error;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use recto_store::{
    Append, CommandClaim, Engine, Expected, Guard, Id, Key, MemoryEngine, NewEvent, PageKey, Put, RocksEngine,
    RocksOptions, Store,
};
use rocksdb::{DB, Options, WriteBatch, WriteOptions};
use tokio::runtime::Runtime;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

const CLIENTS: [usize; 3] = [16, 64, 256];
const SLICES: u32 = 20;
const FLOOR_BYTES: usize = 4096;
const DELTA_BYTES: usize = 256;
const BATCH: usize = 100;

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments
        .next()
        .map_or_else(|| std::env::temp_dir().join("recto-append-speed"), PathBuf::from);
    let seconds = arguments.next().map_or(Ok(3.0), |text| text.parse())?;
    let time = Duration::from_secs_f64(seconds);
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(&folder)?;

    println!("{:<44} {:>10} {:>9} {:>9}", "", "per second", "p50 µs", "p99 µs");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let engine = Arc::new(RocksEngine::open(&folder.join("store"), &RocksOptions::synced())?);
    let store = runtime.block_on(Store::open(engine.clone()))?;
    lone(&folder, &runtime, &engine, &store, time)?;
    for clients in CLIENTS {
        let measured = runtime.block_on(appends(&store, &format!("clients-{clients}"), clients, 1, time))?;
        row(&format!("Store::append, {clients} clients"), measured);
    }
    for clients in [1, 8] {
        let measured = runtime.block_on(appends(&store, &format!("batch-{clients}"), clients, BATCH, time))?;
        row(
            &format!("Store::append of {BATCH}, {clients} clients (events)"),
            measured,
        );
    }
    runtime.block_on(store.close())?;

    let memory = runtime.block_on(Store::open(Arc::new(MemoryEngine::new())))?;
    let measured = runtime.block_on(appends(&memory, "memory", 1, 1, time / 4))?;
    row("Store::append in memory, 1 client (CPU alone)", measured);
    Ok(())
}

/// One client, beside the floors. They take turns in short slices, so that whatever else the
/// machine does happens to all of them.
fn lone(folder: &Path, runtime: &Runtime, engine: &Arc<RocksEngine>, store: &Store, time: Duration) -> Outcome<()> {
    let mut all: [Measured; 4] = Default::default();
    let slice = time / SLICES;
    for round in 0..SLICES {
        let slices = [
            floor(folder, slice)?,
            raw_batch(folder, round, slice)?,
            runtime.block_on(runtime.spawn(commits(Arc::clone(engine), round, slice)))??,
            runtime.block_on(appends(store, &format!("lone-{round}"), 1, 1, slice))?,
        ];
        for (sum, one) in all.iter_mut().zip(slices) {
            sum.per_second += one.per_second / f64::from(SLICES);
            sum.took.extend(one.took);
        }
    }
    let names = [
        "raw 4 KiB append + fdatasync (F)",
        "raw synced RocksDB batch, same bytes",
        "Engine::commit, 1 client",
        "Store::append, 1 client",
    ];
    for (name, measured) in names.into_iter().zip(all) {
        row(name, measured);
    }
    Ok(())
}

/// How many were done a second, and how long each call took.
#[derive(Default)]
struct Measured {
    per_second: f64,
    took: Vec<Duration>,
}

fn floor(folder: &Path, time: Duration) -> Outcome<Measured> {
    let mut file = File::create(folder.join("floor"))?;
    let bytes = [0xa5; FLOOR_BYTES];
    measure(time, |_| {
        file.write_all(&bytes)?;
        Ok(file.sync_data()?)
    })
}

/// The same four puts as one append makes, of the same sizes.
fn raw_batch(folder: &Path, round: u32, time: Duration) -> Outcome<Measured> {
    let mut options = Options::default();
    options.create_if_missing(true);
    let db = DB::open(&options, folder.join("raw"))?;
    let mut sync = WriteOptions::default();
    sync.set_sync(true);
    let (event, receipt) = (vec![0xa5; 2 * DELTA_BYTES + 160], vec![0xa5; 130]);
    measure(time, |number| {
        let mut batch = WriteBatch::default();
        batch.put(format!("e studio {round} {number:020}"), &event);
        batch.put(format!("c studio {round} {number:020} page"), &receipt);
        batch.put(format!("f studio {round} {number:020}"), [0; 24]);
        batch.put("tip", [0; 8]);
        Ok(db.write_opt(batch, &sync)?)
    })
}

fn measure(time: Duration, mut step: impl FnMut(u64) -> Outcome<()>) -> Outcome<Measured> {
    let (begin, mut took) = (Instant::now(), Vec::new());
    while begin.elapsed() < time {
        let start = Instant::now();
        step(u64::try_from(took.len())?)?;
        took.push(start.elapsed());
    }
    let per_second = took.len() as f64 / begin.elapsed().as_secs_f64();
    Ok(Measured { per_second, took })
}

async fn commits(engine: Arc<RocksEngine>, round: u32, time: Duration) -> Outcome<Measured> {
    let page = PageKey::parse("speed", &format!("commits-{round}"))?;
    let (begin, mut took) = (Instant::now(), Vec::new());
    while begin.elapsed() < time {
        let start = Instant::now();
        let revision = u64::try_from(took.len())?;
        let command = Key::command(&page, &Id::new(&format!("command-{revision}"))?);
        let guards = vec![
            Guard {
                key: Key::event(&page),
                revision,
            },
            Guard {
                key: command.clone(),
                revision: 0,
            },
        ];
        let puts = vec![
            Put {
                key: Key::event(&page),
                value: vec![0xa5; 2 * DELTA_BYTES + 160].into(),
            },
            Put {
                key: command,
                value: vec![0xa5; 130].into(),
            },
        ];
        engine.commit(0, guards, puts).await?;
        took.push(start.elapsed());
    }
    let per_second = took.len() as f64 / begin.elapsed().as_secs_f64();
    Ok(Measured { per_second, took })
}

async fn appends(store: &Store, name: &str, clients: usize, batch: usize, time: Duration) -> Outcome<Measured> {
    let begin = Instant::now();
    let mut tasks = Vec::new();
    for client in 0..clients {
        let (store, page) = (store.clone(), PageKey::parse("speed", &format!("{name}-{client}"))?);
        tasks.push(tokio::spawn(async move {
            client_of(&store, page, batch, begin + time).await
        }));
    }
    let mut took = Vec::new();
    for task in tasks {
        took.extend(task.await??);
    }
    let per_second = (took.len() * batch) as f64 / begin.elapsed().as_secs_f64();
    Ok(Measured { per_second, took })
}

async fn client_of(store: &Store, page: PageKey, batch: usize, end: Instant) -> Outcome<Vec<Duration>> {
    let (mut version, mut took) = (0, Vec::new());
    while Instant::now() < end {
        let append = Append {
            page: page.clone(),
            expected: Expected::Exactly(version),
            events: (0..batch).map(|_| event()).collect(),
            command: CommandClaim {
                id: Id::new(&format!("command-{version}"))?,
                fingerprint: [7; 32],
                time_ms: 0,
                outcome: "ok".into(),
            },
            records: Vec::new(),
        };
        let start = Instant::now();
        version = store.append(append).await?.receipt.head_version;
        took.push(start.elapsed());
    }
    Ok(took)
}

fn event() -> NewEvent {
    NewEvent {
        kind: 1,
        schema: 1,
        time_ms: 1_764_000_000_000,
        actor: "user-1".to_owned(),
        turn: Some("turn-1".to_owned()),
        cause: None,
        epoch: 1,
        flags: 0,
        delta: vec![0xa5; DELTA_BYTES].into(),
        inverse: vec![0x5a; DELTA_BYTES].into(),
        digest: [9; 32],
    }
}

fn row(name: &str, mut measured: Measured) {
    measured.took.sort_unstable();
    let at = |part: usize| {
        measured
            .took
            .get(measured.took.len() * part / 100)
            .map_or(0, Duration::as_micros)
    };
    println!("{name:<44} {:>10.0} {:>9} {:>9}", measured.per_second, at(50), at(99));
}
