//! Connections: taken one by one, bounded in number, each with its limits, finished in order.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::config::Limits;
use crate::metrics::count;
use crate::unread::Taken;

/// How long to wait where the system has no more room for a connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// The smallest limit on a request's head that the HTTP reader takes.
const HEADER_BYTES_MIN: usize = 8192;

/// All connections of a server.
pub(crate) struct Connections {
    router: Router,
    http: http1::Builder,
    unread_max: Duration,
    places: Arc<Semaphore>,
    open: TaskTracker,
    stopping: CancellationToken,
    breaking_off: CancellationToken,
}

impl Connections {
    pub(crate) fn new(router: Router, limits: &Limits, stopping: CancellationToken) -> Self {
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new())
            .header_read_timeout(Duration::from_millis(limits.header_timeout_ms))
            .max_headers(limits.headers_max)
            .max_header_size(limits.header_bytes_max.max(HEADER_BYTES_MIN));
        Self {
            router,
            http,
            unread_max: Duration::from_millis(limits.unread_timeout_ms.max(1)),
            places: Arc::new(Semaphore::new(limits.connections_max.min(Semaphore::MAX_PERMITS))),
            open: TaskTracker::new(),
            stopping,
            breaking_off: CancellationToken::new(),
        }
    }

    /// Takes connections until the server stops.
    pub(crate) async fn accept_all(&self, listener: TcpListener) {
        loop {
            let accepted = tokio::select! {
                () = self.stopping.cancelled() => return,
                accepted = self.accept(&listener) => accepted,
            };
            match accepted {
                Ok(()) => {}
                Err(fault) if is_of_one_connection(&fault) => {}
                Err(fault) => {
                    tracing::warn!(%fault, "no connection can be taken now");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    /// Waits for the answers under way, as long as `grace`, and breaks off what is left then.
    pub(crate) async fn finish(&self, grace: Duration) {
        self.open.close();
        if tokio::time::timeout(grace, self.open.wait()).await.is_err() {
            tracing::warn!(
                connections = self.open.len(),
                "these connections took too long and are broken off"
            );
            self.breaking_off.cancel();
            self.open.wait().await;
        }
    }

    async fn accept(&self, listener: &TcpListener) -> io::Result<()> {
        // Where all places are taken, newcomers wait in the system's queue.
        let Ok(place) = Arc::clone(&self.places).acquire_owned().await else {
            return Ok(());
        };
        let (stream, _) = listener.accept().await?;
        // Without it, small answers wait for others to fill a packet.
        stream.set_nodelay(true)?;
        let stream = Taken::new(stream, self.unread_max);
        let connection = serve(self.http.clone(), self.router.clone(), stream, self.stopping.clone());
        let (broken_off, open) = (self.breaking_off.clone(), self.open.clone());
        self.open.spawn(async move {
            metrics::gauge!("recto_http_connections").set(count(open.len()));
            tokio::select! {
                () = broken_off.cancelled() => {}
                () = connection => {}
            }
            drop(place);
            metrics::gauge!("recto_http_connections").set(count(open.len().saturating_sub(1)));
        });
        Ok(())
    }
}

async fn serve(http: http1::Builder, router: Router, stream: Taken<TcpStream>, stopping: CancellationToken) {
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router)));
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stopping.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(fault) = ended {
        // What comes over the wire is not ours to answer for.
        tracing::debug!(%fault, "a connection ended early");
    }
}

/// Such a fault says nothing of the next connection.
fn is_of_one_connection(fault: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, InvalidInput, NotConnected};
    matches!(
        fault.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset | InvalidInput | NotConnected
    )
}
