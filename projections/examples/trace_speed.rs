//! Measures how fast a rich text takes the keystrokes of a real trace, and one keystroke in texts of growing size.
//!
//! `cargo run --release -p recto-projections --example trace_speed` reads the folder named by `RECTO_CORPORA`, else
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
use recto_projections::text::{RichText, TextDelta};
use serde_json::Value as Json;

const ROUNDS: usize = 5;
const KEYSTROKES: usize = 20_000;

fn main() {
    replay_trace("automerge-paper");
    replay_trace("rustcode");
    type_into_texts();
}

fn replay_trace(name: &str) {
    let Some((start, deltas)) = load(name) else {
        println!("{name}: no corpora, passed over");
        return;
    };
    let patches = deltas.len();
    let plain = best(|| {
        let mut text = RichText::from_plain(&start);
        for delta in &deltas {
            text.replay(black_box(delta)).unwrap();
        }
        black_box(text.digest());
    });
    let inverses = best(|| {
        let mut text = RichText::from_plain(&start);
        for delta in &deltas {
            black_box(text.apply(black_box(delta)).unwrap());
            black_box(text.digest());
        }
    });
    let held = best(|| {
        let mut text = RichText::from_plain(&start);
        for delta in &deltas {
            let reader = text.clone();
            black_box(text.apply(black_box(delta)).unwrap());
            black_box(reader.digest());
        }
    });
    println!("{name}: {patches} edits");
    report("without inverses", patches, plain);
    report("with inverses and digests", patches, inverses);
    report("the same while a reader holds each version", patches, held);
}

/// Types into texts of growing size: anywhere, each keystroke undone at once, and in bursts at one place.
fn type_into_texts() {
    for size in [1_000, 10_000, 100_000, 1_000_000, 10_000_000] {
        let line = "The quick brown fox jumps over the lazy dog, one more time.\n";
        let text = RichText::from_plain(&line.repeat(size / line.len() + 1));
        println!("text of {size} units");
        type_at("keystrokes anywhere", &text, 1);
        type_at("bursts of 50 keystrokes", &text, 50);
    }
}

fn type_at(what: &str, start: &RichText, burst: usize) {
    let mut places = Places(1);
    let mut keys = Vec::new();
    while keys.len() < KEYSTROKES {
        let at = places.next(start.len());
        keys.extend((0..burst).map(|i| TextDelta::new().retain(at + i, None).insert("x", None)));
    }
    for reader in [false, true] {
        let time = best(|| {
            let mut text = start.clone();
            let mut held = None;
            for keys in keys.chunks(burst) {
                let mut inverses = Vec::with_capacity(burst);
                for delta in keys {
                    held = reader.then(|| text.clone());
                    inverses.push(text.apply(delta).unwrap());
                }
                inverses.iter().rev().for_each(|inverse| text.replay(inverse).unwrap());
            }
            black_box((text.digest(), held));
        });
        let reader = if reader { ", a reader holding each version" } else { "" };
        report(&format!("{what}{reader}"), 2 * keys.len(), time);
    }
}

fn report(what: &str, edits: usize, time: Duration) {
    let per_edit = time.as_secs_f64() / edits as f64;
    println!(
        "  {what}: {:.0} edits/s, {:.0} ns an edit",
        per_edit.recip(),
        per_edit * 1e9
    );
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

/// A small generator of places: the same ones at every run.
struct Places(u64);

impl Places {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % below
    }
}
