//! Figures: what a bench measured, kept in files from which the table is made.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The name under which Recto's own figures stand; all others are what it is compared with.
pub const RECTO: &str = "recto";

/// Samples of one thing, in nanoseconds.
#[derive(Clone, Debug, Default)]
pub struct Series(Vec<u64>);

/// One figure.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Figure {
    /// What is measured; its row's name in the table.
    pub group: String,
    /// Who: [`RECTO`], or the name of a floor.
    pub who: String,
    /// The size that grows from row to row, with its unit in the group's name; 0 where nothing grows.
    pub size: u64,
    /// The middle of the samples.
    pub median: f64,
    /// Of a hundred samples, one was larger.
    pub p99: Option<f64>,
    /// How many samples.
    pub samples: usize,
    /// What is counted.
    pub unit: Unit,
}

/// What a figure counts.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub enum Unit {
    /// Nanoseconds for one.
    Nanoseconds,
    /// So many in a second.
    PerSecond,
    /// Bytes.
    Bytes,
}

impl Series {
    /// Adds a sample.
    pub fn add(&mut self, took: Duration) {
        self.0.push(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX));
    }

    /// Adds a sample that stands for several equal steps.
    pub fn add_mean(&mut self, took: Duration, steps: u64) {
        self.0
            .push(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX) / steps.max(1));
    }

    /// The sum of all samples.
    #[must_use]
    pub fn total(&self) -> Duration {
        Duration::from_nanos(self.0.iter().sum())
    }

    /// The sample below which a share of all lies, in nanoseconds; 0 without samples.
    #[must_use]
    pub fn quantile(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let wanted = (0..sorted.len()).find(|rank| (to_f64(*rank) + 1.0) >= share * to_f64(sorted.len()));
        wanted.map_or(0.0, |rank| to_f64(usize::try_from(sorted[rank]).unwrap_or(usize::MAX)))
    }

    /// The samples as a figure.
    #[must_use]
    pub fn figure(&self, group: &str, who: &str, size: u64) -> Figure {
        Figure {
            group: group.to_owned(),
            who: who.to_owned(),
            size,
            median: self.quantile(0.5),
            p99: (self.0.len() >= 100).then(|| self.quantile(0.99)),
            samples: self.0.len(),
            unit: Unit::Nanoseconds,
        }
    }
}

impl Figure {
    /// A single number.
    #[must_use]
    pub fn single(group: &str, who: &str, size: u64, value: f64, unit: Unit) -> Self {
        Self {
            group: group.to_owned(),
            who: who.to_owned(),
            size,
            median: value,
            p99: None,
            samples: 1,
            unit,
        }
    }
}

/// The folder of what benches leave: beside criterion's own.
#[must_use]
pub fn folder() -> PathBuf {
    target_folder().join("recto-figures")
}

/// The folder that cargo builds into.
#[must_use]
pub fn target_folder() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target");
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(beside, PathBuf::from)
}

/// Keeps the figures of a bench, in place of those of its last run that measured the same.
///
/// # Errors
/// Where the file cannot be written.
pub fn keep(bench: &str, figures: &[Figure]) -> io::Result<()> {
    let folder = folder();
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{bench}.json"));
    let mut kept = read(&path).unwrap_or_default();
    for figure in figures {
        kept.retain(|known| (&known.group, &known.who, known.size) != (&figure.group, &figure.who, figure.size));
        kept.push(figure.clone());
    }
    std::fs::write(path, serde_json::to_vec_pretty(&kept)?)
}

/// All figures kept so far, criterion's included; where both measured the same, the bench's own counts.
///
/// # Errors
/// Where a file is there and cannot be read.
pub fn collect() -> io::Result<Vec<Figure>> {
    let mut all = BTreeMap::new();
    for figure in crate::criterion_files::figures(&target_folder().join("criterion"))? {
        all.insert((figure.group.clone(), figure.who.clone(), figure.size), figure);
    }
    for path in json_files(&folder())? {
        for figure in read(&path)? {
            all.insert((figure.group.clone(), figure.who.clone(), figure.size), figure);
        }
    }
    Ok(all.into_values().collect())
}

fn json_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "json") {
            files.push(path);
        }
    }
    Ok(files)
}

fn read(path: &Path) -> io::Result<Vec<Figure>> {
    Ok(serde_json::from_slice(&std::fs::read(path)?)?)
}

/// Counts are far below 2^53, where every whole number is exact.
#[must_use]
pub fn to_f64(count: usize) -> f64 {
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    let (high, low) = (
        u32::try_from(count >> 32).unwrap_or(u32::MAX),
        u32::try_from(count & 0xffff_ffff).unwrap_or(0),
    );
    f64::from(high) * 4_294_967_296.0 + f64::from(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_samples() {
        let mut series = Series::default();
        for nanoseconds in 1..=200 {
            series.add(Duration::from_nanos(nanoseconds));
        }
        let figure = series.figure("g", RECTO, 0);
        assert_eq!((figure.median, figure.p99), (100.0, Some(198.0)));
        assert_eq!(Series::default().quantile(0.5), 0.0);
    }
}
