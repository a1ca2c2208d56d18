//! The page write contract: what an agent reads, what it may write, and what lands agree.
//!
//! ```text
//!   envelope   a page, or a window of one, with a read token ──► agent
//!      ▲                                                          │
//!    token     what was read: MACed, opaque                       ▼
//!      ▲                                                   update: replace │ merge
//!    fresh     the token of the next write ◄── appended ◄── checked against the token, rebased
//! ```
//!
//! First it is asked whether what was read is the whole page; that decides what leaving something out means. A refusal
//! appends nothing, and says in one sentence what to do next.

mod billing;
mod canvas;
mod content;
mod delivered;
mod envelope;
mod fresh;
mod image;
mod image_update;
mod keys;
mod merge;
mod merge_check;
mod named;
mod placed;
mod refusal;
mod render;
mod since;
mod token;
mod tools;
mod update;
mod usage;
mod window;

pub use billing::{BillingClass, Floors};
pub use canvas::InsertCanvasImage;
pub use content::{InsertPage, PAGE_CHARS_MAX};
pub use envelope::{Content, Envelope, Format, ReadPage, Window};
pub use image::{Bounds, InsertImage};
pub use image_update::{ImageChange, UpdateImage};
pub use refusal::ContractRefusal;
pub use tools::{EditorType, TOOLS, Tool};
pub use update::{PageChange, UpdatePage, Updated};
pub use usage::{DayUsage, USAGE_DAYS_MAX, UsageRange};

pub(crate) use billing::Charge;
pub(crate) use delivered::FirstDelivery;
pub(crate) use image::Delivery;
pub(crate) use keys::ReadKeys;
pub(crate) use placed::{Wanted, placed};

/// How a page that was read may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteMode {
    /// The whole page: what is left out is deleted.
    Replace,
    /// A part of it: only what is named changes.
    Merge,
}

/// How much of a page was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// All of it.
    Full,
    /// Some nodes, or what can only be read as a window.
    Window,
}

impl WriteMode {
    /// The name in requests and answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Replace => "replace",
            Self::Merge => "merge",
        }
    }
}

impl Completeness {
    /// The name in answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Window => "window",
        }
    }
}
