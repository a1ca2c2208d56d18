//! The fine delta between two values.
#![expect(clippy::expect_used, reason = "a bench that cannot run has nothing to say")]

mod common;

use common::{configuration, is_wanted};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use recto_benches::figures::RECTO;
use recto_benches::goals::group;
use recto_benches::rng::Rng;
use recto_benches::service;
use recto_benches::workload::{design, doc, text};
use recto_pages::projections::{Json, Kind, Value};

const NODES: [usize; 4] = [100, 1_000, 10_000, 100_000];
const TEXT_BYTES: [usize; 4] = [2_000, 20_000, 200_000, 2_000_000];
const LINES_BETWEEN_CHANGES: usize = 100;
const FLOOR: &str = "reading both once";

/// Two values of which one came from the other by an edit, as two versions of a page do.
fn design_related(criterion: &mut Criterion) {
    if !is_wanted(group::DIFF_DESIGN) {
        return;
    }
    for nodes in NODES {
        let old = value(Kind::Design, &design::page(nodes, 3));
        let mut new = old.clone();
        let edit = service::delta(Kind::Design, &design::edit(nodes, &mut Rng::new(4))).expect("a delta");
        new.apply(&edit).expect("an edit");
        compare(criterion, group::DIFF_DESIGN, nodes, &old, &new);
    }
}

/// Two values that were read from JSON apart, as a replace meets them.
fn design_apart(criterion: &mut Criterion) {
    if !is_wanted(group::DIFF_DESIGN_APART) {
        return;
    }
    for nodes in NODES {
        let page = design::page(nodes, 3);
        let old = value(Kind::Design, &page);
        let new = old
            .successor_from_json(&design::with_one_changed(&page))
            .expect("a value");
        compare(criterion, group::DIFF_DESIGN_APART, nodes, &old, &new);
    }
}

fn code(criterion: &mut Criterion) {
    if !is_wanted(group::DIFF_CODE) {
        return;
    }
    for bytes in TEXT_BYTES {
        let (old, new) = texts(bytes);
        let (old, new) = (text::code_page(&old), text::code_page(&new));
        compare(
            criterion,
            group::DIFF_CODE,
            bytes,
            &value(Kind::Code, &old),
            &value(Kind::Code, &new),
        );
    }
}

fn rich_text(criterion: &mut Criterion) {
    if !is_wanted(group::DIFF_DOC) {
        return;
    }
    for bytes in TEXT_BYTES {
        let (old, new) = texts(bytes);
        let (old, new) = (doc::page(&old), doc::page(&new));
        compare(
            criterion,
            group::DIFF_DOC,
            bytes,
            &value(Kind::Doc, &old),
            &value(Kind::Doc, &new),
        );
    }
}

fn compare(criterion: &mut Criterion, group: &str, size: usize, old: &Value, new: &Value) {
    let mut benches = criterion.benchmark_group(group);
    benches.bench_function(BenchmarkId::new(RECTO, size), |bencher| {
        bencher.iter(|| old.diff(new).expect("a diff"));
    });
    benches.bench_function(BenchmarkId::new(FLOOR, size), |bencher| {
        bencher.iter(|| {
            let mut out = Vec::new();
            old.write_json(&mut out);
            new.write_json(&mut out);
            out
        });
    });
    benches.finish();
}

fn texts(bytes: usize) -> (String, String) {
    let old = text::lines(bytes, 11);
    let new = text::with_changed_lines(&old, LINES_BETWEEN_CHANGES);
    (old, new)
}

fn value(kind: Kind, json: &Json) -> Value {
    Value::from_json(kind, json).expect("a value")
}

criterion_group! {
    name = benches;
    config = configuration();
    targets = design_related, design_apart, code, rich_text
}
criterion_main!(benches);
