//! The server from start to stop: open the store, listen, serve, finish, close.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use recto_pages::{
    Assets, BlobError, Blobs, Clock, Crash, FileError, FileSettings, ImageService, NoService, Pages, ReadError,
    Settings, SlotSettings, Slots, TaskSettings, Tasks, UnknownPoint,
};
use recto_store::{OpenError, RocksEngine, RocksError, RocksOptions, Store};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::access::{Tokens, TokensError};
use crate::config::{Config, DurabilitySetting};
use crate::connections::Connections;
use crate::image_service::{BadImageService, HttpImageService};
use crate::metrics::Metrics;
use crate::router::router;
use crate::state::App;
use crate::telemetry::{LogFilterError, start_log};

/// Tokens as lines apart by semicolons; never shown by `--help`.
const TOKENS_VARIABLE: &str = "RECTO_TOKENS";
/// How often what was measured is put in order, where nobody reads it.
const METRICS_UPKEEP: Duration = Duration::from_secs(5);
/// How long the last writes may take once all connections are closed.
const WRITES_GRACE: Duration = Duration::from_secs(30);

/// Why the server does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The tokens cannot be used.
    #[error(transparent)]
    Tokens(#[from] TokensError),
    /// The data directory does not open.
    #[error("the data directory {} does not open: {fault}", data.display())]
    Engine {
        /// The directory.
        data: PathBuf,
        /// Why; names the process that has it open, where one does.
        fault: RocksError,
    },
    /// The store in it does not open.
    #[error("the store in {} does not open: {fault}", data.display())]
    Store {
        /// The directory.
        data: PathBuf,
        /// Why.
        fault: OpenError,
    },
    /// The store of files cannot be used.
    #[error(transparent)]
    Files(#[from] BlobError),
    /// What was left half done with files cannot be looked at.
    #[error("the files cannot be looked through: {0}")]
    Recovery(#[from] FileError),
    /// The image service is none.
    #[error(transparent)]
    ImageService(#[from] BadImageService),
    /// The crash point is none.
    #[error(transparent)]
    CrashPoint(#[from] UnknownPoint),
    /// The keys of read tokens are not there, and cannot be made.
    #[error("the keys of read tokens cannot be read or made: {0}")]
    ReadKeys(ReadError),
    /// The address cannot be listened on.
    #[error("{listen} cannot be listened on: {fault}")]
    Listen {
        /// The address.
        listen: SocketAddr,
        /// What the system says.
        fault: io::Error,
    },
    /// The file for the address cannot be written.
    #[error("the file {} for the address cannot be written: {fault}", file.display())]
    PortFile {
        /// The file.
        file: PathBuf,
        /// What the system says.
        fault: io::Error,
    },
}

/// Why serving ended otherwise than it should.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// It did not begin.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The log filter cannot be read.
    #[error(transparent)]
    Log(#[from] LogFilterError),
    /// The signals to stop cannot be listened for.
    #[error("the signals to stop cannot be listened for: {0}")]
    Signals(io::Error),
    /// The store was not closed cleanly. What was acknowledged as synced is safe.
    #[error("the store was not closed cleanly: {0}")]
    Close(ReadError),
    /// The task that serves was broken off.
    #[error("serving was broken off: {0}")]
    Broken(tokio::task::JoinError),
}

/// A server that runs.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    app: App,
    running: JoinHandle<Result<(), ServeError>>,
}

/// Serves until the process is told to stop by SIGTERM or SIGINT.
///
/// # Errors
/// [`ServeError`].
pub async fn serve(config: Config) -> Result<(), ServeError> {
    start_log(&config)?;
    let stop = stop_signal().map_err(ServeError::Signals)?;
    let server = Server::start(config).await?;
    stop.await;
    tracing::info!("told to stop: finishing what is under way");
    server.stop();
    server.finished().await?;
    tracing::info!("stopped");
    Ok(())
}

impl Server {
    /// Opens the store and begins to listen.
    ///
    /// # Errors
    /// [`StartError`]: nothing runs then.
    pub async fn start(config: Config) -> Result<Self, StartError> {
        let inline = std::env::var(TOKENS_VARIABLE).ok();
        let tokens = Tokens::load(config.tokens.as_deref(), inline.as_deref(), config.listen)?;
        let store = open_store(&config).await?;
        let listen = config.listen;
        let listener = TcpListener::bind(listen)
            .await
            .map_err(|fault| StartError::Listen { listen, fault })?;
        let address = listener
            .local_addr()
            .map_err(|fault| StartError::Listen { listen, fault })?;

        Metrics::global();
        let settings = Settings {
            cache_bytes: config.cache_bytes,
            history_bytes: config.history_bytes,
            undo_events_max: config.undo_events_max,
            rebase_events_max: config.rebase_events_max,
            floors: config.floors.floors(),
            ..Settings::default()
        };
        let pages = Pages::new(store, settings, Clock::system());
        pages.ensure_read_keys().await.map_err(StartError::ReadKeys)?;
        let open = tokens.is_open();
        let assets = open_assets(&config, &pages, &tokens).await?;
        let tasks = open_tasks(&config, &assets, &tokens).await?;
        let slots = Slots::new(tasks.clone(), SlotSettings::of_lease(config.slot_lease_ms));
        let app = App::with_images(pages, assets, tasks, slots, tokens, config.limits.clone());
        tell_start(&config, address, open);
        if let Some(file) = &config.port_file {
            write_address(file, address).map_err(|fault| StartError::PortFile {
                file: file.clone(),
                fault,
            })?;
        }
        let running = tokio::spawn(run(app.clone(), listener, config));
        Ok(Self { address, app, running })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it serves.
    #[must_use]
    pub fn app(&self) -> &App {
        &self.app
    }

    /// Takes no more connections, ends the feeds, finishes the requests under way. Returns at once.
    pub fn stop(&self) {
        self.app.stopping().cancel();
    }

    /// Waits until everything is finished and the store is closed.
    ///
    /// # Errors
    /// [`ServeError`].
    pub async fn finished(self) -> Result<(), ServeError> {
        self.running.await.map_err(ServeError::Broken)?
    }
}

async fn run(app: App, listener: TcpListener, config: Config) -> Result<(), ServeError> {
    let done = CancellationToken::new();
    let upkeep = tokio::spawn(keep_up(done.clone()));
    let connections = Connections::new(router(app.clone()), &config.limits, app.stopping().clone());
    connections.accept_all(listener).await;
    connections.finish(Duration::from_millis(config.stop_grace_ms)).await;
    if tokio::time::timeout(WRITES_GRACE, app.writes_done()).await.is_err() {
        tracing::error!("writes are still under way; the store is closed all the same");
    }
    let closed = app.pages().close().await.map_err(ServeError::Close);
    done.cancel();
    // It ends by its token; how it ended says nothing.
    let _ended = upkeep.await;
    closed
}

async fn keep_up(done: CancellationToken) {
    loop {
        tokio::select! {
            () = done.cancelled() => return,
            () = tokio::time::sleep(METRICS_UPKEEP) => Metrics::global().upkeep(),
        }
    }
}

async fn open_store(config: &Config) -> Result<Store, StartError> {
    let data = config.data.clone();
    let options = match config.durability {
        DurabilitySetting::Synced => RocksOptions::synced(),
        DurabilitySetting::Relaxed => RocksOptions::relaxed(),
    };
    let folder = data.clone();
    let opened = tokio::task::spawn_blocking(move || RocksEngine::open(&folder, &options)).await;
    let opened = opened.unwrap_or_else(|gone| {
        Err(RocksError::Failed {
            reason: gone.to_string(),
        })
    });
    let engine = opened.map_err(|fault| StartError::Engine {
        data: data.clone(),
        fault,
    })?;
    Store::open(Arc::new(engine))
        .await
        .map_err(|fault| StartError::Store { data, fault })
}

/// The directory of files in that of the data, where nothing else is set.
const FILES: &str = "files";

async fn open_assets(config: &Config, pages: &Pages, tokens: &Tokens) -> Result<Assets, StartError> {
    let blobs = match &config.files {
        Some(url) => Blobs::by_url(url).await?,
        None => Blobs::directory(&config.data.join(FILES))?,
    };
    let crash = config
        .crash_at
        .as_deref()
        .map(Crash::armed)
        .transpose()?
        .unwrap_or_default();
    let settings = FileSettings {
        file_bytes_max: config.file_bytes_max,
        crash,
    };
    let assets = Assets::new(pages.clone(), blobs, settings);
    for workspace in tokens.workspaces() {
        let recovered = assets.recover(&workspace).await?;
        if recovered != Default::default() {
            tracing::info!(%workspace, ?recovered, "what was left half done with files is finished");
        }
    }
    Ok(assets)
}

/// The token of the image service; never shown by `--help`.
const IMAGE_TOKEN_VARIABLE: &str = "RECTO_IMAGE_SERVICE_TOKEN";

async fn open_tasks(config: &Config, assets: &Assets, tokens: &Tokens) -> Result<Tasks, StartError> {
    let service: Arc<dyn ImageService> = match &config.image_service {
        None => Arc::new(NoService),
        Some(base) => {
            let token = std::env::var(IMAGE_TOKEN_VARIABLE).ok();
            let answer = Duration::from_millis(config.image_answer_ms.max(1));
            Arc::new(HttpImageService::new(base, token, config.file_bytes_max, answer)?)
        }
    };
    let settings = TaskSettings {
        poll_min: Duration::from_millis(config.image_poll_ms.max(1)),
        ..TaskSettings::default()
    };
    let tasks = Tasks::new(assets.clone(), service, settings);
    if config.image_service.is_some() {
        for workspace in tokens.workspaces() {
            let found = tasks.recover(&workspace).await?;
            tracing::info!(%workspace, found, "image tasks that had not ended go on");
        }
    }
    Ok(tasks)
}

fn tell_start(config: &Config, address: SocketAddr, open: bool) {
    let data = config.data.display();
    let durability = format!("{:?}", config.durability).to_lowercase();
    if open {
        tracing::info!("no tokens: this server is for this machine only, and everybody on it may do everything");
    }
    tracing::info!(%address, %data, durability, "listening on http://{address} (the API: http://{address}/docs)");
}

/// In one step, so that whoever waits for the file never reads half an address.
fn write_address(file: &Path, address: SocketAddr) -> io::Result<()> {
    let half = file.with_extension("part");
    std::fs::write(&half, format!("{address}\n"))?;
    std::fs::rename(half, file)
}

/// Listens for the signals from now on, so that none is missed while the store opens.
fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
