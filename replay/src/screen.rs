//! The interactive replay: a page's history in the terminal.
//!
//! ```text
//!   keys ──► app ──► wants ──► work, load ──► news ──► app ──► draw
//! ```
//!
//! Invariants:
//! - [`App`] does no I/O: keys, news and the clock go in, wants and questions come out. [`draw()`] is a function of it.
//! - The screen never waits for what is read. What is not there yet is `…`; what is no longer wanted is dropped.
//! - The list is virtual: only the events around those that are seen are held.
//! - Nothing is appended. What an undo would do is asked of the page service on a view that takes no commits.

mod app;
mod areas;
mod draw;
mod key;
pub mod load;
pub mod news;
mod terminal;
mod work;

pub use self::app::{App, Effect, Subject};
pub use self::areas::SMALLEST;
pub use self::draw::draw;
pub use self::key::Key;
pub use self::terminal::run;
pub use self::work::Work;
