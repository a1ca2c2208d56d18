//! What receipts keep of an answer: its codes and numbers stay.

use bytes::Bytes;
use recto_projections::pointer::Pointer;
use serde_json::{Map, Value as Json};

use super::cipher::Cipher;
use super::values::last_name;

/// The operation, the epoch, and what there is more to tell.
const PARTS: usize = 3;
/// The fields that hold values of the page.
const VALUES: [&str; 6] = ["before", "mine", "theirs", "wanted", "now", "lost"];
/// The fields whose strings are codes or ids that stay.
const KEPT: [&str; 4] = ["outcome", "code", "node", "background"];

impl Cipher {
    /// The double of an outcome. One that is not understood is left out.
    pub(super) fn outcome(&self, outcome: &Bytes) -> Bytes {
        let text = std::str::from_utf8(outcome).unwrap_or_default();
        let mut parts: Vec<String> = text.splitn(PARTS, ' ').map(str::to_owned).collect();
        if let Some(report) = parts.get_mut(PARTS - 1) {
            let json = serde_json::from_str::<Json>(report).unwrap_or_default();
            *report = self.report(&json).to_string();
        }
        parts.join(" ").into()
    }

    fn report(&self, json: &Json) -> Json {
        match json {
            Json::Object(map) => {
                let pointer = map.get("pointer").and_then(Json::as_str);
                let pointer = pointer.and_then(|pointer| Pointer::parse(pointer).ok());
                let name = pointer.as_ref().and_then(last_name);
                let entries = map.iter();
                let double: Map<String, Json> = entries
                    .map(|(field, value)| (field.clone(), self.field(field, value, name.as_deref())))
                    .collect();
                Json::Object(double)
            }
            Json::Array(items) => items.iter().map(|item| self.report(item)).collect(),
            Json::String(text) => Json::String(self.text(text)),
            other => other.clone(),
        }
    }

    fn field(&self, field: &str, value: &Json, name: Option<&str>) -> Json {
        if VALUES.contains(&field) {
            return self.value(value, name, false);
        }
        let Json::String(text) = value else {
            return self.report(value);
        };
        Json::String(match field {
            _ if KEPT.contains(&field) => text.clone(),
            "actor" => self.actor(text),
            "file" => self.id(text),
            "pointer" => match Pointer::parse(text).map(|pointer| self.pointer(&pointer)) {
                Ok(Ok(pointer)) => pointer.as_str().to_owned(),
                _ => self.text(text),
            },
            _ => self.text(text),
        })
    }
}
