#![doc = include_str!("../FORMAT.md")]

// The only place that calls bincode. Stored types are frozen in a module a version (`v1`); wire
// types and the log's own types are others.

mod frame;
mod message;
mod v1;

pub(crate) use self::frame::Context;
pub use self::frame::FrameError;
pub(crate) use self::message::{
    StoredMeta, StoredReceipt, open_event, open_head, open_meta, open_receipt, open_record, open_snapshot, seal_event,
    seal_meta, seal_receipt, seal_record, seal_snapshot,
};
