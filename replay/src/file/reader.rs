//! Reading an exported file: every line is checked as it comes, and what is wrong is told with its number.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use recto_projections::Kind;
use recto_store::{Cause, Durability, Event, FORMAT, Id, PageKey, Receipt, Span, frames};
use serde::de::DeserializeOwned;

use super::chain::Chain;
use super::format::{
    DamagedLine, DamagedReceiptLine, EventLine, FORMAT_NAME, FORMAT_VERSION, Footer, Header, ReceiptLine, begin,
    change_from_json, from_base64, from_hex, outcome_from_text,
};
use super::item::{EventItem, Item, ReceiptItem};
use super::lines::LineReader;
use super::writer::kind_name;
use crate::failure::Failure;

/// What every exported file begins with.
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Reads the history of one page.
pub struct Reader {
    path: PathBuf,
    lines: LineReader,
    /// What the file says of itself.
    pub header: Header,
    /// The page.
    pub page: PageKey,
    /// Its kind, where that is known.
    pub kind: Option<Kind>,
    chain: Chain,
    counted: Footer,
    ended: bool,
}

impl Reader {
    /// Opens a file and reads its first line.
    ///
    /// # Errors
    /// [`Failure::File`], where it is no exported page; [`Failure::System`], where it cannot be opened.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let system = |fault| Failure::System {
            path: path.to_owned(),
            fault,
        };
        let mut file = File::open(path).map_err(system)?;
        let mut magic = [0; ZSTD_MAGIC.len()];
        if file.read_exact(&mut magic).is_err() || magic != ZSTD_MAGIC {
            return Err(Failure::File {
                path: path.to_owned(),
                line: 1,
                what: "this is no exported page, or its first bytes are damaged".to_owned(),
            });
        }
        file.rewind().map_err(system)?;
        let mut lines = LineReader::new(file).map_err(system)?;
        let header = lines.next().and_then(read_header).map_err(|what| Failure::File {
            path: path.to_owned(),
            line: lines.number,
            what,
        })?;
        let (header, page, kind) = header;
        let counted = Footer {
            end: true,
            events: 0,
            receipts: 0,
            damaged: u64::from(header.record_damage.is_some()),
            head: None,
            blake3: String::new(),
        };
        Ok(Self {
            path: path.to_owned(),
            lines,
            chain: Chain::default(),
            header,
            page,
            kind,
            counted,
            ended: false,
        })
    }

    /// The next item; `None` at the end, when all of the file was found to be sound.
    ///
    /// # Errors
    /// [`Failure::File`] with the line at fault.
    pub fn next_item(&mut self) -> Result<Option<Item>, Failure> {
        if self.ended {
            return Ok(None);
        }
        match self.read() {
            Ok(item) => Ok(item),
            Err(what) => Err(self.fault(what)),
        }
    }

    /// Whether something in it is damaged. Known at the end.
    #[must_use]
    pub fn damaged(&self) -> u64 {
        self.counted.damaged
    }

    /// How many events and receipts were read.
    #[must_use]
    pub fn counted(&self) -> (u64, u64) {
        (self.counted.events, self.counted.receipts)
    }

    /// A fault in the line that was read last.
    pub fn fault(&self, what: impl Into<String>) -> Failure {
        Failure::File {
            path: self.path.clone(),
            line: self.lines.number,
            what: what.into(),
        }
    }

    fn read(&mut self) -> Result<Option<Item>, String> {
        let Some(line) = self.lines.next()? else {
            return Err("the file is cut short: it has no last line".to_owned());
        };
        if line.starts_with(begin::FOOTER) {
            let footer: Footer = parse(line)?;
            self.end(&footer)?;
            return Ok(None);
        }
        let item = read_item(&self.page, self.kind, line)?;
        self.chain.take(&item)?;
        self.counted.damaged += u64::from(item.damage().is_some());
        match &item {
            Item::Event(_) => self.counted.events += 1,
            Item::Receipt(_) => self.counted.receipts += 1,
        }
        Ok(Some(item))
    }

    fn end(&mut self, footer: &Footer) -> Result<(), String> {
        self.chain.end()?;
        self.counted.head = self.chain.head().map(crate::telling::hash);
        self.counted.blake3 = self.lines.hash_before().to_hex().to_string();
        if *footer != self.counted {
            return Err("the last line does not agree with those before it".to_owned());
        }
        if self.counted.events != self.header.events {
            return Err(format!(
                "the first line tells of {} events, and there are {}",
                self.header.events, self.counted.events
            ));
        }
        match self.lines.next()? {
            None => {}
            Some(_) => return Err("there is more behind the last line".to_owned()),
        }
        self.ended = true;
        self.lines.end()
    }
}

fn parse<T: DeserializeOwned>(line: &[u8]) -> Result<T, String> {
    serde_json::from_slice(line).map_err(|fault| format!("it is no line of an exported page: {fault}"))
}

fn read_header(line: Option<&[u8]>) -> Result<(Header, PageKey, Option<Kind>), String> {
    let line = line.filter(|line| line.starts_with(begin::HEADER));
    let header: Header = parse(line.ok_or_else(|| "it is no exported page".to_owned())?)?;
    if header.recto != FORMAT_NAME || header.format != FORMAT_VERSION {
        return Err(format!(
            "it is a {:?} of format {}; this program reads {FORMAT_NAME:?} of format {FORMAT_VERSION}: use the program that wrote it, or a newer one",
            header.recto, header.format
        ));
    }
    if header.store != FORMAT {
        return Err(format!(
            "its events come from a store of format {}, this program knows {FORMAT}: use the program that wrote it, or a newer one",
            header.store
        ));
    }
    let page = PageKey::parse(&header.workspace, &header.page).map_err(|fault| fault.to_string())?;
    let kind = header.kind.as_deref().map(str::parse::<Kind>).transpose();
    let kind = kind.map_err(|fault| fault.to_string())?;
    Ok((header, page, kind))
}

fn read_item(page: &PageKey, kind: Option<Kind>, line: &[u8]) -> Result<Item, String> {
    if line.starts_with(begin::EVENT) {
        read_event(page, kind, parse(line)?).map(Item::Event)
    } else if line.starts_with(begin::RECEIPT) {
        read_receipt(parse(line)?).map(Item::Receipt)
    } else if line.starts_with(begin::DAMAGED) {
        let line: DamagedLine = parse(line)?;
        Ok(Item::Event(EventItem::Damaged {
            version: line.damaged,
            bytes: line.bytes.as_deref().map(from_base64).transpose()?,
            reason: line.reason,
        }))
    } else if line.starts_with(begin::DAMAGED_RECEIPT) {
        let line: DamagedReceiptLine = parse(line)?;
        Ok(Item::Receipt(ReceiptItem::Damaged {
            command: id(&line.damaged_receipt)?,
            bytes: line.bytes.as_deref().map(from_base64).transpose()?,
            reason: line.reason,
        }))
    } else {
        Err("it is no line of an exported page".to_owned())
    }
}

fn read_event(page: &PageKey, kind: Option<Kind>, line: EventLine) -> Result<EventItem, String> {
    if line.kind != kind_name(line.code) && line.kind != "unknown" {
        return Err(format!("{:?} is not the name of kind {}", line.kind, line.code));
    }
    let mut event = Event {
        version: line.event,
        position: 0,
        command: id(&line.command)?,
        prev_hash: from_hex(&line.prev_hash)?,
        hash: from_hex(&line.hash)?,
        kind: line.code,
        schema: line.schema,
        time_ms: line.time_ms,
        actor: line.actor,
        turn: line.turn,
        cause: line.cause.map(|cause| Cause {
            kind: cause.kind,
            version: cause.version,
        }),
        epoch: line.epoch,
        flags: line.flags,
        delta: change_from_json(kind, &line.delta)?,
        inverse: change_from_json(kind, &line.inverse)?,
        digest: from_hex(&line.digest)?,
    };
    let sealed = frames::seal_event(page, &event).map_err(|fault| fault.to_string())?;
    if sealed.hash != event.hash {
        return Err("the event does not have the hash that stands beside it: it was changed".to_owned());
    }
    event.hash = sealed.hash;
    Ok(EventItem::Whole {
        event: Box::new(event),
        damage: line.damage,
    })
}

fn read_receipt(line: ReceiptLine) -> Result<ReceiptItem, String> {
    let first = line.version.checked_sub(line.events).map(|before| before + 1);
    let first = first.ok_or_else(|| "it tells of more events than versions".to_owned())?;
    let versions = (line.events > 0).then_some(Span {
        first,
        last: line.version,
    });
    Ok(ReceiptItem::Whole {
        command: id(&line.receipt)?,
        receipt: Box::new(Receipt {
            versions,
            positions: None,
            head_version: line.version,
            head_hash: from_hex(&line.hash)?,
            time_ms: line.time_ms,
            fingerprint: from_hex(&line.fingerprint)?,
            outcome: outcome_from_text(line.outcome)?,
            durability: Durability::Memory,
            index: 0,
        }),
        damage: line.damage,
    })
}

fn id(text: &str) -> Result<Id, String> {
    Id::new(text).map_err(|fault| fault.to_string())
}
