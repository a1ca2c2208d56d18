//! What a command is billed as: a class, and units by the kind of page. It is a record in the commit of its event, so it
//! counts once where the command counts once. What changes nothing, is refused or replayed costs nothing.

use recto_projections::Kind;
use recto_store::{Id, PageKey, RecordKey, RecordWrite};
use serde_json::{Value as Json, json};

use super::usage::{USAGE_TABLE, day_of};
use crate::actor::{Actor, ActorKind};
use crate::error::ReadError;

/// What a command is billed as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BillingClass {
    /// Writing to a page that exists.
    Edit,
    /// Making a page.
    Create,
}

/// The least units of a command, by the kind of its page. Looking costs nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Floors {
    /// DESIGN.
    pub design: u64,
    /// DOC.
    pub doc: u64,
    /// CODE.
    pub code: u64,
    /// SHEET.
    pub sheet: u64,
}

/// What one command costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Charge {
    pub class: BillingClass,
    pub kind: Kind,
    pub actor: ActorKind,
    pub units: u64,
}

impl Default for Floors {
    fn default() -> Self {
        Self {
            design: 100,
            doc: 5,
            code: 5,
            sheet: 0,
        }
    }
}

impl Floors {
    /// The units of a command on a page of a kind.
    #[must_use]
    pub fn of(&self, kind: Kind) -> u64 {
        match kind {
            Kind::Design => self.design,
            Kind::Doc => self.doc,
            Kind::Code => self.code,
            Kind::Sheet => self.sheet,
        }
    }
}

impl BillingClass {
    /// The name in answers and records.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Edit => "edit",
            Self::Create => "create",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        [Self::Edit, Self::Create]
            .into_iter()
            .find(|class| class.as_str() == name)
    }
}

impl Charge {
    pub(crate) fn new(class: BillingClass, kind: Kind, actor: &Actor, floors: &Floors) -> Self {
        Self {
            class,
            kind,
            actor: actor.kind(),
            units: floors.of(kind),
        }
    }

    /// The record of a command that was carried out at a time: by day, page and command, so that it stands once.
    pub(crate) fn record(&self, page: &PageKey, command: &Id, time_ms: i64) -> Result<RecordWrite, ReadError> {
        let day = Id::new(&day_of(time_ms));
        let key = day.and_then(|day| RecordKey::join(&[&day, &page.page, command]));
        let value = json!({
            "v": 1,
            "class": self.class.as_str(),
            "kind": self.kind.as_str(),
            "actor": self.actor.as_str(),
            "units": self.units,
        });
        Ok(RecordWrite {
            table: USAGE_TABLE.clone(),
            key: key.map_err(|fault| ReadError::Unavailable {
                reason: fault.to_string(),
            })?,
            expected_revision: 0,
            value: value.to_string().into_bytes().into(),
        })
    }

    pub(crate) fn from_record(bytes: &[u8]) -> Option<Self> {
        let record: Json = serde_json::from_slice(bytes).ok()?;
        let text = |name: &str| record.get(name)?.as_str();
        (record.get("v")?.as_u64()? == 1).then_some(())?;
        Some(Self {
            class: BillingClass::from_name(text("class")?)?,
            kind: text("kind")?.parse().ok()?,
            actor: ActorKind::from_name(text("actor")?)?,
            units: record.get("units")?.as_u64()?,
        })
    }
}
