//! What a run ends with when something does not hold.

use std::fmt;

/// A law that does not hold, and what was seen.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    /// The law, by a short name: a shrunk run must break the same one.
    pub law: &'static str,
    /// What came and what should have come.
    pub text: String,
}

/// What a check gives.
pub(crate) type Checked<T = ()> = Result<T, Fault>;

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "[{}] {}", self.law, self.text)
    }
}

/// A law holds, or the run ends.
pub(crate) fn holds(law: &'static str, condition: bool, text: impl FnOnce() -> String) -> Checked {
    if condition {
        Ok(())
    } else {
        Err(Fault { law, text: text() })
    }
}

/// Two things are equal, or the run ends.
pub(crate) fn equal<T: PartialEq + fmt::Debug>(
    law: &'static str,
    got: &T,
    wanted: &T,
    what: impl FnOnce() -> String,
) -> Checked {
    holds(law, got == wanted, || {
        format!("{}\n  came:   {got:?}\n  wanted: {wanted:?}", what())
    })
}
