//! Read tokens: what was read, opaque and tamper-proof.
//!
//! A token is base64url text of these bytes. Numbers are little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 1 | the format: 1 |
//! | 4 | the number of the key |
//! | 1 | the kind of the page: its stored code |
//! | 1 | the completeness: 0 full, 1 window |
//! | 1 | the write mode: 0 replace, 1 merge |
//! | 8 | the version |
//! | 8 | the epoch |
//! | 8 | the first bytes of the hash of the event at that version |
//! | 1 + n | the workspace, with its length before it |
//! | 1 + n | the page, with its length before it |
//! | 4 | of a window: how many nodes were read; else 0 |
//! | 8 each | a hash of each of their ids, rising |
//! | 32 | the MAC: keyed BLAKE3 of all bytes before it |
//!
//! A token is refused that is longer than a limit, ends early or late, or holds a code that is none.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use recto_projections::Kind;
use recto_store::{Id, PageKey};

use super::{Completeness, WriteMode};
use crate::head::{Base, HeadInfo};

/// The most nodes that a token names.
pub(crate) const TOKEN_NODES_MAX: usize = 20_000;
/// The most characters of a token.
pub(crate) const TOKEN_CHARS_MAX: usize = (TOKEN_NODES_MAX * 8 + 512) * 4 / 3;
const FORMAT: u8 = 1;
const MAC_BYTES: usize = 32;
const NODE_DOMAIN: &str = "recto 2026 node of a read token v1";

/// What was read of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReadToken {
    pub page: PageKey,
    pub kind: Kind,
    pub base: Base,
    /// The first bytes of the hash of the event at the base: it covers the history up to there.
    pub lineage: [u8; 8],
    pub completeness: Completeness,
    pub mode: WriteMode,
    pub nodes: ReadNodes,
}

/// The nodes of a window, each by a hash of its id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReadNodes(BTreeSet<u64>);

/// A token as it came: the number of its key, what it says if the MAC is right, and the MAC.
#[derive(Debug)]
pub(crate) struct Sealed {
    pub key: u32,
    bytes: Vec<u8>,
}

impl ReadNodes {
    pub(crate) fn of<'a>(ids: impl IntoIterator<Item = &'a str>) -> Self {
        Self(ids.into_iter().map(node_hash).collect())
    }

    pub(crate) fn has(&self, id: &str) -> bool {
        self.0.contains(&node_hash(id))
    }

    pub(crate) fn add(&mut self, id: &str) {
        self.0.insert(node_hash(id));
    }

    pub(crate) fn remove(&mut self, id: &str) {
        self.0.remove(&node_hash(id));
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

/// The part of an event's hash that a token keeps.
pub(crate) fn lineage_of(hash: &[u8; 32]) -> [u8; 8] {
    let mut lineage = [0; 8];
    lineage.copy_from_slice(&hash[..8]);
    lineage
}

impl ReadToken {
    /// Whether it was made of this head, or of the same history.
    pub(crate) fn is_of(&self, head: &HeadInfo) -> bool {
        self.base == head.base() && self.lineage == lineage_of(&head.hash)
    }

    /// Writes and seals the token.
    pub(crate) fn seal(&self, number: u32, key: &[u8; 32]) -> String {
        let mut bytes = vec![FORMAT];
        bytes.extend(number.to_le_bytes());
        let window = self.completeness == Completeness::Window;
        let merge = self.mode == WriteMode::Merge;
        bytes.extend([self.kind.code(), u8::from(window), u8::from(merge)]);
        bytes.extend(self.base.version.to_le_bytes());
        bytes.extend(self.base.epoch.to_le_bytes());
        bytes.extend(self.lineage);
        for id in [&self.page.scope, &self.page.page] {
            // An id has at most 128 bytes.
            bytes.push(u8::try_from(id.as_str().len()).unwrap_or(u8::MAX));
            bytes.extend(id.as_str().as_bytes());
        }
        let count = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        bytes.extend(count.to_le_bytes());
        bytes.extend(self.nodes.0.iter().flat_map(|node| node.to_le_bytes()));
        let mac = blake3::keyed_hash(key, &bytes);
        bytes.extend(mac.as_bytes());
        URL_SAFE_NO_PAD.encode(bytes)
    }
}

impl Sealed {
    /// Reads the text; nothing where it can be no token.
    pub(crate) fn read(text: &str) -> Option<Self> {
        if text.len() > TOKEN_CHARS_MAX {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let mut reader = Reader(&bytes);
        (reader.byte()? == FORMAT && bytes.len() > MAC_BYTES).then_some(())?;
        Some(Self {
            key: u32::from_le_bytes(reader.take()?),
            bytes,
        })
    }

    /// Checks the MAC, in constant time, and reads what the token says.
    pub(crate) fn open(&self, key: &[u8; 32]) -> Option<ReadToken> {
        let (said, mac) = self.bytes.split_at_checked(self.bytes.len().checked_sub(MAC_BYTES)?)?;
        let mac: [u8; MAC_BYTES] = mac.try_into().ok()?;
        if blake3::keyed_hash(key, said) != blake3::Hash::from_bytes(mac) {
            return None;
        }
        let mut reader = Reader(said);
        let _format_and_key: [u8; 5] = reader.take()?;
        let kind = Kind::from_code(reader.byte()?).ok()?;
        let completeness = match reader.byte()? {
            0 => Completeness::Full,
            1 => Completeness::Window,
            _ => return None,
        };
        let mode = match reader.byte()? {
            0 => WriteMode::Replace,
            1 => WriteMode::Merge,
            _ => return None,
        };
        let base = Base {
            version: u64::from_le_bytes(reader.take()?),
            epoch: u64::from_le_bytes(reader.take()?),
        };
        let lineage = reader.take()?;
        let page = PageKey {
            scope: reader.id()?,
            page: reader.id()?,
        };
        let count = usize::try_from(u32::from_le_bytes(reader.take()?)).ok()?;
        let mut nodes = ReadNodes::default();
        for _ in 0..count {
            nodes.0.insert(u64::from_le_bytes(reader.take()?));
        }
        reader.0.is_empty().then_some(ReadToken {
            page,
            kind,
            base,
            lineage,
            completeness,
            mode,
            nodes,
        })
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn slice(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.slice(N)?.try_into().ok()
    }

    fn byte(&mut self) -> Option<u8> {
        self.take::<1>().map(|[byte]| byte)
    }

    fn id(&mut self) -> Option<Id> {
        let len = usize::from(self.byte()?);
        Id::new(std::str::from_utf8(self.slice(len)?).ok()?).ok()
    }
}

fn node_hash(id: &str) -> u64 {
    let mut hasher = blake3::Hasher::new_derive_key(NODE_DOMAIN);
    hasher.update(id.as_bytes());
    let mut bytes = [0; 8];
    hasher.finalize_xof().fill(&mut bytes);
    u64::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: [u8; 32] = [7; 32];

    fn token(nodes: usize) -> ReadToken {
        let ids: Vec<String> = (0..nodes).map(|index| format!("n{index}")).collect();
        ReadToken {
            page: PageKey::parse("w", "p").unwrap_or_else(|fault| panic!("{fault}")),
            kind: Kind::Design,
            base: Base { version: 7, epoch: 1 },
            lineage: [3; 8],
            completeness: Completeness::Window,
            mode: WriteMode::Merge,
            nodes: ReadNodes::of(ids.iter().map(String::as_str)),
        }
    }

    fn open(text: &str, key: &[u8; 32]) -> Option<ReadToken> {
        Sealed::read(text)?.open(key)
    }

    #[test]
    fn a_token_reads_back_and_no_other_key_opens_it() {
        for nodes in [0, 1, TOKEN_NODES_MAX] {
            let token = token(nodes);
            let text = token.seal(9, &KEY);
            assert!(text.len() <= TOKEN_CHARS_MAX);
            assert_eq!(Sealed::read(&text).map(|sealed| sealed.key), Some(9));
            assert_eq!(open(&text, &KEY).as_ref(), Some(&token));
            assert_eq!(open(&text, &[8; 32]), None);
            assert!(nodes == 0 || (token.nodes.has("n0") && !token.nodes.has("n-1")));
        }
    }

    #[test]
    fn every_changed_or_missing_letter_is_noticed() {
        let text = token(3).seal(1, &KEY);
        for at in 0..text.len() {
            let mut changed = text.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap_or_default();
            assert_eq!(open(&changed, &KEY), None, "letter {at}");
            assert_eq!(open(&text[..at], &KEY), None, "cut at {at}");
        }
        for text in [
            "",
            "=",
            "AQ",
            "not a token",
            &format!("{text}A"),
            &"A".repeat(TOKEN_CHARS_MAX + 1),
        ] {
            assert_eq!(open(text, &KEY), None);
        }
    }

    #[test]
    fn a_page_of_another_history_is_another_page() {
        let token = token(0);
        let head = |version, hash| HeadInfo {
            version,
            epoch: 1,
            position: 0,
            time_ms: 0,
            hash: [hash; 32],
        };
        assert!(token.is_of(&head(7, 3)));
        assert!(!token.is_of(&head(8, 3)) && !token.is_of(&head(7, 4)));
    }
}
