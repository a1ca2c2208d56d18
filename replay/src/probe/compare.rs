//! Comparing JSON by what it means: numbers by their value, objects whatever the order of their keys.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde_json::{Number, Value as Json};

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// It equals.
    Equal,
    /// It does not; nothing at all does not either.
    NotEqual,
    /// It is less.
    Less,
    /// It is less or equals.
    AtMost,
    /// It is more.
    More,
    /// It is more or equals.
    AtLeast,
}

impl Op {
    const ALL: [Self; 6] = [
        Self::Equal,
        Self::NotEqual,
        Self::Less,
        Self::AtMost,
        Self::More,
        Self::AtLeast,
    ];

    fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::More => ">",
            Self::AtLeast => ">=",
        }
    }

    /// Whether it asks for more than whether two are equal.
    pub(super) fn is_ordering(self) -> bool {
        !matches!(self, Self::Equal | Self::NotEqual)
    }

    /// Whether it is so of what was found. Nothing equals nothing else and is neither less nor more.
    pub(super) fn holds(self, found: Option<&Json>, wanted: &Json) -> bool {
        match self {
            Self::Equal => found.is_some_and(|found| equal(found, wanted)),
            Self::NotEqual => !found.is_some_and(|found| equal(found, wanted)),
            _ => found
                .and_then(|found| order(found, wanted))
                .is_some_and(|order| match self {
                    Self::Less => order.is_lt(),
                    Self::AtMost => order.is_le(),
                    Self::More => order.is_gt(),
                    _ => order.is_ge(),
                }),
        }
    }
}

impl FromStr for Op {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|op| op.as_str() == text).ok_or(())
    }
}

impl fmt::Display for Op {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

fn equal(one: &Json, other: &Json) -> bool {
    match (one, other) {
        (Json::Number(one), Json::Number(other)) => order_numbers(one, other) == Some(Ordering::Equal),
        (Json::Array(one), Json::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
        }
        (Json::Object(one), Json::Object(other)) => {
            let is_in_other = |(key, value)| other.get(key).is_some_and(|other| equal(value, other));
            one.len() == other.len() && one.iter().all(is_in_other)
        }
        _ => one == other,
    }
}

fn order(one: &Json, other: &Json) -> Option<Ordering> {
    match (one, other) {
        (Json::Number(one), Json::Number(other)) => order_numbers(one, other),
        (Json::String(one), Json::String(other)) => Some(one.cmp(other)),
        _ => None,
    }
}

/// Whole numbers exactly, others as floating point.
fn order_numbers(one: &Number, other: &Number) -> Option<Ordering> {
    match (one.as_i128(), other.as_i128()) {
        (Some(one), Some(other)) => Some(one.cmp(&other)),
        _ => one.as_f64()?.partial_cmp(&other.as_f64()?),
    }
}
