//! Measures what small deltas cost on pages of 100 to 100,000 nodes, side by side in one run.
//!
//! Every row holds as many nodes in memory as every other: a thousand pages of 100 nodes edited in turn, or one page of
//! 100,000. So the rows differ in the size of the pages alone, not in what the processor's caches hold. The first row is
//! one page of 100 nodes by itself, which fits into them.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measuring program prints, and may panic"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use recto_projections::{Delta, Json, Kind, Value};
use serde_json::json;

/// How many pages, of how many nodes.
const ROWS: [(usize, usize); 5] = [(1, 100), (1_000, 100), (100, 1_000), (10, 10_000), (1, 100_000)];
const VERBS: [&str; 4] = ["setNode", "moveNode", "add+remove", "editText"];
/// The verb that adds a node, and takes it away again.
const ADD: usize = 2;
const ROUNDS: usize = 31;
const EDITS_PER_ROUND: usize = 500;

struct Row {
    pages: Vec<Value>,
    nodes: usize,
    built: Duration,
    /// Nanoseconds per edit, by verb and round.
    times: [Vec<u128>; VERBS.len()],
}

fn main() {
    println!("median nanoseconds per edit, with inverse and digest, while a reader holds the state before");
    let mut rows: Vec<Row> = ROWS.iter().map(|(count, nodes)| row(*count, *nodes)).collect();
    for verb in 0..VERBS.len() {
        for round in 0..ROUNDS {
            for row in &mut rows {
                let time = edits(row, verb, round);
                row.times[verb].push(time);
            }
        }
    }
    println!(
        "{:>6} {:>8} {:>10} {:>10} {:>10} {:>10} {:>10} {:>12}",
        "pages", "nodes", VERBS[0], VERBS[1], VERBS[2], VERBS[3], "diff(1)", "build"
    );
    for row in &mut rows {
        let [set, moved, added, edited] = row.times.each_mut().map(|times| median(times.as_mut_slice()));
        let (pages, nodes, built, diff) = (row.pages.len(), row.nodes, row.built, diff(&row.pages[0], row.nodes));
        println!("{pages:>6} {nodes:>8} {set:>10} {moved:>10} {added:>10} {edited:>10} {diff:>10?} {built:>12?}");
    }
    for (verb, name) in VERBS.iter().enumerate() {
        let [warm, small, .., large] = &mut rows[..] else {
            return;
        };
        let [warm, small, large] = [warm, small, large].map(|row| median(&mut row.times[verb]));
        println!(
            "{name}: 100,000 nodes cost {} of 100 nodes, {} of the one page alone",
            ratio(large, small),
            ratio(large, warm)
        );
    }
}

fn row(count: usize, nodes: usize) -> Row {
    let start = Instant::now();
    let pages = (0..count).map(|_| page(nodes)).collect();
    Row {
        pages,
        nodes,
        built: start.elapsed(),
        times: Default::default(),
    }
}

fn page(size: usize) -> Value {
    let nodes: Json = (0..size)
        .map(|number| {
            let parent = if number % 10 == 0 { Json::Null } else { Json::from(format!("node-{}", number / 10 * 10)) };
            json!({"id": format!("node-{number}"), "type": "shape", "parentId": parent,
                "geometry": {"x": number, "y": 7.5, "width": 100, "height": 50},
                "props": {"text": format!("the text of node {number}"), "fill": "#fff", "opacity": 1, "style": {"stroke": "#000", "width": 2}}})
        })
        .collect();
    Value::from_json(Kind::Design, &json!({ "nodes": nodes })).unwrap()
}

/// Applies edits to nodes spread over the pages, which go on from there; a reader holds the state before each. Gives
/// nanoseconds for each edit. Added nodes are removed again, so that the pages keep their sizes.
fn edits(row: &mut Row, verb: usize, round: usize) -> u128 {
    let number = |edit: usize| (round * EDITS_PER_ROUND + edit) * 7_919;
    let deltas: Vec<Delta> = (0..EDITS_PER_ROUND)
        .map(|edit| delta(row.nodes, verb, number(edit) / row.pages.len()))
        .collect();
    let count = row.pages.len();
    let mut held = row.pages[0].clone();
    let start = Instant::now();
    for (edit, delta) in deltas.iter().enumerate() {
        let page = &mut row.pages[number(edit) % count];
        let before = page.clone();
        let applied = page.apply(delta).unwrap();
        black_box((&applied, page.digest()));
        if verb == ADD {
            page.replay(&applied.inverse).unwrap();
        }
        held = before;
    }
    let elapsed = start.elapsed().as_nanos() / u128::try_from(EDITS_PER_ROUND).unwrap();
    drop(held);
    elapsed
}

fn delta(size: usize, verb: usize, number: usize) -> Delta {
    let id = format!("node-{}", number % size);
    let op = match verb {
        0 => {
            json!({"op": "setNode", "id": id, "set": {"/props/style/stroke": format!("#{number:06x}")}})
        }
        1 => json!({"op": "moveNode", "id": id, "geometry": {"x": number}}),
        2 => {
            json!({"op": "addNode", "node": {"id": format!("new-{number}"), "type": "shape", "props": {"fill": "#000"}}})
        }
        _ => {
            json!({"op": "editText", "id": id, "pointer": "/props/text", "delta": [{"retain": 4}, {"insert": "x"}]})
        }
    };
    Delta::from_json(Kind::Design, &json!([op])).unwrap()
}

/// The time to find one changed node.
fn diff(value: &Value, size: usize) -> Duration {
    let mut changed = value.clone();
    changed.apply(&delta(size, 0, 12_345)).unwrap();
    let times = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        black_box(value.diff(&changed).unwrap());
        start.elapsed().as_nanos()
    });
    Duration::from_nanos(u64::try_from(median(&mut times.collect::<Vec<_>>())).unwrap())
}

fn median(times: &mut [u128]) -> u128 {
    times.sort_unstable();
    times[times.len() / 2]
}

fn ratio(large: u128, small: u128) -> String {
    let hundredths = large * 100 / small.max(1);
    format!("{}.{:02}x", hundredths / 100, hundredths % 100)
}
