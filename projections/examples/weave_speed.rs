//! Measures the weave on the keystrokes of a real trace: working them in, and undoing an edit that many others followed.
//!
//! `cargo run --release -p recto-projections --example weave_speed` reads the folder named by `RECTO_CORPORA`, else
//! `shared/corpora` beside the repository.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measuring tool prints, and may stop"
)]

use std::hint::black_box;
use std::io::Read as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use flate2::read::GzDecoder;
use recto_projections::text::weave::{CodeWeave, EditId, Weave};
use recto_projections::text::{RichText, TextDelta};
use recto_projections::{CodeOp, Kind, Value};
use serde_json::{Value as Json, json};

const ROUNDS: usize = 5;
/// How many of the foreign edits come before the one that is undone.
const EARLIER: usize = 100_000;

fn main() {
    let Some((start, deltas)) = load("automerge-paper") else {
        println!("automerge-paper: no corpora, passed over");
        return;
    };
    whole_trace(&RichText::from_plain(&start), &deltas);
    let mut text = RichText::from_plain(&start);
    deltas[..EARLIER].iter().for_each(|delta| text.replay(delta).unwrap());
    for foreign in [1, 100, 10_000, 100_000] {
        selective_undo(&text, &deltas[EARLIER..EARLIER + foreign]);
    }
}

/// Keeps a weave at the head while the whole trace is typed, then undoes edits anywhere in it.
fn whole_trace(start: &RichText, deltas: &[TextDelta]) {
    let woven = best(|| drop(black_box(weave(start, deltas))));
    let mut weave = weave(start, deltas);
    println!("all {} keystrokes of the trace", deltas.len());
    report("woven", deltas.len(), woven);
    println!(
        "  {} runs, {} bytes an edit",
        weave.run_count(),
        weave.weight() / deltas.len()
    );
    let page = Value::from_json(Kind::Code, &json!({ "files": { "paper.tex": "" } })).unwrap();
    let ops: Vec<CodeOp> = deltas
        .iter()
        .map(|delta| CodeOp::EditFile {
            path: "paper.tex".into(),
            delta: delta.clone(),
        })
        .collect();
    let in_code = best(|| {
        let Value::Code(page) = &page else { return };
        let mut weave = CodeWeave::new(page);
        for (index, op) in ops.iter().enumerate() {
            weave.edit(id(index), black_box(std::slice::from_ref(op))).unwrap();
        }
    });
    report("woven, in a file of a CODE page", deltas.len(), in_code);
    let edits: Vec<EditId> = (0..10_000).map(|i| id(i * (deltas.len() / 10_000))).collect();
    let switched = best(|| {
        for on in [false, true] {
            edits
                .iter()
                .for_each(|edit| drop(black_box(weave.toggle(&[*edit], on).unwrap())));
        }
    });
    report("one edit switched", 2 * edits.len(), switched);
    let turn = best(|| {
        for on in [false, true] {
            black_box(weave.toggle(&edits, on).unwrap());
        }
    });
    report("10,000 edits switched at once, each", 2 * edits.len(), turn);
}

/// Replaces a sentence, lets others type, and undoes the replacement.
fn selective_undo(text: &RichText, foreign: &[TextDelta]) {
    let own = TextDelta::new()
        .retain(text.len() / 2, None)
        .insert("another sentence", None)
        .delete(40);
    let shift = own.clone();
    let foreign: Vec<TextDelta> = foreign
        .iter()
        .scan(shift, |shift, delta| {
            let moved = shift.transform(delta, true);
            *shift = delta.transform(shift, false);
            Some(moved)
        })
        .collect();
    let mut after = text.clone();
    after.replay(&own).unwrap();
    foreign.iter().for_each(|delta| after.replay(delta).unwrap());
    let all = || std::iter::once(&own).chain(&foreign);

    let build = best(|| drop(black_box(weave_of(text, all()))));
    let mut weave = weave_of(text, all());
    let undo = best(|| {
        black_box(weave.preview(&[id(0)]).unwrap());
    });
    let delta = weave.preview(&[id(0)]).unwrap();
    after.replay(&delta).unwrap();
    println!("an edit undone after {} foreign ones", foreign.len());
    report("weave built, for each event", foreign.len() + 1, build);
    report("undone and redone", 1, undo);
    report("together, for each event passed", foreign.len(), build + undo);
}

fn weave(start: &RichText, deltas: &[TextDelta]) -> Weave {
    weave_of(start, deltas.iter())
}

fn weave_of<'a>(start: &RichText, deltas: impl Iterator<Item = &'a TextDelta>) -> Weave {
    let mut weave = Weave::new(start).unwrap();
    for (index, delta) in deltas.enumerate() {
        weave.edit(id(index), black_box(delta)).unwrap();
    }
    weave
}

fn id(index: usize) -> EditId {
    EditId(u64::try_from(index).unwrap() + 1)
}

fn report(what: &str, count: usize, time: Duration) {
    println!("  {what}: {:.3} µs", time.as_secs_f64() * 1e6 / count as f64);
}

fn best(mut run: impl FnMut()) -> Duration {
    let timed = |_| {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    (0..ROUNDS).map(timed).min().unwrap()
}

fn load(name: &str) -> Option<(String, Vec<TextDelta>)> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/corpora");
    let folder = std::env::var_os("RECTO_CORPORA").map_or_else(|| PathBuf::from(beside), PathBuf::from);
    let file = std::fs::File::open(folder.join(format!("traces/{name}.json.gz"))).ok()?;
    let mut json = String::new();
    GzDecoder::new(file).read_to_string(&mut json).ok()?;
    let trace: Json = serde_json::from_str(&json).ok()?;
    let mut deltas = Vec::new();
    for transaction in trace["txns"].as_array()? {
        for patch in transaction["patches"].as_array()? {
            let number = |i: usize| usize::try_from(patch[i].as_u64().unwrap()).unwrap();
            let delta = TextDelta::new().retain(number(0), None);
            deltas.push(delta.insert(patch[2].as_str()?, None).delete(number(1)));
        }
    }
    Some((trace["startContent"].as_str()?.to_owned(), deltas))
}
