//! `/problems`: the table of refusals, where the `type` of every problem leads.

use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;

use crate::params::Name;
use crate::problem::{Code, Problem};
use crate::wire::{json_bytes, json_response};

/// A way in which a request is refused.
#[derive(Serialize, ToSchema)]
#[schema(as = ProblemKind)]
pub(crate) struct ProblemKindBody {
    /// The `type` of such a problem.
    #[serde(rename = "type")]
    uri: String,
    /// The stable code.
    code: &'static str,
    /// The status of the answer.
    status: u16,
    /// What is the case.
    title: &'static str,
    /// What to do next.
    next: &'static str,
    /// Whether the same intent can pass when it is sent again after doing what `next` says.
    retry: bool,
}

/// All ways in which a request is refused.
#[derive(Serialize, ToSchema)]
#[schema(as = ProblemKinds)]
pub(crate) struct ProblemKindsBody {
    /// The ways.
    problems: Vec<ProblemKindBody>,
}

/// List the problems
#[utoipa::path(get, path = "/problems", tag = "operations", operation_id = "listProblems", security(()),
    responses((status = 200, body = ProblemKindsBody, description = "The table.")))]
pub(crate) async fn list() -> Response {
    json_response(json_bytes(&ProblemKindsBody {
        problems: Code::ALL.iter().map(|code| kind(*code)).collect(),
    }))
}

/// Read one problem
#[utoipa::path(get, path = "/problems/{id}", tag = "operations", operation_id = "readProblem", security(()),
    params(("id" = String, Path, description = "The code.", example = "version_conflict")),
    responses(
        (status = 200, body = ProblemKindBody, description = "Its row of the table."),
    ))]
pub(crate) async fn read(Name(name): Name) -> Result<Response, Problem> {
    let code = Code::ALL.iter().find(|code| code.row().code == name);
    let code = code.ok_or_else(|| Problem::plain(Code::ProblemNotFound))?;
    Ok(json_response(json_bytes(&kind(*code))))
}

fn kind(code: Code) -> ProblemKindBody {
    let row = code.row();
    ProblemKindBody {
        uri: format!("/problems/{}", row.code),
        code: row.code,
        status: row.status,
        title: row.title,
        next: row.next,
        retry: row.retry,
    }
}
