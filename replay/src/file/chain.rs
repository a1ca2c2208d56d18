//! What the items of a file say of each other: versions without a gap, the hash chain, receipts as their events have it.

use recto_store::{Event, Id, Receipt};

use super::item::{EventItem, Item, ReceiptItem};

/// What is wrong with a link of the chain.
pub(super) const BROKEN_CHAIN: &str = "its previous hash is not the hash of the event before it";
/// What is wrong with a receipt that tells of other events.
pub(super) const DISAGREES: &str = "it disagrees with the events of its command";

/// Follows the items of a history, and tells what does not fit. Damage that an item itself tells of may be.
#[derive(Default)]
pub(super) struct Chain {
    version: u64,
    link: Link,
    run: Option<Run>,
}

/// The hash of the newest event.
#[derive(Clone, Copy, Default)]
enum Link {
    /// There is none yet.
    #[default]
    Start,
    Hash([u8; 32]),
    /// The event cannot be read.
    Unknown,
}

/// The newest events of one command.
struct Run {
    command: Id,
    count: u64,
    has_receipt: bool,
}

impl Chain {
    /// Takes the next item in.
    ///
    /// # Errors
    /// A sentence, where it does not fit.
    pub(super) fn take(&mut self, item: &Item) -> Result<(), String> {
        match item {
            Item::Event(EventItem::Whole { event, damage }) => self.event(event, damage.is_some()),
            Item::Event(EventItem::Damaged { version, .. }) => {
                self.next_version(*version)?;
                self.close()?;
                (self.link, self.run) = (Link::Unknown, None);
                Ok(())
            }
            Item::Receipt(ReceiptItem::Whole {
                command,
                receipt,
                damage,
            }) => {
                if damage.is_none() && !self.agrees(command, receipt) {
                    return Err(DISAGREES.to_owned());
                }
                self.receipt(command);
                Ok(())
            }
            Item::Receipt(ReceiptItem::Damaged { command, .. }) => {
                self.receipt(command);
                Ok(())
            }
        }
    }

    /// Checks that nothing is missing at the end.
    ///
    /// # Errors
    /// A sentence that tells what is.
    pub(super) fn end(&self) -> Result<(), String> {
        self.close()
    }

    /// The hash of the newest event.
    pub(super) fn head(&self) -> Option<[u8; 32]> {
        match self.link {
            Link::Hash(hash) => Some(hash),
            Link::Start | Link::Unknown => None,
        }
    }

    /// Whether an event follows the one before it.
    pub(super) fn links(&self, event: &Event) -> bool {
        match self.link {
            Link::Start => event.prev_hash == [0; 32],
            Link::Hash(hash) => event.prev_hash == hash,
            Link::Unknown => true,
        }
    }

    /// Whether a receipt tells what its events tell.
    pub(super) fn agrees(&self, command: &Id, receipt: &Receipt) -> bool {
        let same_hash = match self.link {
            Link::Start => receipt.head_hash == [0; 32],
            Link::Hash(hash) => receipt.head_hash == hash,
            Link::Unknown => true,
        };
        let count = receipt.versions.map_or(0, recto_store::Span::count);
        let same_events = match &self.run {
            _ if count == 0 => self.close().is_ok(),
            Some(run) => run.command == *command && run.count == count && !run.has_receipt,
            None => false,
        };
        receipt.head_version == self.version && same_hash && same_events
    }

    /// The command whose receipt must come before anything else does.
    pub(super) fn open_command(&self) -> Option<&Id> {
        self.run.as_ref().filter(|run| !run.has_receipt).map(|run| &run.command)
    }

    fn event(&mut self, event: &Event, is_damaged: bool) -> Result<(), String> {
        self.next_version(event.version)?;
        if !is_damaged && !self.links(event) {
            return Err(BROKEN_CHAIN.to_owned());
        }
        match &mut self.run {
            Some(run) if run.command == event.command && !run.has_receipt => run.count += 1,
            _ => {
                self.close()?;
                self.run = Some(Run {
                    command: event.command.clone(),
                    count: 1,
                    has_receipt: false,
                });
            }
        }
        self.link = Link::Hash(event.hash);
        Ok(())
    }

    fn receipt(&mut self, command: &Id) {
        if let Some(run) = self.run.as_mut().filter(|run| run.command == *command) {
            run.has_receipt = true;
        }
    }

    fn next_version(&mut self, version: u64) -> Result<(), String> {
        if version != self.version + 1 {
            return Err(format!("version {} belongs here, and not {version}", self.version + 1));
        }
        self.version = version;
        Ok(())
    }

    fn close(&self) -> Result<(), String> {
        match self.open_command() {
            None => Ok(()),
            Some(command) => Err(format!("the receipt of command {command} is missing before it")),
        }
    }
}
