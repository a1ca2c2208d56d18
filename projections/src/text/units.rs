//! UTF-16 code units in UTF-8 text.

use str_indices::utf16;

/// Counts the UTF-16 code units of a text.
#[must_use]
pub fn units(text: &str) -> usize {
    // One unit is the commonest insert of all.
    if text.len() == 1 { 1 } else { utf16::count(text) }
}

/// Returns the byte at which unit `at` begins; `at` may be the text's end. `None` inside a surrogate pair or past the end.
pub(super) fn byte_of(text: &str, at: usize) -> Option<usize> {
    let byte = utf16::to_byte_idx(text, at);
    (utf16::from_byte_idx(text, byte) == at).then_some(byte)
}

/// Counts the surrogate pairs of a text.
pub(super) fn pairs(text: &str) -> usize {
    utf16::count_surrogates(text)
}
