//! Times, as people read them: in UTC, so that two people read the same.

use jiff::Timestamp;

/// `2026-11-30 10:15:00`, of ms since 1970.
#[must_use]
pub fn time(ms: i64) -> String {
    match Timestamp::from_millisecond(ms) {
        Ok(time) => time.strftime("%Y-%m-%d %H:%M:%S").to_string(),
        Err(_) => format!("{ms} ms"),
    }
}

/// `2026-11-30T10:15:00.123Z`, of ms since 1970.
#[must_use]
pub fn time_full(ms: i64) -> String {
    match Timestamp::from_millisecond(ms) {
        Ok(time) => format!("{time:.3}"),
        Err(_) => format!("{ms} ms"),
    }
}
