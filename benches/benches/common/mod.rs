//! What all bench files share: one configuration, and measuring several things in turns.
#![allow(dead_code, reason = "no bench uses all of it")]

use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, SamplingMode};
use recto_benches::figures::{self, Figure, RECTO, Series};
use tokio::runtime::{Builder, Runtime};

/// The allocator of the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const WARM_UP: Duration = Duration::from_millis(500);
const MEASURED: Duration = Duration::from_secs(3);

/// Short samples and few of them: all benches together take about ten minutes on two cores.
pub(crate) fn configuration() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(WARM_UP)
        .measurement_time(MEASURED)
        .without_plots()
}

/// Whether the arguments ask for a group: setting up what criterion then passes over takes long.
pub(crate) fn is_wanted(group: &str) -> bool {
    let mut filters = std::env::args().skip(1).filter(|argument| !argument.starts_with('-'));
    filters.next_back().is_none_or(|filter| group.contains(&filter))
}

/// One of the things that are measured in turns.
pub(crate) struct Lane<'a> {
    who: &'static str,
    size: u64,
    run: Box<dyn FnMut() -> Duration + 'a>,
}

/// Recto's own lane.
pub(crate) fn recto<'a>(size: u64, run: impl FnMut() -> Duration + 'a) -> Lane<'a> {
    lane(RECTO, size, run)
}

/// A lane to compare with.
pub(crate) fn lane<'a>(who: &'static str, size: u64, run: impl FnMut() -> Duration + 'a) -> Lane<'a> {
    Lane {
        who,
        size,
        run: Box::new(run),
    }
}

/// Runs all lanes in turns, so that whatever else the machine does meets all of them, and keeps the median and the
/// 99th percentile of each.
pub(crate) fn in_turns(criterion: &mut Criterion, bench: &str, group: &str, mut lanes: Vec<Lane<'_>>) {
    let mut series = vec![Series::default(); lanes.len()];
    let mut benches = criterion.benchmark_group(group);
    // A round takes as long as all lanes together.
    let share = u32::try_from(lanes.len()).unwrap_or(u32::MAX).max(1);
    benches
        .sampling_mode(SamplingMode::Flat)
        .warm_up_time(WARM_UP / share)
        .measurement_time(MEASURED / share);
    for own in 0..lanes.len() {
        if lanes[own].who != RECTO {
            continue;
        }
        let id = BenchmarkId::new(RECTO, lanes[own].size);
        benches.bench_function(id, |bencher| {
            bencher.iter_custom(|rounds| (0..rounds).map(|_| round(&mut lanes, &mut series, own)).sum());
        });
    }
    benches.finish();
    let measured = lanes
        .iter()
        .zip(&series)
        .filter(|(_, series)| !series.total().is_zero());
    keep(
        bench,
        &measured
            .map(|(lane, series)| series.figure(group, lane.who, lane.size))
            .collect::<Vec<_>>(),
    );
}

fn round(lanes: &mut [Lane<'_>], series: &mut [Series], own: usize) -> Duration {
    let mut took_own = Duration::ZERO;
    for (index, (lane, series)) in lanes.iter_mut().zip(series).enumerate() {
        let took = (lane.run)();
        series.add(took);
        if index == own {
            took_own = took;
        }
    }
    took_own
}

/// Keeps figures for the table.
pub(crate) fn keep(bench: &str, figures: &[Figure]) {
    if let Err(fault) = figures::keep(bench, figures) {
        panic!("the figures of {bench} cannot be kept: {fault}");
    }
}

/// How long something takes.
pub(crate) fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let began = Instant::now();
    let made = work();
    let took = began.elapsed();
    drop(std::hint::black_box(made));
    took
}

/// The runtime of a server: as many workers as cores.
pub(crate) fn runtime() -> Runtime {
    match Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(fault) => panic!("no runtime: {fault}"),
    }
}

/// Tells whoever runs the bench.
#[expect(clippy::print_stderr, reason = "a program for the terminal")]
pub(crate) fn say(line: &str) {
    eprintln!("{line}");
}
