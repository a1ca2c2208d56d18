//! The keys of the engine: a closed list of kinds, and their bytes.
//!
//! The bytes of a key sort as its fields do, no key is the beginning of another, and a kind's
//! code is never used again for another kind. The table stands in `FORMAT.md`.

use std::fmt;

use crate::id::{Id, PageKey, RecordKey};

/// The key of one small append-only log.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// The events of a page. Only these have positions in the feed.
    Event(PageKey),
    /// The receipt of a command on a page; it has one revision.
    Command {
        /// The workspace.
        scope: Id,
        /// The command.
        command: Id,
        /// The page (or chat, …) that it was sent to.
        page: Id,
    },
    /// A small record with revisions.
    Record {
        /// The workspace.
        scope: Id,
        /// The table.
        table: Id,
        /// The key in the table.
        key: RecordKey,
    },
    /// What the store is: format, identity, partitions.
    Meta,
}

/// A range of keys that begin alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyPrefix {
    /// All pages of all scopes.
    Events,
    /// The pages of one scope.
    EventsOf(Id),
    /// All receipts of one scope.
    CommandsOf(Id),
    /// The receipts of one command in one scope.
    Command {
        /// The workspace.
        scope: Id,
        /// The command.
        command: Id,
    },
    /// All records of one scope.
    RecordsOf(Id),
    /// The records of a table whose keys begin with this text (which may be empty).
    Records {
        /// The workspace.
        scope: Id,
        /// The table.
        table: Id,
        /// The beginning of the key.
        prefix: String,
    },
}

/// The key of something derived: a page's snapshot at a version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DerivedKey {
    /// The page.
    pub page: PageKey,
    /// The version whose state it holds.
    pub version: u64,
}

/// The one-byte codes of the key kinds. A code is never used again.
pub(crate) mod code {
    pub(crate) const EVENT: u8 = 0x01;
    pub(crate) const COMMAND: u8 = 0x02;
    pub(crate) const RECORD: u8 = 0x03;
    pub(crate) const META: u8 = 0x04;
    pub(crate) const DERIVED: u8 = 0x05;
}

/// Ends a text inside a key. No text holds it, and it sorts before all that a text holds.
const END: u8 = 0x00;

impl Key {
    /// The key of a page's events.
    #[must_use]
    pub fn event(page: &PageKey) -> Self {
        Self::Event(page.clone())
    }

    /// The key of a command's receipt on a page.
    #[must_use]
    pub fn command(page: &PageKey, command: &Id) -> Self {
        Self::Command {
            scope: page.scope.clone(),
            command: command.clone(),
            page: page.page.clone(),
        }
    }

    /// The key of a record.
    #[must_use]
    pub fn record(scope: &Id, table: &Id, key: &RecordKey) -> Self {
        Self::Record {
            scope: scope.clone(),
            table: table.clone(),
            key: key.clone(),
        }
    }

    /// The bytes of the key.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(96);
        self.encode_into(&mut out);
        out
    }

    /// Appends the bytes of the key.
    pub fn encode_into(&self, out: &mut Vec<u8>) {
        match self {
            Self::Event(page) => {
                out.push(code::EVENT);
                push_texts(out, &[page.scope.as_str(), page.page.as_str()]);
            }
            Self::Command { scope, command, page } => {
                out.push(code::COMMAND);
                push_texts(out, &[scope.as_str(), command.as_str(), page.as_str()]);
            }
            Self::Record { scope, table, key } => {
                out.push(code::RECORD);
                push_texts(out, &[scope.as_str(), table.as_str(), key.as_str()]);
            }
            Self::Meta => out.push(code::META),
        }
    }

    /// Reads a key back from exactly its bytes; nothing else is a key.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let (&kind, mut rest) = bytes.split_first()?;
        let key = match kind {
            code::EVENT => Self::Event(PageKey {
                scope: take_id(&mut rest)?,
                page: take_id(&mut rest)?,
            }),
            code::COMMAND => Self::Command {
                scope: take_id(&mut rest)?,
                command: take_id(&mut rest)?,
                page: take_id(&mut rest)?,
            },
            code::RECORD => Self::Record {
                scope: take_id(&mut rest)?,
                table: take_id(&mut rest)?,
                key: RecordKey::new(take_text(&mut rest)?).ok()?,
            },
            code::META => Self::Meta,
            _ => return None,
        };
        rest.is_empty().then_some(key)
    }
}

impl KeyPrefix {
    /// The bytes that all keys of the range begin with.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(96);
        match self {
            Self::Events => out.push(code::EVENT),
            Self::EventsOf(scope) => {
                out.push(code::EVENT);
                push_texts(&mut out, &[scope.as_str()]);
            }
            Self::CommandsOf(scope) => {
                out.push(code::COMMAND);
                push_texts(&mut out, &[scope.as_str()]);
            }
            Self::Command { scope, command } => {
                out.push(code::COMMAND);
                push_texts(&mut out, &[scope.as_str(), command.as_str()]);
            }
            Self::RecordsOf(scope) => {
                out.push(code::RECORD);
                push_texts(&mut out, &[scope.as_str()]);
            }
            Self::Records { scope, table, prefix } => {
                out.push(code::RECORD);
                push_texts(&mut out, &[scope.as_str(), table.as_str()]);
                out.extend_from_slice(prefix.as_bytes());
            }
        }
        out
    }
}

impl DerivedKey {
    /// The snapshot of a page at a version.
    #[must_use]
    pub fn new(page: &PageKey, version: u64) -> Self {
        Self {
            page: page.clone(),
            version,
        }
    }

    /// Appends the bytes that all snapshots of a page begin with.
    pub fn encode_page_into(page: &PageKey, out: &mut Vec<u8>) {
        out.push(code::DERIVED);
        push_texts(out, &[page.scope.as_str(), page.page.as_str()]);
    }

    /// The bytes of the key, the version included.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(96);
        Self::encode_page_into(&self.page, &mut out);
        out.extend_from_slice(&self.version.to_be_bytes());
        out
    }
}

/// Appends texts, each with its end mark.
pub(crate) fn push_texts(out: &mut Vec<u8>, texts: &[&str]) {
    for text in texts {
        out.extend_from_slice(text.as_bytes());
        out.push(END);
    }
}

fn take_text<'a>(rest: &mut &'a [u8]) -> Option<&'a str> {
    let end = rest.iter().position(|&byte| byte == END)?;
    let (text, behind) = rest.split_at_checked(end)?;
    *rest = behind.get(1..)?;
    std::str::from_utf8(text).ok()
}

fn take_id(rest: &mut &[u8]) -> Option<Id> {
    Id::new(take_text(rest)?).ok()
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Event(page) => write!(f, "page {page}"),
            Self::Command { scope, command, page } => write!(f, "command {command} on page {scope}/{page}"),
            Self::Record { scope, table, key } => {
                write!(f, "record {key} of table {table} in {scope}")
            }
            Self::Meta => f.write_str("the store's own description"),
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may panic")]

    use proptest::prelude::*;

    use super::*;

    fn id() -> impl Strategy<Value = Id> {
        "[ -~é\u{10000}]{1,6}".prop_map(|text| Id::new(&text).unwrap())
    }

    fn record_key() -> impl Strategy<Value = RecordKey> {
        "[ -~é\u{1f}]{1,6}".prop_map(|text| RecordKey::new(&text).unwrap())
    }

    fn key() -> impl Strategy<Value = Key> {
        prop_oneof![
            (id(), id()).prop_map(|(scope, page)| Key::Event(PageKey { scope, page })),
            (id(), id(), id()).prop_map(|(scope, command, page)| Key::Command { scope, command, page }),
            (id(), id(), record_key()).prop_map(|(scope, table, key)| Key::Record { scope, table, key }),
            Just(Key::Meta),
        ]
    }

    proptest! {
        #[test]
        fn bytes_read_back_as_the_key(key in key()) {
            prop_assert_eq!(Key::decode(&key.encode()), Some(key));
        }

        #[test]
        fn bytes_sort_as_the_keys_do(a in key(), b in key()) {
            prop_assert_eq!(a.encode().cmp(&b.encode()), a.cmp(&b));
        }

        #[test]
        fn no_key_begins_another(a in key(), b in key()) {
            prop_assume!(a != b);
            prop_assert!(!a.encode().starts_with(&b.encode()));
        }

        #[test]
        fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            if let Some(key) = Key::decode(&bytes) {
                prop_assert_eq!(key.encode(), bytes);
            }
        }
    }
}
