//! The description of the API: made from the handlers and from the table of problems, so that it cannot fall behind.

use std::collections::BTreeMap;

use serde_json::json;
use utoipa::openapi::path::{Operation, Parameter};
use utoipa::openapi::schema::{AdditionalProperties, AllOfBuilder, ObjectBuilder, OneOfBuilder, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{Content, OpenApi, PathItem, Ref, RefOr, Response, ResponseBuilder, Schema};
use utoipa::{OpenApi as _, ToSchema};

use crate::problem::{Area, CONTENT_TYPE, Code};
use crate::wire::{EventBody, HeadBody, RemarkBody};

/// The bodies of requests: no field is unknown there.
const REQUESTS: [&str; 17] = [
    "NewPage",
    "Replacement",
    "Deltas",
    "Undo",
    "Restore",
    "NewImageTask",
    "NewSlot",
    "Placement",
    "ComposerMode",
    "ModeSwitch",
    "Trajectory",
    "UpdateReplace",
    "UpdateMerge",
    "NewImage",
    "NewCanvasImage",
    "ImageBounds",
    "ImageUpdate",
];
/// The operations whose body may be left out.
const WITHOUT_BODY: [&str; 2] = ["undoPage", "redoPage"];

/// A refusal, as RFC 9457 has it. Each code has fields of its own beside these.
#[derive(ToSchema)]
#[schema(as = Problem)]
#[expect(dead_code, reason = "it describes what the type of the same name writes")]
struct ProblemBody {
    /// Where the code is explained: `/problems/` and the code.
    #[schema(rename = "type", example = "/problems/version_conflict")]
    uri: String,
    /// What is the case, in general.
    title: String,
    /// The status of the answer.
    #[schema(minimum = 400, maximum = 599)]
    status: u16,
    /// What is the case here.
    detail: String,
    /// The stable code.
    #[schema(example = "version_conflict")]
    code: String,
    /// What to do next.
    next: String,
    /// Whether the same intent can pass when it is sent again after doing what `next` says.
    retry: bool,
}

/// A refusal of a stale write, with all that is needed to try again.
#[derive(ToSchema)]
#[schema(as = VersionConflict, rename_all = "camelCase")]
#[expect(dead_code, reason = "it describes fields of a problem")]
struct VersionConflictBody {
    /// The version that the write was made from.
    expected: u64,
    /// The page's newest version.
    actual: u64,
    /// Where the page stands.
    head: HeadBody,
    /// What was committed since, oldest first, up to 64 KiB.
    missed: Vec<EventBody>,
    /// Where to read on, where not all of it fitted.
    #[schema(required = true, example = "/v1/pages/home/events?after=7")]
    missed_next: Option<String>,
    /// What stands in the way of a rebase, by delta and operation of the request, up to 64 KiB; empty where nothing
    /// does, or none was tried.
    conflicts: Vec<RemarkBody>,
    /// How many more there are.
    conflicts_omitted: u64,
    /// Whether a rebase would pass.
    rebase: RebasableBody,
}

/// Whether a rebase would pass.
#[derive(ToSchema)]
#[schema(as = Rebase)]
#[expect(dead_code, reason = "it describes fields of a problem")]
struct RebasableBody {
    /// Null where writes of this sort are never rebased.
    #[schema(required = true)]
    possible: Option<bool>,
    /// Why it is not: `conflicts` stand in the way, too much was committed since (`too_far`), or writes of this sort
    /// are `never` rebased.
    #[schema(required = true, value_type = Option<NotRebasableName>)]
    reason: Option<String>,
}

/// Why a stale write is not rebased.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "it describes a field of a problem")]
enum NotRebasableName {
    Conflicts,
    TooFar,
    Never,
}

/// A refusal of a replace that was made from an older read: the fields of a version conflict, and these.
#[derive(ToSchema)]
#[schema(as = ReadStale, rename_all = "camelCase")]
#[expect(dead_code, reason = "it describes fields of a problem")]
struct ReadStaleBody {
    /// Where the page stands.
    head: HeadBody,
    /// What was committed since, oldest first, up to 64 KiB.
    missed: Vec<EventBody>,
    /// What changed since, in words.
    words: Vec<String>,
}

/// A refusal of a merge whose nodes others changed: the fields of a version conflict, and these.
#[derive(ToSchema)]
#[schema(as = NodeChanged, rename_all = "camelCase")]
#[expect(dead_code, reason = "it describes fields of a problem")]
struct NodeChangedBody {
    /// Where the page stands.
    head: HeadBody,
    /// The nodes.
    nodes: Vec<String>,
    /// Of each: `edited`, `removed` or `added`, in words, by whom, at which version; up to 32 KiB.
    changes: Vec<RemarkBody>,
    /// How many more there are.
    changes_omitted: u64,
}

/// A refusal of an undo by the policy `abort`.
#[derive(ToSchema)]
#[schema(as = UndoConflicts, rename_all = "camelCase")]
#[expect(dead_code, reason = "it describes fields of a problem")]
struct UndoConflictsBody {
    /// What stands in the way, up to 64 KiB.
    conflicts: Vec<RemarkBody>,
    /// How many more there are.
    conflicts_omitted: u64,
}

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Recto",
        description = include_str!("openapi/overview.md"),
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
    ),
    tags(
        (name = "pages", description = "Pages: make, read, write, delete."),
        (name = "agents", description = "What an agent's tools call: write what was read, deliver images, usage."),
        (name = "undo", description = "Taking edits back: undo, redo, restore, the stacks."),
        (name = "history", description = "Events and differences."),
        (name = "feeds", description = "Changes as they happen."),
        (name = "commands", description = "What became of a write."),
        (name = "files", description = "Attachments and assets."),
        (name = "images", description = "Image tasks, and the places where their images go."),
        (name = "chats", description = "What a chat makes, and what its agent did."),
        (name = "operations", description = "For those who watch over the server."),
    ),
    components(schemas(ProblemBody, VersionConflictBody, UndoConflictsBody, ReadStaleBody, NodeChangedBody)),
)]
struct Base;

/// The description without its routes.
pub(crate) fn base() -> OpenApi {
    let mut api = Base::openapi();
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("A token that the server was started with. Without tokens the server listens on loopback and asks for none."))
        .build();
    if let Some(components) = &mut api.components {
        components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
    }
    api
}

/// Adds to every route the refusals that can come up there, and closes the bodies that it takes.
pub(crate) fn completed(mut api: OpenApi) -> OpenApi {
    let schemas = api.components.iter_mut().flat_map(|components| &mut components.schemas);
    for (_, schema) in schemas.filter(|(name, _)| REQUESTS.contains(&name.as_str())) {
        if let RefOr::T(Schema::Object(object)) = schema {
            object.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(false)));
        }
    }
    for (path, item) in &mut api.paths.paths {
        for operation in operations(item) {
            let areas = areas(path, operation);
            add_problems(operation, &areas);
            if WITHOUT_BODY.contains(&operation.operation_id.as_deref().unwrap_or_default())
                && let Some(RefOr::T(body)) = &mut operation.request_body
            {
                body.required = Some(utoipa::openapi::Required::False);
            }
            if areas.contains(&Area::Access) {
                let needs = [
                    utoipa::openapi::SecurityRequirement::new("bearer", Vec::<String>::new()),
                    Default::default(),
                ];
                operation.security = Some(needs.into());
            }
        }
    }
    api
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [
        &mut item.get,
        &mut item.put,
        &mut item.post,
        &mut item.patch,
        &mut item.delete,
    ]
    .into_iter()
    .flatten()
}

/// What a route does follows from its path and its parameters.
fn areas(path: &str, operation: &Operation) -> Vec<Area> {
    let has = |name: &str| parameters(operation).any(|parameter| parameter.name == name);
    let is = |names: &[&str]| names.contains(&operation.operation_id.as_deref().unwrap_or_default());
    let takes_json = operation.request_body.is_some() && !is(&["uploadAttachment"]);
    let writes_content =
        takes_json && ["/v1/pages", "/v1/images"].iter().any(|begin| path.starts_with(begin)) && !is(&["holdSlot"]);
    let found = [
        (Area::Every, true),
        (Area::Access, path.starts_with("/v1/")),
        (Area::Received, operation.request_body.is_some()),
        (Area::Body, takes_json),
        (Area::Write, has("Idempotency-Key")),
        (Area::Based, has("If-Match")),
        (Area::Sized, takes_json),
        (Area::Content, writes_content),
        (Area::Create, is(&["createPage"])),
        (Area::Update, is(&["updatePage"])),
        (Area::Markup, is(&["updatePage", "createPage"])),
        (
            Area::Nodes,
            is(&[
                "updatePage",
                "readPage",
                "insertImage",
                "insertCanvasImage",
                "updateImage",
            ]),
        ),
        (Area::Images, is(&["insertImage", "insertCanvasImage", "updateImage"])),
        (Area::Undo, is(&["undoPage", "redoPage"])),
        (Area::Page, path.starts_with("/v1/pages/{id}")),
        (
            Area::Head,
            path.starts_with("/v1/pages/{id}")
                && !["/events", "/feed", "/undo-stack"]
                    .iter()
                    .any(|part| path.contains(part)),
        ),
        (Area::Head, is(&["createPage"])),
        (
            Area::Version,
            has("version") || has("at") || has("from") || is(&["undoPage", "redoPage", "restorePage"]),
        ),
        (Area::Blame, is(&["blamePage"])),
        (Area::Difference, has("from") || writes_content),
        (Area::Command, path.starts_with("/v1/commands/")),
        (Area::Feed, path.ends_with("/feed")),
        (Area::Ready, path == "/readyz"),
        (
            Area::File,
            path.starts_with("/v1/assets/{id}") || path.ends_with("/promote"),
        ),
        (Area::Upload, is(&["uploadAttachment"])),
        (Area::Promote, path.ends_with("/promote")),
        (Area::Bytes, is(&["readAssetContent"])),
        (Area::Image, path.starts_with("/v1/image-tasks") || is(&["holdSlot"])),
        (Area::Slot, path.contains("/slots/")),
        (Area::Chat, path.starts_with("/v1/chats/")),
        (
            Area::Promote,
            is(&["placeImage", "insertImage", "insertCanvasImage", "updateImage"]),
        ),
        (
            Area::File,
            is(&["placeImage", "insertImage", "insertCanvasImage", "updateImage"]),
        ),
    ];
    found.into_iter().filter(|(_, is)| *is).map(|(area, _)| area).collect()
}

fn parameters(operation: &Operation) -> impl Iterator<Item = &Parameter> {
    operation
        .parameters
        .iter()
        .flatten()
        .filter_map(|parameter| match parameter {
            RefOr::T(parameter) => Some(parameter),
            RefOr::Ref(_) => None,
        })
}

fn add_problems(operation: &mut Operation, areas: &[Area]) {
    let mut by_status: BTreeMap<u16, Vec<Code>> = BTreeMap::new();
    for code in Code::ALL.iter().filter(|code| areas.contains(&code.row().area)) {
        by_status.entry(code.row().status).or_default().push(*code);
    }
    if path_is_problem(operation) {
        by_status.entry(404).or_default().push(Code::ProblemNotFound);
    }
    for (status, codes) in by_status {
        operation
            .responses
            .responses
            .insert(status.to_string(), RefOr::T(problem_response(&codes)));
    }
}

fn path_is_problem(operation: &Operation) -> bool {
    operation.operation_id.as_deref() == Some("readProblem")
}

fn problem_response(codes: &[Code]) -> Response {
    let lines: Vec<String> = codes
        .iter()
        .map(|code| code.row())
        .map(|row| format!("`{}`: {}", row.code, row.title))
        .collect();
    let content = Content::builder().schema(Some(problem_schema(codes))).build();
    let extensions = utoipa::openapi::extensions::ExtensionsBuilder::new()
        .add("x-codes", json!(names(codes)))
        .build();
    ResponseBuilder::new()
        .description(lines.join("; "))
        .content(CONTENT_TYPE, content)
        .extensions(Some(extensions))
        .build()
}

/// The codes that have fields of their own which a caller builds on.
fn fields_of(code: Code) -> Option<&'static str> {
    match code {
        Code::VersionConflict => Some("VersionConflict"),
        Code::UndoConflicts => Some("UndoConflicts"),
        Code::ReadStale => Some("ReadStale"),
        Code::NodeChanged => Some("NodeChanged"),
        Code::MergeConflict => Some("VersionConflict"),
        _ => None,
    }
}

fn problem_schema(codes: &[Code]) -> RefOr<Schema> {
    let problem = || Ref::from_schema_name("Problem");
    let (own, plain): (Vec<Code>, Vec<Code>) = codes.iter().partition(|code| fields_of(**code).is_some());
    let with_fields = |code: Code| {
        let fields = fields_of(code).map(Ref::from_schema_name);
        fields
            .into_iter()
            .fold(AllOfBuilder::new().item(problem()), AllOfBuilder::item)
    };
    match (own.as_slice(), plain.as_slice()) {
        ([], _) => problem().into(),
        ([code], []) => with_fields(*code).into(),
        _ => {
            let choices = own.iter().map(|code| with_fields(*code).item(only(&[*code])));
            let others = AllOfBuilder::new().item(problem()).item(only(&plain));
            choices
                .chain([others])
                .fold(OneOfBuilder::new(), OneOfBuilder::item)
                .into()
        }
    }
}

/// A problem of one of these codes.
fn only(codes: &[Code]) -> ObjectBuilder {
    let code = ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(names(codes)));
    ObjectBuilder::new().property("code", code)
}

fn names(codes: &[Code]) -> Vec<&'static str> {
    codes.iter().map(|code| code.row().code).collect()
}
