//! The first difference between what is read and its source.

use super::error::LoadError;
use crate::client::version_of;

/// How many bytes around a difference are shown.
const SHOWN_BYTES: usize = 24;

/// Compares two texts byte for byte.
pub(super) fn texts(page: &str, etag: &str, read: &str, source: &str) -> Result<(), LoadError> {
    match difference(read, source) {
        None => Ok(()),
        Some(what) => Err(differs(page, etag, what)),
    }
}

/// A difference told in words.
pub(super) fn differs(page: &str, etag: &str, what: String) -> LoadError {
    LoadError::Differs {
        page: page.to_owned(),
        version: version_of(etag).to_owned(),
        what,
    }
}

fn difference(read: &str, source: &str) -> Option<String> {
    if read == source {
        return None;
    }
    let pairs = read.bytes().zip(source.bytes());
    let at = pairs.take_while(|(read, source)| read == source).count();
    Some(format!(
        "byte {at} of {} bytes; read {:?}, the source has {:?} ({} bytes)",
        read.len(),
        shown(read, at),
        shown(source, at),
        source.len()
    ))
}

fn shown(text: &str, at: usize) -> String {
    let bytes = text.as_bytes();
    let (start, end) = (
        at.saturating_sub(SHOWN_BYTES / 2).min(bytes.len()),
        (at + SHOWN_BYTES).min(bytes.len()),
    );
    String::from_utf8_lossy(&bytes[start..end]).into_owned()
}

/// About `count` numbers spread evenly over 0 to `last`, both ends included.
pub(super) fn spread(last: usize, count: usize) -> Vec<usize> {
    let steps = count.saturating_sub(1).clamp(1, last.max(1));
    let mut numbers: Vec<usize> = (0..=steps).map(|step| last * step / steps).collect();
    numbers.dedup();
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_told_with_its_byte() {
        assert_eq!(difference("same", "same"), None);
        let told = difference("abcdef", "abcxef").unwrap_or_default();
        assert!(told.starts_with("byte 3 of 6 bytes"), "{told}");
        assert!(
            difference("ab", "abc")
                .unwrap_or_default()
                .starts_with("byte 2 of 2 bytes")
        );
        assert!(difference("ä", "ö").is_some());
    }

    #[test]
    fn a_spread_holds_both_ends_and_no_number_twice() {
        assert_eq!(spread(100, 5), [0, 25, 50, 75, 100]);
        assert_eq!(spread(2, 50), [0, 1, 2]);
        assert_eq!(spread(0, 50), [0]);
    }
}
