//! JSON pointers (RFC 6901).

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use crate::limits::POINTER_MAX_BYTES;

/// A well-formed JSON pointer of at most [`POINTER_MAX_BYTES`]. A clone is a reference count.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Pointer(Arc<str>);

/// A text that is no pointer, or too long for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a JSON pointer is empty or begins with /, writes ~ as ~0 and / as ~1, and has at most {POINTER_MAX_BYTES} bytes"
)]
pub struct PointerInvalid;

impl Pointer {
    /// Reads a pointer.
    ///
    /// # Errors
    /// [`PointerInvalid`] for a text that is no pointer or too long.
    pub fn parse(text: &str) -> Result<Pointer, PointerInvalid> {
        let begins = text.is_empty() || text.starts_with('/');
        let escapes = text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
        if begins && escapes && text.len() <= POINTER_MAX_BYTES {
            Ok(Pointer(text.into()))
        } else {
            Err(PointerInvalid)
        }
    }

    /// Gives the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Goes over the keys that it leads through.
    pub fn segments(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.0.split('/').skip(1).map(unescape)
    }

    /// Gives the text of the pointer to the parent, and the last key; nothing for the empty pointer.
    pub(crate) fn split_last(&self) -> Option<(&str, Cow<'_, str>)> {
        self.0.rsplit_once('/').map(|(parent, last)| (parent, unescape(last)))
    }

    /// Makes the pointer to a key below this one, if it is not too long.
    pub(crate) fn child(&self, key: &str) -> Option<Pointer> {
        let text = below(&self.0, key);
        (text.len() <= POINTER_MAX_BYTES).then(|| Pointer(text.into()))
    }
}

impl fmt::Debug for Pointer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// Appends a key to a pointer.
pub(crate) fn below(pointer: &str, key: &str) -> String {
    let mut text = String::with_capacity(pointer.len() + 1 + key.len());
    text.push_str(pointer);
    text.push('/');
    for letter in key.chars() {
        match letter {
            '~' => text.push_str("~0"),
            '/' => text.push_str("~1"),
            letter => text.push(letter),
        }
    }
    text
}

/// Orders pointers so that whatever lies below one follows it at once.
pub(crate) fn tree_order(a: &str, b: &str) -> Ordering {
    let rank = |byte: u8| if byte == b'/' { 0 } else { u16::from(byte) + 1 };
    a.bytes().map(rank).cmp(b.bytes().map(rank))
}

/// Says whether `inner` is `outer` or lies below it.
pub(crate) fn holds(outer: &str, inner: &str) -> bool {
    inner
        .strip_prefix(outer)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn unescape(segment: &str) -> Cow<'_, str> {
    if segment.contains('~') {
        Cow::Owned(segment.replace("~1", "/").replace("~0", "~"))
    } else {
        Cow::Borrowed(segment)
    }
}
