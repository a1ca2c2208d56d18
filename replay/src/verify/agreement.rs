//! Whether the receipts of a page agree with its events, and which one does not.

use recto_pages::PageKey;
use recto_store::{Fault, Place};

use super::fault::{FaultClass, Found};
use super::receipts::{PageReceipts, Silent, Tally};
use crate::failure::Failure;
use crate::file::{self, Item, ReceiptItem, Sink};
use crate::source::Source;

/// What is wrong with the receipts of a page whose events are whole.
pub(super) async fn receipts_faults(
    source: &Source,
    page: &PageKey,
    versions: u64,
    tally: &Tally,
    receipts: &PageReceipts,
    found: &mut Vec<Found>,
) -> Result<(), Failure> {
    let known = found.len();
    found.extend(receipts.damaged.iter().cloned());
    for silent in receipts.silent.iter().filter(|silent| !silent.is_before_all()) {
        let event = source.event(page, silent.version).await?;
        if event.event().is_none_or(|event| event.event.hash != silent.hash) {
            found.push(disagrees(page, silent));
            break;
        }
    }
    if *tally != receipts.told && found.len() == known {
        found.extend(locate(source, page, versions).await?);
    }
    Ok(())
}

/// Finds the receipt at fault, one by one.
async fn locate(source: &Source, page: &PageKey, versions: u64) -> Result<Option<Found>, Failure> {
    let mut first = First {
        page: page.clone(),
        found: None,
    };
    file::walk(source, page, versions, &mut first).await?;
    if first.found.is_some() {
        return Ok(first.found);
    }
    // Versions and hashes agree: then it is the positions, which a file does not tell.
    let verified = source.store().verify(page).await?;
    Ok(verified.damage.map(|damage| Found::of(damage.at, &damage.fault)))
}

/// Keeps the first receipt that is damaged.
struct First {
    page: PageKey,
    found: Option<Found>,
}

impl Sink for First {
    fn take(&mut self, item: Item) -> Result<(), Failure> {
        let Item::Receipt(receipt) = item else { return Ok(()) };
        let (command, class, what) = match receipt {
            ReceiptItem::Whole { damage: None, .. } => return Ok(()),
            ReceiptItem::Whole {
                command,
                damage: Some(what),
                ..
            } if what == file::ORPHAN => (command, FaultClass::ReceiptOrphan, what),
            ReceiptItem::Whole {
                command,
                damage: Some(what),
                ..
            } => (command, FaultClass::ReceiptDisagrees, what),
            ReceiptItem::Damaged {
                command,
                bytes: None,
                reason,
            } => (command, FaultClass::ReceiptMissing, reason),
            ReceiptItem::Damaged { command, reason, .. } => (command, FaultClass::ReceiptDamaged, reason),
        };
        let page = self.page.clone();
        self.found.get_or_insert(Found {
            place: Place::Receipt { page, command },
            class,
            what,
        });
        Ok(())
    }
}

fn disagrees(page: &PageKey, silent: &Silent) -> Found {
    let place = Place::Receipt {
        page: page.clone(),
        command: silent.command.clone(),
    };
    Found::of(place, &Fault::Disagrees)
}
