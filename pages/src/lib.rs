//! The page service: it joins the log (`recto-store`) and the page values
//! (`recto-projections`) and is the only place where the two meet.
//!
//! A write is one walk: find the page's head, check the base the writer names,
//! apply the delta (which yields its inverse), check the inverse, append both in
//! one commit, answer. A read is the same walk backwards: the nearest known state,
//! then deltas forwards or inverses backwards.
//!
//! Invariants:
//! - Truth is in the store alone. The head cache and the snapshots may vanish at
//!   any moment; only speed changes.
//! - Every state that leaves this crate has the digest that its event recorded.
//! - An inverse is tried on the new state before the event is appended.
//! - A command is answered once; a retry gets that answer again.
//! - No HTTP, no status code, no JSON envelope: that is the business of the layers above.

mod actor;
mod answer;
mod assets;
mod blame;
mod cache;
mod chats;
mod command;
mod contract;
mod crash;
mod create;
mod decoded;
mod delete;
mod diff;
mod error;
mod event;
mod feed;
mod head;
mod history;
mod list;
mod load;
mod locks;
mod meta;
mod page_head;
mod plan;
mod preview;
mod read;
mod rebase;
mod replace;
mod report;
mod restore;
mod service;
mod slots;
pub mod snapshot;
mod stacks;
mod stale;
mod submit;
mod tasks;
mod temporary;
mod undo;
mod write;

pub use actor::{ACTOR_NAME_BYTES_MAX, Actor, ActorKind, Caller, InvalidActor};
pub use answer::{CommandOutcome, Written};
pub use blame::{BlameOf, Found, PageBlame};
pub use command::{Fingerprint, Operation};
pub use contract::{
    BillingClass, Bounds, Completeness, Content, ContractRefusal, DayUsage, EditorType, Envelope, Floors, Format,
    ImageChange, InsertCanvasImage, InsertImage, InsertPage, PAGE_CHARS_MAX, PageChange, ReadPage, TOOLS, Tool,
    USAGE_DAYS_MAX, UpdateImage, UpdatePage, Updated, UsageRange, Window, WriteMode,
};
pub use create::CreatePage;
pub use delete::SetDeleted;
pub use diff::PageDiff;
pub use error::{Missed, ReadError, WriteError};
pub use event::{EventFlags, EventKind, PageEvent};
pub use feed::{FeedItem, FeedStream, Published};
pub use head::{Base, HeadInfo};
pub use list::{ListPages, PageList, PageSummary};
pub use load::Way;
pub use meta::PageMeta;
pub use preview::{Preview, PreviewEvent};
pub use read::{At, EventRange, PageState, RANGE_BYTES_MAX};
pub use replace::ReplaceValue;
pub use report::{Entries, RebaseReport, Report, UndoReport};
pub use restore::RestorePage;
pub use service::{Clock, Pages, Settings};
pub use snapshot::SnapshotPolicy;
pub use stacks::{StackEntry, UndoStacks};
pub use stale::{Rebasable, Stale};
pub use submit::{OnStale, SubmitDeltas, SubmitOptions};
pub use undo::{UndoPage, UndoRefusal, UndoTarget};

pub use assets::{
    ATTACHMENT_FOLDER, Asset, AssetFollower, AssetId, AssetNews, Assets, Attached, AttachmentId, BadFileId, BlobError,
    Blobs, Collected, CollectedAsset, ContentHash, FILE_BYTES_MAX, FileError, FileRef, FileSettings, ImageFormat,
    ImageInfo, NotAnImage, PIXELS_MAX, PageAsset, PageAssetState, PageAssets, Received, Recovered, TaskId,
    UNUSED_KEPT_MS, sniff,
};
pub use chats::{ChatEntry, ChatError, Chats, ENTRIES_MAX, ENTRY_BYTES_MAX, Noted, stream as chat_stream};
pub use crash::{Crash, Point, UnknownPoint};
pub use slots::{
    Bounds as SlotBounds, COORDINATE_MAX, Held, Hold, Place, Placed, SIDE_MAX, SLOTS_MAX, SlotError, SlotFollower,
    SlotNews, SlotSettings, SlotStatus, Slots,
};
pub use tasks::{
    Answer, BadTaskKey, Failure, Image, ImagePreview, ImageService, NoService, PAYLOAD_BYTES_MAX, ResolutionOf, Role,
    ServiceFault, Size, Started, Submission, TASK_FILES_MAX, TaskError, TaskKey, TaskRequest, TaskResult, TaskSettings,
    TaskStatus, TaskView, Tasks,
};

pub use recto_projections as projections;
pub use recto_store::{Id, PageKey};
