//! `/v1/pages/{id}/undo` and `/redo`: take edits back, and have them back.

use axum::extract::State;
use axum::response::Response;
use recto_pages::projections::undo::Policy;
use recto_pages::{Actor, Caller, Id, UndoPage, UndoTarget};
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::{ActorHeaders, BaseHeader, PagePath, TrialKeyHeader};
use crate::access::Writer;
use crate::body::{Fields, MaybeJson, malformed};
use crate::conditions::{BaseVersion, TrialCommandId};
use crate::params::{NoQuery, PageId};
use crate::problem::{Code, Problem, of_write};
use crate::state::App;
use crate::wire::{PreviewBody, WrittenBody, event_id};

const FIELDS: [&str; 6] = ["event", "turn", "actor", "policy", "force", "dryRun"];
const POLICIES: [Policy; 3] = [Policy::Keep, Policy::Restore, Policy::Abort];

/// What is to be undone or redone: at most one of `event`, `turn` and `actor`. Without any of them, the newest entry in
/// the caller's own stack that still has an effect.
#[derive(ToSchema)]
#[schema(as = Undo, rename_all = "camelCase", examples(
    json!({}),
    json!({"event": "home@7"}),
    json!({"turn": "turn-12", "policy": "restore"}),
    json!({"actor": "agent:layout", "dryRun": true}),
    json!({"event": 7, "policy": "abort", "force": true})
))]
#[expect(dead_code, reason = "it describes a body that is taken apart by hand")]
pub(crate) struct Undo {
    /// An event, by its version or its id. What stands for it now is taken back: the edit itself, or its redo.
    #[schema(required = false)]
    event: EventName,
    /// A turn: all its edits that stand (undo) or are undone (redo), the newest first.
    #[schema(required = false, min_length = 1, max_length = 128)]
    turn: String,
    /// An actor: the newest entry in the stack of this one.
    #[schema(
        required = false,
        min_length = 6,
        max_length = 135,
        pattern = "^(user|agent|system):.{1,128}$",
        example = "agent:layout"
    )]
    actor: String,
    /// What becomes of a field that was overwritten since. Without it: `restore` where a user takes back the newest of
    /// their own, else `keep`.
    #[schema(required = false)]
    policy: PolicyName,
    /// Whether what an event created goes even if others edited it, or put something into it, since.
    #[schema(required = false, default = false)]
    force: bool,
    /// Whether to say only what would be done. Nothing is, and no Idempotency-Key is needed.
    #[schema(required = false, default = false)]
    dry_run: bool,
}

/// An event: the version that it made, or its id.
struct EventName;

impl PartialSchema for EventName {
    fn schema() -> RefOr<Schema> {
        let version = ObjectBuilder::new()
            .schema_type(Type::Integer)
            .minimum(Some(1))
            .maximum(Some(i64::MAX));
        let id = ObjectBuilder::new()
            .schema_type(Type::String)
            .pattern(Some("^.+@[1-9][0-9]{0,17}$"));
        let either: Schema = OneOfBuilder::new().item(version).item(id).into();
        either.into()
    }
}

impl ToSchema for EventName {}

/// What becomes of a field that was overwritten since: `keep` leaves it and reports it, `restore` sets it back (and a
/// redo returns to what had overwritten it), `abort` refuses the whole undo.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "it describes a field that is read by hand")]
enum PolicyName {
    Keep,
    Restore,
    Abort,
}

/// Undo
///
/// Takes back an event, a turn, or the newest of an actor, over whatever came later: each event taken back makes one
/// event, the newest first, in one commit. What others did since stays; what stands in the way is reported in `undo`.
/// Consecutive undos step further back; they never undo an undo. A base older than the head is fine as long as nobody
/// undid, redid or restored since, nor, for the newest of an actor, that actor edited. With `dryRun` the answer tells
/// what would be done.
#[utoipa::path(post, path = "/v1/pages/{id}/undo", tag = "undo", operation_id = "undoPage",
    params(PagePath, TrialKeyHeader, ActorHeaders, BaseHeader), request_body = Undo,
    responses((status = 200, body = UndoAnswer, description = "It was undone, now or by an earlier sending; or, with `dryRun`, what would be.", headers(
        ("ETag" = String, description = "The version made, for the next If-Match; of a dry run, the head."),
        ("Idempotency-Replayed" = bool, description = "`true` where this is the answer to an earlier sending.")
    ))))]
pub(crate) async fn undo(
    state: State<App>,
    caller: Writer,
    page: PageId,
    _: NoQuery,
    command: TrialCommandId,
    base: BaseVersion,
    body: MaybeJson,
) -> Result<Response, Problem> {
    take_back(state, caller, page, command, base, body, false).await
}

/// Redo
///
/// Takes back an undo, as `undo` takes back an edit: it returns to what was there at the time of the undo. An `event` is
/// the edit that was undone, or the undo. An own new edit clears what an actor can redo; others' edits do not.
#[utoipa::path(post, path = "/v1/pages/{id}/redo", tag = "undo", operation_id = "redoPage",
    params(PagePath, TrialKeyHeader, ActorHeaders, BaseHeader), request_body = Undo,
    responses((status = 200, body = UndoAnswer, description = "It was redone, now or by an earlier sending; or, with `dryRun`, what would be.", headers(
        ("ETag" = String, description = "The version made, for the next If-Match; of a dry run, the head."),
        ("Idempotency-Replayed" = bool, description = "`true` where this is the answer to an earlier sending.")
    ))))]
pub(crate) async fn redo(
    state: State<App>,
    caller: Writer,
    page: PageId,
    _: NoQuery,
    command: TrialCommandId,
    base: BaseVersion,
    body: MaybeJson,
) -> Result<Response, Problem> {
    take_back(state, caller, page, command, base, body, true).await
}

/// What a write that can be tried out is answered with.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it describes an answer that is one of two")]
pub(crate) enum UndoAnswer {
    /// What was done.
    Written(WrittenBody),
    /// With `dryRun`, what would be done.
    Preview(PreviewBody),
}

async fn take_back(
    State(app): State<App>,
    Writer(caller): Writer,
    PageId(page): PageId,
    command: TrialCommandId,
    BaseVersion(base): BaseVersion,
    body: MaybeJson,
    redo: bool,
) -> Result<Response, Problem> {
    let of = page.clone();
    let asked = body.read(move |json| Asked::read(json, &of)).await?;
    let undo = |command| asked.undo(caller, page.clone(), base, command, redo);
    let pages = app.pages().clone();
    let refused = |refusal| of_write(refusal, &page, |_| String::new());
    if asked.dry_run {
        let preview = pages.preview_undo(undo(command.of_trial()?)).await;
        return PreviewBody::response(preview.map_err(refused)?).await;
    }
    let undo = undo(command.required()?);
    let written = app.write(async move { pages.undo(undo).await }).await?;
    WrittenBody::response(written.map_err(refused)?).await
}

/// A body that was read.
struct Asked {
    target: UndoTarget,
    policy: Option<Policy>,
    force: bool,
    dry_run: bool,
}

impl Asked {
    fn read(json: Json, page: &Id) -> Result<Self, Problem> {
        let mut fields = Fields::open(json, &FIELDS)?;
        Ok(Self {
            target: read_target(&mut fields, page)?,
            policy: fields.text("policy", "keep, restore or abort", |name| {
                POLICIES.into_iter().find(|policy| policy.as_str() == name)
            })?,
            force: fields.flag("force", false)?,
            dry_run: fields.flag("dryRun", false)?,
        })
    }

    fn undo(&self, caller: Caller, page: Id, base: recto_pages::Base, command: Id, redo: bool) -> UndoPage {
        UndoPage {
            caller,
            page,
            base,
            redo,
            target: self.target.clone(),
            policy: self.policy,
            force: self.force,
            command,
        }
    }
}

fn read_target(fields: &mut Fields, page: &Id) -> Result<UndoTarget, Problem> {
    let event = fields.take("event").map(|event| read_event(&event, page)).transpose()?;
    let turn = fields.text("turn", "the id of a turn, of 1 to 128 bytes", |text| Id::new(text).ok())?;
    let actor = fields.text("actor", "an actor such as agent:layout", |text| {
        text.parse::<Actor>().ok()
    })?;
    match (event, turn, actor) {
        (Some(version), None, None) => Ok(UndoTarget::Event(version)),
        (None, Some(turn), None) => Ok(UndoTarget::Turn(turn)),
        (None, None, actor) => Ok(UndoTarget::Newest { actor }),
        _ => Err(malformed(
            "",
            "an object with at most one of `event`, `turn` and `actor`",
        )),
    }
}

/// A version, or the id of an event of this page.
fn read_event(given: &Json, page: &Id) -> Result<u64, Problem> {
    let refuse = || {
        malformed(
            "/event",
            "the version of an event, from 1, or its id such as \"home@7\"",
        )
    };
    let Some(id) = given.as_str() else {
        return given.as_u64().filter(|version| *version > 0).ok_or_else(refuse);
    };
    let (of, version) = id.rsplit_once('@').ok_or_else(refuse)?;
    let version: u64 = version.parse().ok().filter(|version| *version > 0).ok_or_else(refuse)?;
    let of = Id::new(of).map_err(|_| refuse())?;
    if event_id(&of, version) != id {
        return Err(refuse());
    }
    if of != *page {
        let detail = format!(
            "{id:?} is an event of page {:?}, and this is page {:?}",
            of.as_str(),
            page.as_str()
        );
        return Err(Problem::new(Code::OtherPagesEvent, detail)
            .with("event", id)
            .with("page", of.as_str()));
    }
    Ok(version)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(body: Json) -> Result<Asked, Code> {
        let page = Id::new("a@b").map_err(|_| Code::Internal)?;
        Asked::read(body, &page).map_err(|problem| problem.code())
    }

    #[test]
    fn a_target_is_an_event_or_a_turn_or_an_actor_or_the_callers_newest() {
        let target = |body: Json| read(body).map(|asked| asked.target);
        assert_eq!(target(json!({})), Ok(UndoTarget::Newest { actor: None }));
        assert_eq!(target(json!({"event": 3})), Ok(UndoTarget::Event(3)));
        assert_eq!(target(json!({"event": "a@b@3"})), Ok(UndoTarget::Event(3)));
        assert_eq!(
            target(json!({"turn": "t"})).ok(),
            Id::new("t").ok().map(UndoTarget::Turn)
        );
        let actor = "agent:x".parse().ok();
        assert_eq!(target(json!({"actor": "agent:x"})), Ok(UndoTarget::Newest { actor }));
        for two in [
            json!({"event": 3, "turn": "t"}),
            json!({"turn": "t", "actor": "user:a"}),
            json!({"event": 3, "actor": "user:a"}),
        ] {
            assert_eq!(target(two.clone()), Err(Code::Malformed), "{two}");
        }
    }

    #[test]
    fn an_event_of_another_page_is_told_apart_from_what_is_no_event() {
        for (event, code) in [
            (json!("b@3"), Code::OtherPagesEvent),
            (json!("3"), Code::Malformed),
            (json!("a@b@03"), Code::Malformed),
            (json!("a@b@0"), Code::Malformed),
            (json!("a@b@"), Code::Malformed),
            (json!("@3"), Code::Malformed),
            (json!(0), Code::Malformed),
            (json!(-1), Code::Malformed),
            (json!(1.5), Code::Malformed),
            (json!(null), Code::Malformed),
            (json!([3]), Code::Malformed),
        ] {
            assert_eq!(read(json!({"event": event})).err(), Some(code), "{event}");
        }
    }
}
