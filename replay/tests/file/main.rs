//! Exported files, imports, stand-ins and verifying: on data folders made here, with the tool as a process.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod crafted;
mod damage;
mod exports;
mod flips;
mod imports;
mod lines;
mod random;
mod stand_ins;
#[allow(dead_code, reason = "it is the support of another test program too")]
mod support;
