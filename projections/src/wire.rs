//! Reading JSON from outside, strictly: every field known, every fault with its pointer.

use std::sync::Arc;

use crate::fault::{Invalid, Limited, Rule};
use crate::flaw::at_most;
use crate::json::{self, Json, JsonMap};
use crate::limits::{ID_MAX_BYTES, OPS_MAX, TYPE_MAX_BYTES};
use crate::pointer::{self, Pointer};

/// The fields of an object, with its place in the input.
pub(crate) struct Fields<'a> {
    map: &'a JsonMap,
    pointer: String,
}

impl<'a> Fields<'a> {
    /// Takes an object that has no other fields than `known`.
    pub(crate) fn open(json: &'a Json, pointer: String, known: &[&str]) -> Result<Fields<'a>, Invalid> {
        let fields = Fields::open_any(json, pointer)?;
        match fields.map.keys().find(|name| !known.contains(&name.as_str())) {
            Some(name) => Err(Invalid::malformed(fields.at(name), "no field of this name")),
            None => Ok(fields),
        }
    }

    /// Takes an object with whatever fields.
    pub(crate) fn open_any(json: &'a Json, pointer: String) -> Result<Fields<'a>, Invalid> {
        match json {
            Json::Object(map) => Ok(Fields::of(map, pointer)),
            _ => Err(Invalid::malformed(pointer, "an object")),
        }
    }

    /// Takes an object as it is.
    pub(crate) fn of(map: &'a JsonMap, pointer: String) -> Fields<'a> {
        Fields { map, pointer }
    }

    /// Gives the pointer to the object.
    pub(crate) fn place(&self) -> String {
        self.pointer.clone()
    }

    /// Gives the pointer to a field.
    pub(crate) fn at(&self, name: &str) -> String {
        pointer::below(&self.pointer, name)
    }

    /// Gives a field that may be absent.
    pub(crate) fn optional(&self, name: &str) -> Option<&'a Json> {
        self.map.get(name)
    }

    /// Gives a field that must be there; a missing one is reported at its pointer.
    pub(crate) fn required(&self, name: &str, expected: &'static str) -> Result<&'a Json, Invalid> {
        self.optional(name)
            .ok_or_else(|| Invalid::malformed(self.at(name), expected))
    }

    /// Reads a string that must be there.
    pub(crate) fn string(&self, name: &str) -> Result<&'a str, Invalid> {
        string(self.required(name, "a string")?, || self.at(name))
    }

    /// Reads an id that must be there.
    pub(crate) fn id(&self, name: &str) -> Result<Arc<str>, Invalid> {
        id(self.required(name, "an id")?, || self.at(name))
    }

    /// Reads a pointer that must be there.
    pub(crate) fn pointer(&self, name: &str) -> Result<Pointer, Invalid> {
        read_pointer(self.string(name)?, || self.at(name))
    }

    /// Reads an array that must be there.
    pub(crate) fn array(&self, name: &str) -> Result<&'a [Json], Invalid> {
        array(self.required(name, "an array")?, || self.at(name))
    }
}

/// Takes the operations of a delta: objects with an `op`, each with its pointer.
pub(crate) fn read_ops<T>(
    json: &Json,
    read: impl Fn(&str, &Json, String) -> Result<T, Invalid>,
) -> Result<Vec<T>, Invalid> {
    let ops = array(json, String::new)?;
    at_most(Limited::Operations, OPS_MAX, ops.len()).map_err(|rule| Invalid::rule("", rule))?;
    let mut taken = Vec::with_capacity(ops.len());
    for (index, op) in ops.iter().enumerate() {
        let pointer = format!("/{index}");
        let tag = Fields::open_any(op, pointer.clone())?.string("op")?;
        taken.push(read(tag, op, pointer)?);
    }
    Ok(taken)
}

/// Says that the `op` of an operation is none that there is.
pub(crate) fn unknown_op(pointer: &str, expected: &'static str) -> Invalid {
    Invalid::malformed(pointer::below(pointer, "op"), expected)
}

/// Takes an array.
pub(crate) fn array(json: &Json, pointer: impl Fn() -> String) -> Result<&[Json], Invalid> {
    json.as_array()
        .map(Vec::as_slice)
        .ok_or_else(|| Invalid::malformed(pointer(), "an array"))
}

/// Takes a string.
pub(crate) fn string(json: &Json, pointer: impl Fn() -> String) -> Result<&str, Invalid> {
    json.as_str().ok_or_else(|| Invalid::malformed(pointer(), "a string"))
}

/// Takes an id.
pub(crate) fn id(json: &Json, pointer: impl Fn() -> String) -> Result<Arc<str>, Invalid> {
    let id = string(json, &pointer)?;
    check_id(id).map_err(|rule| Invalid::rule(pointer(), rule))?;
    Ok(id.into())
}

/// Takes an id or null.
pub(crate) fn nullable_id(json: &Json, pointer: impl Fn() -> String) -> Result<Option<Arc<str>>, Invalid> {
    match json {
        Json::Null => Ok(None),
        Json::String(_) => id(json, pointer).map(Some),
        _ => Err(Invalid::malformed(pointer(), "an id or null")),
    }
}

/// Takes an index.
pub(crate) fn index(json: &Json, pointer: impl Fn() -> String) -> Result<usize, Invalid> {
    let index = json.as_u64().and_then(|index| usize::try_from(index).ok());
    index.ok_or_else(|| Invalid::malformed(pointer(), "an index, a whole number from zero"))
}

/// Takes a JSON pointer.
pub(crate) fn read_pointer(text: &str, pointer: impl Fn() -> String) -> Result<Pointer, Invalid> {
    Pointer::parse(text).map_err(|_| Invalid::malformed(pointer(), "a JSON pointer of at most 8,192 bytes"))
}

/// Takes free JSON that will stand `above` levels below the top.
pub(crate) fn free(json: &Json, above: usize, pointer: impl Fn() -> String) -> Result<Json, Invalid> {
    json::copy(json, above).map_err(|flaw| flaw.into_invalid(&pointer()))
}

/// Takes a free JSON object at the top.
pub(crate) fn free_map(json: &Json, pointer: impl Fn() -> String) -> Result<JsonMap, Invalid> {
    let Json::Object(map) = json else {
        return Err(Invalid::malformed(pointer(), "an object"));
    };
    json::copy_map(map, 0).map_err(|flaw| flaw.into_invalid(&pointer()))
}

/// Refuses what is no id.
pub(crate) fn check_id(id: &str) -> Result<(), Rule> {
    if id.is_empty() || id.chars().any(char::is_control) {
        return Err(Rule::IdInvalid);
    }
    at_most(Limited::IdBytes, ID_MAX_BYTES, id.len())
}

/// Refuses what is too long for a type.
pub(crate) fn check_type(name: &str) -> Result<(), Rule> {
    at_most(Limited::TypeBytes, TYPE_MAX_BYTES, name.len())
}
