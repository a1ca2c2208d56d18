//! Reading the estimates that criterion leaves behind.

use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::figures::{Figure, Unit};

#[derive(Deserialize)]
struct Benchmark {
    group_id: String,
    function_id: Option<String>,
    value_str: Option<String>,
    throughput: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Estimates {
    median: Estimate,
}

#[derive(Deserialize)]
struct Estimate {
    point_estimate: f64,
}

/// The median of every benchmark in criterion's folder. Where a throughput in elements was
/// given, the figure is the time for one element.
///
/// # Errors
/// Where a file is there and cannot be read.
pub(crate) fn figures(folder: &Path) -> io::Result<Vec<Figure>> {
    let mut found = Vec::new();
    for folder in folders_named_new(folder)? {
        let (benchmark, estimates) = (folder.join("benchmark.json"), folder.join("estimates.json"));
        if benchmark.is_file() && estimates.is_file() {
            found.push(figure(&benchmark, &estimates)?);
        }
    }
    Ok(found)
}

fn figure(benchmark: &Path, estimates: &Path) -> io::Result<Figure> {
    let benchmark: Benchmark = serde_json::from_slice(&std::fs::read(benchmark)?)?;
    let estimates: Estimates = serde_json::from_slice(&std::fs::read(estimates)?)?;
    let elements = benchmark
        .throughput
        .as_ref()
        .and_then(|throughput| throughput.get("Elements")?.as_f64());
    let who = benchmark.function_id.unwrap_or_default();
    let size = benchmark.value_str.and_then(|size| size.parse().ok()).unwrap_or(0);
    let value = estimates.median.point_estimate / elements.unwrap_or(1.0);
    Ok(Figure::single(
        &benchmark.group_id,
        &who,
        size,
        value,
        Unit::Nanoseconds,
    ))
}

fn folders_named_new(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        if !folder.is_dir() {
            continue;
        }
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() && path.file_name().is_some_and(|name| name == "new") {
                found.push(path);
            } else if path.is_dir() {
                waiting.push(path);
            }
        }
    }
    Ok(found)
}
