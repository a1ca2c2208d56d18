//! Verifying: every byte that can be checked is checked, and the first fault is located.

mod page;
mod scope;

use crate::engine::{Fault, Place, ReadError, Unavailable};
use crate::event::Head;

/// What was verified of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedPage {
    /// How many events are sound, from the first.
    pub events: u64,
    /// How many receipts agree with them.
    pub receipts: u64,
    /// How many snapshots are unharmed.
    pub snapshots: u64,
    /// The newest sound event.
    pub head: Option<Head>,
    /// The first fault; what is behind it was not looked at.
    pub damage: Option<Damage>,
}

/// What was verified of a scope.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifiedScope {
    /// How many pages are sound.
    pub pages: u64,
    /// How many events they have.
    pub events: u64,
    /// How many receipts there are, those of commands without events included.
    pub receipts: u64,
    /// How many revisions of records.
    pub records: u64,
    /// How many snapshots.
    pub snapshots: u64,
    /// The faults found: the first of each page, each damaged receipt and record.
    pub damage: Vec<Damage>,
}

/// A fault and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Where.
    pub at: Place,
    /// What is wrong there.
    pub fault: Fault,
}

/// A step of verifying either went well, found something, or could not be done.
enum Stop {
    Found(Damage),
    Away(Unavailable),
}

impl Stop {
    const fn found(at: Place, fault: Fault) -> Self {
        Self::Found(Damage { at, fault })
    }
}

impl From<ReadError> for Stop {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Corrupt { at, fault } => Self::found(at, fault),
            ReadError::Unavailable(reason) => Self::Away(reason),
        }
    }
}

/// Keeps a fault as a finding; only an engine that is away ends the verification.
fn finding(step: Result<(), Stop>) -> Result<Option<Damage>, ReadError> {
    match step {
        Ok(()) => Ok(None),
        Err(Stop::Found(damage)) => Ok(Some(damage)),
        Err(Stop::Away(reason)) => Err(reason.into()),
    }
}
