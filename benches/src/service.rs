//! The page service on a disk or in memory, and clients that write to it, for the benches.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use recto_pages::projections::rebase::OnOverwrite;
use recto_pages::projections::{Delta, Json, Kind, Value};
use recto_pages::{
    Actor, Base, Caller, Clock, CreatePage, Id, PageKey, Pages, Preview, Settings, SnapshotPolicy, SubmitDeltas,
    SubmitOptions, UndoPage, UndoTarget, Written,
};
use recto_store::{Append, CommandClaim, Engine, Expected, MemoryEngine, NewEvent, RocksEngine, RocksOptions, Store};
use tempfile::TempDir;

use crate::figures::target_folder;

/// Anything that keeps a bench from its work.
pub type Fault = Box<dyn std::error::Error + Send + Sync>;

/// The setting that names the folder whose disk is measured.
pub const FOLDER_VARIABLE: &str = "RECTO_BENCH_FOLDER";

/// The workspace of all benches.
pub const SCOPE: &str = "bench";

/// A page service with the folder it works in.
pub struct Service {
    /// The service.
    pub pages: Pages,
    folder: Option<TempDir>,
}

/// A client that writes to one page, each edit from the version that the one before it made.
pub struct PageClient {
    pages: Pages,
    caller: Caller,
    page: Id,
    base: Base,
    next: u64,
}

/// A client of the log below the pages.
pub struct StoreClient {
    store: Store,
    page: PageKey,
    version: u64,
    next: u64,
    payload: Bytes,
}

/// A folder of its own on the disk that is measured: that of the target folder, for `/tmp` may be memory.
///
/// # Errors
/// Where no folder can be made.
pub fn folder() -> Result<TempDir, Fault> {
    let parent = std::env::var_os(FOLDER_VARIABLE).map_or_else(target_folder, PathBuf::from);
    std::fs::create_dir_all(&parent)?;
    Ok(tempfile::Builder::new().prefix("recto-bench-").tempdir_in(parent)?)
}

impl Service {
    /// On the disk, synced.
    ///
    /// # Errors
    /// Where the store does not open.
    pub async fn on_disk() -> Result<Self, Fault> {
        Self::on_disk_with(RocksOptions::synced(), SnapshotPolicy::default()).await
    }

    /// On the disk, as told.
    ///
    /// # Errors
    /// Where the store does not open.
    pub async fn on_disk_with(options: RocksOptions, snapshots: SnapshotPolicy) -> Result<Self, Fault> {
        let folder = folder()?;
        let engine = RocksEngine::open(folder.path(), &options)?;
        Self::over(Arc::new(engine), Some(folder), snapshots).await
    }

    /// In memory: what the service itself costs.
    ///
    /// # Errors
    /// Where the store does not open.
    pub async fn in_memory() -> Result<Self, Fault> {
        Self::over(Arc::new(MemoryEngine::new()), None, SnapshotPolicy::default()).await
    }

    async fn over(engine: Arc<dyn Engine>, folder: Option<TempDir>, snapshots: SnapshotPolicy) -> Result<Self, Fault> {
        let settings = Settings {
            snapshots,
            cache_bytes: 1 << 30,
            ..Settings::default()
        };
        let store = Store::open(engine).await?;
        Ok(Self {
            pages: Pages::new(store, settings, Clock::system()),
            folder,
        })
    }

    /// The store below.
    #[must_use]
    pub fn store(&self) -> Store {
        self.pages.store().clone()
    }

    /// The folder of the store; none in memory.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_ref().map(TempDir::path)
    }

    /// Closes the service and hands over its folder.
    ///
    /// # Errors
    /// Where the store does not close cleanly.
    pub async fn close(self) -> Result<Option<TempDir>, Fault> {
        self.pages.close().await?;
        Ok(self.folder)
    }

    /// How many bytes of write-ahead log there are.
    ///
    /// # Errors
    /// Where the folder cannot be read.
    pub fn log_bytes(&self) -> Result<u64, Fault> {
        let Some(folder) = self.folder() else {
            return Ok(0);
        };
        let mut bytes = 0;
        for entry in std::fs::read_dir(folder.join("rocksdb"))? {
            let entry = entry?;
            if entry.path().extension().is_some_and(|ending| ending == "log") {
                bytes += entry.metadata()?.len();
            }
        }
        Ok(bytes)
    }
}

impl PageClient {
    /// Makes a page, and a client of it.
    ///
    /// # Errors
    /// Where the value is no value of the kind, or the page is refused.
    pub async fn create(pages: &Pages, page: &str, kind: Kind, value: &Json) -> Result<Self, Fault> {
        let (caller, page) = (caller()?, Id::new(page)?);
        let value = Value::from_json(kind, value).map_err(|fault| format!("{fault:?}"))?;
        let create = CreatePage {
            caller: caller.clone(),
            page: page.clone(),
            kind,
            file: None,
            value,
            command: Id::new("create")?,
        };
        let written = pages.create(create).await?;
        let base = Base {
            version: written.version,
            epoch: written.epoch,
        };
        Ok(Self {
            pages: pages.clone(),
            caller,
            page,
            base,
            next: 0,
        })
    }

    /// Submits deltas, each of which becomes an event.
    ///
    /// # Errors
    /// Where they are refused.
    pub async fn submit(&mut self, deltas: Vec<Delta>) -> Result<Written, Fault> {
        self.submit_from(self.base, deltas).await
    }

    /// Submits deltas that were made from an earlier version; where somebody set the same since, they stand.
    ///
    /// # Errors
    /// Where they are refused.
    pub async fn submit_from(&mut self, base: Base, deltas: Vec<Delta>) -> Result<Written, Fault> {
        self.next += 1;
        let submit = SubmitDeltas {
            caller: self.caller.clone(),
            page: self.page.clone(),
            base,
            deltas,
            command: Id::new(&format!("edit-{}", self.next))?,
            options: SubmitOptions {
                on_overwrite: OnOverwrite::Mine,
                ..SubmitOptions::default()
            },
        };
        let written = self.pages.submit(submit).await?;
        self.base = Base {
            version: written.version,
            epoch: written.epoch,
        };
        Ok(written)
    }

    /// Lets somebody else write from here on.
    ///
    /// # Errors
    /// Where the text names no actor.
    pub fn act_as(&mut self, actor: &str) -> Result<(), Fault> {
        self.caller.actor = actor.parse()?;
        Ok(())
    }

    /// Undoes or redoes the newest of whoever writes.
    ///
    /// # Errors
    /// Where there is nothing, or it is refused.
    pub async fn undo_newest(&mut self, redo: bool) -> Result<Written, Fault> {
        self.next += 1;
        let mut undo = self.undo(UndoTarget::Newest { actor: None })?;
        undo.redo = redo;
        let written = self.pages.undo(undo).await?;
        self.base.version = written.version;
        Ok(written)
    }

    /// Plans the undo of an event, and appends nothing.
    ///
    /// # Errors
    /// Where it is refused.
    pub async fn preview_undo(&self, event: u64) -> Result<Preview, Fault> {
        Ok(self.pages.preview_undo(self.undo(UndoTarget::Event(event))?).await?)
    }

    fn undo(&self, target: UndoTarget) -> Result<UndoPage, Fault> {
        Ok(UndoPage {
            caller: self.caller.clone(),
            page: self.page.clone(),
            base: self.base,
            redo: false,
            target,
            policy: None,
            force: false,
            command: Id::new(&format!("undo-{}", self.next))?,
        })
    }

    /// The version so many events before the newest one.
    #[must_use]
    pub fn behind(&self, events: u64) -> Base {
        Base {
            version: self.base.version - events,
            ..self.base
        }
    }

    /// The page's name.
    #[must_use]
    pub fn page(&self) -> &Id {
        &self.page
    }

    /// The page's version.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.base.version
    }
}

impl StoreClient {
    /// A client of a fresh page, whose events carry this many bytes of delta and as many of inverse.
    ///
    /// # Errors
    /// Where the name is no name.
    pub fn new(store: Store, page: &str, payload_bytes: usize) -> Result<Self, Fault> {
        let page = PageKey::parse(SCOPE, page)?;
        Ok(Self {
            store,
            page,
            version: 0,
            next: 0,
            payload: vec![0x2e; payload_bytes].into(),
        })
    }

    /// Appends events in one commit.
    ///
    /// # Errors
    /// Where they are refused.
    pub async fn append(&mut self, events: usize) -> Result<(), Fault> {
        self.next += 1;
        let append = Append {
            page: self.page.clone(),
            expected: if self.version == 0 {
                Expected::New
            } else {
                Expected::Exactly(self.version)
            },
            events: (0..events).map(|_| self.event()).collect(),
            command: CommandClaim {
                id: Id::new(&format!("edit-{}", self.next))?,
                fingerprint: [7; 32],
                time_ms: 1_790_000_000_000,
                outcome: Bytes::from_static(b"deltas"),
            },
            records: Vec::new(),
        };
        self.version = self.store.append(append).await?.receipt.head_version;
        Ok(())
    }

    fn event(&self) -> NewEvent {
        NewEvent {
            kind: 2,
            schema: 1,
            time_ms: 1_790_000_000_000,
            actor: "user:bench".to_owned(),
            turn: None,
            cause: None,
            epoch: 0,
            flags: 0,
            delta: self.payload.clone(),
            inverse: self.payload.clone(),
            digest: [9; 32],
        }
    }
}

/// Who writes in all benches.
///
/// # Errors
/// Never: the names are names.
pub fn caller() -> Result<Caller, Fault> {
    Ok(Caller {
        scope: Id::new(SCOPE)?,
        actor: "user:bench".parse::<Actor>()?,
        turn: None,
    })
}

/// Reads a delta of the workloads.
///
/// # Errors
/// Where it is no delta of the kind.
pub fn delta(kind: Kind, json: &Json) -> Result<Delta, Fault> {
    Delta::from_json(kind, json).map_err(|fault| format!("{fault:?}").into())
}
