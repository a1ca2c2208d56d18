//! Receipts: the stored answer to a command.

use std::ops::RangeInclusive;

use bytes::Bytes;

use crate::engine::Durability;
use crate::id::Id;

/// A command's claim on its page: its id is remembered as long as the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandClaim {
    /// The idempotency key.
    pub id: Id,
    /// What was asked, as a hash: the same id with another fingerprint is refused.
    pub fingerprint: [u8; 32],
    /// When, in milliseconds since 1970, by the caller's clock.
    pub time_ms: i64,
    /// The caller's answer, opaque; given back to every retry.
    pub outcome: Bytes,
}

/// What a command did. A retry gets the same one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The versions of its events; `None` if it changed nothing.
    pub versions: Option<Span>,
    /// The positions of its events, as many as versions.
    pub positions: Option<Span>,
    /// The page's version after the command; 0 where the page has no event.
    pub head_version: u64,
    /// The hash of the event of that version; zeros where there is none.
    pub head_hash: [u8; 32],
    /// When, in milliseconds since 1970, by the caller's clock.
    pub time_ms: i64,
    /// What was asked, as a hash.
    pub fingerprint: [u8; 32],
    /// The caller's answer, opaque.
    pub outcome: Bytes,
    /// What the acknowledgement promised.
    pub durability: Durability,
    /// The feed's tip when the command was done: who has read the feed up to here has seen it.
    pub index: u64,
}

/// Consecutive numbers, both ends included. It is never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first.
    pub first: u64,
    /// The last; not less than the first.
    pub last: u64,
}

impl Span {
    /// How many numbers these are.
    #[must_use]
    pub const fn count(self) -> u64 {
        self.last - self.first + 1
    }

    /// The numbers.
    #[must_use]
    pub const fn range(self) -> RangeInclusive<u64> {
        self.first..=self.last
    }
}
