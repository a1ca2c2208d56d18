//! Recto beside yrs, the Rust port of Yjs: equal where yrs is right; where it is wrong, tests that say so.
//!
//! | what | file |
//! |---|---|
//! | concurrent edits of plain text | `convergence.rs` |
//! | replicas that bring each other's edits over their own (without yrs) | `replicas.rs` |
//! | undo and redo of own edits, foreign ones being elsewhere | `undo.rs` |
//! | recorded cases: those where both are right, and those where yrs is not | `cases.rs` |
//! | an element's identity once its deletion is undone | `identity.rs` |

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod cases;
mod cells;
mod convergence;
mod identity;
mod page;
mod peer;
mod random;
mod replicas;
mod server;
mod undo;
