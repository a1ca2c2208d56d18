//! One file per resource: its request, its response, its handlers, in that order.

pub(crate) mod assets;
pub(crate) mod attachments;
pub(crate) mod blame;
pub(crate) mod chats;
pub(crate) mod commands;
pub(crate) mod deltas;
pub(crate) mod diff;
pub(crate) mod docs;
pub(crate) mod envelope;
pub(crate) mod events;
pub(crate) mod feeds;
pub(crate) mod health;
pub(crate) mod image_tasks;
pub(crate) mod images;
pub(crate) mod page;
pub(crate) mod pages;
pub(crate) mod problems;
pub(crate) mod read_keys;
pub(crate) mod restore;
pub(crate) mod slots;
pub(crate) mod tools;
pub(crate) mod undo;
pub(crate) mod undo_stack;
pub(crate) mod update;
pub(crate) mod usage;

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, OneOfBuilder, Schema, SchemaFormat, Type};
use utoipa::{IntoParams, PartialSchema, ToSchema};

/// The header of every write.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "it describes a header that an extractor reads")]
pub(crate) struct KeyHeader {
    /// The id of this command, your own, the same at every retry: at most 128 bytes, bare or in double quotes.
    #[param(rename = "Idempotency-Key", min_length = 1, max_length = 128, pattern = "^[!#-~]+$")]
    key: String,
}

/// The header of every write that can be tried out.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "it describes a header that an extractor reads")]
pub(crate) struct TrialKeyHeader {
    /// The id of this command, your own, the same at every retry: at most 128 bytes, bare or in double quotes. With
    /// `dryRun` none is needed.
    #[param(
        rename = "Idempotency-Key",
        required = false,
        min_length = 1,
        max_length = 128,
        pattern = "^[!#-~]+$"
    )]
    key: String,
}

/// The headers that say who acts.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "it describes headers that extractors read")]
pub(crate) struct ActorHeaders {
    /// Who acts: `user:NAME`, `agent:NAME` or, with the role admin, `system:NAME`. Without it, the user whom the token names.
    #[param(
        rename = "Recto-Actor",
        required = false,
        min_length = 6,
        max_length = 135,
        pattern = "^(user|agent|system):[!-~]{1,128}$",
        example = "user:ada"
    )]
    actor: String,
    /// The answer of an agent, or the gesture of a user, that this write belongs to: the unit of undo.
    #[param(
        rename = "Recto-Turn",
        required = false,
        min_length = 1,
        max_length = 128,
        pattern = "^[!-~]+$"
    )]
    turn: String,
}

/// The header of every write to a page that exists.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "it describes a header that an extractor reads")]
pub(crate) struct BaseHeader {
    /// The version that the write was made from: the ETag of the page as it was read.
    #[param(
        rename = "If-Match",
        min_length = 5,
        max_length = 40,
        pattern = r#"^"[1-9][0-9]{0,17}\.(0|[1-9][0-9]{0,17})"$"#,
        example = "\"1.0\""
    )]
    base: String,
}

/// The page in the path.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "it describes a parameter that an extractor reads")]
pub(crate) struct PagePath {
    /// The page.
    #[param(
        min_length = 1,
        max_length = 128,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]+$",
        example = "home"
    )]
    id: String,
}

/// A version, or a time.
pub(crate) struct Moment;

impl PartialSchema for Moment {
    fn schema() -> RefOr<Schema> {
        let version = ObjectBuilder::new()
            .schema_type(Type::Integer)
            .minimum(Some(1))
            .maximum(Some(i64::MAX));
        let time = ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)));
        let either: Schema = OneOfBuilder::new().item(version).item(time).into();
        either.into()
    }
}

impl ToSchema for Moment {}
