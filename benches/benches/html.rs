//! HTML of DESIGN and DOC pages: written, read, and the diff of what was read.
#![expect(clippy::expect_used, reason = "a bench that cannot run has nothing to say")]

mod common;

use common::{configuration, is_wanted};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use recto_benches::figures::RECTO;
use recto_benches::goals::group;
use recto_benches::workload::{design, doc};
use recto_pages::projections::html::{NewIds, Scope, design_from_html, design_to_html, doc_from_html, doc_to_html};
use recto_pages::projections::{DesignValue, DocValue, Value};

const BYTES: [usize; 3] = [2_000, 20_000, 200_000];
/// A page of so many nodes tells how many bytes a node takes.
const SAMPLE_NODES: usize = 100;
const FLOOR: &str = "html5ever's tokenizer alone";
const COPY: &str = "copying the HTML";

fn design_pages(criterion: &mut Criterion) {
    if ![
        group::HTML_DESIGN_WRITE,
        group::HTML_DESIGN_READ,
        group::HTML_DESIGN_DIFF,
    ]
    .iter()
    .any(|group| is_wanted(group))
    {
        return;
    }
    let node_bytes = design_to_html(&design_page(SAMPLE_NODES)).len() / SAMPLE_NODES;
    for bytes in BYTES {
        // Somewhat less, for the limit on what is read.
        let page = design_page(bytes * 24 / 25 / node_bytes);
        let html = design_to_html(&page);
        let changed = html.replacen("left:", "left:1", 1);
        let ids = NewIds::new("bench");
        let read = |html: &str| design_from_html(html, &page, Scope::Whole, &ids).expect("a page");
        write(criterion, group::HTML_DESIGN_WRITE, bytes, &html, || {
            design_to_html(&page)
        });
        tokens(criterion, group::HTML_DESIGN_READ, bytes, &html, || read(&html));
        let (old, new) = (Value::Design(page.clone()), Value::Design(read(&changed).value));
        diff(criterion, group::HTML_DESIGN_DIFF, bytes, &old, &new);
    }
}

fn documents(criterion: &mut Criterion) {
    if ![group::HTML_DOC_WRITE, group::HTML_DOC_READ, group::HTML_DOC_DIFF]
        .iter()
        .any(|group| is_wanted(group))
    {
        return;
    }
    for bytes in BYTES {
        // Tags take about a sixth.
        let page = DocValue::from_json(&doc::of_bytes(bytes * 4 / 5, 11)).expect("a document");
        let html = doc_to_html(&page);
        let changed = html.replacen("version", "revision", 1);
        write(criterion, group::HTML_DOC_WRITE, bytes, &html, || doc_to_html(&page));
        tokens(criterion, group::HTML_DOC_READ, bytes, &html, || {
            doc_from_html(&html).expect("a document")
        });
        let new = doc_from_html(&changed).expect("a document").0;
        diff(
            criterion,
            group::HTML_DOC_DIFF,
            bytes,
            &Value::Doc(page),
            &Value::Doc(new),
        );
    }
}

fn write(criterion: &mut Criterion, group: &str, bytes: usize, html: &str, run: impl Fn() -> String) {
    let mut benches = criterion.benchmark_group(group);
    benches.bench_function(BenchmarkId::new(RECTO, bytes), |bencher| bencher.iter(&run));
    benches.bench_function(BenchmarkId::new(COPY, bytes), |bencher| {
        bencher.iter(|| html.to_owned())
    });
    benches.finish();
}

fn tokens<T>(criterion: &mut Criterion, group: &str, bytes: usize, html: &str, run: impl Fn() -> T) {
    let mut benches = criterion.benchmark_group(group);
    benches.bench_function(BenchmarkId::new(RECTO, bytes), |bencher| bencher.iter(&run));
    benches.bench_function(BenchmarkId::new(FLOOR, bytes), |bencher| {
        bencher.iter(|| tokenize(html))
    });
    benches.finish();
}

fn diff(criterion: &mut Criterion, group: &str, bytes: usize, old: &Value, new: &Value) {
    let mut benches = criterion.benchmark_group(group);
    benches.bench_function(BenchmarkId::new(RECTO, bytes), |bencher| {
        bencher.iter(|| old.diff(new).expect("a diff"));
    });
    benches.finish();
}

fn design_page(nodes: usize) -> DesignValue {
    DesignValue::from_json(&design::page(nodes, 3)).expect("a page")
}

/// Takes tokens and does nothing.
struct Nowhere;

impl TokenSink for Nowhere {
    type Handle = ();

    fn process_token(&self, _: Token, _: u64) -> TokenSinkResult<()> {
        TokenSinkResult::Continue
    }
}

fn tokenize(html: &str) {
    let tokenizer = Tokenizer::new(Nowhere, TokenizerOpts::default());
    let queue = BufferQueue::default();
    queue.push_back(StrTendril::from_slice(html));
    let _ = tokenizer.feed(&queue);
    tokenizer.end();
}

criterion_group! {
    name = benches;
    config = configuration();
    targets = design_pages, documents
}
criterion_main!(benches);
