//! A canvas as a DESIGN page: the first nodes with the page itself, the others in deltas of about a megabyte.

use serde_json::{Value as Json, json};

use super::error::LoadError;
use super::report::Loaded;
use super::trace_page::to_u64;
use super::{Context, compare};
use crate::canvas::Canvas;
use crate::client::version_of;

/// How many bytes of nodes go into one request, by the length of their JSON. A larger node goes alone.
const CHUNK_BYTES: usize = 1024 * 1024;

/// A version of the page, and how many nodes it has.
struct State {
    etag: String,
    nodes: usize,
}

pub(super) fn load(context: &Context<'_>, file: &str) -> Result<Loaded, LoadError> {
    let canvas = Canvas::read(context.corpora, file)?;
    let page = context.page_id(&canvas.name);
    let count = canvas.nodes.len().min(context.options.elements_max());
    let chunks = chunks(&canvas.nodes[..count]);
    let mut progress = context.board.page(&canvas.name);

    progress.phase("writing", chunks.len());
    let (mut states, mut replayed, mut nodes) = (Vec::<State>::new(), 0, 0);
    for (index, chunk) in chunks.iter().enumerate() {
        context.check_stop()?;
        let key = format!("{page}/{index}");
        let written = match states.last() {
            None => context.client.create(&page, "DESIGN", &canvas.value_of(chunk), &key)?,
            Some(state) => context.client.delta(&page, &state.etag, &added(chunk), &key)?,
        };
        replayed += u64::from(written.replayed);
        nodes += chunk.len();
        states.push(State {
            etag: written.etag,
            nodes,
        });
        progress.step();
    }
    let writing = progress.took();

    progress.phase("reading", states.len());
    let mut compared_bytes = 0;
    for state in &states {
        context.check_stop()?;
        compared_bytes += compare_state(context, &canvas, &page, state)?;
        progress.step();
    }
    let loaded = Loaded {
        page,
        kind: "DESIGN",
        writes: to_u64(chunks.len()),
        replayed,
        writing,
        version: states
            .last()
            .map(|state| version_of(&state.etag).to_owned())
            .unwrap_or_default(),
        compared: to_u64(states.len()),
        compared_bytes,
        reading: progress.took(),
    };
    progress.finish(context.board, &loaded.line());
    Ok(loaded)
}

/// Runs of nodes of about [`CHUNK_BYTES`]; one run at the least.
fn chunks(nodes: &[Json]) -> Vec<&[Json]> {
    let mut chunks = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (index, node) in nodes.iter().enumerate() {
        let more = node.to_string().len();
        if index > start && bytes + more > CHUNK_BYTES {
            chunks.push(&nodes[start..index]);
            (start, bytes) = (index, 0);
        }
        bytes += more;
    }
    chunks.push(&nodes[start..]);
    chunks
}

fn added(nodes: &[Json]) -> Json {
    Json::Array(
        nodes
            .iter()
            .map(|node| json!({ "op": "addNode", "node": node, "placement": "last" }))
            .collect(),
    )
}

/// Every node in its place with all its fields; and of the whole canvas, the document put together again.
fn compare_state(context: &Context<'_>, canvas: &Canvas, page: &str, state: &State) -> Result<u64, LoadError> {
    let value = context.client.read(page, &state.etag)?;
    let differs = |what| compare::differs(page, &state.etag, what);
    compare_nodes(&value, &canvas.nodes[..state.nodes]).map_err(differs)?;
    if state.nodes == canvas.nodes.len() {
        let rebuilt = Canvas::rebuild(&value).map_err(differs)?;
        compare::texts(page, &state.etag, &rebuilt.to_string(), &canvas.source.to_string())?;
    }
    Ok(to_u64(value.to_string().len()))
}

fn compare_nodes(value: &Json, source: &[Json]) -> Result<(), String> {
    let nodes = value
        .get("nodes")
        .and_then(Json::as_object)
        .ok_or("the page has no nodes")?;
    if nodes.len() != source.len() {
        return Err(format!(
            "the page has {} nodes, the source {}",
            nodes.len(),
            source.len()
        ));
    }
    for (index, ((id, node), wanted)) in nodes.iter().zip(source).enumerate() {
        if wanted.get("id").and_then(Json::as_str) != Some(id) {
            return Err(format!("node {index} is {id:?}, the source has {}", wanted["id"]));
        }
        for field in ["type", "parentId", "props"] {
            if !is_same(&node[field], &wanted[field]) {
                return Err(format!(
                    "{field} of node {id:?} is {}, the source has {}",
                    node[field], wanted[field]
                ));
            }
        }
        compare_geometry(id, &node["geometry"], &wanted["geometry"])?;
    }
    Ok(())
}

/// The fields that the source has; the others are 0.
fn compare_geometry(id: &str, geometry: &Json, wanted: &Json) -> Result<(), String> {
    for (name, wanted) in wanted.as_object().into_iter().flatten() {
        let read = &geometry[name.as_str()];
        if !is_same(read, wanted) {
            return Err(format!("{name} of node {id:?} is {read}, the source has {wanted}"));
        }
    }
    Ok(())
}

/// Compares the text: for JSON values the order of keys and the digits of a number would not count.
fn is_same(read: &Json, wanted: &Json) -> bool {
    let (read, wanted) = (read.to_string(), wanted.to_string());
    read == wanted
}
