//! Which part of some content a request wants: `Range` and `If-Range`.

use std::ops::Range;

use axum::http::HeaderMap;

use super::unsatisfiable;
use crate::access::single;
use crate::problem::Problem;

/// A part of some content: not empty, and within it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    first: u64,
    last: u64,
}

impl Part {
    /// The bytes, the end not included.
    pub(super) fn range(&self) -> Range<u64> {
        self.first..self.last + 1
    }

    /// How many bytes these are.
    pub(super) fn length(&self) -> u64 {
        self.last - self.first + 1
    }

    /// The value of `Content-Range`.
    pub(super) fn content_range(&self, size: u64) -> String {
        format!("bytes {}-{}/{size}", self.first, self.last)
    }
}

/// The part that is wanted; `None` is all. What is no single range of bytes is passed over, as RFC 9110 has it.
pub(super) fn wanted(headers: &HeaderMap, tag: &str, size: u64) -> Result<Option<Part>, Problem> {
    let Some(range) = single(headers, "range")? else {
        return Ok(None);
    };
    if single(headers, "if-range")?.is_some_and(|of| of.trim() != tag) {
        return Ok(None);
    }
    match read(range) {
        None => Ok(None),
        Some(asked) => asked.within(size).map(Some).ok_or_else(|| unsatisfiable(size)),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    From { first: u64, last: u64 },
    Newest { bytes: u64 },
}

impl Asked {
    fn within(self, size: u64) -> Option<Part> {
        let end = size.checked_sub(1)?;
        let part = match self {
            Self::From { first, last } => Part {
                first,
                last: last.min(end),
            },
            Self::Newest { bytes: 0 } => return None,
            Self::Newest { bytes } => Part {
                first: size.saturating_sub(bytes),
                last: end,
            },
        };
        (part.first <= end).then_some(part)
    }
}

fn read(range: &str) -> Option<Asked> {
    let (unit, set) = range.split_once('=')?;
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return None;
    }
    let (first, last) = set.trim().split_once('-')?;
    if first.is_empty() {
        return Some(Asked::Newest { bytes: number(last)? });
    }
    let first = number(first)?;
    let last = if last.is_empty() { u64::MAX } else { number(last)? };
    (first <= last).then_some(Asked::From { first, last })
}

fn number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_cut_to_the_content_or_lies_outside() {
        let check = |range: &str, expected: Option<Option<(u64, u64)>>| {
            let found = read(range).map(|asked| asked.within(10).map(|part| (part.first, part.last)));
            assert_eq!(found, expected, "{range}");
        };
        check("bytes=0-0", Some(Some((0, 0))));
        check("bytes=2-4", Some(Some((2, 4))));
        check("bytes=2-", Some(Some((2, 9))));
        check("Bytes=0-99999999999999999999", Some(Some((0, 9))));
        check("bytes=-3", Some(Some((7, 9))));
        check("bytes=-30", Some(Some((0, 9))));
        check("bytes=10-", Some(None));
        check("bytes=-0", Some(None));
        for passed_over in ["bytes=4-2", "bytes=0-1,3-4", "lines=0-1", "bytes=-", "bytes=x-", "0-1"] {
            check(passed_over, None);
        }
    }

    #[test]
    fn of_nothing_there_is_no_part() {
        assert_eq!(read("bytes=0-").and_then(|asked| asked.within(0)), None);
    }
}
