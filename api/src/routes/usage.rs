//! `/v1/usage`: what a workspace used, by day.

use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use recto_pages::{DayUsage, USAGE_DAYS_MAX, UsageRange};
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

use super::tools::BillingClassName;
use crate::access::Reader;
use crate::params::{Params, invalid};
use crate::problem::{Problem, of_read};
use crate::state::App;
use crate::wire::{KindName, json_bytes, json_response};

/// Which days.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes parameters that are read by hand")]
pub(crate) struct UsageQuery {
    /// The first day in UTC.
    #[param(example = "2026-11-01", pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
    from: String,
    /// The last day, counted too; at most 400 days.
    #[param(example = "2026-11-30", pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
    to: String,
}

/// What was used on a day.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DayUsage)]
pub(crate) struct DayUsageBody {
    /// The day in UTC.
    #[schema(format = Date)]
    day: String,
    /// What it is billed as.
    #[schema(value_type = BillingClassName)]
    class: &'static str,
    /// The kind of the pages.
    #[schema(value_type = KindName)]
    kind: &'static str,
    /// Who wrote: users, agents or the system.
    #[schema(value_type = ActorKindName)]
    actor: &'static str,
    /// How many commands.
    commands: u64,
    /// Their units.
    units: u64,
}

/// Who acts.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "it describes a field of the API")]
enum ActorKindName {
    User,
    Agent,
    System,
}

/// What a workspace used.
#[derive(Serialize, ToSchema)]
#[schema(as = Usage)]
pub(crate) struct UsageBody {
    /// By day, class, kind and actor, in that order; what nobody used is left out.
    days: Vec<DayUsageBody>,
    /// The units of all of them.
    units: u64,
}

/// Sum the usage
///
/// Of the workspace, by day. A command counts on the day on which it was carried out, once. What changed nothing, was
/// refused or replayed, and every undo, costs nothing.
#[utoipa::path(get, path = "/v1/usage", tag = "agents", operation_id = "readUsage", params(UsageQuery),
    responses((status = 200, body = UsageBody, description = "The usage.")))]
pub(crate) async fn read(State(app): State<App>, reader: Reader, uri: Uri) -> Result<Response, Problem> {
    let params = Params::read(&uri, &["from", "to"])?;
    let day = |name: &str| {
        params
            .text(name)
            .ok_or_else(|| invalid(name, "it is missing; it is a day such as 2026-11-30"))
    };
    let range = UsageRange::new(day("from")?, day("to")?);
    let range = range.ok_or_else(|| {
        invalid(
            "to",
            &format!("from and to are days such as 2026-11-30, in their order, at most {USAGE_DAYS_MAX} of them"),
        )
    })?;
    let days = app.pages().usage(&reader.scope, range).await;
    let days = days.map_err(|fault| of_read(fault, &reader.scope))?;
    Ok(json_response(json_bytes(&UsageBody {
        units: days.iter().map(|day| day.units).sum(),
        days: days.into_iter().map(body).collect(),
    })))
}

fn body(usage: DayUsage) -> DayUsageBody {
    DayUsageBody {
        day: usage.day,
        class: usage.class.as_str(),
        kind: usage.kind.as_str(),
        actor: usage.actor.as_str(),
        commands: usage.commands,
        units: usage.units,
    }
}
