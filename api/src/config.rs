//! What can be set: each setting is a flag, a variable `RECTO_…`, and a named default here.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, ValueEnum};
use recto_pages::Floors;

/// Where the server listens.
pub(crate) const LISTEN: &str = "127.0.0.1:7077";
/// Where the data lies.
pub(crate) const DATA: &str = "data";
/// The largest body of a request.
pub(crate) const BODY_BYTES_MAX: usize = 32 * 1024 * 1024;
/// The longest path with its query.
pub(crate) const URI_BYTES_MAX: usize = 8 * 1024;
/// The most bytes of a request's head.
pub(crate) const HEADER_BYTES_MAX: usize = 32 * 1024;
/// The most headers of a request.
pub(crate) const HEADERS_MAX: usize = 100;
/// How long a request's head may take to arrive, and a connection may be idle.
pub(crate) const HEADER_TIMEOUT_MS: u64 = 15_000;
/// How long a body may take to arrive, and an answer to be made. Feeds are not cut.
pub(crate) const REQUEST_TIMEOUT_MS: u64 = 30_000;
/// How long a caller may take nothing of an answer.
const UNREAD_TIMEOUT_MS: u64 = 60_000;
/// The most connections; more wait until one is closed.
pub(crate) const CONNECTIONS_MAX: usize = 16_384;
/// The most requests that are answered at the same time.
pub(crate) const REQUESTS_MAX: usize = 1_024;
/// The most feeds that are open at the same time.
pub(crate) const SUBSCRIBERS_MAX: usize = 10_000;
/// The most entries that one page of a list holds.
pub(crate) const LIST_MAX: usize = 1_000;
/// How many entries a page of a list holds where the request does not say.
pub(crate) const LIST_DEFAULT: usize = 100;
/// How many entries of a stack of undos are told where the request does not say.
pub(crate) const STACK_DEFAULT: usize = 50;
/// How often an idle feed says that it is there.
pub(crate) const HEARTBEAT_MS: u64 = 15_000;
/// How long a stopping server waits for the answers under way.
pub(crate) const STOP_GRACE_MS: u64 = 20_000;
/// Memory for the states of recently used pages.
pub(crate) const CACHE_BYTES: u64 = 256 * 1024 * 1024;

/// Memory for what undo knows of recently used pages.
pub(crate) const HISTORY_BYTES: u64 = 128 * 1024 * 1024;
/// How many events back undo reaches.
pub(crate) const UNDO_EVENTS_MAX: u64 = 100_000;
/// Over how many events a stale write is brought to the head.
pub(crate) const REBASE_EVENTS_MAX: u64 = 10_000;

/// The largest file that is taken.
pub(crate) const FILE_BYTES_MAX: u64 = recto_pages::FILE_BYTES_MAX;

/// How long to wait between two questions how an image is doing, at first.
pub(crate) const IMAGE_POLL_MS: u64 = 250;

/// How long the image service may take until an answer begins.
pub(crate) const IMAGE_ANSWER_MS: u64 = 20_000;

/// How long a delivery slot is held for one who does not come back.
pub(crate) const SLOT_LEASE_MS: u64 = 10 * 60 * 1000;

/// All settings of the server.
#[derive(Clone, Debug, Parser)]
#[command(name = "recto-server", version, about = "Recto: a page history store over HTTP")]
pub struct Config {
    /// The directory of the data; made where there is none
    #[arg(long, env = "RECTO_DATA", default_value = DATA, value_name = "DIR")]
    pub data: PathBuf,

    /// The address to listen on; port 0 takes a free one
    #[arg(long, env = "RECTO_LISTEN", default_value = LISTEN, value_name = "ADDRESS")]
    pub listen: SocketAddr,

    /// A file to write the address to once the server listens
    #[arg(long, env = "RECTO_PORT_FILE", value_name = "FILE")]
    pub port_file: Option<PathBuf>,

    /// A file of bearer tokens, each line: TOKEN WORKSPACE ROLE NAME. The same lines can stand in
    /// the variable RECTO_TOKENS, apart by semicolons. Without tokens the server listens on loopback only
    #[arg(long, env = "RECTO_TOKENS_FILE", value_name = "FILE")]
    pub tokens: Option<PathBuf>,

    /// What an acknowledgement promises
    #[arg(long, env = "RECTO_DURABILITY", default_value = "synced")]
    pub durability: DurabilitySetting,

    /// Memory for the states of recently used pages, in bytes
    #[arg(long, env = "RECTO_CACHE_BYTES", default_value_t = CACHE_BYTES, value_name = "BYTES")]
    pub cache_bytes: u64,

    /// Memory for what undo knows of recently used pages, in bytes
    #[arg(long, env = "RECTO_HISTORY_BYTES", default_value_t = HISTORY_BYTES, value_name = "BYTES")]
    pub history_bytes: u64,

    /// How many events back undo reaches (422); restoring a version has no such limit
    #[arg(long, env = "RECTO_UNDO_EVENTS_MAX", default_value_t = UNDO_EVENTS_MAX, value_name = "COUNT")]
    pub undo_events_max: u64,

    /// Over how many events a stale write is brought to the head at the most (409)
    #[arg(long, env = "RECTO_REBASE_EVENTS_MAX", default_value_t = REBASE_EVENTS_MAX, value_name = "COUNT")]
    pub rebase_events_max: u64,

    /// Where files lie, by URL: file:///DIR, or s3://BUCKET/FOLDER with the key in AWS_ACCESS_KEY_ID and
    /// AWS_SECRET_ACCESS_KEY, the region in AWS_REGION, and a service other than Amazon's in AWS_ENDPOINT_URL; a place
    /// belongs to one server. Without it, the directory `files` in the directory of the data
    #[arg(long, env = "RECTO_FILES", value_name = "URL")]
    pub files: Option<String>,

    /// The largest file that is taken, in bytes (413)
    #[arg(long, env = "RECTO_FILE_BYTES_MAX", default_value_t = FILE_BYTES_MAX, value_name = "BYTES")]
    pub file_bytes_max: u64,

    /// The image service, by URL: https://… or http://…, with its token in RECTO_IMAGE_SERVICE_TOKEN. Without it, no
    /// image can be made
    #[arg(long, env = "RECTO_IMAGE_SERVICE", value_name = "URL")]
    pub image_service: Option<String>,

    /// How long to wait between two questions how an image is doing, at first, in ms
    #[arg(long, env = "RECTO_IMAGE_POLL_MS", default_value_t = IMAGE_POLL_MS, value_name = "MS")]
    pub image_poll_ms: u64,

    /// How long the image service may take until an answer begins, and between two pieces of it, in ms
    #[arg(long, env = "RECTO_IMAGE_ANSWER_MS", default_value_t = IMAGE_ANSWER_MS, value_name = "MS")]
    pub image_answer_ms: u64,

    /// How long a delivery slot is held for one who does not come back, in ms
    #[arg(long, env = "RECTO_SLOT_LEASE_MS", default_value_t = SLOT_LEASE_MS, value_name = "MS")]
    pub slot_lease_ms: u64,

    /// For tests: end the process at a named point, for instance promote-uploaded:1
    #[arg(long, env = "RECTO_CRASH_AT", value_name = "POINT:COUNT", hide = true)]
    pub crash_at: Option<String>,

    /// What billed commands cost.
    #[command(flatten)]
    pub floors: FloorSettings,

    /// How long a stopping server waits for the answers under way, in ms
    #[arg(long, env = "RECTO_STOP_GRACE_MS", default_value_t = STOP_GRACE_MS, value_name = "MS")]
    pub stop_grace_ms: u64,

    /// The form of the log lines
    #[arg(long, env = "RECTO_LOG_FORMAT", default_value = "human")]
    pub log_format: LogFormat,

    /// Which log lines are written: a level, or directives such as recto_api=debug
    #[arg(long, env = "RECTO_LOG", default_value = "info", value_name = "FILTER")]
    pub log: String,

    /// Limits of requests and connections.
    #[command(flatten)]
    pub limits: Limits,
}

/// Limits of requests and connections.
#[derive(Clone, Debug, Args)]
pub struct Limits {
    /// The largest body of a request, in bytes (413)
    #[arg(long, env = "RECTO_BODY_BYTES_MAX", default_value_t = BODY_BYTES_MAX, value_name = "BYTES")]
    pub body_bytes_max: usize,

    /// The longest path with its query, in bytes (414)
    #[arg(long, env = "RECTO_URI_BYTES_MAX", default_value_t = URI_BYTES_MAX, value_name = "BYTES")]
    pub uri_bytes_max: usize,

    /// The most bytes of a request's head (431); at least 8192
    #[arg(long, env = "RECTO_HEADER_BYTES_MAX", default_value_t = HEADER_BYTES_MAX, value_name = "BYTES")]
    pub header_bytes_max: usize,

    /// The most headers of a request (431)
    #[arg(long, env = "RECTO_HEADERS_MAX", default_value_t = HEADERS_MAX, value_name = "COUNT")]
    pub headers_max: usize,

    /// How long a request's head may take to arrive and a connection be idle, in ms
    #[arg(long, env = "RECTO_HEADER_TIMEOUT_MS", default_value_t = HEADER_TIMEOUT_MS, value_name = "MS")]
    pub header_timeout_ms: u64,

    /// How long a body may take to arrive (408) and an answer to be made (503), in ms; feeds are not cut
    #[arg(long, env = "RECTO_REQUEST_TIMEOUT_MS", default_value_t = REQUEST_TIMEOUT_MS, value_name = "MS")]
    pub request_timeout_ms: u64,

    /// How long a caller may take nothing of an answer, in ms; then its connection is broken off
    #[arg(long, env = "RECTO_UNREAD_TIMEOUT_MS", default_value_t = UNREAD_TIMEOUT_MS, value_name = "MS")]
    pub unread_timeout_ms: u64,

    /// The most connections; more wait until one is closed
    #[arg(long, env = "RECTO_CONNECTIONS_MAX", default_value_t = CONNECTIONS_MAX, value_name = "COUNT")]
    pub connections_max: usize,

    /// The most requests that are answered at the same time (429)
    #[arg(long, env = "RECTO_REQUESTS_MAX", default_value_t = REQUESTS_MAX, value_name = "COUNT")]
    pub requests_max: usize,

    /// The most feeds that are open at the same time (429)
    #[arg(long, env = "RECTO_SUBSCRIBERS_MAX", default_value_t = SUBSCRIBERS_MAX, value_name = "COUNT")]
    pub subscribers_max: usize,

    /// The most entries that one page of a list holds
    #[arg(long, env = "RECTO_LIST_MAX", default_value_t = LIST_MAX, value_name = "COUNT")]
    pub list_max: usize,

    /// How often an idle feed says that it is there, in ms
    #[arg(long, env = "RECTO_HEARTBEAT_MS", default_value_t = HEARTBEAT_MS, value_name = "MS")]
    pub heartbeat_ms: u64,
}

/// The least units that a billed command costs, by the kind of its page.
#[derive(Clone, Copy, Debug, Args)]
pub struct FloorSettings {
    /// The units that a billed command on a DESIGN page costs at least
    #[arg(long, env = "RECTO_FLOOR_DESIGN", default_value_t = Floors::default().design, value_name = "UNITS")]
    pub floor_design: u64,

    /// The units that a billed command on a DOC page costs at least
    #[arg(long, env = "RECTO_FLOOR_DOC", default_value_t = Floors::default().doc, value_name = "UNITS")]
    pub floor_doc: u64,

    /// The units that a billed command on a CODE page costs at least
    #[arg(long, env = "RECTO_FLOOR_CODE", default_value_t = Floors::default().code, value_name = "UNITS")]
    pub floor_code: u64,
}

/// What an acknowledgement promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DurabilitySetting {
    /// On disk before the answer.
    Synced,
    /// With the operating system; a power cut can take the last writes back.
    Relaxed,
}

/// The form of the log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people; in colour on a terminal.
    Human,
    /// For programs: one JSON object a line.
    Json,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes_max: BODY_BYTES_MAX,
            uri_bytes_max: URI_BYTES_MAX,
            header_bytes_max: HEADER_BYTES_MAX,
            headers_max: HEADERS_MAX,
            header_timeout_ms: HEADER_TIMEOUT_MS,
            request_timeout_ms: REQUEST_TIMEOUT_MS,
            unread_timeout_ms: UNREAD_TIMEOUT_MS,
            connections_max: CONNECTIONS_MAX,
            requests_max: REQUESTS_MAX,
            subscribers_max: SUBSCRIBERS_MAX,
            list_max: LIST_MAX,
            heartbeat_ms: HEARTBEAT_MS,
        }
    }
}

impl Default for FloorSettings {
    fn default() -> Self {
        let Floors { design, doc, code, .. } = Floors::default();
        Self {
            floor_design: design,
            floor_doc: doc,
            floor_code: code,
        }
    }
}

impl FloorSettings {
    pub(crate) fn floors(self) -> Floors {
        Floors {
            design: self.floor_design,
            doc: self.floor_doc,
            code: self.floor_code,
            ..Floors::default()
        }
    }
}

impl Config {
    /// The defaults, with the data in `data` and a free port of loopback: for tests.
    #[must_use]
    pub fn at(data: impl Into<PathBuf>) -> Self {
        Self {
            data: data.into(),
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            port_file: None,
            tokens: None,
            durability: DurabilitySetting::Synced,
            cache_bytes: CACHE_BYTES,
            history_bytes: HISTORY_BYTES,
            undo_events_max: UNDO_EVENTS_MAX,
            rebase_events_max: REBASE_EVENTS_MAX,
            files: None,
            file_bytes_max: FILE_BYTES_MAX,
            image_service: None,
            image_poll_ms: IMAGE_POLL_MS,
            image_answer_ms: IMAGE_ANSWER_MS,
            slot_lease_ms: SLOT_LEASE_MS,
            crash_at: None,
            floors: FloorSettings::default(),
            stop_grace_ms: STOP_GRACE_MS,
            log_format: LogFormat::Human,
            log: "info".to_owned(),
            limits: Limits::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_flags_hold_together_and_their_defaults_are_the_named_ones() {
        Config::command().debug_assert();
        let parsed = Config::try_parse_from(["recto-server"]).map(|config| format!("{:?}", config.limits));
        assert_eq!(parsed.ok(), Some(format!("{:?}", Limits::default())));
    }

    #[test]
    fn the_defaults_of_the_page_service_are_its_own() {
        let own = recto_pages::Settings::default();
        assert_eq!(
            (CACHE_BYTES, HISTORY_BYTES, UNDO_EVENTS_MAX, REBASE_EVENTS_MAX),
            (
                own.cache_bytes,
                own.history_bytes,
                own.undo_events_max,
                own.rebase_events_max
            )
        );
    }
}
