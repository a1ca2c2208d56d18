//! What the text algebra refuses: a rule that a delta breaks, or JSON that is no delta.

use thiserror::Error;

use crate::fault::Rule;
use crate::flaw::Flaw;

/// A rule of text that a delta or a document breaks. Positions count UTF-16 code units from the start of the text.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TextFault {
    /// A boundary of an operation lies between the two halves of a surrogate pair.
    #[error("unit {at} lies inside a surrogate pair; move the boundary by one unit")]
    SplitsSurrogate {
        /// The unit at which the boundary lies.
        at: usize,
    },
    /// The delta reaches past the end of the text.
    #[error("the delta reaches to unit {reach}, but the text has {len} units; read the text again")]
    OutOfRange {
        /// The units that the delta retains and deletes together.
        reach: usize,
        /// The units that the text has.
        len: usize,
    },
    /// An insert carries an attribute with the value null.
    #[error("an insert cannot carry attribute {name:?} with null; leave the attribute out")]
    NullAttribute {
        /// The attribute's name.
        name: String,
    },
    /// A document holds something else than inserts.
    #[error("a document holds inserts only; operation {op} is none")]
    InsertsOnly {
        /// The operation's index.
        op: usize,
    },
    /// A plain text was given attributes or an embed.
    #[error("plain text takes no attributes and no embeds; operation {op} has one")]
    PlainTextOnly {
        /// The operation's index.
        op: usize,
    },
    /// An operation of no length.
    #[error("an operation has no length; leave it out")]
    EmptyOperation,
    /// A text, an attribute or an embed is what the rules of all values refuse: too long, too deep, a reserved key.
    #[error("{rule}")]
    Value {
        /// The rule.
        rule: Rule,
    },
}

impl TextFault {
    /// Returns the stable code of this rule, in snake case.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::SplitsSurrogate { .. } => "splits_surrogate",
            Self::OutOfRange { .. } => "out_of_range",
            Self::NullAttribute { .. } => "null_attribute",
            Self::InsertsOnly { .. } => "inserts_only",
            Self::PlainTextOnly { .. } => "plain_text_only",
            Self::EmptyOperation => "empty_operation",
            Self::Value { rule } => rule.code(),
        }
    }
}

/// JSON that is no delta, with the place of the fault.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("at {pointer:?}: {reason}")]
pub struct TextInvalid {
    /// The RFC 6901 pointer of the fault in the input.
    pub pointer: String,
    /// What is wrong there.
    pub reason: InvalidReason,
}

/// Why a piece of JSON is no part of a delta.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum InvalidReason {
    /// It has the wrong shape.
    #[error("expected {expected}")]
    Malformed {
        /// What belongs there.
        expected: &'static str,
    },
    /// It has the right shape and breaks a rule.
    #[error(transparent)]
    Rule(#[from] TextFault),
}

impl TextInvalid {
    pub(crate) fn malformed(pointer: impl Into<String>, expected: &'static str) -> Self {
        Self {
            pointer: pointer.into(),
            reason: InvalidReason::Malformed { expected },
        }
    }

    /// Says which rule of all values is broken somewhere below a pointer.
    pub(crate) fn flaw(pointer: &str, flaw: Flaw) -> Self {
        let Flaw { at, rule } = flaw.under(pointer);
        Self::rule(at, TextFault::Value { rule })
    }

    pub(crate) fn rule(pointer: impl Into<String>, fault: TextFault) -> Self {
        Self {
            pointer: pointer.into(),
            reason: InvalidReason::Rule(fault),
        }
    }
}
