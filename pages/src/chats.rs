//! Chats: the creation mode that each keeps, and what its agent did, as events of the chat's own stream.
//!
//! The stream of a chat lies beside those of pages, under a name that no page takes: its events hold no delta, change no
//! page, and are in no feed. They are there to be checked: what was called, in which order, and what came of it.

use std::sync::LazyLock;

use recto_projections::Json;
use recto_projections::chat::{DocumentsUnavailable, Mode, ModeKind, Said, Switched, Turn, switch, turn};
use recto_store::{Append, AppendError, CommandClaim, Expected, Id, Limit, NewEvent, PageKey, RecordKey, RecordWrite};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::actor::Caller;
use crate::assets::FileError;
use crate::assets::ledger::{Ledger, Stored, Versioned, Wrote, put, table};
use crate::command::{Fingerprint, Operation, Outcome};
use crate::error::ReadError;
use crate::event::{EventKind, PAYLOAD_SCHEMA};
use crate::meta::PAGE_TABLE;
use crate::report::Report;
use crate::service::Pages;

/// The most entries that are noted at a time.
pub const ENTRIES_MAX: usize = 100;
/// The largest entry, in bytes of JSON.
pub const ENTRY_BYTES_MAX: usize = 64 * 1024;
/// What the names of chats' streams begin with.
const STREAM_PREFIX: &str = "chat:";
/// How often a write starts over where the chat changes under its hands.
const TRIES_MAX: usize = 8;

static CHATS: LazyLock<Id> = LazyLock::new(|| table("chat"));

/// The chats of all workspaces.
#[derive(Clone, Debug)]
pub struct Chats {
    pages: Pages,
    ledger: Ledger,
}

/// Why a chat was not read or written.
#[derive(Debug, thiserror::Error)]
pub enum ChatError {
    /// The id is too long, or a page has the name of its stream.
    #[error("chat {chat:?} cannot be: its id has at most 123 bytes, and no page is called {STREAM_PREFIX}{chat}")]
    BadId {
        /// The chat.
        chat: String,
    },
    /// Documents are not available.
    #[error(transparent)]
    DocumentsUnavailable(#[from] DocumentsUnavailable),
    /// More than a limit allows.
    #[error("{what} is limited to {limit}; send less at a time")]
    TooLarge {
        /// What is limited.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// The command id was used for another request.
    #[error("command id {command} was used for another request; send a new id with a new request")]
    CommandIdReused {
        /// The command id.
        command: Id,
    },
    /// Maybe done.
    #[error("whether command {command} was written is not known; send it again with the same id")]
    OutcomeUnknown {
        /// The command id.
        command: Id,
    },
    /// The ledger has passing trouble.
    #[error(transparent)]
    File(#[from] FileError),
    /// The stream cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// What an agent did, as it was noted.
#[derive(Clone, Debug)]
pub struct ChatEntry {
    /// Its number in the chat: 1, 2, 3, …
    pub version: u64,
    /// When it was noted, in ms since 1970.
    pub time_ms: i64,
    /// Who acted.
    pub actor: String,
    /// The turn.
    pub turn: Option<String>,
    /// What was noted.
    pub entry: Json,
}

/// The numbers of the entries that were noted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noted {
    /// The first.
    pub first: u64,
    /// The last.
    pub last: u64,
    /// Whether they had been noted by an earlier sending.
    pub replayed: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct ChatRecord {
    v: u8,
    /// The mode as JSON text.
    mode: Option<String>,
}

impl Stored for ChatRecord {
    const TABLE: &'static LazyLock<Id> = &CHATS;
}

impl Chats {
    /// Joins a page service.
    #[must_use]
    pub fn new(pages: Pages) -> Self {
        Self {
            ledger: Ledger(pages.store().clone()),
            pages,
        }
    }

    /// The mode that a chat keeps.
    ///
    /// # Errors
    /// [`ChatError::BadId`]; where the ledger cannot be read.
    pub async fn mode(&self, scope: &Id, chat: &Id) -> Result<Option<Mode>, ChatError> {
        stream(scope, chat)?;
        Ok(self.record(scope, chat).await?.1)
    }

    /// Takes what the composer said with a message.
    ///
    /// # Errors
    /// [`ChatError::BadId`]; where the ledger cannot be read or written.
    pub async fn say(&self, scope: &Id, chat: &Id, said: Said) -> Result<Turn, ChatError> {
        stream(scope, chat)?;
        for _ in 0..TRIES_MAX {
            let (revision, stored) = self.record(scope, chat).await?;
            let now = turn(stored.as_ref(), said.clone());
            if now.stored == stored {
                return Ok(now);
            }
            let write = put(RecordKey::from(chat), revision, &ChatRecord::of(now.stored.as_ref()))?;
            if self.ledger.write(scope, vec![write]).await? == Wrote::Yes {
                return Ok(now);
            }
        }
        Err(too_fast())
    }

    /// Switches the mode in the middle of a turn: it is kept, and noted in the chat's stream.
    ///
    /// # Errors
    /// [`ChatError::DocumentsUnavailable`], and those of writing.
    pub async fn switch(
        &self,
        caller: &Caller,
        chat: &Id,
        to: ModeKind,
        documents: bool,
        command: &Id,
    ) -> Result<Switched, ChatError> {
        let stream = stream(&caller.scope, chat)?;
        let entry = json!({ "event": "mode-switched", "to": to.as_str() });
        let earlier = self
            .pages
            .store()
            .receipt(&stream, command)
            .await
            .map_err(ReadError::from)?;
        let fingerprint = fingerprint(caller, &stream, std::slice::from_ref(&entry));
        if let Some(receipt) = earlier {
            return if receipt.fingerprint == fingerprint {
                Ok(Switched::To(to.plain()))
            } else {
                Err(ChatError::CommandIdReused {
                    command: command.clone(),
                })
            };
        }
        for _ in 0..TRIES_MAX {
            let (revision, stored) = self.record(&caller.scope, chat).await?;
            let switched = switch(stored.as_ref(), to, documents)?;
            let Switched::To(mode) = &switched else {
                return Ok(switched);
            };
            let record = put(RecordKey::from(chat), revision, &ChatRecord::of(Some(mode)))?;
            let entries = std::slice::from_ref(&entry);
            if self
                .append(caller, &stream, entries, command, vec![record])
                .await?
                .is_some()
            {
                return Ok(switched);
            }
        }
        Err(too_fast())
    }

    /// Notes what an agent did, in order.
    ///
    /// # Errors
    /// [`ChatError::TooLarge`], and those of writing.
    pub async fn note(&self, caller: &Caller, chat: &Id, entries: &[Json], command: &Id) -> Result<Noted, ChatError> {
        if entries.is_empty() || entries.len() > ENTRIES_MAX {
            return Err(ChatError::TooLarge {
                what: "the number of entries, from 1,",
                limit: ENTRIES_MAX,
            });
        }
        if entries.iter().any(|entry| entry.to_string().len() > ENTRY_BYTES_MAX) {
            return Err(ChatError::TooLarge {
                what: "an entry's size in bytes",
                limit: ENTRY_BYTES_MAX,
            });
        }
        let stream = stream(&caller.scope, chat)?;
        for _ in 0..TRIES_MAX {
            if let Some(noted) = self.append(caller, &stream, entries, command, Vec::new()).await? {
                return Ok(noted);
            }
        }
        Err(too_fast())
    }

    /// What was noted after a number, in order.
    ///
    /// # Errors
    /// Where the stream cannot be read.
    pub async fn entries(&self, scope: &Id, chat: &Id, after: u64, limit: usize) -> Result<Vec<ChatEntry>, ChatError> {
        let stream = stream(scope, chat)?;
        self.refuse_page(&stream, chat).await?;
        let found = self.pages.store().events(&stream, after, Limit::entries(limit)).await;
        let found = found.map_err(ReadError::from)?;
        found
            .into_iter()
            .map(|event| {
                let entry = serde_json::from_slice(&event.delta).map_err(|_| ReadError::Corrupt {
                    version: event.version,
                    what: "an entry of a chat is no JSON".to_owned(),
                })?;
                Ok(ChatEntry {
                    version: event.version,
                    time_ms: event.time_ms,
                    actor: event.actor,
                    turn: event.turn,
                    entry,
                })
            })
            .collect()
    }

    /// `None`: the stream or a record has changed, look again.
    async fn append(
        &self,
        caller: &Caller,
        stream: &PageKey,
        entries: &[Json],
        command: &Id,
        records: Vec<RecordWrite>,
    ) -> Result<Option<Noted>, ChatError> {
        self.refuse_page(stream, &stream.page).await?;
        let head = self.pages.store().head(stream).await.map_err(ReadError::from)?;
        let time_ms = self
            .pages
            .clock()
            .now_ms()
            .max(head.map_or(i64::MIN, |head| head.time_ms));
        let outcome = Outcome {
            operation: Operation::Trajectory,
            epoch: 0,
            report: Report::default(),
        };
        let append = Append {
            page: stream.clone(),
            expected: head.map_or(Expected::New, |head| Expected::Exactly(head.version)),
            events: entries.iter().map(|entry| event(caller, entry, time_ms)).collect(),
            command: CommandClaim {
                id: command.clone(),
                fingerprint: fingerprint(caller, stream, entries),
                time_ms,
                outcome: outcome.to_bytes().into(),
            },
            records,
        };
        let (receipt, replayed) = match self.pages.store().append(append).await {
            Ok(appended) => (appended.receipt, false),
            Err(AppendError::AlreadyDone(receipt)) => (*receipt, true),
            Err(AppendError::Conflict { .. } | AppendError::RecordConflict { .. }) => return Ok(None),
            Err(AppendError::CommandIdReused { command }) => return Err(ChatError::CommandIdReused { command }),
            Err(AppendError::OutcomeUnknown { command, .. }) => return Err(ChatError::OutcomeUnknown { command }),
            Err(fault) => {
                let reason = fault.to_string();
                return Err(FileError::Unavailable { reason }.into());
            }
        };
        let (first, last) = receipt.versions.map_or((0, 0), |span| (span.first, span.last));
        Ok(Some(Noted { first, last, replayed }))
    }

    /// A page whose id is the name of the stream keeps it.
    async fn refuse_page(&self, stream: &PageKey, chat: &Id) -> Result<(), ChatError> {
        let key = RecordKey::from(&stream.page);
        let page = self
            .pages
            .store()
            .record(&stream.scope, &PAGE_TABLE, &key)
            .await
            .map_err(ReadError::from)?;
        match page {
            None => Ok(()),
            Some(_) => Err(ChatError::BadId { chat: chat.to_string() }),
        }
    }

    async fn record(&self, scope: &Id, chat: &Id) -> Result<(u64, Option<Mode>), ChatError> {
        let found = self.ledger.read::<ChatRecord>(scope, &RecordKey::from(chat)).await?;
        let Some(Versioned { revision, value }) = found else {
            return Ok((0, None));
        };
        let Some(text) = value.mode else {
            return Ok((revision, None));
        };
        let mode = serde_json::from_str(&text).ok().and_then(|json| Mode::from_json(&json));
        let mode = mode.ok_or_else(|| FileError::Corrupt {
            what: format!("the mode of chat {chat} does not decode"),
        })?;
        Ok((revision, Some(mode)))
    }
}

impl ChatRecord {
    fn of(mode: Option<&Mode>) -> Self {
        Self {
            v: 1,
            mode: mode.map(|mode| mode.to_json().to_string()),
        }
    }
}

/// The stream that holds what was noted in a chat.
///
/// # Errors
/// [`ChatError::BadId`], where the chat's id is too long.
pub fn stream(scope: &Id, chat: &Id) -> Result<PageKey, ChatError> {
    let name = Id::new(&format!("{STREAM_PREFIX}{chat}")).map_err(|_| ChatError::BadId { chat: chat.to_string() })?;
    Ok(PageKey::new(scope.clone(), name))
}

fn fingerprint(caller: &Caller, stream: &PageKey, entries: &[Json]) -> [u8; 32] {
    let texts: Vec<Vec<u8>> = entries.iter().map(|entry| entry.to_string().into_bytes()).collect();
    Fingerprint::new(Operation::Trajectory, caller, stream)
        .with_deltas(&texts)
        .finish()
}

fn event(caller: &Caller, entry: &Json, time_ms: i64) -> NewEvent {
    NewEvent {
        kind: EventKind::Trajectory.code(),
        schema: PAYLOAD_SCHEMA,
        time_ms,
        actor: caller.actor.to_string(),
        turn: caller.turn.as_ref().map(ToString::to_string),
        cause: None,
        epoch: 0,
        flags: 0,
        delta: entry.to_string().into(),
        inverse: bytes::Bytes::new(),
        digest: [0; 32],
    }
}

fn too_fast() -> ChatError {
    let reason = "the chat changes faster than this write can follow".to_owned();
    FileError::Unavailable { reason }.into()
}
