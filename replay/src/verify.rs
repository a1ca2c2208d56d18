//! Verifying: every byte and every state of a history is checked, and the first fault of each page is located, with what
//! it means and what can be done.
//!
//! ```text
//!   receipts   all of a workspace, in one scan; agreement with events is a sum, so that it costs no look-up each
//!   page       no gap, checksums, chain, positions, receipts; `deep`: digests forwards, inverses backwards
//!   agreement  which receipt does not agree, where one does not
//!   record     what the page is
//!   snapshots  equal to what is replayed
//!   rest       records, receipts and feed entries: what belongs to no page
//! ```

mod agreement;
mod deep;
mod fault;
mod page;
mod receipts;
mod record;
mod rest;
mod snapshots;

pub use self::deep::{Deep, DeepFault};
pub use self::fault::{FaultClass, Found};
pub use self::page::{PageVerdict, verify_page};
pub use self::receipts::{Receipts, ReceiptsTask};
pub use self::rest::{Rest, verify_rest};
