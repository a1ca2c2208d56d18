//! `/v1/pages/{id}?format=`: a page as an agent reads it.

use axum::response::Response;
use recto_pages::{At, Format, Id, ReadPage, Window};
use utoipa::IntoParams;

use crate::body::compute;
use crate::params::{Params, invalid};
use crate::problem::{Problem, of_write};
use crate::state::App;
use crate::wire::{EnvelopeBody, FormatName, add_header, etag, json_bytes, json_response};

/// The parameters that ask for the envelope.
pub(crate) const PARAMETERS: [&str; 3] = ["format", "viewport", "nodes"];
/// The most nodes that one read names.
const NODES_MAX: usize = 1_000;

/// How an agent reads the page. Any of these asks for the envelope.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes parameters that are read by hand")]
pub(crate) struct EnvelopeQuery {
    /// The form of the content. `html`: what `update_page` takes; CODE and SHEET pages, which have no HTML, come as JSON.
    /// `text` is to look at. With it, or with `viewport` or `nodes`, the answer is an envelope.
    #[param(required = false, inline, example = "html")]
    format: FormatName,
    /// Of a DESIGN page only the nodes that meet this box, with their groups: `x,y,width,height` in px.
    #[param(required = false, example = "0,0,1280,800", max_length = 256)]
    viewport: String,
    /// Of a DESIGN page only these nodes, with all that lies below them and their groups: ids with commas between, none with a comma in it.
    #[param(required = false, example = "title,hero")]
    nodes: String,
}

/// What a query asks for; nothing where it asks for the page as it is stored.
pub(crate) fn asked(params: &Params) -> Result<Option<(Format, Option<Window>)>, Problem> {
    if PARAMETERS.iter().all(|name| params.text(name).is_none()) {
        return Ok(None);
    }
    let format = match params.text("format") {
        None | Some("html") => Format::Html,
        Some("json") => Format::Json,
        Some("text") => Format::Text,
        Some(_) => return Err(invalid("format", "it is html, json or text")),
    };
    let window = match (params.text("viewport"), params.text("nodes")) {
        (None, None) => None,
        (Some(viewport), None) => Some(read_viewport(viewport)?),
        (None, Some(nodes)) => Some(read_nodes(nodes)?),
        _ => return Err(invalid("nodes", "a read has a viewport or nodes, not both")),
    };
    Ok(Some((format, window)))
}

/// Answers with the envelope.
pub(crate) async fn respond(
    app: &App,
    scope: Id,
    page: Id,
    at: At,
    (format, window): (Format, Option<Window>),
) -> Result<Response, Problem> {
    let read = ReadPage {
        scope,
        page: page.clone(),
        at,
        format,
        window,
    };
    let envelope = app.pages().read_page(read).await;
    let envelope = envelope.map_err(|refusal| of_write(refusal, &page, |_| String::new()))?;
    let (base, work) = (envelope.state.at.base(), envelope.state.value.weight());
    let mut response = json_response(compute(work, move || json_bytes(&EnvelopeBody::new(envelope))).await?);
    // A token may be sealed anew while the version stays: an older answer is never said to be known.
    add_header(&mut response, axum::http::header::CACHE_CONTROL, "private, no-store");
    add_header(&mut response, axum::http::header::ETAG, &etag(base));
    Ok(response)
}

fn read_viewport(text: &str) -> Result<Window, Problem> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
    let numbers = numbers.and_then(|numbers| <[f64; 4]>::try_from(numbers).ok());
    let window = numbers.and_then(Window::viewport);
    window.ok_or_else(|| {
        invalid(
            "viewport",
            "it is x,y,width,height in px: four numbers with commas between, the size not negative",
        )
    })
}

fn read_nodes(text: &str) -> Result<Window, Problem> {
    let ids: Vec<String> = text
        .split(',')
        .map(|id| id.trim().to_owned())
        .filter(|id| !id.is_empty())
        .collect();
    if ids.is_empty() || ids.len() > NODES_MAX {
        return Err(invalid(
            "nodes",
            &format!("it is 1 to {NODES_MAX} ids with commas between"),
        ));
    }
    Ok(Window::Nodes(ids))
}
