//! The digest of a page state.

use std::fmt;
use std::str::FromStr;

/// The 32-byte digest of a page state: equal states have equal digests, however they were reached.
///
/// It is kept up to date as deltas are applied, by adding and taking away the hashes of the parts. That finds faults: lost
/// writes, wrong folds, flipped bits. It is no defence against a forger, who could search for parts whose hashes add up;
/// against those stands the chain of event hashes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest([u8; Digest::BYTES]);

/// A text that is no digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a digest is 64 hexadecimal digits")]
pub struct DigestInvalid;

impl Digest {
    /// How many bytes a digest has.
    pub const BYTES: usize = 32;

    /// Takes the bytes as they were stored.
    pub const fn from_bytes(bytes: [u8; Digest::BYTES]) -> Digest {
        Digest(bytes)
    }

    /// Gives the bytes to store.
    pub const fn as_bytes(&self) -> &[u8; Digest::BYTES] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Digest({self})")
    }
}

impl FromStr for Digest {
    type Err = DigestInvalid;

    fn from_str(hex: &str) -> Result<Digest, DigestInvalid> {
        let digits = hex.as_bytes();
        if digits.len() != 2 * Digest::BYTES {
            return Err(DigestInvalid);
        }
        let mut bytes = [0; Digest::BYTES];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = hex_value(pair[0])? << 4 | hex_value(pair[1])?;
        }
        Ok(Digest(bytes))
    }
}

/// A sum of entity hashes, lane by lane: it does not depend on the order in which they came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HashSum([u64; 4]);

impl HashSum {
    /// Takes the hash of one entity.
    pub(crate) fn of(hash: &blake3::Hash) -> HashSum {
        let mut lanes = [0; 4];
        for (lane, bytes) in lanes.iter_mut().zip(hash.as_bytes().chunks_exact(8)) {
            *lane = bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        }
        HashSum(lanes)
    }

    /// Counts an entity in.
    pub(crate) fn add(&mut self, entity: HashSum) {
        for (lane, other) in self.0.iter_mut().zip(entity.0) {
            *lane = lane.wrapping_add(other);
        }
    }

    /// Counts an entity out.
    pub(crate) fn remove(&mut self, entity: HashSum) {
        for (lane, other) in self.0.iter_mut().zip(entity.0) {
            *lane = lane.wrapping_sub(other);
        }
    }

    /// Gives the lanes as bytes, lowest first.
    pub(crate) fn to_bytes(self) -> [u8; 32] {
        let mut bytes = [0; 32];
        for (chunk, lane) in bytes.chunks_exact_mut(8).zip(self.0) {
            chunk.copy_from_slice(&lane.to_le_bytes());
        }
        bytes
    }
}

/// Finishes a page digest from a hasher that has taken everything in.
pub(crate) fn finish(hasher: &blake3::Hasher) -> Digest {
    Digest(*hasher.finalize().as_bytes())
}

/// Starts a hash in a domain of its own, so that no two kinds of content are ever confused.
pub(crate) fn hasher(domain: &str) -> blake3::Hasher {
    let mut hasher = blake3::Hasher::new();
    hasher.update(domain.as_bytes());
    hasher.update(&[0]);
    hasher
}

fn hex_value(digit: u8) -> Result<u8, DigestInvalid> {
    match digit {
        b'0'..=b'9' => Ok(digit - b'0'),
        b'a'..=b'f' => Ok(digit - b'a' + 10),
        b'A'..=b'F' => Ok(digit - b'A' + 10),
        _ => Err(DigestInvalid),
    }
}
