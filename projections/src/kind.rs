//! The four kinds of page.

use std::fmt;
use std::str::FromStr;

/// What kind of page a value or a delta belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Nodes in a tree, with geometry and properties.
    Design,
    /// Rich text.
    Doc,
    /// Text files by path.
    Code,
    /// Opaque JSON.
    Sheet,
}

/// A name or code that names no [`Kind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a page kind is one of DESIGN, DOC, CODE, SHEET")]
pub struct UnknownKind;

impl Kind {
    /// All kinds, in the order of their codes.
    pub const ALL: [Kind; 4] = [Kind::Design, Kind::Doc, Kind::Code, Kind::Sheet];

    /// Gives the name used on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Design => "DESIGN",
            Kind::Doc => "DOC",
            Kind::Code => "CODE",
            Kind::Sheet => "SHEET",
        }
    }

    /// Gives the stored code, 1 to 4. A code is never used again for another kind.
    pub fn code(self) -> u8 {
        match self {
            Kind::Design => 1,
            Kind::Doc => 2,
            Kind::Code => 3,
            Kind::Sheet => 4,
        }
    }

    /// Finds the kind of a stored code.
    ///
    /// # Errors
    /// [`UnknownKind`] for any number but 1 to 4.
    pub fn from_code(code: u8) -> Result<Kind, UnknownKind> {
        Kind::ALL
            .into_iter()
            .find(|kind| kind.code() == code)
            .ok_or(UnknownKind)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl FromStr for Kind {
    type Err = UnknownKind;

    fn from_str(name: &str) -> Result<Kind, UnknownKind> {
        Kind::ALL
            .into_iter()
            .find(|kind| kind.as_str() == name)
            .ok_or(UnknownKind)
    }
}
