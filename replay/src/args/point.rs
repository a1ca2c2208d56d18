//! A place in a page's history, as people write it.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;

/// A version, the head, some versions before it, or a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// The newest version.
    Head,
    /// So many versions before the newest.
    Before(u64),
    /// A version.
    Version(u64),
    /// The newest version made at or before a time, in ms since 1970.
    Time(i64),
}

impl FromStr for Point {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let unknown = || format!("{text:?} is no version: write a number, head, head~3, or @2026-11-30T10:15:00Z");
        if let Some(time) = text.strip_prefix('@') {
            let time: Timestamp = time.parse().map_err(|fault| format!("{time:?} is no time: {fault}"))?;
            return Ok(Self::Time(time.as_millisecond()));
        }
        match text.strip_prefix("head") {
            Some("") => Ok(Self::Head),
            Some(back) => back
                .strip_prefix('~')
                .and_then(|back| back.parse().ok())
                .map(Self::Before)
                .ok_or_else(unknown),
            None => text.parse().map(Self::Version).map_err(|_| unknown()),
        }
    }
}

impl fmt::Display for Point {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Head => out.write_str("head"),
            Self::Before(back) => write!(out, "head~{back}"),
            Self::Version(version) => write!(out, "{version}"),
            Self::Time(ms) => match Timestamp::from_millisecond(*ms) {
                Ok(time) => write!(out, "@{time}"),
                Err(_) => write!(out, "@{ms} ms"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_reads_back_as_written_and_nothing_else_is_one() {
        for text in ["head", "head~3", "7", "@2026-11-30T10:15:00Z"] {
            assert_eq!(
                text.parse::<Point>().map(|point| point.to_string()),
                Ok(text.to_owned())
            );
        }
        for text in ["", "heads", "head~", "head~x", "-1", "1.5", "@noon"] {
            assert!(text.parse::<Point>().is_err(), "{text:?}");
        }
    }
}
