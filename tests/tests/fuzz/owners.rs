//! Who wrote each field of a DESIGN page last, so that no undo takes it away unseen.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use recto_pages::projections::Json;

/// Every field of a page with what was ever written to it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Owners {
    flat: BTreeMap<String, String>,
    fields: HashMap<String, Field>,
    /// How often somebody made a thing of this id, redos not counted.
    lives: HashMap<String, usize>,
    /// The things that one edit took away and made anew under the same id: no state shows that.
    remade: HashSet<String>,
}

#[derive(Clone, Debug, Default)]
struct Field {
    /// What edits made of it; `None` is absent.
    writes: Vec<(u64, Option<String>)>,
    /// The edit whose value it has, as far as that is known.
    writer: Option<u64>,
    /// The event that changed it last.
    changed: u64,
}

/// What an event did to a field.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub field: String,
    pub before: Option<String>,
    pub after: Option<String>,
    /// The edit whose value it had.
    pub writer: Option<u64>,
    /// The event that had changed it before.
    pub changed: u64,
}

/// How an event counts here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Edit,
    Compensation,
    Other,
}

impl Owners {
    /// Takes in the delta of an event and the state that it made, with the edits that are undone then.
    pub(crate) fn take(
        &mut self,
        version: u64,
        role: Role,
        delta: &Json,
        state: &Json,
        off: &HashSet<u64>,
    ) -> Vec<Change> {
        let flat = flatten(state);
        if role != Role::Compensation {
            let made = delta.as_array().into_iter().flatten().filter_map(made_by);
            let again = made.filter(|(_, birth)| self.flat.contains_key(birth));
            self.remade.extend(again.map(|(thing, _)| thing));
        }
        let mut changes = Vec::new();
        for (name, after) in both(&self.flat, &flat) {
            let before = self.flat.get(&name).cloned();
            if before.is_none() && role != Role::Compensation && is_birth(&name) {
                *self.lives.entry(thing(&name)).or_default() += 1;
            }
            let field = self.fields.entry(name.clone()).or_default();
            let (writer, changed) = (field.writer, field.changed);
            field.changed = version;
            match role {
                Role::Edit => {
                    field.writes.push((version, after.clone()));
                    field.writer = Some(version);
                }
                Role::Compensation => {
                    let mut standing = field.writes.iter().rev().filter(|(edit, _)| !off.contains(edit));
                    field.writer = standing.find(|(_, value)| *value == after).map(|(edit, _)| *edit);
                }
                Role::Other => field.writer = None,
            }
            changes.push(Change {
                field: name,
                before,
                after,
                writer,
                changed,
            });
        }
        self.flat = flat;
        changes
    }
}

impl Owners {
    /// Whether one of these edits gave a field the value that a change found.
    pub(crate) fn gave(&self, edits: &BTreeSet<u64>, change: &Change) -> bool {
        let writes = self.fields.get(&change.field).map_or(&[][..], |field| &field.writes);
        writes
            .iter()
            .any(|(edit, value)| edits.contains(edit) && *value == change.before)
    }
}

impl Owners {
    /// Whether the thing that has a field was made twice under one id: then its fields are those of two things, and
    /// bringing one of them back takes nothing from the other.
    pub(crate) fn lived_twice(&self, field: &str) -> bool {
        self.lives.get(&thing(field)).is_some_and(|lives| *lives > 1)
    }

    /// As [`Owners::lived_twice`], also where one edit took the thing away and made it anew.
    pub(crate) fn was_made_anew(&self, field: &str) -> bool {
        self.remade.contains(&thing(field)) || self.lived_twice(field)
    }
}

/// The thing that an operation puts on the page, and the field that shows that it is there.
fn made_by(op: &Json) -> Option<(String, String)> {
    let (what, id) = match op["op"].as_str()? {
        "addNode" => ("node", op["node"]["id"].as_str()?),
        "addBackground" => ("background", op["background"]["id"].as_str()?),
        _ => return None,
    };
    let birth = if what == "node" { "type" } else { "all{}" };
    Some((format!("{what}/{id}"), format!("{what}/{id}/{birth}")))
}

/// The value of a field in a state, by its name.
pub(crate) fn value_in(state: &Json, field: &str) -> Option<String> {
    flatten(state).remove(field)
}

/// The first two parts of a field's name.
fn thing(field: &str) -> String {
    field.split('/').take(2).collect::<Vec<_>>().join("/")
}

fn is_birth(field: &str) -> bool {
    (field.starts_with("node/") && field.ends_with("/type") && field.split('/').count() == 3)
        || (field.starts_with("background/") && field.ends_with("/all{}"))
}

/// The fields that differ, each with its new value.
fn both(old: &BTreeMap<String, String>, new: &BTreeMap<String, String>) -> Vec<(String, Option<String>)> {
    let gone = old
        .keys()
        .filter(|name| !new.contains_key(*name))
        .map(|name| (name.clone(), None));
    let there = new.iter().filter(|(name, value)| old.get(*name) != Some(value));
    gone.chain(there.map(|(name, value)| (name.clone(), Some(value.clone()))))
        .collect()
}

/// Every field by a name that begins with what it belongs to: `node/ID`, `background/ID`, `attributes`. The order of
/// siblings is none of them.
fn flatten(state: &Json) -> BTreeMap<String, String> {
    let mut flat = BTreeMap::new();
    for (id, node) in state["nodes"].as_object().into_iter().flatten() {
        for (key, value) in node
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(key, _)| *key != "order")
        {
            leaves(&format!("node/{id}/{key}"), value, &mut flat);
        }
    }
    for (key, value) in state["attributes"].as_object().into_iter().flatten() {
        if key != "backgrounds" {
            leaves(&format!("attributes//{}", key.replace('/', "~1")), value, &mut flat);
            continue;
        }
        for background in value.as_array().into_iter().flatten() {
            let id = background["id"].as_str().unwrap_or_default();
            leaves(&format!("background/{id}/all"), background, &mut flat);
        }
    }
    flat
}

fn leaves(name: &str, value: &Json, flat: &mut BTreeMap<String, String>) {
    match value {
        Json::Object(map) => {
            flat.insert(format!("{name}{{}}"), String::new());
            for (key, value) in map {
                leaves(&format!("{name}/{}", key.replace('/', "~1")), value, flat);
            }
        }
        Json::Array(values) => {
            flat.insert(format!("{name}[]"), String::new());
            for value in values {
                flat.insert(format!("{name}/#{value}"), String::new());
            }
        }
        value => drop(flat.insert(name.to_owned(), value.to_string())),
    }
}
