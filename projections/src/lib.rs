//! Values, deltas, apply, inverse, text algebra, diff: pure.
//!
//! A [`Value`] is the state of a page of one [`Kind`]; a [`Delta`] is a change of it. [`Value::apply`] makes the change and
//! returns it as committed together with its exact inverse; [`Value::diff`] finds the fine delta between two values.
//!
//! What always holds:
//!
//! - **Pure.** No input or output, no clock, no randomness; the crate knows no store. The same inputs give the same
//!   outputs on every machine.
//! - **All or nothing.** A failed apply leaves the value as it was.
//! - **Exact.** Applying the inverse gives back the earlier value: absent, null and a value are kept apart, numbers keep
//!   their text, objects keep the order of their keys.
//! - **Sound.** After every delta no node has a missing parent, no cycle exists, no id stands twice, every order key is valid.
//! - **Shared.** Cloning a value is O(1); a delta costs what it names, not what the page holds.
//! - **Total.** Nothing panics on any input; every limit is a named constant in [`limits`].

pub mod blame;
pub mod canvas;
pub mod chat;
pub mod code;
pub mod codec;
pub mod delta;
pub mod design;
pub mod digest;
pub mod doc;
pub mod fault;
mod flaw;
pub mod html;
pub mod json;
pub mod kind;
pub mod limits;
pub mod manager;
pub mod order;
pub mod patch;
pub mod pointer;
pub mod rebase;
mod sequence;
pub mod sheet;
pub mod text;
mod touches;
pub mod undo;
pub mod value;
mod wire;
pub mod words;

pub use code::{CodeOp, CodeValue};
pub use codec::CodecError;
pub use delta::{Applied, Delta};
pub use design::{DesignOp, DesignValue};
pub use digest::Digest;
pub use doc::DocValue;
pub use fault::{ApplyError, DiffError, Fault, Invalid, Rule};
pub use json::Json;
pub use kind::Kind;
pub use sheet::{SheetOp, SheetValue};
pub use value::Value;
