//! What can be wrong with a store: a closed list, each with what it means and what can be done.

use recto_store::codec::FrameError;
use recto_store::{Fault, Place};

/// What sort of fault it is. The code is stable; none is ever used for another fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FaultClass {
    /// A version has no event.
    EventMissing,
    /// An event's bytes are not those that were written.
    EventDamaged,
    /// An event was written by a newer program.
    EventUnknown,
    /// An event does not follow the one before it.
    ChainBroken,
    /// An event's place in the feed is not behind that of the event before it.
    PositionWrong,
    /// An event's change does not decode.
    DeltaUndecodable,
    /// An event's change does not apply, or leads elsewhere.
    DeltaWrong,
    /// An event recorded the digest of another state.
    DigestWrong,
    /// An event's inverse does not decode.
    InverseUndecodable,
    /// An event's inverse does not apply, or leads elsewhere.
    InverseWrong,
    /// A command's receipt is missing.
    ReceiptMissing,
    /// A receipt's bytes are not those that were written.
    ReceiptDamaged,
    /// A receipt tells of other events than its command has.
    ReceiptDisagrees,
    /// A receipt tells of events that are not there.
    ReceiptOrphan,
    /// A page has no record.
    RecordMissing,
    /// A record's bytes are not those that were written.
    RecordDamaged,
    /// A page's record does not decode.
    RecordUndecodable,
    /// A record and the events disagree.
    RecordDisagrees,
    /// A record is about a page without events.
    RecordOrphan,
    /// A snapshot's bytes are not those that were written, or do not decode.
    SnapshotDamaged,
    /// A snapshot is not the state of its version.
    SnapshotWrong,
    /// The feed leaves an event out, or tells it at another place.
    FeedWrong,
    /// The storage engine found damage in its files.
    EngineDamaged,
}

/// A fault: where, which, and in what words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where.
    pub place: Place,
    /// Which sort.
    pub class: FaultClass,
    /// What exactly.
    pub what: String,
}

impl FaultClass {
    /// All of them.
    pub const ALL: [Self; 23] = [
        Self::EventMissing,
        Self::EventDamaged,
        Self::EventUnknown,
        Self::ChainBroken,
        Self::PositionWrong,
        Self::DeltaUndecodable,
        Self::DeltaWrong,
        Self::DigestWrong,
        Self::InverseUndecodable,
        Self::InverseWrong,
        Self::ReceiptMissing,
        Self::ReceiptDamaged,
        Self::ReceiptDisagrees,
        Self::ReceiptOrphan,
        Self::RecordMissing,
        Self::RecordDamaged,
        Self::RecordUndecodable,
        Self::RecordDisagrees,
        Self::RecordOrphan,
        Self::SnapshotDamaged,
        Self::SnapshotWrong,
        Self::FeedWrong,
        Self::EngineDamaged,
    ];

    /// The stable code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::EventMissing => "event_missing",
            Self::EventDamaged => "event_damaged",
            Self::EventUnknown => "event_unknown",
            Self::ChainBroken => "chain_broken",
            Self::PositionWrong => "position_wrong",
            Self::DeltaUndecodable => "delta_undecodable",
            Self::DeltaWrong => "delta_wrong",
            Self::DigestWrong => "digest_wrong",
            Self::InverseUndecodable => "inverse_undecodable",
            Self::InverseWrong => "inverse_wrong",
            Self::ReceiptMissing => "receipt_missing",
            Self::ReceiptDamaged => "receipt_damaged",
            Self::ReceiptDisagrees => "receipt_disagrees",
            Self::ReceiptOrphan => "receipt_orphan",
            Self::RecordMissing => "record_missing",
            Self::RecordDamaged => "record_damaged",
            Self::RecordUndecodable => "record_undecodable",
            Self::RecordDisagrees => "record_disagrees",
            Self::RecordOrphan => "record_orphan",
            Self::SnapshotDamaged => "snapshot_damaged",
            Self::SnapshotWrong => "snapshot_wrong",
            Self::FeedWrong => "feed_wrong",
            Self::EngineDamaged => "engine_damaged",
        }
    }

    /// What it means for the page.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::EventMissing => {
                "The bytes of this version were lost: versions before it can be read, those behind it only from a later snapshot or, from the head, by inverses."
            }
            Self::EventDamaged => {
                "Bits changed after the event was written, on the disk or in memory: what it changed cannot be read, and states that are replayed over it are uncertain."
            }
            Self::EventUnknown => {
                "A newer Recto wrote this event: nothing is damaged, but this program cannot read it."
            }
            Self::ChainBroken => {
                "The event before this one is not the one it was appended to: one of the two was put in the other's place, or changed along with its checksum."
            }
            Self::PositionWrong => {
                "The event stands in the feed before its predecessor: who follows the feed saw them in the wrong order; the page itself is not affected."
            }
            Self::DeltaUndecodable => {
                "The event is unharmed, as written, but its change is no change: the program that appended it had a fault. States behind it cannot be replayed over it."
            }
            Self::DeltaWrong => {
                "The event is unharmed, as written, but replaying it does not give the state that was appended: a fault in applying changes, then or now. States behind it are uncertain up to the next digest that fits."
            }
            Self::DigestWrong => {
                "The change and its inverse fit each other, only the recorded digest does not: the state is most likely right, and reads of this version are refused all the same."
            }
            Self::InverseUndecodable => {
                "The event cannot be undone by its inverse, nor can states before it be had backwards from the head; forwards they can."
            }
            Self::InverseWrong => {
                "An undo of this event would not give back what was there before it, and states before it cannot be had backwards from the head; forwards they can."
            }
            Self::ReceiptMissing => {
                "A retry of this command would be carried out a second time, or be refused as stale; the page itself is not affected."
            }
            Self::ReceiptDamaged => "A retry of this command, and `recto why`, fail; the page itself is not affected.",
            Self::ReceiptDisagrees => {
                "A retry of this command would be told of other events than it made; the page itself is not affected."
            }
            Self::ReceiptOrphan => {
                "The command was acknowledged, and its events are gone: an acknowledged change was lost, or the receipt belongs to another store."
            }
            Self::RecordMissing => {
                "The events are there, but the page is not found by its id: an import that was broken off, or a lost record."
            }
            Self::RecordDamaged => {
                "Bits of the record changed after it was written: what it says of the page (kind, file) cannot be read, and the page is not served."
            }
            Self::RecordUndecodable => {
                "The record is unharmed, as written, but says nothing that this program understands: the page is not served."
            }
            Self::RecordDisagrees => {
                "The record says something else of the page than its events or the other record do: lists and reads disagree."
            }
            Self::RecordOrphan => {
                "The page is listed and has no events: they were lost, or the record was left behind."
            }
            Self::SnapshotDamaged => {
                "Bits of a cached state changed: it is passed over, reads near it are slower. Nothing is lost."
            }
            Self::SnapshotWrong => {
                "A cached state is not what the events make: reads check it and pass it over. Nothing is lost, but whatever wrote it had a fault."
            }
            Self::FeedWrong => {
                "Who follows the feed of all pages does not see this event, or sees it at another place; the page itself is not affected."
            }
            Self::EngineDamaged => {
                "A file of the storage engine is damaged: whatever stands in it, of any page, may be unreadable."
            }
        }
    }

    /// What can be done.
    #[must_use]
    pub const fn advice(self) -> &'static str {
        match self {
            Self::EventMissing | Self::EventDamaged | Self::ChainBroken => {
                "Restore the folder from a backup taken before the damage; `recto export` saves this page with what is left, `recto show --at` reads the versions before it."
            }
            Self::EventUnknown => "Use the program that wrote it, or a newer one.",
            Self::PositionWrong | Self::FeedWrong => {
                "Let followers read the page's events by version instead; restore from a backup to put the feed right."
            }
            Self::DeltaUndecodable
            | Self::DeltaWrong
            | Self::DigestWrong
            | Self::InverseWrong
            | Self::InverseUndecodable => {
                "Report it with `recto export PAGE --output FILE`: it is a fault of Recto. `recto replay PAGE` shows the event; restoring the version before it gives a page to go on with."
            }
            Self::ReceiptMissing | Self::ReceiptDamaged | Self::ReceiptDisagrees | Self::ReceiptOrphan => {
                "Do not retry this command; compare the page with what its sender knows. A backup has the receipt as it was."
            }
            Self::RecordMissing => {
                "Run the import again if it was one; else restore from a backup, or export the page and import it elsewhere."
            }
            Self::RecordDamaged | Self::RecordUndecodable | Self::RecordDisagrees | Self::RecordOrphan => {
                "Restore the folder from a backup; the events of the page are not touched by it."
            }
            Self::SnapshotDamaged | Self::SnapshotWrong => {
                "Nothing has to be done: the server drops it when it meets it, and writes another."
            }
            Self::EngineDamaged => {
                "Stop the server, copy the folder, and look at the copy with --salvage; restore from a backup."
            }
        }
    }
}

impl Found {
    /// What the store found.
    #[must_use]
    pub fn of(place: Place, fault: &Fault) -> Self {
        Self {
            class: class_of(&place, fault),
            what: fault.to_string(),
            place,
        }
    }
}

fn class_of(place: &Place, fault: &Fault) -> FaultClass {
    let newer = matches!(
        fault,
        Fault::Frame(FrameError::UnknownCodec { .. } | FrameError::UnknownSchema { .. })
    );
    match (place, fault) {
        (_, Fault::Engine { .. }) => FaultClass::EngineDamaged,
        (_, Fault::BrokenChain) => FaultClass::ChainBroken,
        (_, Fault::Position { .. }) => FaultClass::PositionWrong,
        (_, Fault::NotInFeed) | (Place::Feed { .. }, _) => FaultClass::FeedWrong,
        (Place::Event { .. }, Fault::Missing) => FaultClass::EventMissing,
        (Place::Event { .. }, _) if newer => FaultClass::EventUnknown,
        (Place::Event { .. }, _) => FaultClass::EventDamaged,
        (Place::Receipt { .. }, Fault::Missing) => FaultClass::ReceiptMissing,
        (Place::Receipt { .. }, Fault::Disagrees) => FaultClass::ReceiptDisagrees,
        (Place::Receipt { .. }, _) => FaultClass::ReceiptDamaged,
        (Place::Snapshot { .. }, Fault::Disagrees) => FaultClass::SnapshotWrong,
        (Place::Snapshot { .. }, _) => FaultClass::SnapshotDamaged,
        (Place::Record { .. }, Fault::Missing) => FaultClass::RecordMissing,
        (Place::Record { .. } | Place::Meta, _) => FaultClass::RecordDamaged,
        (Place::Area { .. }, _) => FaultClass::EngineDamaged,
    }
}
