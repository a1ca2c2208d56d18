//! Free JSON, its names and pointers.

use recto_projections::json::JsonMap;
use recto_projections::pointer::{Pointer, PointerInvalid};
use serde_json::Value as Json;

use super::cipher::Cipher;
use super::places::{Treatment, is_known, treatment};

impl Cipher {
    /// A string under a name.
    pub(super) fn string(&self, text: &str, name: Option<&str>, in_array: bool) -> String {
        match treatment(name, in_array) {
            Treatment::Keep => text.to_owned(),
            Treatment::Text => self.text(text),
            Treatment::Id => self.id(text),
        }
    }

    /// A value under a name. Numbers, truths and nulls stay.
    pub(super) fn value(&self, json: &Json, name: Option<&str>, in_array: bool) -> Json {
        match json {
            Json::String(text) => Json::String(self.string(text, name, in_array)),
            Json::Array(items) => items.iter().map(|item| self.value(item, name, true)).collect(),
            Json::Object(map) => Json::Object(self.map(map, in_array)),
            Json::Null | Json::Bool(_) | Json::Number(_) => json.clone(),
        }
    }

    /// An object; its keys keep their order.
    pub(super) fn map(&self, map: &JsonMap, in_array: bool) -> JsonMap {
        let entry = |(name, value): (&String, &Json)| (self.name(name), self.value(value, Some(name), in_array));
        map.iter().map(entry).collect()
    }

    /// The name of a field: one that is known stays, another becomes one that is not known. So no two become the same.
    pub(super) fn name(&self, name: &str) -> String {
        if is_known(name) {
            return name.to_owned();
        }
        let mut other = self.id(name);
        while is_known(&other) {
            other = self.id(&other);
        }
        other
    }

    /// A pointer, name by name.
    pub(super) fn pointer(&self, pointer: &Pointer) -> Result<Pointer, PointerInvalid> {
        let mut text = String::with_capacity(pointer.as_str().len());
        for name in pointer.segments() {
            text.push('/');
            text.push_str(&self.name(&name).replace('~', "~0").replace('/', "~1"));
        }
        Pointer::parse(&text)
    }
}

/// The name that a pointer ends with.
pub(super) fn last_name(pointer: &Pointer) -> Option<String> {
    pointer.segments().last().map(std::borrow::Cow::into_owned)
}
