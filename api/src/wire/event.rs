//! Events as JSON, in history and on the feeds.

use bytes::Bytes;
use recto_pages::{ActorKind, EventKind, Id, PageEvent, ReadError};
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::ToSchema;

use super::{event_id, json_bytes, time};

/// The type of an event that an agent made: a live client puts its inverse on the undo stack.
pub(crate) const AGENT_EDIT: &str = "agent-page-edit";
/// The type of every other event.
pub(crate) const EDIT: &str = "page-edit";

/// What happened to a page at one version.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Event)]
pub(crate) struct EventBody {
    /// The name of the event within the workspace: page and version.
    #[schema(example = "home@3")]
    id: String,
    /// `agent-page-edit` where an agent made it, else `page-edit`. It is the SSE event name too.
    #[serde(rename = "type")]
    #[schema(value_type = EventType)]
    kind_of_actor: &'static str,
    /// The page.
    page: String,
    /// The version that the event made.
    #[schema(minimum = 1)]
    version: u64,
    /// How often the page had been restored to an earlier version.
    epoch: u64,
    /// The event's place in the feed of the workspace.
    position: u64,
    /// What the event did.
    #[schema(value_type = EventKindName)]
    kind: &'static str,
    /// Whether `undo` can ever take it back.
    undoable: bool,
    /// When it was made.
    #[schema(format = DateTime)]
    time: String,
    /// Who made it.
    #[schema(example = "user:ada")]
    actor: String,
    /// The answer of an agent, or the gesture of a user, that it belongs to.
    #[schema(required = true)]
    turn: Option<String>,
    /// The Idempotency-Key of the request that made it.
    command: String,
    /// What this one answers to: the event that it undoes or redoes, or the version that it restores.
    #[schema(required = true)]
    cause: Option<CauseBody>,
    /// The digest of the page's value after the event.
    #[schema(min_length = 64, max_length = 64)]
    digest: String,
    /// The event's hash. It covers all events before it.
    #[schema(min_length = 64, max_length = 64)]
    hash: String,
    /// The hash of the event before it; zeros for the first.
    #[schema(min_length = 64, max_length = 64)]
    prev_hash: String,
    /// The change, in the form that `POST …/deltas` takes; null where the kind of event has none.
    #[schema(value_type = Value)]
    delta: Json,
    /// The change that takes it back; null where the kind of event has none.
    #[schema(value_type = Value)]
    inverse: Json,
    /// Only on feeds: why `delta` and `inverse` could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    damage: Option<String>,
}

/// What an event answers to.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Cause)]
pub(crate) struct CauseBody {
    /// How: `undo` takes that event back, `redo` takes that undo back, `restore` goes back to that version.
    #[schema(value_type = CauseKindName)]
    kind: &'static str,
    /// The version of the event, or the one restored.
    #[schema(minimum = 1)]
    version: u64,
    /// The event that made that version.
    #[schema(example = "home@7")]
    event: String,
}

/// How an event answers to another.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "it describes a field of the API")]
enum CauseKindName {
    Undo,
    Redo,
    Restore,
    Trajectory,
}

/// Who made an event.
#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
#[expect(dead_code, reason = "it describes a field of the API")]
enum EventType {
    PageEdit,
    AgentPageEdit,
}

/// What an event did.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "it describes a field of the API")]
pub(crate) enum EventKindName {
    Create,
    Edit,
    Delete,
    Undelete,
    Rebalance,
    Undo,
    Redo,
    Restore,
}

/// Some events of a page.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EventList)]
pub(crate) struct EventPage {
    /// The page.
    pub page: String,
    /// The events in the order asked for.
    pub events: Vec<EventBody>,
    /// Where to go on reading; null at the end.
    #[schema(required = true, example = "/v1/pages/home/events?after=100&limit=100")]
    pub next: Option<String>,
}

impl EventBody {
    /// An event with its changes decoded.
    pub(crate) fn new(event: &PageEvent) -> Result<Self, ReadError> {
        let kind = event.kind()?;
        let mut body = Self::bare(event);
        body.kind = kind.as_str();
        body.undoable = event.is_undoable();
        body.delta = event.delta()?.map_or(Json::Null, |delta| delta.to_json());
        body.inverse = event.inverse()?.map_or(Json::Null, |inverse| inverse.to_json());
        Ok(body)
    }

    /// An event as it goes out on feeds, which move on over damage and say so.
    pub(crate) fn feed_bytes(event: &PageEvent) -> Bytes {
        let body = Self::new(event).unwrap_or_else(|damage| {
            tracing::error!(page = %event.page, version = event.version(), %damage, "an event on a feed is damaged");
            Self {
                damage: Some(damage.to_string()),
                ..Self::bare(event)
            }
        });
        json_bytes(&body)
    }

    fn bare(page_event: &PageEvent) -> Self {
        let event = &page_event.event;
        let hex = |hash: [u8; 32]| blake3::Hash::from_bytes(hash).to_hex().to_string();
        Self {
            id: event_id(&page_event.page.page, event.version),
            kind_of_actor: event_type(page_event),
            page: page_event.page.page.to_string(),
            version: event.version,
            epoch: event.epoch,
            position: event.position,
            kind: "edit",
            undoable: false,
            time: time(event.time_ms),
            actor: event.actor.clone(),
            turn: event.turn.clone(),
            command: event.command.to_string(),
            cause: CauseBody::of(page_event),
            digest: hex(event.digest),
            hash: hex(event.hash),
            prev_hash: hex(event.prev_hash),
            delta: Json::Null,
            inverse: Json::Null,
            damage: None,
        }
    }
}

impl CauseBody {
    /// What an event answers to, if it does.
    pub(crate) fn of(event: &PageEvent) -> Option<Self> {
        let cause = event.event.cause?;
        let kind = EventKind::from_code(cause.kind)?;
        Some(Self::new(&event.page.page, kind, cause.version))
    }

    pub(crate) fn new(page: &Id, kind: EventKind, version: u64) -> Self {
        Self {
            kind: kind.as_str(),
            version,
            event: event_id(page, version),
        }
    }
}

/// How many bytes of changes an event holds: what making its JSON costs follows from that.
pub(crate) fn change_bytes(event: &PageEvent) -> usize {
    event.event.delta.len() + event.event.inverse.len()
}

/// The type of an event: agents' events are told apart.
pub(crate) fn event_type(event: &PageEvent) -> &'static str {
    let actor = event.event.actor.parse::<recto_pages::Actor>();
    let by_agent = actor.is_ok_and(|actor| actor.kind() == ActorKind::Agent);
    if by_agent { AGENT_EDIT } else { EDIT }
}
