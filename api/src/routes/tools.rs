//! `/v1/tools`: the tools of the write contract, and the names that they had before.

use axum::response::Response;
use recto_pages::{TOOLS, Tool};
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::Reader;
use crate::params::NoQuery;
use crate::wire::{EditorTypeName, KindName, json_bytes, json_response};

/// A tool, or a name that one had.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Tool)]
pub(crate) struct ToolBody {
    /// The name in transcripts.
    name: &'static str,
    /// What it is called now; the same as `name` where that is current.
    now: &'static str,
    /// Whether the name is an older one: transcripts that hold it can be shown, but nothing is written by it.
    former: bool,
    /// The title in the chat.
    title: &'static str,
    /// What its page opens in; null where that follows from the page.
    #[schema(required = true, value_type = Option<EditorTypeName>)]
    editor_type: Option<&'static str>,
    /// The kinds of pages that it is for.
    #[schema(value_type = Vec<KindName>)]
    kinds: Vec<&'static str>,
    /// What it is billed as; null where it costs nothing.
    #[schema(required = true, value_type = Option<BillingClassName>)]
    billing: Option<&'static str>,
    /// The method of its route.
    #[schema(example = "POST")]
    method: &'static str,
    /// The path of its route.
    #[schema(example = "/v1/pages/{id}/update")]
    path: &'static str,
}

/// What a command is billed as.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "it describes a field of the API")]
pub(crate) enum BillingClassName {
    Edit,
    Create,
}

/// All tools.
#[derive(Serialize, ToSchema)]
#[schema(as = Tools)]
pub(crate) struct ToolsBody {
    /// The tools, the current ones first.
    tools: Vec<ToolBody>,
}

/// List the tools
///
/// What an agent's tools are called, what they were called before, and what their pages open in.
#[utoipa::path(get, path = "/v1/tools", tag = "agents", operation_id = "listTools",
    responses((status = 200, body = ToolsBody, description = "The tools.")))]
pub(crate) async fn list(_: Reader, _: NoQuery) -> Response {
    let tools = TOOLS.iter().map(body).collect();
    json_response(json_bytes(&ToolsBody { tools }))
}

fn body(tool: &Tool) -> ToolBody {
    ToolBody {
        name: tool.name,
        now: tool.now,
        former: tool.name != tool.now,
        title: tool.title,
        editor_type: tool.editor.map(|editor| editor.as_str()),
        kinds: tool.kinds.iter().map(|kind| kind.as_str()).collect(),
        billing: tool.billing.map(|class| class.as_str()),
        method: tool.route.0,
        path: tool.route.1,
    }
}
