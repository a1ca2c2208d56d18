//! What lies in a page's history, in the order in which an exported file tells it.

use bytes::Bytes;
use recto_store::{Event, Id, Receipt};

/// One thing in the history of a page.
#[derive(Clone, Debug)]
pub enum Item {
    /// What lies at a version.
    Event(EventItem),
    /// What is known of a command: behind its last event, or behind the version at which it changed nothing.
    Receipt(ReceiptItem),
}

/// What lies at a version.
#[derive(Clone, Debug)]
pub enum EventItem {
    /// An event; its position belongs to the store that it came from.
    Whole {
        /// The event.
        event: Box<Event>,
        /// What is wrong with its place in the chain.
        damage: Option<String>,
    },
    /// Something that cannot be read, or nothing.
    Damaged {
        /// The version.
        version: u64,
        /// What lies there.
        bytes: Option<Bytes>,
        /// Why it cannot be read.
        reason: String,
    },
}

/// What is known of a command.
#[derive(Clone, Debug)]
pub enum ReceiptItem {
    /// A receipt; positions, index and durability belong to the store that it came from.
    Whole {
        /// The command.
        command: Id,
        /// Its receipt.
        receipt: Box<Receipt>,
        /// How it disagrees with its events.
        damage: Option<String>,
    },
    /// Something that cannot be read, or nothing.
    Damaged {
        /// The command.
        command: Id,
        /// What lies there.
        bytes: Option<Bytes>,
        /// Why it cannot be read.
        reason: String,
    },
}

impl Item {
    /// What is wrong with it.
    #[must_use]
    pub fn damage(&self) -> Option<&str> {
        match self {
            Self::Event(EventItem::Whole { damage, .. }) | Self::Receipt(ReceiptItem::Whole { damage, .. }) => {
                damage.as_deref()
            }
            Self::Event(EventItem::Damaged { reason, .. }) | Self::Receipt(ReceiptItem::Damaged { reason, .. }) => {
                Some(reason)
            }
        }
    }
}
