//! What a load found, as a table.

use std::fmt;
use std::time::Duration;

use super::progress::rate;

/// One page that was loaded and found the same.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The page's id.
    pub page: String,
    /// Its kind.
    pub kind: &'static str,
    /// Requests that wrote, the page's creation included.
    pub writes: u64,
    /// How many of them had been carried out by an earlier run.
    pub replayed: u64,
    /// How long they took.
    pub writing: Duration,
    /// The page's version at the end.
    pub version: String,
    /// Versions read back and compared.
    pub compared: u64,
    /// Their bytes.
    pub compared_bytes: u64,
    /// How long that took.
    pub reading: Duration,
}

/// All pages of a load.
#[derive(Clone, Debug)]
pub struct Report {
    /// The pages, in the order in which they were done.
    pub loaded: Vec<Loaded>,
    /// Bytes of the data folder after the server stopped, where the loader started it.
    pub data_bytes: Option<u64>,
}

impl Loaded {
    /// A line for whoever is waiting.
    pub(super) fn line(&self) -> String {
        format!(
            "{}: {} in {:.1} s ({:.0}/s, {} replayed); {} compared, no difference",
            self.page,
            counted(self.writes, "write"),
            self.writing.as_secs_f64(),
            rate(self.writes, self.writing),
            self.replayed,
            counted(self.compared, "version"),
        )
    }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            out,
            "| page | kind | writes | writes/s | replayed | version | compared | MB | reads/s |"
        )?;
        writeln!(out, "|---|---|---|---|---|---|---|---|---|")?;
        for page in &self.loaded {
            writeln!(
                out,
                "| {} | {} | {} | {:.0} | {} | {} | {} | {:.1} | {:.0} |",
                page.page,
                page.kind,
                page.writes,
                rate(page.writes, page.writing),
                page.replayed,
                page.version,
                page.compared,
                megabytes(page.compared_bytes),
                rate(page.compared, page.reading),
            )?;
        }
        let sum = |of: fn(&Loaded) -> u64| self.loaded.iter().map(of).sum::<u64>();
        writeln!(
            out,
            "\n{}, {}; {} ({:.1} MB) compared byte for byte: no difference.",
            counted(u64::try_from(self.loaded.len()).unwrap_or(u64::MAX), "page"),
            counted(sum(|page| page.writes), "write"),
            counted(sum(|page| page.compared), "version"),
            megabytes(sum(|page| page.compared_bytes)),
        )?;
        if let Some(bytes) = self.data_bytes {
            writeln!(out, "The data folder holds {:.1} MB.", megabytes(bytes))?;
        }
        Ok(())
    }
}

/// A number with its noun.
fn counted(count: u64, noun: &str) -> String {
    if count == 1 {
        format!("1 {noun}")
    } else {
        format!("{count} {noun}s")
    }
}

fn megabytes(bytes: u64) -> f64 {
    crate::figures::to_f64(usize::try_from(bytes).unwrap_or(usize::MAX)) / 1e6
}
