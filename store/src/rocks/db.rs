//! The opened database: its areas, who may use it, and how it ends.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::RwLock;
use rocksdb::{ColumnFamily, ColumnFamilyDescriptor, DB, ErrorKind, Options};

use super::RocksError;
use super::layout::Area;
use super::lock::{FolderLock, LOCK_FILE};
use super::options::{self, Reading, RocksOptions};
use crate::engine::{Fault, Place, ReadError, Unavailable};

/// RocksDB's own folder in the store's.
const DATABASE: &str = "rocksdb";
/// The file that names the newest description of the database.
const CURRENT: &str = "CURRENT";
/// How long closing looks for reads that still use the database, and how often.
const CLOSE_WAIT: Duration = Duration::from_secs(30);
const CLOSE_POLL: Duration = Duration::from_millis(1);

/// The database and the lock on its folder, given up in this order.
pub(super) struct Db {
    pub(super) db: DB,
    /// Readers have none: they write nothing, and stand in nobody's way.
    _lock: Option<FolderLock>,
}

/// Who may use the database: all until it is closed, no writer once it is poisoned.
pub(super) struct Access {
    db: RwLock<Option<Arc<Db>>>,
    poisoned: RwLock<Option<String>>,
    reads_only: bool,
}

impl Db {
    pub(super) fn open(folder: &Path, options: &RocksOptions) -> Result<Self, RocksError> {
        make_folder(folder)?;
        let lock = FolderLock::take(folder)?;
        let path = folder.join(DATABASE);
        let database = options::database();
        check_areas(&database, &path)?;
        let db = DB::open_cf_descriptors(&database, &path, areas(options)).map_err(open_error)?;
        Ok(Self { db, _lock: Some(lock) })
    }

    /// Opens what is there, as it is now, and writes nothing: no lock, no log, no table.
    pub(super) fn open_to_read(folder: &Path, options: &RocksOptions, reading: Reading) -> Result<Self, RocksError> {
        let path = folder.join(DATABASE);
        let database = options::reader(reading);
        check_areas(&database, &path)?;
        let db = DB::open_cf_descriptors_read_only(&database, &path, areas(options), false).map_err(open_error)?;
        Ok(Self { db, _lock: None })
    }

    /// Whether a folder holds a database, or what is left of one.
    pub(super) fn is_in(folder: &Path) -> bool {
        let path = folder.join(DATABASE);
        path.join(CURRENT).exists() || has_remains(&path)
    }

    /// Whether a folder holds a database, or what there is before one.
    pub(super) fn has_begun_in(folder: &Path) -> bool {
        folder.join(DATABASE).exists() || folder.join(LOCK_FILE).exists()
    }

    pub(super) fn area(&self, area: Area) -> Result<&ColumnFamily, Unavailable> {
        let missing = || Unavailable::Failed {
            reason: format!("the area {} is gone", area.name()),
        };
        self.db.cf_handle(area.name()).ok_or_else(missing)
    }
}

impl Access {
    pub(super) fn new(db: Arc<Db>) -> Self {
        Self {
            db: RwLock::new(Some(db)),
            poisoned: RwLock::new(None),
            reads_only: false,
        }
    }

    /// Nobody may write.
    pub(super) fn to_read(db: Arc<Db>) -> Self {
        Self {
            reads_only: true,
            ..Self::new(db)
        }
    }

    pub(super) fn db(&self) -> Result<Arc<Db>, Unavailable> {
        self.db.read().clone().ok_or(Unavailable::Closed)
    }

    pub(super) fn writable(&self) -> Result<(), Unavailable> {
        if self.reads_only {
            return Err(Unavailable::ReadOnly);
        }
        if let Some(reason) = self.poisoned() {
            return Err(Unavailable::Poisoned { reason });
        }
        if self.db.read().is_some() {
            Ok(())
        } else {
            Err(Unavailable::Closed)
        }
    }

    /// Whether there may be something to sync: neither opened to read, nor poisoned.
    fn writable_once(&self) -> bool {
        !self.reads_only && self.poisoned().is_none()
    }

    pub(super) fn poisoned(&self) -> Option<String> {
        self.poisoned.read().clone()
    }

    /// Refuses all writes from now on. The first reason stays.
    pub(super) fn poison(&self, reason: &str) {
        self.poisoned.write().get_or_insert_with(|| reason.to_owned());
        tracing::error!(reason, "a write failed: no more writes until the store is opened again");
    }

    /// Syncs the log of a database that is not poisoned, stops RocksDB's threads, and waits for
    /// the reads that still use it.
    pub(super) fn close(&self) -> Result<(), ReadError> {
        let Some(mut db) = self.db.write().take() else {
            return Ok(());
        };
        let synced = if self.writable_once() {
            db.db.flush_wal(true)
        } else {
            Ok(())
        };
        db.db.cancel_all_background_work(true);
        let mut waited = Duration::ZERO;
        while let Err(shared) = Arc::try_unwrap(db) {
            if waited >= CLOSE_WAIT {
                tracing::warn!("a read still uses the closed store");
                break;
            }
            std::thread::sleep(CLOSE_POLL);
            waited += CLOSE_POLL;
            db = shared;
        }
        synced.map_err(|error| {
            Unavailable::Failed {
                reason: error.into_string(),
            }
            .into()
        })
    }
}

/// The areas with their options; they share one cache.
fn areas(options: &RocksOptions) -> impl Iterator<Item = ColumnFamilyDescriptor> {
    let cache = options.cache();
    Area::ALL
        .into_iter()
        .map(move |area| ColumnFamilyDescriptor::new(area.name(), options::area(area, &cache)))
}

/// What a failed read means: damage at a place, or an engine that is away.
pub(super) fn read_error(at: impl FnOnce() -> Place, error: rocksdb::Error) -> ReadError {
    match error.kind() {
        ErrorKind::Corruption => ReadError::corrupt(
            at(),
            Fault::Engine {
                reason: error.into_string(),
            },
        ),
        _ => Unavailable::Failed {
            reason: error.into_string(),
        }
        .into(),
    }
}

/// Makes the folder, and makes that durable.
fn make_folder(folder: &Path) -> Result<(), RocksError> {
    let failed = |error: std::io::Error| RocksError::Folder {
        reason: error.to_string(),
    };
    if folder.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(folder).map_err(failed)?;
    if let Some(parent) = folder.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        fs::File::open(parent)
            .and_then(|parent| parent.sync_all())
            .map_err(failed)?;
    }
    Ok(())
}

/// Refuses a database with areas that this program does not know, and one without the file that tells its state: the
/// engine would begin a new one, for which the tables are left-over files.
fn check_areas(database: &Options, path: &Path) -> Result<(), RocksError> {
    if !path.join(CURRENT).exists() {
        return match has_remains(path) {
            false => Ok(()),
            true => Err(RocksError::Damaged {
                reason: format!(
                    "{} is missing, but tables and logs are there",
                    path.join(CURRENT).display()
                ),
            }),
        };
    }
    let names = DB::list_cf(database, path).map_err(open_error)?;
    match names
        .into_iter()
        .find(|name| name != "default" && Area::ALL.iter().all(|area| area.name() != name))
    {
        Some(name) => Err(RocksError::UnknownArea { name }),
        None => Ok(()),
    }
}

/// Whether a folder has files that a database makes only after its [`CURRENT`].
fn has_remains(path: &Path) -> bool {
    let files = fs::read_dir(path).into_iter().flatten().flatten();
    let mut names = files.map(|file| file.file_name());
    names.any(|name| {
        let name = name.to_string_lossy();
        name.ends_with(".sst") || name.ends_with(".log")
    })
}

fn open_error(error: rocksdb::Error) -> RocksError {
    match error.kind() {
        ErrorKind::Corruption => RocksError::Damaged {
            reason: error.into_string(),
        },
        ErrorKind::IOError => RocksError::Folder {
            reason: error.into_string(),
        },
        _ => RocksError::Failed {
            reason: error.into_string(),
        },
    }
}
