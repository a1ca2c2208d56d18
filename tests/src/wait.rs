//! Waiting: a condition is asked again and again until it holds or a deadline passes.

use std::time::{Duration, Instant};

/// How long anything may take before a test fails. It decides nothing else.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The pause between two questions.
const PAUSE: Duration = Duration::from_millis(1);

/// Asks until there is an answer.
///
/// # Panics
/// After [`PATIENCE`], with what was waited for.
pub fn until<T>(what: &str, ask: impl FnMut() -> Option<T>) -> T {
    within(PATIENCE, ask).unwrap_or_else(|| panic!("waited {PATIENCE:?} for {what}"))
}

/// Asks until there is an answer, but not for longer than this.
pub fn within<T>(patience: Duration, mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + patience;
    loop {
        if let Some(answer) = ask() {
            return Some(answer);
        }
        if Instant::now() >= end {
            return None;
        }
        std::thread::sleep(PAUSE);
    }
}

/// As [`until`], for questions that are futures.
///
/// # Panics
/// After [`PATIENCE`], with what was waited for.
pub async fn until_async<T>(what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(answer) = ask().await {
            return answer;
        }
        assert!(Instant::now() < end, "waited {PATIENCE:?} for {what}");
        tokio::time::sleep(PAUSE).await;
    }
}

/// A future that has to end in time.
///
/// # Panics
/// After [`PATIENCE`], with what was waited for.
pub async fn in_time<T>(what: &str, work: impl Future<Output = T>) -> T {
    let ended = tokio::time::timeout(PATIENCE, work).await;
    ended.unwrap_or_else(|_| panic!("waited {PATIENCE:?} for {what}"))
}
