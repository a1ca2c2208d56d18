//! Where the history is read from: a data folder beside its server, or an exported file.

mod as_of;
mod entries;
mod roster;
mod workspace;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use recto_pages::{At, Clock, EventKind, Pages, Settings};
use recto_store::{Engine, Id, PageKey, Reading, RocksEngine, RocksOptions, Store};
use tokio::sync::OnceCell;

pub use self::as_of::AsOf;
pub use self::roster::{Heads, Roster};
use crate::args::{Common, Point};
use crate::failure::Failure;
use crate::file;

/// An opened history. Cloning gives another handle to the same.
#[derive(Clone)]
pub struct Source {
    /// The page service over it: it reads, and previews writes.
    pub pages: Pages,
    /// The workspace that is looked at.
    pub scope: Id,
    /// What was opened.
    pub what: Arc<Opened>,
    engine: Arc<dyn Engine>,
    settings: Settings,
    /// The newest versions by the receipts, once somebody had to ask these.
    told: Arc<OnceCell<Heads>>,
}

/// What was opened.
#[derive(Clone, Debug)]
pub enum Opened {
    /// A data folder.
    Folder {
        /// The folder.
        path: PathBuf,
        /// The newest position of its feed when it was opened: nothing newer is seen.
        position: u64,
    },
    /// An exported file.
    File {
        /// The file.
        path: PathBuf,
    },
}

impl Source {
    /// Opens what `--data` names.
    ///
    /// # Errors
    /// [`Failure`] says what is there instead, or which workspaces there are to choose from.
    pub async fn open(common: &Common) -> Result<Self, Failure> {
        let path = &common.data;
        if path.is_dir() {
            Self::open_folder(path, common).await
        } else if path.is_file() {
            Self::open_file(path, common).await
        } else {
            Err(Failure::NoSource { path: path.clone() })
        }
    }

    async fn open_folder(path: &Path, common: &Common) -> Result<Self, Failure> {
        let reading = if common.salvage {
            Reading::Salvage
        } else {
            Reading::Strict
        };
        let reader =
            RocksEngine::open_to_read(path, &RocksOptions::synced(), reading).map_err(|fault| Failure::Folder {
                folder: path.to_owned(),
                fault,
            })?;
        let engine: Arc<dyn Engine> = Arc::new(reader);
        let store = Store::open(Arc::clone(&engine)).await?;
        let position = store.tip().await?;
        let opened = Opened::Folder {
            path: path.to_owned(),
            position,
        };
        Self::over(engine, store, opened, common).await
    }

    async fn open_file(path: &Path, common: &Common) -> Result<Self, Failure> {
        let engine = file::load(path).await?;
        let store = Store::open(Arc::clone(&engine)).await?;
        let opened = Opened::File { path: path.to_owned() };
        Self::over(engine, store, opened, common).await
    }

    async fn over(engine: Arc<dyn Engine>, store: Store, opened: Opened, common: &Common) -> Result<Self, Failure> {
        let scope = match common.workspace.clone() {
            Some(scope) => workspace::named(&store, scope).await?,
            None => workspace::only(&store).await?,
        };
        let settings = Settings {
            cache_bytes: common.cache_bytes,
            ..Settings::default()
        };
        Ok(Self {
            pages: Pages::new(store, settings.clone(), Clock::system()),
            scope,
            what: Arc::new(opened),
            engine,
            settings,
            told: Arc::default(),
        })
    }

    /// The source as it was when a page was at a version: its later events do not exist there.
    ///
    /// # Errors
    /// [`Failure::Store`], if the store's description cannot be read.
    pub async fn as_of(&self, page: &PageKey, version: u64) -> Result<Self, Failure> {
        let engine: Arc<dyn Engine> = Arc::new(AsOf::new(Arc::clone(&self.engine), page.clone(), version));
        let store = Store::open(Arc::clone(&engine)).await?;
        Ok(Self {
            pages: Pages::new(store, self.settings.clone(), Clock::system()),
            scope: self.scope.clone(),
            what: Arc::clone(&self.what),
            engine,
            settings: self.settings.clone(),
            told: Arc::default(),
        })
    }

    /// The log below the page service.
    #[must_use]
    pub fn store(&self) -> &Store {
        self.pages.store()
    }

    /// The bytes below the log.
    #[must_use]
    pub fn engine(&self) -> &Arc<dyn Engine> {
        &self.engine
    }

    /// The page's key; nothing is looked up.
    #[must_use]
    pub fn key(&self, page: &Id) -> PageKey {
        PageKey::new(self.scope.clone(), page.clone())
    }

    /// Whether a stream is a chat's, and not a page's: it holds what an agent did.
    ///
    /// # Errors
    /// [`Failure`], where the store is away.
    pub async fn is_chat(&self, stream: &PageKey) -> Result<bool, Failure> {
        for version in [1, self.head(stream).await?] {
            if let Some(event) = self.event(stream, version).await?.event() {
                return Ok(event.kind().is_ok_and(|kind| kind == EventKind::Trajectory));
            }
        }
        Ok(false)
    }

    /// The version that a point of a page's history is at.
    ///
    /// # Errors
    /// [`Failure::NotFound`], where the page has no such version.
    pub async fn resolve(&self, page: &PageKey, point: Point) -> Result<u64, Failure> {
        let head = self.head(page).await?;
        let missing = |what: String| {
            Failure::NotFound(format!(
                "page {} has versions 1 to {head}; {what} is not one of them",
                page.page
            ))
        };
        match point {
            Point::Head => Ok(head),
            Point::Version(version) if (1..=head).contains(&version) => Ok(version),
            Point::Version(version) => Err(missing(format!("version {version}"))),
            Point::Before(back) if back < head => Ok(head - back),
            Point::Before(_) => Err(missing(point.to_string())),
            Point::Time(ms) => Ok(self.pages.read(&page.scope, &page.page, At::Time(ms)).await?.at.version),
        }
    }
}

impl Opened {
    /// What was opened, in words.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Folder { path, position } => format!("{} at position {position}", path.display()),
            Self::File { path } => path.display().to_string(),
        }
    }
}
