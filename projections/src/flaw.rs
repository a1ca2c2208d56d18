//! A broken rule with its place, on its way to becoming an [`Invalid`] or an [`ApplyError`].

use crate::fault::{ApplyError, Fault, Invalid, Limited, Rule};
use crate::pointer;
use crate::text::{InvalidReason, TextFault, TextInvalid};

/// A rule that something breaks, and where below that something: `at` is a JSON pointer.
#[derive(Debug)]
pub(crate) struct Flaw {
    pub(crate) at: String,
    pub(crate) rule: Rule,
}

impl Flaw {
    pub(crate) fn new(at: impl Into<String>, rule: Rule) -> Flaw {
        Flaw { at: at.into(), rule }
    }

    /// Moves the place below a pointer.
    pub(crate) fn under(mut self, prefix: &str) -> Flaw {
        self.at.insert_str(0, prefix);
        self
    }

    /// Moves the place below a key.
    pub(crate) fn under_key(self, key: &str) -> Flaw {
        self.under(&pointer::below("", key))
    }

    pub(crate) fn into_invalid(self, prefix: &str) -> Invalid {
        let flaw = self.under(prefix);
        Invalid::rule(flaw.at, flaw.rule)
    }

    pub(crate) fn into_apply_error(self, op: usize) -> ApplyError {
        let flaw = self.under(&format!("/{op}"));
        ApplyError {
            op,
            pointer: flaw.at,
            rule: flaw.rule,
        }
    }
}

impl From<Rule> for Flaw {
    fn from(rule: Rule) -> Flaw {
        Flaw::new("", rule)
    }
}

impl From<TextFault> for Rule {
    fn from(fault: TextFault) -> Rule {
        match fault {
            TextFault::SplitsSurrogate { at } => Rule::SplitsSurrogate { at },
            TextFault::OutOfRange { reach, len } => Rule::OutOfRange { at: reach, len },
            TextFault::NullAttribute { name } => Rule::NullAttribute { name },
            TextFault::InsertsOnly { .. } => Rule::InsertsOnly,
            TextFault::PlainTextOnly { .. } => Rule::PlainTextOnly,
            TextFault::EmptyOperation => Rule::EmptyOperation,
            TextFault::Value { rule } => rule,
        }
    }
}

impl From<TextInvalid> for Invalid {
    fn from(invalid: TextInvalid) -> Invalid {
        let fault = match invalid.reason {
            InvalidReason::Malformed { expected } => Fault::Malformed { expected },
            InvalidReason::Rule(fault) => Fault::Rule { rule: fault.into() },
        };
        Invalid {
            pointer: invalid.pointer,
            fault,
        }
    }
}

/// Refuses more than `limit` of what is counted.
pub(crate) fn at_most(what: Limited, limit: usize, got: usize) -> Result<(), Rule> {
    if got <= limit {
        Ok(())
    } else {
        Err(Rule::TooLarge { what, limit, got })
    }
}
