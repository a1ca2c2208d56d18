//! The stream of a chat: what is noted, in order, under commands.

use recto_projections::Json;
use recto_projections::chat::{ModeKind, Switched};
use recto_store::limits::ID_MAX_BYTES;
use recto_store::{Append, AppendError, CommandClaim, Expected, Id, NewEvent, PageKey, Receipt, RecordWrite};

use super::{ChatError, Chats, Noted};
use crate::actor::Caller;
use crate::assets::FileError;
use crate::command::{Fingerprint, Operation, Outcome};
use crate::error::ReadError;
use crate::event::{EventKind, PAYLOAD_SCHEMA};
use crate::report::Report;

/// What the names of chats' streams begin with.
const STREAM_PREFIX: &str = "chat:";
/// The longest id of a chat, in bytes: the stream has room for the prefix.
pub(super) const CHAT_BYTES_MAX: usize = ID_MAX_BYTES - STREAM_PREFIX.len();

/// Entries on their way into a chat.
#[derive(Clone, Copy)]
pub(super) struct Noting<'a> {
    pub caller: &'a Caller,
    pub stream: &'a PageKey,
    pub entries: &'a [Json],
    pub command: &'a Id,
    /// What was said beside them, as it counts for retries; it is stored as a hash, so it never changes.
    pub said: Option<&'static str>,
}

impl Chats {
    /// What this command noted before.
    pub(super) async fn noted_before(&self, noting: &Noting<'_>) -> Result<Option<Noted>, ChatError> {
        let receipt = self.pages.store().receipt(noting.stream, noting.command).await;
        match receipt.map_err(ReadError::from)? {
            None => Ok(None),
            Some(receipt) if receipt.fingerprint == noting.fingerprint() => Ok(Some(Noted::of(&receipt, true))),
            Some(_) => Err(ChatError::CommandIdReused {
                command: noting.command.clone(),
            }),
        }
    }

    /// `None`: the stream or a record has changed, look again.
    pub(super) async fn append(
        &self,
        noting: &Noting<'_>,
        fingerprint: [u8; 32],
        records: Vec<RecordWrite>,
    ) -> Result<Option<Noted>, ChatError> {
        let head = self.pages.store().head(noting.stream).await.map_err(ReadError::from)?;
        let now_ms = self.pages.clock().now_ms();
        let time_ms = head.map_or(now_ms, |head| now_ms.max(head.time_ms));
        let outcome = Outcome {
            operation: Operation::Trajectory,
            epoch: 0,
            report: Report::default(),
        };
        let events = noting.entries.iter().map(|entry| event(noting.caller, entry, time_ms));
        let append = Append {
            page: noting.stream.clone(),
            expected: head.map_or(Expected::New, |head| Expected::Exactly(head.version)),
            events: events.collect(),
            command: CommandClaim {
                id: noting.command.clone(),
                fingerprint,
                time_ms,
                outcome: outcome.to_bytes().into(),
            },
            records,
        };
        match self.pages.store().append(append).await {
            Ok(appended) => Ok(Some(Noted::of(&appended.receipt, false))),
            Err(AppendError::AlreadyDone(receipt)) => Ok(Some(Noted::of(&receipt, true))),
            Err(AppendError::Conflict { .. } | AppendError::RecordConflict { .. }) => Ok(None),
            Err(AppendError::CommandIdReused { command }) => Err(ChatError::CommandIdReused { command }),
            Err(AppendError::OutcomeUnknown { command, .. }) => Err(ChatError::OutcomeUnknown { command }),
            Err(fault) => {
                let reason = fault.to_string();
                Err(FileError::Unavailable { reason }.into())
            }
        }
    }
}

impl Noting<'_> {
    pub(super) fn fingerprint(&self) -> [u8; 32] {
        let texts = self.entries.iter().map(|entry| entry.to_string().into_bytes());
        Fingerprint::new(Operation::Trajectory, self.caller, self.stream)
            .with_deltas(&texts.collect::<Vec<_>>())
            .with_text(self.said)
            .finish()
    }
}

impl Noted {
    fn of(receipt: &Receipt, replayed: bool) -> Self {
        let (first, last) = receipt.versions.map_or((0, 0), |span| (span.first, span.last));
        Self { first, last, replayed }
    }

    /// What a switch did, by what it noted.
    pub(super) fn switched(self, to: ModeKind) -> Switched {
        if self.last == 0 {
            Switched::Same
        } else {
            Switched::To(to.plain())
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

/// Whether a stream is that of a chat: no page has such a name.
pub(crate) fn is_chat(stream: &Id) -> bool {
    stream.as_str().starts_with(STREAM_PREFIX)
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
