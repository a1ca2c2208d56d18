//! A model of the log, in a few maps, against the log: random appends, retries, stale appends,
//! snapshots, and opening again. A failure prints its seed and its smallest case; `PROPTEST_CASES`
//! multiplies the cases.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use recto_store::{AppendError, Engine, Id, MemoryEngine, Near, PageKey, RecordKey, Store};

use crate::support::{ALL, append, id, page, write};

const PAGES: [&str; 3] = ["a", "ab", "b"];

#[derive(Clone, Debug)]
enum Step {
    Append(Try),
    PutSnapshot { page: usize, version: u64 },
    DeleteSnapshot { page: usize, version: u64 },
    Reopen,
}

/// An append, said by how far off it is.
#[derive(Clone, Debug)]
struct Try {
    page: usize,
    /// The base is the head plus this, but not below 0.
    off: i64,
    events: usize,
    command: u8,
    body: u8,
    /// A record, and how far off its revision is.
    record: Option<(u8, i64)>,
}

fn step() -> impl Strategy<Value = Step> {
    let record = proptest::option::weighted(0.4, (0..3_u8, prop_oneof![5 => Just(0_i64), 1 => -2..3_i64]));
    let attempt = (
        0..3_usize,
        prop_oneof![5 => Just(0_i64), 1 => -3..4_i64],
        0..4_usize,
        0..24_u8,
        0..2_u8,
        record,
    )
        .prop_map(|(page, off, events, command, body, record)| Try {
            page,
            off,
            events,
            command,
            body,
            record,
        });
    prop_oneof![
        20 => attempt.prop_map(Step::Append),
        2 => (0..3_usize, 0..9_u64).prop_map(|(page, version)| Step::PutSnapshot { page, version }),
        1 => (0..3_usize, 0..9_u64).prop_map(|(page, version)| Step::DeleteSnapshot { page, version }),
        1 => Just(Step::Reopen),
    ]
}

#[derive(Default)]
struct Model {
    /// The texts of each page's events.
    pages: BTreeMap<usize, Vec<String>>,
    /// By page and command: body, first and last version (first over last: none).
    commands: BTreeMap<(usize, u8), (u8, u64, u64)>,
    records: BTreeMap<u8, (u64, String)>,
    snapshots: BTreeMap<(usize, u64), String>,
    /// Page and version in commit order.
    feed: Vec<(usize, u64)>,
}

/// What an append should say.
#[derive(Debug, PartialEq, Eq)]
enum Says {
    Done { first: u64, last: u64 },
    AlreadyDone { last: u64 },
    Reused,
    Empty,
    Conflict { actual: u64 },
    RecordConflict { actual: u64 },
}

impl Model {
    fn head(&self, page: usize) -> u64 {
        self.pages.get(&page).map_or(0, |texts| texts.len() as u64)
    }

    fn revision(&self, record: u8) -> u64 {
        self.records.get(&record).map_or(0, |(revision, _)| *revision)
    }

    fn base(&self, attempt: &Try) -> u64 {
        self.head(attempt.page).saturating_add_signed(attempt.off)
    }

    fn append(&mut self, attempt: &Try) -> Says {
        let (head, base) = (self.head(attempt.page), self.base(attempt));
        if base == 0 && attempt.events == 0 && attempt.record.is_none() {
            return Says::Empty;
        }
        match self.commands.get(&(attempt.page, attempt.command)) {
            Some(&(body, _, last)) if body == attempt.body => return Says::AlreadyDone { last },
            Some(_) => return Says::Reused,
            None => {}
        }
        if base != head {
            return Says::Conflict { actual: head };
        }
        if let Some((record, off)) = attempt.record {
            let actual = self.revision(record);
            if actual.saturating_add_signed(off) != actual {
                return Says::RecordConflict { actual };
            }
            self.records.insert(record, (actual + 1, value(attempt)));
        }
        let (first, last) = (head + 1, head + attempt.events as u64);
        self.feed.extend((first..=last).map(|version| (attempt.page, version)));
        self.pages.entry(attempt.page).or_default().extend(texts(attempt));
        self.commands
            .insert((attempt.page, attempt.command), (attempt.body, first, last));
        Says::Done { first, last }
    }
}

fn texts(attempt: &Try) -> Vec<String> {
    (0..attempt.events)
        .map(|number| format!("{} {} {number}", attempt.command, attempt.body))
        .collect()
}

fn value(attempt: &Try) -> String {
    format!("by {} {}", attempt.page, attempt.command)
}

fn record_key(record: u8) -> RecordKey {
    RecordKey::new(&format!("key-{record}")).unwrap()
}

async fn append_to(store: &Store, model: &Model, attempt: &Try) -> Says {
    let texts = texts(attempt);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let command = format!("c{}", attempt.command);
    let mut append = append(PAGES[attempt.page], model.base(attempt), &command, &texts);
    append.command.fingerprint = [attempt.body; 32];
    if let Some((record, off)) = attempt.record {
        let revision = model.revision(record).saturating_add_signed(off);
        append.records = vec![write("table", record_key(record).as_str(), revision, &value(attempt))];
    }
    match store.append(append).await {
        Ok(done) => {
            let last = done.receipt.head_version;
            assert_eq!(
                done.receipt.versions.map_or(0, |span| span.count()),
                attempt.events as u64
            );
            Says::Done {
                first: last + 1 - attempt.events as u64,
                last,
            }
        }
        Err(AppendError::AlreadyDone(receipt)) => Says::AlreadyDone {
            last: receipt.head_version,
        },
        Err(AppendError::CommandIdReused { .. }) => Says::Reused,
        Err(AppendError::Empty) => Says::Empty,
        Err(AppendError::Conflict { actual, .. }) => Says::Conflict {
            actual: actual.map_or(0, |head| head.version),
        },
        Err(AppendError::RecordConflict { actual, .. }) => Says::RecordConflict { actual },
        Err(error) => panic!("{error}"),
    }
}

async fn check_all(store: &Store, model: &Model) {
    let scope = id("studio");
    for (page_number, texts) in &model.pages {
        assert_eq!(&crate::support::texts(store, PAGES[*page_number]).await, texts);
    }
    let feed = store.feed(&scope, 0, ALL).await.unwrap();
    let told: Vec<(usize, u64)> = feed
        .iter()
        .map(|(_, page, event)| (number(page), event.version))
        .collect();
    assert_eq!(told, model.feed);
    assert!(
        feed.iter()
            .zip(1..)
            .all(|((position, ..), expected)| *position == expected)
    );
    for ((page_number, command), (body, first, last)) in &model.commands {
        let name = page(PAGES[*page_number]);
        let receipt = store
            .receipt(&name, &id(&format!("c{command}")))
            .await
            .unwrap()
            .unwrap();
        assert_eq!((receipt.fingerprint, receipt.head_version), ([*body; 32], *last));
        assert_eq!(
            receipt.versions.map(|span| (span.first, span.last)),
            (first <= last).then_some((*first, *last))
        );
    }
    for (record, (revision, value)) in &model.records {
        let read = store
            .record(&scope, &id("table"), &record_key(*record))
            .await
            .unwrap()
            .unwrap();
        assert_eq!((read.revision, read.value), (*revision, value.clone().into()));
    }
    assert_eq!(store.verify_scope(&scope).await.unwrap().damage, []);
}

fn number(page: &PageKey) -> usize {
    PAGES
        .iter()
        .position(|name| Id::new(name).as_ref() == Ok(&page.page))
        .unwrap()
}

/// Runs the steps; `reopen` closes an engine and opens it again.
async fn run(steps: Vec<Step>, mut engine: Arc<dyn Engine>, reopen: impl Fn() -> Arc<dyn Engine>) {
    let mut model = Model::default();
    let mut store = Store::open(Arc::clone(&engine)).await.unwrap();
    for step in steps {
        match step {
            Step::Append(attempt) => {
                let said = append_to(&store, &model, &attempt).await;
                assert_eq!(said, model.append(&attempt), "{attempt:?}");
            }
            Step::PutSnapshot { page: number, version } => {
                let value = format!("state {version}");
                store
                    .put_snapshot(&page(PAGES[number]), version, value.clone().into())
                    .await
                    .unwrap();
                model.snapshots.insert((number, version), value.clone());
                let found = store
                    .snapshot_near(&page(PAGES[number]), version, Near::AtOrAfter)
                    .await
                    .unwrap();
                assert_eq!(found.map(|snapshot| snapshot.value), Some(value.into()));
            }
            Step::DeleteSnapshot { page: number, version } => {
                store.delete_snapshot(&page(PAGES[number]), version).await.unwrap();
                model.snapshots.remove(&(number, version));
            }
            Step::Reopen => {
                store.close().await.unwrap();
                drop((store, engine));
                engine = reopen();
                store = Store::open(Arc::clone(&engine)).await.unwrap();
            }
        }
    }
    for (number, name) in PAGES.into_iter().enumerate() {
        let held = model.snapshots.keys().filter(|(page, _)| *page == number);
        let versions = store.snapshot_versions(&page(name)).await.unwrap();
        assert_eq!(versions, held.map(|(_, version)| *version).collect::<Vec<_>>());
        // Some are of versions that the page has not reached: those are damage.
        for version in versions {
            store.delete_snapshot(&page(name), version).await.unwrap();
        }
    }
    check_all(&store, &model).await;
    store.close().await.unwrap();
}

/// How many cases; the variable multiplies them.
fn cases(default: u32) -> ProptestConfig {
    let times = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1);
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(default.saturating_mul(times))
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap()
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn the_log_in_memory_does_as_the_model(steps in prop::collection::vec(step(), 1..80)) {
        let engine = MemoryEngine::new();
        let reopen = || {
            engine.reopen();
            Arc::new(engine.clone()) as Arc<dyn Engine>
        };
        runtime().block_on(run(steps, Arc::new(engine.clone()), reopen));
    }
}

#[cfg(feature = "rocksdb")]
proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn the_log_on_disk_does_as_the_model(steps in prop::collection::vec(step(), 1..80)) {
        let folder = tempfile::tempdir().unwrap();
        let open = || -> Arc<dyn Engine> { crate::support::open_engine(folder.path()) };
        runtime().block_on(run(steps, open(), open));
    }
}
