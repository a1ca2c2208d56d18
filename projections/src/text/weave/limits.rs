//! How much a weave may hold.

/// The most edits of a weave.
const EDITS_MAX: usize = 1_000_000;
/// The most runs of a weave, and the most fates.
const RUNS_MAX: usize = 4_000_000;
/// The most bytes of inserted text in a weave.
const TEXT_MAX_BYTES: usize = 256 << 20;
/// The most UTF-16 units of a weave, whether they show or not; so that sums of units fit into 32 bits.
const UNITS_MAX: usize = 1 << 30;

/// How much a weave may hold before it refuses more with
/// [`HistoryTooLong`](super::WeaveError::HistoryTooLong). The default takes about 100 bytes of memory for each edit of
/// one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WeaveLimits {
    /// The most edits.
    pub edits: usize,
    /// The most runs, and the most different fates of runs. The last edit may go past it.
    pub runs: usize,
    /// The most bytes of inserted text; at most the default.
    pub text_bytes: usize,
    /// The most UTF-16 units, starting text and inserted text together; at most the default.
    pub units: usize,
}

impl Default for WeaveLimits {
    fn default() -> Self {
        Self {
            edits: EDITS_MAX,
            runs: RUNS_MAX,
            text_bytes: TEXT_MAX_BYTES,
            units: UNITS_MAX,
        }
    }
}

impl WeaveLimits {
    /// The same limits, none above the default.
    pub(super) fn capped(self) -> Self {
        let cap = Self::default();
        Self {
            edits: self.edits.min(cap.edits),
            runs: self.runs.min(cap.runs),
            text_bytes: self.text_bytes.min(cap.text_bytes),
            units: self.units.min(cap.units),
        }
    }
}
