//! The numbers of a geometry: finite, with their text kept.

use std::fmt;

use crate::fault::{Limited, Rule};
use crate::flaw::at_most;
use crate::json::{self, Json};
use crate::limits::NUMBER_MAX_BYTES;

/// A finite number that keeps the text in which it came: `1` is not `1.0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number(Repr);

/// Most numbers are small integers, which take no memory of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Repr {
    Integer(i32),
    Text(Box<str>),
}

impl From<i32> for Number {
    fn from(integer: i32) -> Number {
        Number(Repr::Integer(integer))
    }
}

impl Number {
    /// The number zero.
    pub const ZERO: Number = Number(Repr::Integer(0));

    /// Takes a number of JSON.
    ///
    /// # Errors
    /// [`Rule::NumberNotFinite`] where no finite float is near; [`Rule::TooLarge`] past [`NUMBER_MAX_BYTES`] of text.
    pub fn from_json(number: &serde_json::Number) -> Result<Number, Rule> {
        match json::normal_number(number) {
            Some(normal) => Number::from_text(normal.as_str()),
            None => Number::from_text(number.as_str()),
        }
    }

    /// Takes a float; nothing unless it is finite. Whole ones are written without a fraction.
    pub fn from_f64(number: f64) -> Option<Number> {
        let text = if number == 0.0 { "0".into() } else { number.to_string() };
        let text = if text.len() <= NUMBER_MAX_BYTES {
            text
        } else {
            format!("{number:e}")
        };
        Number::parse(&text)
    }

    /// Takes the text of a JSON number; nothing if it is none, or breaks a rule of [`Number::from_json`].
    pub(crate) fn parse(text: &str) -> Option<Number> {
        let number: serde_json::Number = text.parse().ok()?;
        Number::from_json(&number).ok()
    }

    /// Gives the number as JSON.
    pub fn to_json(&self) -> Json {
        match &self.0 {
            Repr::Integer(integer) => Json::from(*integer),
            Repr::Text(text) => text.parse().map_or(Json::Null, Json::Number),
        }
    }

    /// Gives the nearest float.
    pub fn to_f64(&self) -> f64 {
        match &self.0 {
            Repr::Integer(integer) => f64::from(*integer),
            Repr::Text(text) => text.parse().unwrap_or(0.0),
        }
    }

    /// Gives the text.
    pub fn to_text(&self) -> String {
        match &self.0 {
            Repr::Integer(integer) => integer.to_string(),
            Repr::Text(text) => text.to_string(),
        }
    }

    /// Appends the text to a string.
    pub(crate) fn push_to(&self, out: &mut String) {
        match &self.0 {
            // Writing to memory cannot fail.
            Repr::Integer(integer) => drop(fmt::Write::write_fmt(out, format_args!("{integer}"))),
            Repr::Text(text) => out.push_str(text),
        }
    }

    /// Appends the text.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        match &self.0 {
            Repr::Integer(integer) => json::write(integer, out),
            Repr::Text(text) => out.extend_from_slice(text.as_bytes()),
        }
    }

    /// Gives roughly how many bytes of memory it holds beside itself.
    pub(crate) fn weight(&self) -> usize {
        match &self.0 {
            Repr::Integer(_) => 0,
            Repr::Text(text) => text.len(),
        }
    }

    fn from_text(text: &str) -> Result<Number, Rule> {
        at_most(Limited::NumberBytes, NUMBER_MAX_BYTES, text.len())?;
        if !text.parse::<f64>().is_ok_and(f64::is_finite) {
            return Err(Rule::NumberNotFinite);
        }
        let integer = text.parse().ok().filter(|integer: &i32| integer.to_string() == text);
        Ok(Number(integer.map_or_else(|| Repr::Text(text.into()), Repr::Integer)))
    }
}
