//! A keystroke trace as a CODE page, one event a transaction.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::error::LoadError;
use super::report::Loaded;
use super::{Context, compare};
use crate::client::version_of;
use crate::trace::{Checkpoint, PlainText, TRACE_FILE, Trace, code_delta};
use crate::workload::text::code_page;

/// How many states are compared at the least, where the trace is that long.
const STATES_MIN: usize = 50;

/// A state to be compared: after how many transactions, at which version, with which text.
struct State {
    transactions: usize,
    etag: String,
    text: String,
}

pub(super) fn load(context: &Context<'_>, name: &str) -> Result<Loaded, LoadError> {
    let trace = Trace::read(context.corpora, name)?;
    let page = context.page_id(name);
    let count = trace.transactions.len().min(context.options.events_max());
    let mut progress = context.board.page(name);

    progress.phase("writing", count);
    let wanted = wanted_states(&trace, count);
    let mut plain = PlainText::new(&trace.start);
    let mut states = Vec::new();
    let created = context
        .client
        .create(&page, "CODE", &code_page(&trace.start), &format!("{page}/create"))?;
    let (mut etag, mut replayed) = (created.etag, u64::from(created.replayed));
    for done in 0..=count {
        if wanted.contains(&done) {
            states.push(State {
                transactions: done,
                etag: etag.clone(),
                text: plain.to_text(),
            });
        }
        let Some(transaction) = trace.transactions.get(done).filter(|_| done < count) else {
            break;
        };
        context.check_stop()?;
        let written = context
            .client
            .delta(&page, &etag, &code_delta(transaction), &format!("{page}/{done}"))?;
        replayed += u64::from(written.replayed);
        etag = written.etag;
        plain.apply(transaction).map_err(|what| LoadError::Trace {
            name: name.to_owned(),
            what,
        })?;
        progress.step();
    }
    let writing = progress.took();

    progress.phase("reading", states.len());
    let mut compared_bytes = 0;
    for state in &states {
        context.check_stop()?;
        let value = context.client.read(&page, &state.etag)?;
        compared_bytes += compare_state(&trace, &page, state, &value)?;
        progress.step();
    }
    if count == trace.transactions.len() {
        compare_end(context, &trace, &page, &etag)?;
    }
    let loaded = Loaded {
        page,
        kind: "CODE",
        writes: to_u64(count) + 1,
        replayed,
        writing,
        version: version_of(&etag).to_owned(),
        compared: to_u64(states.len()),
        compared_bytes,
        reading: progress.took(),
    };
    progress.finish(context.board, &loaded.line());
    Ok(loaded)
}

/// The recorded checkpoints, and more where these are few.
fn wanted_states(trace: &Trace, count: usize) -> BTreeSet<usize> {
    let known = trace.checkpoints.iter().map(|checkpoint| checkpoint.transactions);
    let mut wanted: BTreeSet<usize> = known.filter(|transactions| *transactions <= count).collect();
    wanted.extend([0, count]);
    if wanted.len() < STATES_MIN {
        wanted.extend(compare::spread(count, STATES_MIN));
    }
    wanted
}

fn compare_state(trace: &Trace, page: &str, state: &State, value: &Json) -> Result<u64, LoadError> {
    let read = text_of(value).ok_or_else(|| compare::differs(page, &state.etag, no_file()))?;
    compare::texts(page, &state.etag, read, &state.text)?;
    if let Some(known) = checkpoint(trace, state.transactions) {
        known
            .check(read)
            .map_err(|what| compare::differs(page, &state.etag, what))?;
    }
    Ok(to_u64(read.len()))
}

fn compare_end(context: &Context<'_>, trace: &Trace, page: &str, etag: &str) -> Result<(), LoadError> {
    let value = context.client.read_head(page)?;
    let read = text_of(&value).ok_or_else(|| compare::differs(page, etag, no_file()))?;
    compare::texts(page, etag, read, &trace.end)
}

fn checkpoint(trace: &Trace, transactions: usize) -> Option<&Checkpoint> {
    trace
        .checkpoints
        .iter()
        .find(|checkpoint| checkpoint.transactions == transactions)
}

fn text_of(value: &Json) -> Option<&str> {
    value.get("files")?.get(TRACE_FILE)?.as_str()
}

fn no_file() -> String {
    format!("the page has no file {TRACE_FILE:?}")
}

pub(super) fn to_u64(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
