//! More than one process: kills, locks, a full disk. A child is this very test binary, told by
//! the environment what to do.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use recto_store::{AppendError, RocksEngine, RocksError, Store, Unavailable};

use crate::support::{append, fill, id, open_store, page, small, texts, version, write};

/// What a child has to do, and where.
const ROLE: &str = "RECTO_TEST_ROLE";
const FOLDER: &str = "RECTO_TEST_FOLDER";
/// Longer than a child takes to start.
const SOON: Duration = Duration::from_secs(60);
const KILLS: u32 = 8;

/// Not a test of its own: the child's part of the tests below.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn child() {
    let Ok(folder) = std::env::var(FOLDER) else {
        return;
    };
    let folder = PathBuf::from(folder);
    match std::env::var(ROLE).unwrap().as_str() {
        "hold" => hold(&folder).await,
        "append" => append_for_ever(&folder).await,
        "fill the disk" => fill_the_disk(&folder).await,
        role => panic!("no such role: {role}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s33_a_second_process_is_refused_with_the_first_ones_number() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = start("hold", folder.path());
    wait_for(&folder.path().join("ready"));
    let refused = RocksEngine::open(folder.path(), &small()).err();
    assert_eq!(refused, Some(RocksError::AlreadyOpen { pid: Some(first.id()) }));
    first.kill().unwrap();
    first.wait().unwrap();
    // The lock went with the process.
    let store = open_store(folder.path()).await;
    assert_eq!(version(&store, "page").await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s31_after_a_kill_all_areas_agree_and_nothing_acknowledged_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..KILLS {
        let ready = folder.path().join("ready");
        drop(fs::remove_file(&ready));
        let mut child = start("append", folder.path());
        wait_for(&ready);
        std::thread::sleep(Duration::from_millis(20 + 37 * u64::from(round)));
        child.kill().unwrap();
        child.wait().unwrap();

        let store = open_store(folder.path()).await;
        let verified = store.verify_scope(&id("studio")).await.unwrap();
        assert_eq!(verified.damage, [], "round {round}");
        assert_eq!(verified.events, store.tip().await.unwrap());
        // Each append of a child writes two events, a receipt and a record: all or none.
        let (mut events, mut receipts) = (0, 0);
        for writer in 0..WRITERS {
            let name = format!("page-{writer}");
            let version = version(&store, &name).await;
            assert!(
                version >= acknowledged(folder.path(), writer),
                "round {round}, page {writer}"
            );
            assert_eq!(version % 2, 0);
            (events, receipts) = (events + version, receipts + version / 2);
            let key = recto_store::RecordKey::new(&name).unwrap();
            let record = store.record(&id("studio"), &id("heads"), &key).await.unwrap();
            assert_eq!(record.map_or(0, |record| record.revision), version / 2);
        }
        assert_eq!((verified.events, verified.receipts), (events, receipts));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s34_a_full_disk_refuses_writes_serves_reads_and_opens_again() {
    let folder = tempfile::tempdir().unwrap();
    // No file may grow beyond a megabyte: to the child that is a full disk.
    let mut child = Command::new("sh");
    child.args([
        "-c",
        "trap '' XFSZ; ulimit -f 2048; exec \"$0\" processes::child --exact --nocapture",
    ]);
    let status = told(
        child.arg(std::env::current_exe().unwrap()),
        "fill the disk",
        folder.path(),
    )
    .status()
    .unwrap();
    assert!(status.success());
    let before: u64 = fs::read_to_string(folder.path().join("acknowledged"))
        .unwrap()
        .parse()
        .unwrap();
    let store = open_store(folder.path()).await;
    let after = version(&store, "page").await;
    assert!(
        after == before || after == before + 1,
        "{before} acknowledged, {after} found"
    );
    assert_eq!(store.verify(&page("page")).await.unwrap().damage, None);
    let next = store.append(append("page", after, "room again", &["x"])).await.unwrap();
    assert_eq!(next.receipt.head_version, after + 1);
}

const WRITERS: u64 = 4;

async fn hold(folder: &Path) {
    let store = open_store(folder).await;
    fill(&store, "page", 1).await;
    fs::write(folder.join("ready"), "").unwrap();
    tokio::time::sleep(SOON).await;
}

/// Appends from several writers; each notes what was acknowledged, until the process is killed.
async fn append_for_ever(folder: &Path) {
    let store = open_store(folder).await;
    for writer in 0..WRITERS {
        let (store, folder) = (store.clone(), folder.to_owned());
        tokio::spawn(async move {
            let name = format!("page-{writer}");
            let mut log = OpenOptions::new()
                .create(true)
                .append(true)
                .open(folder.join(&name))
                .unwrap();
            let mut base = version(&store, &name).await;
            loop {
                let mut append = append(&name, base, &format!("c{base}"), &["x", "y"]);
                append.records = vec![write("heads", &name, base / 2, "v")];
                base = store.append(append).await.unwrap().receipt.head_version;
                writeln!(log, "{base}").unwrap();
            }
        });
    }
    fs::write(folder.join("ready"), "").unwrap();
    tokio::time::sleep(SOON).await;
}

/// The newest version that a writer was told; a line cut off by the kill does not count.
fn acknowledged(folder: &Path, writer: u64) -> u64 {
    let text = fs::read_to_string(folder.join(format!("page-{writer}"))).unwrap_or_default();
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    whole.lines().last().map_or(0, |line| line.parse().unwrap())
}

async fn fill_the_disk(folder: &Path) {
    let store = Store::open(Arc::new(RocksEngine::open(folder, &small()).unwrap()))
        .await
        .unwrap();
    let text = "x".repeat(20_000);
    let mut base = 0;
    let error = loop {
        match store.append(append("page", base, &format!("c{base}"), &[&text])).await {
            Ok(appended) => base = appended.receipt.head_version,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, AppendError::OutcomeUnknown { .. }), "{error}");
    assert!(base > 5);
    assert!(!store.health().ready);
    let refused = store.append(append("other", 0, "c", &["x"])).await.unwrap_err();
    assert!(
        matches!(refused, AppendError::Unavailable(Unavailable::Poisoned { .. })),
        "{refused}"
    );
    assert!(texts(&store, "page").await.len() as u64 >= base);
    fs::write(folder.join("acknowledged"), base.to_string()).unwrap();
}

fn start(role: &str, folder: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["processes::child", "--exact", "--nocapture"]);
    told(&mut command, role, folder).spawn().unwrap()
}

fn told<'a>(command: &'a mut Command, role: &str, folder: &Path) -> &'a mut Command {
    command.env(ROLE, role).env(FOLDER, folder).stdout(Stdio::null())
}

fn wait_for(path: &Path) {
    let begin = Instant::now();
    while !path.exists() {
        assert!(begin.elapsed() < SOON, "{} does not come", path.display());
        std::thread::sleep(Duration::from_millis(5));
    }
}
