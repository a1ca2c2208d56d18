//! The fields of a body's outermost object: every one known, every fault with its pointer.

use recto_pages::{ATTACHMENT_FOLDER, Id};
use serde_json::{Map, Value as Json};

use crate::problem::{Code, Problem};

/// The fields of a body that have not been taken yet.
#[derive(Debug)]
pub(crate) struct Fields(Map<String, Json>);

impl Fields {
    /// Takes an object that has no other fields than `known`.
    pub(crate) fn open(json: Json, known: &[&str]) -> Result<Self, Problem> {
        let Json::Object(map) = json else {
            return Err(malformed("", "an object"));
        };
        match map.keys().find(|name| !known.contains(&name.as_str())) {
            None => Ok(Self(map)),
            Some(name) => {
                let pointer = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
                Err(malformed(&pointer, "no field of this name"))
            }
        }
    }

    /// Takes a field; `None` where it is absent.
    pub(crate) fn take(&mut self, name: &str) -> Option<Json> {
        self.0.shift_remove(name)
    }

    /// Takes a field that must be there.
    pub(crate) fn required(&mut self, name: &str, expected: &'static str) -> Result<Json, Problem> {
        self.take(name).ok_or_else(|| malformed(&format!("/{name}"), expected))
    }

    /// Takes `true` or `false`; absent is `default`.
    pub(crate) fn flag(&mut self, name: &str, default: bool) -> Result<bool, Problem> {
        match self.take(name) {
            None => Ok(default),
            Some(Json::Bool(flag)) => Ok(flag),
            Some(_) => Err(malformed(&format!("/{name}"), "true or false")),
        }
    }

    /// Takes a whole number from 1 that may be absent.
    pub(crate) fn counted(&mut self, name: &str, expected: &str) -> Result<Option<u32>, Problem> {
        let Some(given) = self.take(name) else {
            return Ok(None);
        };
        let number = given.as_u64().and_then(|number| u32::try_from(number).ok());
        let number = number.filter(|number| *number > 0);
        number.map(Some).ok_or_else(|| malformed(&format!("/{name}"), expected))
    }

    /// Takes a text that `read` makes something of, and that may be absent.
    pub(crate) fn text<T>(
        &mut self,
        name: &str,
        expected: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, Problem> {
        let Some(given) = self.take(name) else {
            return Ok(None);
        };
        let read = given.as_str().and_then(read);
        read.map(Some).ok_or_else(|| malformed(&format!("/{name}"), expected))
    }

    /// Takes an id that may be absent.
    pub(crate) fn id(&mut self, name: &str) -> Result<Option<Id>, Problem> {
        let text = self.string(name)?;
        text.map(|text| read_id(name, &text)).transpose()
    }

    /// Takes what names a file, and may be absent: the path of an attachment, or an id.
    pub(crate) fn file(&mut self, name: &str) -> Result<Option<String>, Problem> {
        let text = self.string(name)?;
        if let Some(id) = text.as_ref().filter(|text| !text.starts_with(ATTACHMENT_FOLDER)) {
            read_id(name, id)?;
        }
        Ok(text)
    }

    fn string(&mut self, name: &str) -> Result<Option<String>, Problem> {
        match self.take(name) {
            None => Ok(None),
            Some(Json::String(text)) => Ok(Some(text)),
            Some(_) => Err(malformed(&format!("/{name}"), "a string")),
        }
    }
}

fn read_id(name: &str, text: &str) -> Result<Id, Problem> {
    Id::new(text).map_err(|fault| {
        Problem::new(Code::IdIllegal, fault.to_string())
            .with("pointer", format!("/{name}"))
            .with("rule", "id_invalid")
    })
}

/// Says that something else should stand at `pointer`.
pub(crate) fn malformed(pointer: &str, expected: &str) -> Problem {
    Problem::new(
        Code::Malformed,
        format!("at \"{pointer}\": {expected} is expected here"),
    )
    .with("pointer", pointer)
    .with("expected", expected)
}
