//! What a person sees meanwhile: bars on a terminal, a line now and then elsewhere.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

/// How often a line is written where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(5);

const STYLE: &str = "{prefix:28!} {msg:8!} {wide_bar} {human_pos:>9}/{human_len:<9} {per_sec:>12} {eta:>4}";

/// The place where progress is shown.
#[derive(Debug)]
pub(super) struct Board {
    bars: Option<MultiProgress>,
}

/// The progress of one page.
#[derive(Debug)]
pub(super) struct Progress {
    name: String,
    phase: &'static str,
    total: u64,
    done: u64,
    began: Instant,
    told: Instant,
    bar: Option<ProgressBar>,
}

impl Board {
    pub(super) fn new() -> Self {
        Self {
            bars: io::stderr().is_terminal().then(MultiProgress::new),
        }
    }

    /// Writes a line.
    pub(super) fn say(&self, line: &str) {
        match &self.bars {
            // Where the terminal is gone, nobody is there to be told.
            Some(bars) => drop(bars.println(line)),
            None => write_line(line),
        }
    }

    /// Begins a page.
    pub(super) fn page(&self, name: &str) -> Progress {
        let bar = self.bars.as_ref().map(|bars| {
            let bar = bars.add(ProgressBar::new(0));
            bar.set_prefix(name.to_owned());
            if let Ok(style) = ProgressStyle::with_template(STYLE) {
                bar.set_style(style);
            }
            bar
        });
        let now = Instant::now();
        Progress {
            name: name.to_owned(),
            phase: "",
            total: 0,
            done: 0,
            began: now,
            told: now,
            bar,
        }
    }
}

impl Progress {
    /// Begins another part of the work.
    pub(super) fn phase(&mut self, phase: &'static str, total: usize) {
        self.phase = phase;
        self.total = u64::try_from(total).unwrap_or(u64::MAX);
        self.done = 0;
        self.began = Instant::now();
        if let Some(bar) = &self.bar {
            bar.reset();
            bar.set_length(self.total);
            bar.set_message(phase);
        }
    }

    /// One step is done.
    pub(super) fn step(&mut self) {
        self.done += 1;
        match &self.bar {
            Some(bar) => bar.inc(1),
            None if self.told.elapsed() >= LINE_EVERY => {
                self.told = Instant::now();
                self.tell();
            }
            None => {}
        }
    }

    /// How long the part under way has taken.
    pub(super) fn took(&self) -> Duration {
        self.began.elapsed()
    }

    /// Ends the page.
    pub(super) fn finish(self, board: &Board, line: &str) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        board.say(line);
    }

    fn tell(&self) {
        let (done, total) = (self.done, self.total);
        let rate = rate(done, self.began.elapsed());
        write_line(&format!("{}: {} {done} of {total}, {rate:.0}/s", self.name, self.phase));
    }
}

/// Steps a second.
pub(super) fn rate(steps: u64, took: Duration) -> f64 {
    let steps = crate::figures::to_f64(usize::try_from(steps).unwrap_or(usize::MAX));
    if took.is_zero() {
        0.0
    } else {
        steps / took.as_secs_f64()
    }
}

fn write_line(line: &str) {
    // Where standard error is gone, nobody is there to be told.
    let _ = writeln!(io::stderr(), "{line}");
}
