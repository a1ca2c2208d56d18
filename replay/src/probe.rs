//! Checks of a page's state: what `bisect` asks of each version.
//!
//! ```text
//!   node ID                 file PATH            contains TEXT
//!   /POINTER                /POINTER = JSON      also !=, <, <=, >, >=
//!   ! CHECK                 anything else: a command for the shell
//! ```
//!
//! An id, path or pointer with white space, and a text that begins or ends with it, is written as a JSON string.

mod ask;
mod compare;
mod parse;
mod shell;

use std::fmt;

use recto_projections::pointer::Pointer;
use serde_json::Value as Json;

pub use self::ask::{Asked, Verdict};
pub use self::compare::Op;

/// What is asked of a state.
#[derive(Clone, Debug, PartialEq)]
pub enum Probe {
    /// The page has this node.
    Node(String),
    /// The page has this file.
    File(String),
    /// The page's text holds this.
    Contains(String),
    /// There is something at this pointer.
    Exists(Pointer),
    /// What is at this pointer compares so with a value.
    Compare(Pointer, Op, Json),
    /// It is not so.
    Not(Box<Self>),
    /// A command for the shell says so.
    Command(String),
}

/// Reads back as the same check.
impl fmt::Display for Probe {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node(id) => write!(out, "node {}", word(id)),
            Self::File(path) => write!(out, "file {}", word(path)),
            Self::Contains(text) if parse::is_plain_text(text) => write!(out, "contains {text}"),
            Self::Contains(text) => write!(out, "contains {}", Json::from(text.as_str())),
            Self::Exists(pointer) => out.write_str(&pointer_text(pointer)),
            Self::Compare(pointer, op, json) => write!(out, "{} {op} {json}", pointer_text(pointer)),
            Self::Not(probe) => write!(out, "! {probe}"),
            Self::Command(command) => out.write_str(command),
        }
    }
}

fn word(text: &str) -> String {
    if parse::is_plain_word(text) {
        text.to_owned()
    } else {
        Json::from(text).to_string()
    }
}

fn pointer_text(pointer: &Pointer) -> String {
    if parse::is_plain_pointer(pointer.as_str()) {
        pointer.as_str().to_owned()
    } else {
        Json::from(pointer.as_str()).to_string()
    }
}
