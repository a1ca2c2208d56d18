//! The log and the ledgers: bytes, order, durability.
//!
//! ```text
//!   Store     versions, events, receipts, records, snapshots, the feed, the hash chain
//!     │
//!   Engine    a keyed log with conditional atomic batches
//!     │
//!   RocksEngine (feature `rocksdb`) │ MemoryEngine (tests and simulation)
//! ```
//!
//! A write goes down once: [`Store::append`] makes frames of the events, the receipt and the
//! records, and hands them to [`Engine::commit`] with a guard for each key. A read comes back the
//! same way, and every frame's checksum is verified before anything in it is believed.
//!
//! **Invariant**: this crate never decodes a payload. It knows no page kind, no delta and no HTTP.
//! What is deliberately absent: an append without an expected version, an update, a delete of an
//! event, a read that skips what it cannot read.
//!
//! ```
//! use std::sync::Arc;
//! use recto_store::{Append, AppendError, CommandClaim, Expected, Id, MemoryEngine, NewEvent, PageKey, Store};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let store = Store::open(Arc::new(MemoryEngine::new())).await?;
//! let event = NewEvent {
//!     kind: 1, schema: 1, time_ms: 0, actor: "anna".into(), turn: None, cause: None, epoch: 1, flags: 0,
//!     delta: "delta".into(), inverse: "inverse".into(), digest: [0; 32],
//! };
//! let append = Append {
//!     page: PageKey::parse("studio", "poster")?,
//!     expected: Expected::New,
//!     events: vec![event],
//!     command: CommandClaim { id: Id::new("c-1")?, fingerprint: [1; 32], time_ms: 0, outcome: "created".into() },
//!     records: vec![],
//! };
//! let receipt = store.append(append.clone()).await?.receipt;
//! assert_eq!(receipt.head_version, 1);
//!
//! // The same command again is answered by what it did.
//! assert_eq!(store.append(append.clone()).await, Err(AppendError::AlreadyDone(Box::new(receipt))));
//!
//! // Another command made from a stale read is refused.
//! let mut stale = append;
//! stale.command.id = Id::new("c-2")?;
//! assert!(matches!(store.append(stale).await, Err(AppendError::Conflict { .. })));
//! # Ok(())
//! # })
//! # }
//! ```

pub mod codec;
#[cfg(feature = "conformance")]
pub mod conformance;
pub mod engine;
pub mod frames;
pub mod limits;

mod append;
mod event;
mod feed;
mod generations;
mod heads;
mod id;
mod keys;
mod memory;
mod read;
mod receipt;
mod records;
#[cfg(feature = "rocksdb")]
mod rocks;
mod snapshots;
mod store;
mod verify;

pub use self::append::{Append, AppendError, Appended, Expected, RecordWrite, What};
pub use self::engine::{
    CommitError, Committed, Durability, Engine, Entry, Fault, FeedEntry, Guard, Health, Limit, Near, Place, Put,
    ReadError, Rejection, Unavailable,
};
pub use self::event::{Cause, Event, Head, NewEvent};
pub use self::feed::{Followed, Follower};
pub use self::id::{Id, IdError, PageKey, RecordKey};
pub use self::keys::{DerivedKey, Key, KeyPrefix};
pub use self::memory::{CommitFault, MemoryEngine};
pub use self::receipt::{CommandClaim, Receipt, Span};
pub use self::records::{Record, RecordsError};
#[cfg(feature = "rocksdb")]
pub use self::rocks::{Reading, RocksEngine, RocksError, RocksOptions, WriteFault};
pub use self::snapshots::{Snapshot, SnapshotError};
pub use self::store::{FORMAT, OpenError, Store};
pub use self::verify::{Damage, VerifiedPage, VerifiedScope};
