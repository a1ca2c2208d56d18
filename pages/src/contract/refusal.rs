//! Why the contract refuses a read or a write. Each variant says what the caller can do; nothing was appended.

use recto_projections::html::HtmlError;
use recto_projections::{Invalid, Kind};

use super::WriteMode;
use crate::report::Entries;
use crate::stale::Stale;

/// How many ids a sentence names; the fields have them all.
const NAMED_MAX: usize = 5;

/// What stands against what was read, or what was written.
#[derive(Debug, thiserror::Error)]
pub enum ContractRefusal {
    /// No token of this server for this workspace: made up, cut off or changed.
    #[error("the read token is none that this server gave")]
    TokenInvalid,
    /// The key that sealed it is gone, or the page's history is another one now.
    #[error("the read token is too old")]
    TokenExpired,
    /// The token says what was read of another page.
    #[error("the read token is of page {read:?}")]
    TokenOfAnotherPage {
        /// The page that was read.
        read: String,
    },
    /// The page was read when it was of another kind.
    #[error("the page was read as {read}, and is {actual} now")]
    KindChanged {
        /// The kind that was read.
        read: Kind,
        /// The kind of the page.
        actual: Kind,
    },
    /// Pages of this kind are not written by `update_page`.
    #[error("a {kind} page is not writable")]
    NotWritable {
        /// The kind of the page.
        kind: Kind,
    },
    /// A whiteboard is never replaced.
    #[error("a whiteboard cannot be replaced: a read shows a part of it, and what is left out would be deleted")]
    WhiteboardReplace,
    /// A part of the page was read, and is sent as the whole.
    #[error("a part of the page was read, and a part cannot replace the whole")]
    WindowReplace,
    /// The write has another mode than the read allowed.
    #[error("the page was read to {}, and the write is a {}", read.as_str(), asked.as_str())]
    ModeMismatch {
        /// The mode that the read allowed.
        read: WriteMode,
        /// The mode of the write.
        asked: WriteMode,
    },
    /// The source of a page has no nodes that could be merged.
    #[error("a {kind} page has no nodes to merge")]
    MergeOfSource {
        /// The kind of the page.
        kind: Kind,
    },
    /// A merge that names nothing.
    #[error("the merge has neither content nor deleteNodeIds")]
    MergeEmpty,
    /// A replace that names nodes to delete.
    #[error("a replace takes no deleteNodeIds: what it leaves out is deleted")]
    ReplaceDeletes,
    /// Nodes that the page does not have.
    #[error("the page as it was read has no node {}", named(nodes))]
    NodesUnknown {
        /// Their ids.
        nodes: Vec<String>,
    },
    /// The write changes, moves or deletes nodes that were not read.
    #[error("the write is about nodes that were not read: {}", named(nodes))]
    NodesNotRead {
        /// Their ids.
        nodes: Vec<String>,
    },
    /// The content changes what the same write deletes.
    #[error("the content changes nodes that deleteNodeIds deletes: {}", named(nodes))]
    ChangedAndDeleted {
        /// Their ids.
        nodes: Vec<String>,
    },
    /// Somebody else edited nodes since they were read.
    #[error(
        "somebody else changed nodes since they were read, and this write is about them: {}",
        named(nodes)
    )]
    NodesChanged {
        /// Their ids.
        nodes: Vec<String>,
        /// Of each: the node, what happened, who did it, at which version, and the change in words.
        changes: Entries,
        /// Where the page stands, and what was committed since.
        stale: Box<Stale>,
    },
    /// Something else stands in the way of bringing a merge to the head.
    #[error("what was committed since the page was read stands in the way of the merge")]
    MergeConflict {
        /// Where the page stands, what was committed since, and the conflicts.
        stale: Box<Stale>,
    },
    /// The page changed since it was read.
    #[error("the page was read at version {}, and is at version {}", stale.base.version, stale.head.version)]
    StaleRead {
        /// Where the page stands, and what was committed since.
        stale: Box<Stale>,
        /// What changed since, in words.
        words: Vec<String>,
    },
    /// More than a page may have.
    #[error("the content has {got} characters, of at most {limit}")]
    ContentTooLong {
        /// The most UTF-16 units.
        limit: usize,
        /// How many there are.
        got: usize,
    },
    /// The content is not in a form of the page's kind.
    #[error("the content of a {kind} page is {expected}")]
    ContentShape {
        /// The kind of the page.
        kind: Kind,
        /// The forms that it can have.
        expected: &'static str,
    },
    /// The JSON is no value of the page's kind.
    #[error(transparent)]
    ContentInvalid(Invalid),
    /// The HTML is over a limit, or says what no page can be.
    #[error(transparent)]
    Html(HtmlError),
    /// Only a DESIGN page has nodes and a canvas.
    #[error("a {kind} page has no canvas")]
    NoCanvas {
        /// The kind of the page.
        kind: Kind,
    },
    /// A node of this id is there already; an image is only ever added.
    #[error("the page has a node {node:?} already, and delivering an image never changes a node")]
    NodeExists {
        /// The node.
        node: String,
    },
    /// The node is no image.
    #[error("node {node:?} is no image but of type {actual:?}")]
    NotAnImage {
        /// The node.
        node: String,
        /// Its type.
        actual: String,
    },
    /// The write names another asset and does not say that the image shall be replaced.
    #[error("node {node:?} shows another asset, and the write does not say replaceAsset")]
    AssetKept {
        /// The node.
        node: String,
    },
}

impl From<HtmlError> for ContractRefusal {
    fn from(fault: HtmlError) -> Self {
        match fault {
            HtmlError::TooLong { limit, got } => Self::ContentTooLong { limit, got },
            fault => Self::Html(fault),
        }
    }
}

fn named(nodes: &[String]) -> String {
    let first: Vec<String> = nodes.iter().take(NAMED_MAX).map(|node| format!("{node:?}")).collect();
    let more = nodes.len().saturating_sub(NAMED_MAX);
    let first = first.join(", ");
    if more == 0 {
        first
    } else {
        format!("{first} and {more} more")
    }
}
