//! Patches as JSON: the fields `set`, `unset` and `at` of an operation.

use super::{Patch, PatchRef, check_overlap};
use crate::fault::Invalid;
use crate::json::{Json, JsonMap};
use crate::pointer;
use crate::wire::{Fields, free, index, read_pointer, string};

impl Patch {
    /// Reads the fields of an operation.
    pub(crate) fn from_fields(fields: &Fields<'_>) -> Result<Patch, Invalid> {
        let mut patch = Patch::default();
        for (key, value, place) in entries(fields, "set")? {
            let pointer = read_pointer(key, || place.clone())?;
            patch.set.push((pointer, free(value, 0, || place.clone())?));
        }
        if fields.optional("unset").is_some() {
            for (number, entry) in fields.array("unset")?.iter().enumerate() {
                let place = || format!("{}/{number}", fields.at("unset"));
                patch.unset.push(read_pointer(string(entry, place)?, place)?);
            }
        }
        for (key, value, place) in entries(fields, "at")? {
            let pointer = read_pointer(key, || place.clone())?;
            patch.at.push((pointer, index(value, || place.clone())?));
        }
        check_overlap(&PatchRef::of(&patch)).map_err(|flaw| flaw.into_invalid(&fields.place()))?;
        Ok(patch)
    }

    /// Puts the fields into an operation; empty ones are left out.
    pub(crate) fn write_fields(&self, op: &mut JsonMap) {
        if !self.set.is_empty() {
            let set = self
                .set
                .iter()
                .map(|(pointer, value)| (pointer.to_string(), value.clone()));
            op.insert("set".into(), Json::Object(set.collect()));
        }
        if !self.unset.is_empty() {
            let unset = self.unset.iter().map(|pointer| Json::from(pointer.as_str()));
            op.insert("unset".into(), unset.collect());
        }
        if !self.at.is_empty() {
            let at = self
                .at
                .iter()
                .map(|(pointer, index)| (pointer.to_string(), Json::from(*index)));
            op.insert("at".into(), Json::Object(at.collect()));
        }
    }
}

type Entry<'a> = (&'a str, &'a Json, String);

/// Goes over an object by pointer that may be absent.
fn entries<'a>(fields: &Fields<'a>, name: &str) -> Result<Vec<Entry<'a>>, Invalid> {
    match fields.optional(name) {
        None => Ok(Vec::new()),
        Some(Json::Object(map)) => {
            let place = fields.at(name);
            Ok(map
                .iter()
                .map(|(key, value)| (key.as_str(), value, pointer::below(&place, key)))
                .collect())
        }
        Some(_) => Err(Invalid::malformed(fields.at(name), "an object by JSON pointer")),
    }
}
