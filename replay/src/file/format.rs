//! The lines of an exported file: `EXPORT.md` is their description.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use recto_projections::{Delta, Kind};
use recto_store::limits::EVENT_MAX_BYTES;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// What the first line says the file is.
pub const FORMAT_NAME: &str = "page history";
/// The version of the format that is written, and the newest that is read.
pub const FORMAT_VERSION: u32 = 1;
/// The most bytes of a line. Delta and inverse of an event fit in their longest form.
pub const LINE_MAX_BYTES: usize = 64 * 1024 * 1024;
/// The most bytes of all lines together.
pub const TOTAL_MAX_BYTES: u64 = 1 << 40;
/// The longest window that a compressed file may ask for, as a power of two in bytes.
pub(super) const WINDOW_LOG_MAX: u32 = 27;
/// A change whose JSON is longer than this stands as base64.
const JSON_MAX_BYTES: usize = 24 * 1024 * 1024;
const _: () = assert!(2 * JSON_MAX_BYTES + EVENT_MAX_BYTES / 8 < LINE_MAX_BYTES);

/// What every file says of itself.
pub(super) const ABOUT: &str = "The history of one page of Recto: an event a line, with the receipt of its command behind it. \
`zstd -dc FILE | jq` reads it, `recto --data FILE log PAGE` tells it, `recto --data FILE verify` checks it. Each event has \
the hash of the one before it; `sum` is the beginning of BLAKE3 over the sum before and the line up to here.";

/// How each sort of line begins.
pub(super) mod begin {
    pub(in crate::file) const HEADER: &[u8] = b"{\"recto\":";
    pub(in crate::file) const EVENT: &[u8] = b"{\"event\":";
    pub(in crate::file) const DAMAGED: &[u8] = b"{\"damaged\":";
    pub(in crate::file) const RECEIPT: &[u8] = b"{\"receipt\":";
    pub(in crate::file) const DAMAGED_RECEIPT: &[u8] = b"{\"damagedReceipt\":";
    pub(in crate::file) const FOOTER: &[u8] = b"{\"end\":";
}

/// The first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Header {
    /// [`FORMAT_NAME`].
    pub recto: String,
    /// [`FORMAT_VERSION`].
    pub format: u32,
    /// What the file is, for who finds it.
    pub about: String,
    /// The workspace.
    pub workspace: String,
    /// The page.
    pub page: String,
    /// The kind of page; `None` where its record cannot be read.
    pub kind: Option<String>,
    /// The file of the design tool that it is in.
    pub file: Option<String>,
    /// When it was made.
    pub created: Option<String>,
    /// The page's record as it is stored; with damage, the bytes as base64.
    pub record: Option<String>,
    /// What is wrong with the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_damage: Option<String>,
    /// The format of the store that the events come from.
    pub store: u32,
    /// The newest version.
    pub events: u64,
    /// Whether texts and names are stand-ins.
    pub stand_ins: bool,
}

/// The last line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Footer {
    /// Always true.
    pub end: bool,
    /// How many lines with events there are, damaged ones included.
    pub events: u64,
    /// How many lines with receipts, damaged ones included.
    pub receipts: u64,
    /// How many lines tell of damage.
    pub damaged: u64,
    /// The hash of the newest event; `None` where it is damaged.
    pub head: Option<String>,
    /// BLAKE3 over all lines before this one.
    pub blake3: String,
}

/// An event.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct EventLine {
    pub(super) event: u64,
    pub(super) kind: String,
    pub(super) code: u8,
    pub(super) schema: u16,
    pub(super) time: String,
    pub(super) time_ms: i64,
    pub(super) actor: String,
    pub(super) turn: Option<String>,
    pub(super) cause: Option<CauseLine>,
    pub(super) epoch: u64,
    pub(super) flags: u32,
    pub(super) command: String,
    pub(super) digest: String,
    pub(super) hash: String,
    pub(super) prev_hash: String,
    pub(super) delta: Json,
    pub(super) inverse: Json,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) damage: Option<String>,
}

/// Why an event happened.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CauseLine {
    pub(super) kind: u8,
    pub(super) version: u64,
}

/// A version whose event cannot be read.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DamagedLine {
    pub(super) damaged: u64,
    pub(super) reason: String,
    pub(super) bytes: Option<String>,
}

/// What a command did.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ReceiptLine {
    pub(super) receipt: String,
    pub(super) events: u64,
    pub(super) version: u64,
    pub(super) hash: String,
    pub(super) time: String,
    pub(super) time_ms: i64,
    pub(super) fingerprint: String,
    /// Text, or where it is none `base64:` and the bytes.
    pub(super) outcome: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) damage: Option<String>,
}

/// A receipt that cannot be read, or is missing.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct DamagedReceiptLine {
    pub(super) damaged_receipt: String,
    pub(super) reason: String,
    pub(super) bytes: Option<String>,
}

/// Where an outcome that is no text begins.
const BASE64_MARK: &str = "base64:";

/// A change as JSON: null where there is none, its operations where they give back exactly these bytes, else base64.
pub(super) fn change_to_json(kind: Option<Kind>, bytes: &Bytes) -> Json {
    if bytes.is_empty() {
        return Json::Null;
    }
    kind.and_then(|kind| readable(kind, bytes))
        .unwrap_or_else(|| Json::String(to_base64(bytes)))
}

/// The bytes of a change.
pub(super) fn change_from_json(kind: Option<Kind>, json: &Json) -> Result<Bytes, String> {
    match (json, kind) {
        (Json::Null, _) => Ok(Bytes::new()),
        (Json::String(text), _) => from_base64(text),
        (json, Some(kind)) => {
            let delta = Delta::from_json(kind, json).map_err(|fault| fault.to_string())?;
            Ok(delta.to_bytes().map_err(|fault| fault.to_string())?.into())
        }
        (_, None) => Err("a change as JSON, but the first line tells no kind of page".to_owned()),
    }
}

/// An outcome as text.
pub(super) fn outcome_to_text(outcome: &Bytes) -> String {
    match std::str::from_utf8(outcome) {
        Ok(text) if !text.starts_with(BASE64_MARK) => text.to_owned(),
        _ => format!("{BASE64_MARK}{}", to_base64(outcome)),
    }
}

/// The bytes of an outcome.
pub(super) fn outcome_from_text(text: String) -> Result<Bytes, String> {
    match text.strip_prefix(BASE64_MARK) {
        Some(coded) => from_base64(coded),
        None => Ok(text.into()),
    }
}

pub(super) fn to_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

pub(super) fn from_base64(text: &str) -> Result<Bytes, String> {
    STANDARD
        .decode(text)
        .map(Bytes::from)
        .map_err(|fault| fault.to_string())
}

pub(super) fn from_hex(text: &str) -> Result<[u8; 32], String> {
    match blake3::Hash::from_hex(text) {
        Ok(hash) if hash.to_hex().as_str() == text => Ok(*hash.as_bytes()),
        _ => Err(format!("{text:?} is not 64 hexadecimal digits")),
    }
}

fn readable(kind: Kind, bytes: &Bytes) -> Option<Json> {
    let delta = Delta::from_bytes(bytes).ok().filter(|delta| delta.kind() == kind)?;
    let json = delta.to_json();
    let again = Delta::from_json(kind, &json).ok()?.to_bytes().ok()?;
    let fits = || serde_json::to_vec(&json).is_ok_and(|text| text.len() <= JSON_MAX_BYTES);
    let is_small = bytes.len() <= JSON_MAX_BYTES / 64;
    (again == *bytes && (is_small || fits())).then_some(json)
}
