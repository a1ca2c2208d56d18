//! Chats: the creation mode that each keeps, and what its agent did, as events of the chat's own stream.
//!
//! The stream of a chat lies beside those of pages, under a name that no page can have: its events hold no delta, change
//! no page, are in no feed, and are not read as a page's. They are there to be checked: what was called, in which order, and what came of it.

mod stream;

use std::sync::LazyLock;

use recto_projections::Json;
use recto_projections::chat::{DocumentsUnavailable, Mode, ModeKind, Said, Switched, Turn, switch, turn};
use recto_store::{Id, Limit, RecordKey};
use serde::{Deserialize, Serialize};
use serde_json::json;

pub(crate) use self::stream::is_chat;
pub use self::stream::stream;
use self::stream::{CHAT_BYTES_MAX, Noting};
use crate::actor::Caller;
use crate::assets::FileError;
use crate::assets::ledger::{Ledger, Stored, Versioned, Wrote, put, table};
use crate::error::ReadError;
use crate::service::Pages;

/// The most entries that are noted at a time.
pub const ENTRIES_MAX: usize = 100;
/// The largest entry, in bytes of JSON.
pub const ENTRY_BYTES_MAX: usize = 64 * 1024;
/// How often a write starts over where the chat changes under its hands.
const TRIES_MAX: usize = 8;
/// What a switch says beside the mode.
const DOCUMENTS: &str = "documents";
const NO_DOCUMENTS: &str = "no documents";

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
    /// The id is too long.
    #[error("chat {chat:?} cannot be: its id has at most {CHAT_BYTES_MAX} bytes")]
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
        let noting = Noting {
            caller,
            stream: &stream,
            entries: &[json!({ "event": "mode-switched", "to": to.as_str() })],
            command,
            said: Some(if documents { DOCUMENTS } else { NO_DOCUMENTS }),
        };
        for _ in 0..TRIES_MAX {
            if let Some(noted) = self.noted_before(&noting).await? {
                return Ok(noted.switched(to));
            }
            let (revision, stored) = self.record(&caller.scope, chat).await?;
            let switched = switch(stored.as_ref(), to, documents)?;
            // What changes nothing is no event, and has a receipt all the same: a retry is told what was the case then.
            let (mode, events) = match &switched {
                Switched::Same => (stored.as_ref(), 0),
                Switched::To(mode) => (Some(mode), 1),
            };
            let record = put(RecordKey::from(chat), revision, &ChatRecord::of(mode))?;
            let part = Noting {
                entries: &noting.entries[..events],
                ..noting
            };
            let fingerprint = noting.fingerprint();
            if let Some(noted) = self.append(&part, fingerprint, vec![record]).await? {
                return Ok(noted.switched(to));
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
        let noting = Noting {
            caller,
            stream: &stream,
            entries,
            command,
            said: None,
        };
        for _ in 0..TRIES_MAX {
            if let Some(noted) = self.append(&noting, noting.fingerprint(), Vec::new()).await? {
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

fn too_fast() -> ChatError {
    let reason = "the chat changes faster than this write can follow".to_owned();
    FileError::Unavailable { reason }.into()
}
