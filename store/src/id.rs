//! Names: the identifier of anything, the key of a page, the key of a record.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::limits::{ID_MAX_BYTES, RECORD_KEY_MAX_BYTES};

/// An opaque identifier: 1 to 128 bytes of UTF-8 without control characters.
///
/// Cloning is cheap. The order is the order of the bytes.
///
/// ```
/// use recto_store::{Id, IdError};
/// assert_eq!(Id::new("page-1").map(|id| id.to_string()), Ok("page-1".to_owned()));
/// assert_eq!(Id::new(""), Err(IdError::Empty));
/// assert_eq!(Id::new("a\nb"), Err(IdError::Control { at: 1 }));
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(Arc<str>);

impl Id {
    /// Checks and takes a text as an identifier.
    ///
    /// # Errors
    /// [`IdError`] says what is wrong with it.
    pub fn new(text: &str) -> Result<Self, IdError> {
        check(text, ID_MAX_BYTES, |_| false)?;
        Ok(Self(Arc::from(text)))
    }

    /// The identifier as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The name of a page: its scope (the workspace that owns it) and its identifier there.
///
/// Two scopes can have a page of the same name; nothing leads from one to the other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageKey {
    /// The workspace.
    pub scope: Id,
    /// The page in it.
    pub page: Id,
}

impl PageKey {
    /// Puts a page's name together.
    #[must_use]
    pub fn new(scope: Id, page: Id) -> Self {
        Self { scope, page }
    }

    /// Checks and takes two texts as a page's name.
    ///
    /// # Errors
    /// [`IdError`] says what is wrong with the first bad one.
    pub fn parse(scope: &str, page: &str) -> Result<Self, IdError> {
        Ok(Self {
            scope: Id::new(scope)?,
            page: Id::new(page)?,
        })
    }
}

/// The key of a record in its table: 1 to 512 bytes, one or more parts.
///
/// Parts are kept apart by U+001F, which sorts before everything that a part can hold, so
/// that records are listed in the order of their parts.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordKey(Arc<str>);

impl RecordKey {
    /// What stands between two parts.
    pub const SEPARATOR: char = '\u{1f}';

    /// Checks and takes a text as a record key; it may hold separators.
    ///
    /// # Errors
    /// [`IdError`] says what is wrong with it.
    pub fn new(text: &str) -> Result<Self, IdError> {
        check(text, RECORD_KEY_MAX_BYTES, |c| c == Self::SEPARATOR)?;
        Ok(Self(Arc::from(text)))
    }

    /// Joins identifiers to one key.
    ///
    /// # Errors
    /// [`IdError`] where there is no part, or all together are too long.
    pub fn join(parts: &[&Id]) -> Result<Self, IdError> {
        let texts: Vec<&str> = parts.iter().map(|part| part.as_str()).collect();
        Self::new(&texts.join("\u{1f}"))
    }

    /// The parts in order.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split(Self::SEPARATOR)
    }

    /// The key as text, separators included.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Why a text is not an identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// It has no characters.
    #[error("an identifier needs at least one character")]
    Empty,
    /// It is too long.
    #[error("an identifier has at most {limit} bytes, this one has {got}")]
    TooLong {
        /// The most bytes allowed.
        limit: usize,
        /// The bytes that came.
        got: usize,
    },
    /// It holds a control character.
    #[error("an identifier holds no control characters, this one has one at byte {at}")]
    Control {
        /// The byte offset of the first one.
        at: usize,
    },
}

fn check(text: &str, limit: usize, allowed: impl Fn(char) -> bool) -> Result<(), IdError> {
    if text.is_empty() {
        return Err(IdError::Empty);
    }
    if text.len() > limit {
        return Err(IdError::TooLong { limit, got: text.len() });
    }
    match text.char_indices().find(|&(_, c)| c.is_control() && !allowed(c)) {
        Some((at, _)) => Err(IdError::Control { at }),
        None => Ok(()),
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Id({:?})", &*self.0)
    }
}

impl AsRef<str> for Id {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl FromStr for Id {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        Self::new(text)
    }
}

impl TryFrom<&str> for Id {
    type Error = IdError;

    fn try_from(text: &str) -> Result<Self, IdError> {
        Self::new(text)
    }
}

impl TryFrom<String> for Id {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        Self::new(&text)
    }
}

impl fmt::Display for PageKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.scope, self.page)
    }
}

impl fmt::Display for RecordKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, part) in self.parts().enumerate() {
            if index > 0 {
                f.write_str("/")?;
            }
            f.write_str(part)?;
        }
        Ok(())
    }
}

impl fmt::Debug for RecordKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RecordKey({:?})", &*self.0)
    }
}

impl From<&Id> for RecordKey {
    fn from(id: &Id) -> Self {
        Self(Arc::clone(&id.0))
    }
}

impl From<Id> for RecordKey {
    fn from(id: Id) -> Self {
        Self(id.0)
    }
}
