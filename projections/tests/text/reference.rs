//! The reference library's compose and invert, retold over JSON, with its order of keys and without Recto's rules.
//!
//! The large cases of the corpora hold only hashes of the library's answers. This retelling is held against those
//! hashes, and Recto against the retelling.

use serde_json::{Map, Value as Json, json};

/// Composes two lists of operations as the library does.
pub(crate) fn compose(first: &[Json], second: &[Json]) -> Vec<Json> {
    let (mut a, mut b) = (Iter::new(first), Iter::new(second));
    let mut ops = Vec::new();
    if let Some(len) = second
        .first()
        .filter(|op| op.get("attributes").is_none())
        .and_then(retain_of)
    {
        let mut left = len;
        while a.has_next() && a.verb() == "insert" && a.len() <= left {
            left -= a.len();
            ops.push(a.next(usize::MAX));
        }
        if len > left {
            b.next(len - left);
        }
    }
    while a.has_next() || b.has_next() {
        if b.verb() == "insert" {
            push(&mut ops, b.next(usize::MAX));
        } else if a.verb() == "delete" {
            push(&mut ops, a.next(usize::MAX));
        } else {
            let len = a.len().min(b.len());
            let (this, other) = (a.next(len), b.next(len));
            if other.get("retain").is_some() {
                let retains = this.get("retain").is_some();
                let mut op = Map::new();
                match this.get("insert") {
                    Some(insert) => op.insert("insert".into(), insert.clone()),
                    None => op.insert("retain".into(), json!(len)),
                };
                let patch = compose_attributes(this.get("attributes"), other.get("attributes"), retains);
                if let Some(patch) = patch {
                    op.insert("attributes".into(), patch);
                }
                push(&mut ops, Json::Object(op.clone()));
                if !b.has_next() && ops.last() == Some(&Json::Object(op)) {
                    let mut rest = a.rest().into_iter();
                    rest.next().into_iter().for_each(|op| push(&mut ops, op));
                    ops.extend(rest);
                    return chop(ops);
                }
            } else if this.get("retain").is_some() {
                push(&mut ops, other);
            }
        }
    }
    chop(ops)
}

/// Inverts a list of operations as the library does.
pub(crate) fn invert(delta: &[Json], base: &[Json]) -> Vec<Json> {
    let mut ops = Vec::new();
    let mut at = 0;
    for op in delta {
        let len = len_of(op);
        if op.get("insert").is_some() {
            push(&mut ops, json!({"delete": len}));
            continue;
        }
        if op.get("retain").is_some() && op.get("attributes").is_none() {
            push(&mut ops, json!({"retain": len}));
        } else {
            for old in slice(base, at, at + len) {
                if op.get("delete").is_some() {
                    push(&mut ops, old);
                } else {
                    let patch = invert_attributes(&op["attributes"], old.get("attributes"));
                    let mut retain = json!({"retain": len_of(&old)});
                    if !patch.is_empty() {
                        retain["attributes"] = Json::Object(patch);
                    }
                    push(&mut ops, retain);
                }
            }
        }
        at += len;
    }
    chop(ops)
}

fn slice(ops: &[Json], start: usize, end: usize) -> Vec<Json> {
    let mut iter = Iter::new(ops);
    let mut parts = Vec::new();
    let mut at = 0;
    while at < end && iter.has_next() {
        let part = if at < start {
            iter.next(start - at)
        } else {
            iter.next(end - at)
        };
        let len = len_of(&part);
        if at >= start {
            parts.push(part);
        }
        at += len;
    }
    parts
}

fn push(ops: &mut Vec<Json>, op: Json) {
    let mut index = ops.len();
    if let Some(last) = ops.last_mut() {
        if let (Some(old), Some(new)) = (last.get("delete"), op.get("delete")) {
            *last = json!({"delete": old.as_u64().unwrap() + new.as_u64().unwrap()});
            return;
        }
        if last.get("delete").is_some() && op.get("insert").is_some() {
            index -= 1;
        }
    }
    if let Some(last) = index.checked_sub(1).and_then(|last| ops.get_mut(last))
        && last.get("attributes") == op.get("attributes")
    {
        if let (Some(Json::String(old)), Some(Json::String(new))) = (last.get("insert"), op.get("insert")) {
            *last = with_attributes(json!({"insert": format!("{old}{new}")}), &op);
            return;
        }
        if let (Some(old), Some(new)) = (retain_of(last), retain_of(&op)) {
            *last = with_attributes(json!({"retain": old + new}), &op);
            return;
        }
    }
    ops.insert(index, op);
}

fn with_attributes(mut op: Json, from: &Json) -> Json {
    if let Some(attributes) = from.get("attributes") {
        op["attributes"] = attributes.clone();
    }
    op
}

fn chop(mut ops: Vec<Json>) -> Vec<Json> {
    if ops
        .last()
        .is_some_and(|op| retain_of(op).is_some() && op.get("attributes").is_none())
    {
        ops.pop();
    }
    ops
}

fn compose_attributes(a: Option<&Json>, b: Option<&Json>, keep_null: bool) -> Option<Json> {
    let empty = Map::new();
    let object = |json: Option<&Json>| json.and_then(Json::as_object).unwrap_or(&empty).clone();
    let (a, b) = (object(a), object(b));
    let mut composed = b.clone();
    composed.retain(|_, value| keep_null || !value.is_null());
    for (name, value) in a {
        if !b.contains_key(&name) {
            composed.insert(name, value);
        }
    }
    (!composed.is_empty()).then_some(Json::Object(composed))
}

/// As the library compares: two objects are never the same one.
fn invert_attributes(patch: &Json, base: Option<&Json>) -> Map<String, Json> {
    let same = |a: &Json, b: &Json| a == b && !a.is_object() && !a.is_array();
    let patch = patch.as_object().unwrap();
    let mut inverse = Map::new();
    for (name, old) in base.and_then(Json::as_object).into_iter().flatten() {
        if patch.get(name).is_some_and(|new| !same(old, new)) {
            inverse.insert(name.clone(), old.clone());
        }
    }
    for name in patch.keys() {
        if base.is_none_or(|base| base.get(name).is_none()) {
            inverse.insert(name.clone(), Json::Null);
        }
    }
    inverse
}

fn retain_of(op: &Json) -> Option<usize> {
    op.get("retain")
        .and_then(Json::as_u64)
        .map(|len| usize::try_from(len).unwrap())
}

fn len_of(op: &Json) -> usize {
    let number = op.get("retain").or(op.get("delete")).and_then(Json::as_u64);
    match (number, op.get("insert")) {
        (Some(len), _) => usize::try_from(len).unwrap(),
        (None, Some(Json::String(text))) => text.encode_utf16().count(),
        _ => 1,
    }
}

/// The library's iterator over operations.
struct Iter<'a> {
    ops: &'a [Json],
    index: usize,
    offset: usize,
}

impl<'a> Iter<'a> {
    fn new(ops: &'a [Json]) -> Self {
        Self {
            ops,
            index: 0,
            offset: 0,
        }
    }

    fn has_next(&self) -> bool {
        self.index < self.ops.len()
    }

    fn len(&self) -> usize {
        self.ops
            .get(self.index)
            .map_or(usize::MAX, |op| len_of(op) - self.offset)
    }

    fn verb(&self) -> &'static str {
        let has = |verb: &str| self.ops.get(self.index).is_some_and(|op| op.get(verb).is_some());
        ["delete", "insert"]
            .into_iter()
            .find(|verb| has(verb))
            .unwrap_or("retain")
    }

    fn next(&mut self, len: usize) -> Json {
        let Some(op) = self.ops.get(self.index) else {
            return json!({"retain": len});
        };
        let (offset, left) = (self.offset, self.len());
        let len = len.min(left);
        if len == left {
            self.index += 1;
            self.offset = 0;
        } else {
            self.offset += len;
        }
        if op.get("delete").is_some() {
            return json!({"delete": len});
        }
        let mut part = Map::new();
        if let Some(attributes) = op.get("attributes") {
            part.insert("attributes".into(), attributes.clone());
        }
        match op.get("insert") {
            None => part.insert("retain".into(), json!(len)),
            Some(Json::String(text)) => {
                let units: Vec<u16> = text.encode_utf16().skip(offset).take(len).collect();
                part.insert("insert".into(), json!(String::from_utf16(&units).unwrap()))
            }
            Some(embed) => part.insert("insert".into(), embed.clone()),
        };
        Json::Object(part)
    }

    fn rest(&mut self) -> Vec<Json> {
        if !self.has_next() {
            return Vec::new();
        }
        if self.offset == 0 {
            return self.ops[self.index..].to_vec();
        }
        let next = self.next(usize::MAX);
        std::iter::once(next)
            .chain(self.ops[self.index..].iter().cloned())
            .collect()
    }
}
