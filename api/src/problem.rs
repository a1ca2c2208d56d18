//! Every way in which a request is refused, in one table: code, status, title, what to do
//! next, and whether trying again can help. Below it, the ways from the errors of the layers
//! beneath to the codes.
//!
//! Codes are stable. A code is never given another meaning.

mod answer;
mod chat;
mod conflict;
mod contract;
mod file;
mod task;

use axum::http::StatusCode;
use recto_pages::projections::{ApplyError, Fault, Invalid};
use recto_pages::{HeadInfo, Id, ReadError, WriteError};
use serde_json::Value as Json;

pub(crate) use self::answer::{CONTENT_TYPE, Logged, Problem};
pub(crate) use self::chat::of_chat;
use self::conflict::{of_stale, of_undo};
use self::contract::of_contract;
pub(crate) use self::file::of_file;
pub(crate) use self::task::{of_slot, of_task};
use crate::wire::{HeadBody, etag, time};

/// Where a problem can come up: what the description of a route lists follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Area {
    /// Every route.
    Every,
    /// Routes that ask for a token.
    Access,
    /// Routes that take a body.
    Received,
    /// Routes that take a body of JSON.
    Body,
    /// Routes that store what they are given.
    Sized,
    /// Routes that change something.
    Write,
    /// Routes that change a page that exists.
    Based,
    /// Routes that undo or redo.
    Undo,
    /// Routes that write a value or deltas.
    Content,
    /// Routes that write from a read.
    Update,
    /// Routes that write content: HTML, source or a value.
    Markup,
    /// Routes that take nodes by their ids.
    Nodes,
    /// Routes of images.
    Images,
    /// Routes that make a page.
    Create,
    /// Routes of one page.
    Page,
    /// Routes that read the newest state of a page.
    Head,
    /// Routes that read a version.
    Version,
    /// The route that tells who wrote what.
    Blame,
    /// Routes that find the difference of two values.
    Difference,
    /// Routes that look for a command.
    Command,
    /// Routes that are streams.
    Feed,
    /// The check of readiness.
    Ready,
    /// Routes of files.
    File,
    /// The route that takes files.
    Upload,
    /// Routes that make attachments assets.
    Promote,
    /// The route that sends the bytes of a file.
    Bytes,
    /// Routes of image tasks.
    Image,
    /// Routes of delivery slots.
    Slot,
    /// Routes of chats.
    Chat,
    /// No route that there is.
    Nowhere,
}

macro_rules! problems {
    ($($variant:ident $status:literal $code:literal $area:ident $retry:literal $title:literal $next:literal;)*) => {
        /// What went wrong.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Code {
            $(#[doc = $title] $variant,)*
        }

        impl Code {
            pub(crate) const ALL: &[Code] = &[$(Code::$variant,)*];

            pub(crate) fn row(self) -> Row {
                match self {
                    $(Code::$variant => Row {
                        status: $status, code: $code, title: $title, next: $next, retry: $retry, area: Area::$area,
                    },)*
                }
            }
        }
    };
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub status: u16,
    pub code: &'static str,
    pub title: &'static str,
    /// What the caller can do, as a sentence.
    pub next: &'static str,
    /// Whether the same intent can pass when it is sent again after doing what `next` says.
    pub retry: bool,
    pub area: Area,
}

problems! {
    // Variant          status code             area      retry  title, next
    BadRequest           400 "bad_request"              Every      false "The request cannot be read" "Correct the request.";
    InvalidParameter     400 "invalid_parameter"        Every      false "A parameter cannot be read" "Correct the parameter named in `parameter`.";
    InvalidHeader        400 "invalid_header"           Every      false "A header cannot be read" "Correct the header named in `header`.";
    MalformedJson        400 "malformed_json"           Body       false "The body is not JSON" "Correct the body at the byte named in `offset`.";
    Malformed            400 "malformed"                Body       false "The body has another shape than this route takes" "Put what `expected` says at the place that `pointer` names.";
    BodyBroken           400 "body_broken"              Received true  "The body did not arrive whole" "Send the request again.";
    KeyMissing           400 "idempotency_key_missing"  Write      false "A write needs an Idempotency-Key" "Send the header Idempotency-Key with an id of your own, the same at every retry.";
    IfMatchMalformed     400 "if_match_malformed"       Based      false "If-Match names no version" "Send If-Match with the ETag of the page as it was read, for example \"3.0\".";
    IfMatchAny           400 "if_match_any"             Based      false "If-Match: * names no version" "Send If-Match with the ETag of the page as it was read.";
    IfMatchWeak          400 "if_match_weak"            Based      false "A weak tag names no version" "Send If-Match with the strong ETag of the page as it was read.";
    TokenMissing         401 "token_missing"            Access     false "A token is needed" "Send the header Authorization: Bearer TOKEN.";
    TokenInvalid         401 "token_invalid"            Access     false "The token is not known" "Send a token that this server was started with.";
    RoleInsufficient     403 "role_insufficient"        Access     false "The token's role does not allow this" "Use a token with the role named in `role`.";
    ActorForbidden       403 "actor_forbidden"          Write      false "Only the role admin acts as the system" "Name a user or an agent in Recto-Actor, or use a token with the role admin.";
    RouteNotFound        404 "route_not_found"          Nowhere    false "There is no such route" "Look for the route in /openapi.json.";
    PageNotFound         404 "page_not_found"           Page       false "There is no such page" "Check the id, or create the page.";
    VersionNotFound      404 "version_not_found"        Version    false "The page has no such version" "Name a version from 1 to `head`.";
    BeforeFirst          404 "before_first_version"     Version    false "The page did not exist yet at that time" "Name a time from `firstTime` on.";
    CommandNotFound      404 "command_not_found"        Command    true  "No such command was carried out" "Send the command: it has left nothing.";
    NothingThere         404 "nothing_there"            Blame      false "The page holds no such thing at that version" "Look at the page at that version for what it holds.";
    TurnNotFound         404 "turn_not_found"           Undo       false "No edit of this turn is in reach" "Name one of its events, or restore a version.";
    ProblemNotFound      404 "problem_not_found"        Nowhere    false "There is no such problem code" "Look for the code in /problems.";
    MethodNotAllowed     405 "method_not_allowed"       Nowhere    false "The route does not take this method" "Use one of the methods in the header Allow.";
    RequestTimeout       408 "request_timeout"          Received true  "The body took too long to arrive" "Send the request again, faster.";
    VersionConflict      409 "version_conflict"         Based      true  "The page has changed since it was read" "Apply the events in `missed`, make the change again from there, and send it with If-Match set to `head.etag` and a new Idempotency-Key. Where `rebase.possible` is true, sending it with onStale: rebase is enough.";
    ReadStale            409 "read_stale"               Update     true  "The page has changed since it was read" "Read the page again, make the change on what it says now, and send it with the new readToken and a new Idempotency-Key.";
    NodeChanged          409 "node_changed"             Update     true  "Somebody else changed nodes that the write is about" "Read the nodes in `nodes` again, make the change on what they are now, and send it with the new readToken and a new Idempotency-Key.";
    MergeConflict        409 "merge_conflict"           Update     true  "What was committed since stands in the way of the merge" "Read the page again, look at `conflicts`, and send what still fits with the new readToken and a new Idempotency-Key.";
    KindChanged          409 "page_kind_changed"        Update     true  "The page is of another kind than when it was read" "Read the page again, and write it in the form of its kind.";
    NodeExists           409 "node_exists"              Images     false "The page has a node with this id" "Leave nodeId out, or choose another; to change an image, update it.";
    PageExists           409 "page_exists"              Create     false "Another page has this id" "Read that page, or choose another id.";
    CommandAmbiguous     409 "command_ambiguous"        Command    true  "The command id was used on several pages" "Name one of `pages` with ?page=.";
    NothingToUndo        409 "nothing_to_undo"          Undo       false "The actor has nothing to undo" "Read GET …/undo-stack, or name an event or a turn.";
    NothingToRedo        409 "nothing_to_redo"          Undo       false "The actor has nothing to redo" "Read GET …/undo-stack, or name an event or a turn.";
    AlreadyUndone        409 "already_undone"           Undo       false "The event is undone already" "Redo the undo named in `by` to have it back.";
    NotUndone            409 "not_undone"               Undo       false "The event is not undone, so there is nothing to redo" "Undo the event named in `by` first.";
    UndoConflicts        409 "undo_conflicts"           Undo       true  "The policy abort refuses what meets conflicts" "Undo with the policy keep or restore to take back the rest.";
    PageDeleted          410 "page_deleted"             Head       false "The page is deleted" "Undelete it, or read an earlier version with ?at=.";
    BaseUnknown          412 "base_unknown"             Based      true  "If-Match names a version that never was" "Read the page again, and send its ETag.";
    ReadTokenInvalid     412 "read_token_invalid"       Update     true  "The read token is none of this server" "Read the page again, and send the readToken of that answer as it is.";
    ReadTokenExpired     412 "read_token_expired"       Update     true  "The read token is too old" "Read the page again, and send the readToken of that answer.";
    ReadTokenForeign     412 "read_token_foreign"       Update     true  "The read token is of another page" "Send the write to the page in `page`, or read this page and send its readToken.";
    BodyTooLarge         413 "body_too_large"           Body       false "The body is too large" "Send at most `limit` bytes.";
    TooLarge             413 "too_large"                Sized   false "The write is over a limit of the store" "Send less at a time.";
    ContentTooLong       413 "content_too_long"         Markup     false "The content is too long" "Send at most `limit` characters: read a part of the page by viewport or nodes, and merge only what changes.";
    UriTooLong           414 "uri_too_long"             Every      false "The path and query are too long" "Send at most `limit` bytes.";
    MediaType            415 "media_type_unsupported"   Body       false "The body is not sent as JSON" "Send Content-Type: application/json.";
    ContentEncoding      415 "content_encoding_unsupported" Received false "The body is compressed" "Send the body as it is.";
    HostUnknown          421 "host_unknown"             Every      false "Without tokens this server answers to loopback names only" "Use http://localhost or http://127.0.0.1, or start the server with tokens.";
    IllegalValue         422 "illegal_value"            Content    false "The value breaks a rule" "Correct the place that `pointer` names, by the rule named in `rule`.";
    IllegalDelta         422 "illegal_delta"            Content    false "A delta breaks a rule" "Correct the operation that `pointer` names, by the rule named in `rule`.";
    ReferenceTemporary   422 "reference_temporary"      Content    false "A reference is one that nobody else can follow" "Upload the file, promote it, and put the id of its asset into the field named in `field`.";
    IdIllegal            422 "id_illegal"               Create     false "The id cannot be an id" "Choose another id.";
    NoDeltas             422 "no_deltas"                Content    false "The write holds no delta" "Send one delta at least.";
    WrongKind            422 "wrong_kind"               Content    false "The page is of another kind" "Send what fits the kind in `actual`.";
    NotForAgents         422 "not_writable_by_agents"   Content    false "An agent cannot write to this kind of page" "Leave the page to its users.";
    NotWritable          422 "not_writable"             Update     false "Pages of this kind are not written by update_page" "Leave the page to its users.";
    WhiteboardReplace    422 "whiteboard_replace"       Update     false "A whiteboard cannot be replaced" "Use merge: send only the nodes that change, and name those to delete in deleteNodeIds.";
    WindowReplace        422 "window_replace"           Update     false "A part of a page cannot replace the whole" "Use merge with what changes, or read the whole page first.";
    WriteModeMismatch    422 "write_mode_mismatch"      Update     false "The write has another mode than the read" "Send the writeMode that the read gave; to merge, read the nodes that change with ?nodes=.";
    MergeUnsupported     422 "merge_unsupported"        Update     false "Pages of this kind are not merged" "Use replace with the whole content.";
    MergeEmpty           422 "merge_empty"              Update     false "The merge names nothing" "Send content, deleteNodeIds, or both.";
    ReplaceDeletes       422 "replace_deletes"          Update     false "A replace takes no deleteNodeIds" "Leave deleteNodeIds out: what the content leaves out is deleted.";
    NodeUnknown          422 "node_unknown"             Nodes      true  "The page has no such node" "Read the page again, and name nodes that are on it; leave data-node-id out of new nodes.";
    NodeNotRead          422 "node_not_read"            Update     true  "The write is about nodes that were not read" "Read the nodes in `nodes` with ?nodes=, and send the write with that readToken.";
    NodeChangedAndDeleted 422 "node_changed_and_deleted" Update    false "The write changes what it deletes" "Leave the nodes in `nodes` out of content, or out of deleteNodeIds.";
    ContentMalformed     422 "content_malformed"        Markup     false "The content has another form than the page's kind takes" "Send what `expected` says.";
    HtmlTooDeep          422 "html_too_deep"            Markup     false "The HTML nests too deep" "Leave out the elements that only wrap others.";
    HtmlRepeats          422 "html_repeats"             Markup     false "The HTML says the same of too many parts" "Close every element, and shorten its attributes.";
    HtmlNotWhole         422 "html_not_whole"           Markup     false "The content is no whole page" "Send the whole page, with every element closed; to clear a page, delete its nodes by a delta.";
    HtmlAttributes       422 "html_too_many_attributes" Markup     false "An element has too many attributes" "Close its tag with \">\".";
    HtmlIllegal          422 "html_illegal"             Markup     false "The page cannot become what the HTML says" "Correct the HTML by the rule named in `rule`.";
    NoCanvas             422 "no_canvas"                Nodes      false "Only a DESIGN page has nodes and a canvas" "Choose a DESIGN page, or read the whole page.";
    NotAnImage           422 "not_an_image"             Images     false "The node is no image" "Name an image node, or use update_page.";
    AssetKept            422 "asset_kept"               Images     false "The image shows another asset" "Add the other image as its own node, or send replaceAsset: true if this one shall be replaced.";
    DifferenceTooLarge   422 "difference_too_large"     Difference   false "The difference is more than one delta can hold" "Take smaller steps.";
    NotUndoable          422 "not_undoable"             Undo       false "The event is none that an undo takes back" "Undo another event, or restore a version.";
    OtherPagesEvent      422 "event_of_another_page"    Undo       false "The event is one of another page" "Send the request to the page named in `page`.";
    HistoryTooLong       422 "history_too_long"         Undo       false "The undo would have to go over more than the limit" "Restore a version instead.";
    KeyReused            422 "idempotency_key_reused"   Write      false "The Idempotency-Key was used for another request" "Send a new key with a new request.";
    BaseRequired         428 "base_required"            Based      false "The write does not say which version it was made from" "Read the page, and send its ETag as If-Match.";
    TooManyRequests      429 "too_many_requests"        Every      true  "Too many requests are being answered" "Try again after the time in Retry-After.";
    TooManySubscribers   429 "too_many_subscribers"     Feed       true  "Too many feeds are open" "Close a feed, or try again after the time in Retry-After.";
    HeadersTooLarge      431 "headers_too_large"        Every      false "The headers are too large" "Send fewer or shorter headers.";
    Internal             500 "internal"                 Every      true  "The server has a fault" "Try again with the same Idempotency-Key; report it if it stays.";
    InverseBroken        500 "inverse_broken"           Content    false "The inverse of a delta does not lead back" "Nothing was written. Report this, with the request.";
    Corrupt              500 "corrupt"                  Access     false "Stored bytes are damaged" "Run verify on this page, and restore it from a backup.";
    OutcomeUnknown       503 "outcome_unknown"          Write      true  "Whether the command was carried out is not known" "Send it again with the same Idempotency-Key, or ask GET /v1/commands/{id}.";
    Unavailable          503 "unavailable"              Every      true  "The store cannot do this now" "Try again later, with the same Idempotency-Key where the request has one.";
    HandlingTimeout      503 "handling_timeout"         Every      true  "The answer took too long" "Send it again, with the same Idempotency-Key where the request has one: then GET /v1/commands/{id} tells what became of it, too.";
    NotReady             503 "not_ready"                Ready      true  "The server takes no writes now" "Look at `reason`; restart the server if it stays.";

    AttachmentNotFound   404 "attachment_not_found"     Promote    false "There is no such attachment" "Ask the user to attach the file again. Do not send the same id again.";
    AssetNotFound        404 "asset_not_found"          File       false "There is no such asset" "Use an asset of this workspace. Do not send the same id again.";
    AttachmentExists     409 "attachment_exists"        Upload     false "The attachment is there with other content" "Upload the file under another id.";
    FileTooLarge         413 "file_too_large"           Upload     false "The file is too large" "Send a file of at most `limit` bytes.";
    RangeNotSatisfiable  416 "range_not_satisfiable"    Bytes      false "No byte of the content is in the range" "Ask for a range within `size` bytes.";
    FileIdIllegal        422 "file_id_illegal"          Promote    false "The text names no file" "Send the id of an attachment, /mnt/attachments/ID, or the UUID of an asset.";
    FileEmpty            422 "file_empty"               Upload     false "The file has no bytes" "Ask the user to attach the file again.";
    UnsupportedFormat    422 "unsupported_format"       Promote    false "The file is no PNG, JPEG or WebP image" "Ask the user for the image as PNG, JPEG or WebP.";
    MediaTypeMismatch    422 "media_type_mismatch"      Promote    false "The file is another type than it was sent as" "Upload the same bytes again with the media type in `actual`.";
    ImageTruncated       422 "image_truncated"          Promote    false "The image is cut off or damaged" "Ask the user to attach the whole file under another id.";
    ImagePixels          422 "image_pixels_out_of_range" Promote   false "The image has too many pixels, or none" "Ask the user for an image of at most `limit` pixels.";
    ImageTaskNotFound    404 "image_task_not_found"     Image      true  "There is no such image task" "Send the request of the task: the same request is the same task.";
    ImageServiceTrouble  503 "image_service_unavailable" Image     true  "The image service does not answer as it should" "Send the same request again after the time in Retry-After: it goes on with the same task.";
    SlotNotFound         404 "slot_not_found"           Slot       false "There is no such slot" "Look at the page: its image is there, or will not come.";
    SlotHeldOtherwise    409 "slot_held_otherwise"      Slot       false "The slot is held for another task" "Hold another slot for another image.";
    TooManySlots         409 "too_many_slots"           Slot       true  "The page holds too many slots" "Place or drop some of them first.";
    DocumentsUnavailable 409 "documents_unavailable"    Chat       false "Documents are not available in this chat" "Stay in the mode that the chat has.";
    ChatIdIllegal        422 "chat_id_illegal"          Chat       false "The id cannot be one of a chat" "Choose another id.";
    SlotBounds           422 "slot_bounds_illegal"      Slot       false "The size or place of the slot is none" "Send a size and a place within the limits.";
}

impl Code {
    /// The status of the answer.
    pub(crate) fn status(self) -> StatusCode {
        StatusCode::from_u16(self.row().status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// The code for a status that comes from outside this crate.
    pub(crate) fn of_status(status: StatusCode) -> Self {
        match status.as_u16() {
            404 => Self::RouteNotFound,
            405 => Self::MethodNotAllowed,
            408 => Self::RequestTimeout,
            413 => Self::BodyTooLarge,
            414 => Self::UriTooLong,
            415 => Self::MediaType,
            429 => Self::TooManyRequests,
            431 => Self::HeadersTooLarge,
            503 => Self::Unavailable,
            500..=599 => Self::Internal,
            _ => Self::BadRequest,
        }
    }
}

/// Tells why a write to `page` changed nothing. `pointer` leads to the n-th delta in the body.
pub(crate) fn of_write(error: WriteError, page: &Id, pointer: impl Fn(usize) -> String) -> Problem {
    let detail = error.to_string();
    let problem = |code| Problem::new(code, detail.clone());
    match error {
        WriteError::PageNotFound { .. } => problem(Code::PageNotFound),
        WriteError::PageDeleted { head, .. } => with_head(problem(Code::PageDeleted), page, &head),
        WriteError::NameOfAChat { .. } => problem(Code::IdIllegal).with("rule", "id_of_a_chat"),
        WriteError::PageExists { head, .. } => with_head(problem(Code::PageExists), page, &head),
        WriteError::WrongKind { actual, given, .. } => problem(Code::WrongKind)
            .with("actual", actual.as_str())
            .with("given", given.as_str()),
        WriteError::BaseUnknown { base, head } => with_head(problem(Code::BaseUnknown), page, &head)
            .with("expected", base.version)
            .with("actual", head.version),
        WriteError::Stale(stale) => of_stale(problem(Code::VersionConflict), page, &stale),
        WriteError::NotForAgents { kind } => problem(Code::NotForAgents).with("kind", kind.as_str()),
        WriteError::Illegal { delta, fault } => of_apply(&pointer(delta), &fault).with("delta", delta),
        WriteError::TemporaryReference { delta, field, scheme } => problem(Code::ReferenceTemporary)
            .with("pointer", pointer(delta))
            .with("field", field)
            .with("scheme", scheme),
        WriteError::Invalid(invalid) => of_invalid(Code::IllegalValue, "/value", &invalid),
        WriteError::NoDiff(_) => problem(Code::DifferenceTooLarge),
        WriteError::CommandIdReused { .. } => problem(Code::KeyReused),
        WriteError::Empty => problem(Code::NoDeltas).with("pointer", pointer(0)),
        WriteError::TooLarge { what, limit, got } => problem(Code::TooLarge)
            .with("what", what)
            .with("limit", limit)
            .with("got", got),
        WriteError::InverseBroken { delta } => problem(Code::InverseBroken).with("delta", delta),
        WriteError::Unencodable { .. } => problem(Code::TooLarge),
        WriteError::OutcomeUnknown { command } => problem(Code::OutcomeUnknown).with("command", command.as_str()),
        WriteError::Unavailable { .. } => problem(Code::Unavailable),
        WriteError::Undo(refusal) => of_undo(&refusal),
        WriteError::Contract(refusal) => of_contract(&refusal, page, "/content"),
        WriteError::Read(error) => of_read(error, page),
    }
}

/// Tells why a read of `page` has no answer.
pub(crate) fn of_read(error: ReadError, page: &Id) -> Problem {
    let problem = |code| Problem::new(code, error.to_string());
    match &error {
        ReadError::PageNotFound { .. } => problem(Code::PageNotFound),
        ReadError::PageDeleted { head, .. } => with_head(problem(Code::PageDeleted), page, head),
        ReadError::NoSuchVersion { head, .. } => problem(Code::VersionNotFound).with("head", *head),
        ReadError::BeforeFirst { first_ms } => problem(Code::BeforeFirst).with("firstTime", time(*first_ms)),
        ReadError::CommandNotFound { .. } => problem(Code::CommandNotFound),
        ReadError::CommandAmbiguous { pages, .. } => problem(Code::CommandAmbiguous).with("pages", pages.clone()),
        ReadError::NothingThere { version, kind, .. } => problem(Code::NothingThere)
            .with("version", *version)
            .with("kind", kind.as_str()),
        ReadError::Corrupt { version, .. } => problem(Code::Corrupt).with("version", *version),
        ReadError::NoDiff { .. } => problem(Code::DifferenceTooLarge),
        ReadError::Unavailable { .. } => problem(Code::Unavailable),
    }
}

/// Tells what is wrong with a value or delta that stands at `prefix` in the body: its shape,
/// or else a rule that it breaks, told as `code`.
pub(crate) fn of_invalid(code: Code, prefix: &str, invalid: &Invalid) -> Problem {
    let pointer = format!("{prefix}{}", invalid.pointer);
    let detail = format!("at \"{pointer}\": {}", invalid.fault);
    match &invalid.fault {
        Fault::Malformed { expected } => Problem::new(Code::Malformed, detail)
            .with("pointer", pointer)
            .with("expected", *expected),
        Fault::Rule { rule } => Problem::new(code, detail)
            .with("pointer", pointer)
            .with("rule", rule.code()),
    }
}

fn of_apply(prefix: &str, fault: &ApplyError) -> Problem {
    let pointer = format!("{prefix}{}", fault.pointer);
    Problem::new(Code::IllegalDelta, format!("at \"{pointer}\": {}", fault.rule))
        .with("pointer", pointer)
        .with("rule", fault.rule.code())
        .with("operation", fault.op)
}

fn with_head(problem: Problem, page: &Id, head: &HeadInfo) -> Problem {
    let body = serde_json::to_value(HeadBody::new(page, head)).unwrap_or(Json::Null);
    problem
        .with("head", body)
        .header(axum::http::header::ETAG, &etag(head.base()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_its_own_code_a_status_of_its_class_and_a_sentence() {
        let mut codes: Vec<_> = Code::ALL.iter().map(|code| code.row().code).collect();
        codes.sort_unstable();
        let count = codes.len();
        codes.dedup();
        assert_eq!(codes.len(), count, "a code stands twice");
        for row in Code::ALL.iter().map(|code| code.row()) {
            assert!((400..600).contains(&row.status), "{}", row.code);
            assert!(row.next.ends_with('.') && !row.title.ends_with('.'), "{}", row.code);
            assert!(
                row.code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'),
                "{}",
                row.code
            );
        }
    }
}
