//! Real traces in memory: applied with inverse and digest, and rebuilt from their stored bytes.
#![expect(clippy::expect_used, reason = "a bench that cannot run has nothing to say")]

mod common;

use common::{configuration, is_wanted};
use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use recto_benches::corpora::Corpora;
use recto_benches::figures::RECTO;
use recto_benches::goals::group;
use recto_benches::service;
use recto_benches::trace::{PAPER, PlainText, Trace, code_delta};
use recto_benches::workload::text::code_page;
use recto_pages::projections::{Delta, Kind, Value};

const TRACES: [&str; 4] = [PAPER, "seph-blog1", "rustcode", "sveltecomponent"];

fn replay(criterion: &mut Criterion) {
    let Some(corpora) = corpora() else { return };
    for name in TRACES {
        let group = format!("{}, {name}", group::REPLAY);
        if !is_wanted(&group) {
            continue;
        }
        let trace = Trace::read(&corpora, name).expect("a trace");
        let (start, deltas) = (start(&trace), deltas(&trace));
        let mut benches = criterion.benchmark_group(group);
        benches.sampling_mode(SamplingMode::Flat).throughput(elements(&deltas));
        benches.bench_function(RECTO, |bencher| {
            bencher.iter(|| {
                let mut value = start.clone();
                let mut inverses = 0;
                for delta in &deltas {
                    let applied = value.apply(delta).expect("an edit of the trace");
                    inverses += usize::from(!applied.inverse.is_empty());
                    std::hint::black_box(value.digest());
                }
                (value, inverses)
            });
        });
        benches.bench_function("array of code points, no inverse, no digest", |bencher| {
            bencher.iter(|| {
                let mut text = PlainText::new(&trace.start);
                for transaction in &trace.transactions {
                    text.apply(transaction).expect("an edit of the trace");
                }
                text
            });
        });
        benches.finish();
    }
}

fn rebuild(criterion: &mut Criterion) {
    let group = format!("{}, {PAPER}", group::REBUILD);
    if !is_wanted(&group) {
        return;
    }
    let Some(corpora) = corpora() else { return };
    let trace = Trace::read(&corpora, PAPER).expect("a trace");
    let (start, deltas) = (start(&trace), deltas(&trace));
    let stored: Vec<Vec<u8>> = deltas.iter().map(|delta| delta.to_bytes().expect("bytes")).collect();
    let mut benches = criterion.benchmark_group(group);
    benches.sampling_mode(SamplingMode::Flat).throughput(elements(&deltas));
    benches.bench_function(RECTO, |bencher| {
        bencher.iter(|| {
            let mut value = start.clone();
            for bytes in &stored {
                let delta = Delta::from_bytes(bytes).expect("a stored delta");
                value.replay(&delta).expect("an edit of the trace");
            }
            value.digest()
        });
    });
    benches.finish();
}

/// The value before the first edit.
fn start(trace: &Trace) -> Value {
    Value::from_json(Kind::Code, &code_page(&trace.start)).expect("a page")
}

fn deltas(trace: &Trace) -> Vec<Delta> {
    let deltas = trace
        .transactions
        .iter()
        .map(|transaction| service::delta(Kind::Code, &code_delta(transaction)));
    deltas.collect::<Result<_, _>>().expect("deltas")
}

fn elements(deltas: &[Delta]) -> Throughput {
    Throughput::Elements(u64::try_from(deltas.len()).expect("a small number"))
}

fn corpora() -> Option<Corpora> {
    Corpora::find(None)
        .inspect_err(|fault| common::say(&format!("passed over: {fault}")))
        .ok()
}

criterion_group! {
    name = benches;
    config = configuration();
    targets = replay, rebuild
}
criterion_main!(benches);
