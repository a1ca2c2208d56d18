//! Exported files: one page's history, verifiable without a store. `EXPORT.md` is the description of the format.
//!
//! ```text
//!   walk      a store, item by item ─────► writer    lines, sums, seal
//!   stand_ins the same with other texts       │
//!                                             ▼
//!   load      an engine in memory  ◄────── reader    every line checked as it comes
//!   import    a data folder        ◄──────┘
//! ```

mod chain;
mod format;
mod import;
mod item;
mod lines;
mod load;
mod reader;
mod seal;
mod sound;
mod stand_ins;
mod walk;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use recto_store::Engine;

pub use self::format::{FORMAT_NAME, FORMAT_VERSION, Footer, Header, LINE_MAX_BYTES, TOTAL_MAX_BYTES};
pub use self::import::{Imported, Target, import};
pub use self::item::{EventItem, Item, ReceiptItem};
pub use self::reader::Reader;
pub use self::sound::{Soundness, check};
pub use self::stand_ins::StandIns;
pub(crate) use self::walk::ORPHAN;
pub use self::walk::{Sink, header, walk};
pub use self::writer::{Exported, Writer};
use crate::failure::Failure;

/// Reads an exported file into memory, as a store that is then read as any other. Events that were damaged in the store
/// that the file comes from are so here.
///
/// # Errors
/// [`Failure::File`] with the line at fault, where the file itself is damaged.
pub async fn load(path: &Path) -> Result<Arc<dyn Engine>, Failure> {
    let path: PathBuf = path.to_owned();
    let loaded = tokio::task::spawn_blocking(move || load::load(&path)).await;
    loaded.unwrap_or_else(|gone| Err(Failure::Output(std::io::Error::other(gone))))
}
