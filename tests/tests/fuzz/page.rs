//! A page as the run knows it: every event, every state, and the models beside it.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use recto_pages::projections::manager::Deed;
use recto_pages::projections::{Delta, Json, Kind, Value};
use recto_pages::{Base, EventKind, PageEvent, UndoReport};

use crate::fault::{Checked, Fault, equal, holds};
use crate::flavour::Flavour;
use crate::letters::{Letters, plain, shown_of};
use crate::owners::{Change, Owners, Role, value_in};
use crate::registers::Registers;
use crate::request::{Answer, Request};
use crate::stacks::Stacks;

/// After how many events the costly checks are made.
const NOW_AND_THEN: u64 = 50;

/// A page.
pub(crate) struct Page {
    pub flavour: Flavour,
    pub deleted: bool,
    pub events: Vec<PageEvent>,
    states: Vec<Value>,
    pub done: Vec<(Request, Answer)>,
    pub stacks: Stacks,
    /// The edits that are undone.
    off: HashSet<u64>,
    letters: BTreeMap<String, Letters>,
    registers: Option<Registers>,
    owners: Owners,
    /// What undos set back over others: what stands there goes by the order of the undos.
    passed_over: Vec<Json>,
}

impl Page {
    pub(crate) fn new(flavour: Flavour) -> Self {
        Self {
            flavour,
            deleted: false,
            events: Vec::new(),
            states: Vec::new(),
            done: Vec::new(),
            stacks: Stacks::default(),
            off: HashSet::new(),
            letters: BTreeMap::new(),
            registers: None,
            owners: Owners::default(),
            passed_over: Vec::new(),
        }
    }

    pub(crate) fn head(&self) -> u64 {
        self.events.len() as u64
    }

    pub(crate) fn event(&self, version: u64) -> &PageEvent {
        &self.events[usize::try_from(version).expect("a version") - 1]
    }

    pub(crate) fn state(&self, version: u64) -> &Value {
        &self.states[usize::try_from(version).expect("a version") - 1]
    }

    pub(crate) fn now(&self) -> &Value {
        self.state(self.head())
    }

    pub(crate) fn base(&self, version: u64) -> Base {
        Base {
            version,
            epoch: self.event(version).event.epoch,
        }
    }

    /// Takes the next event in; tells which fields it changed.
    pub(crate) fn take(&mut self, event: &PageEvent) -> Checked<Vec<Change>> {
        equal("version", &event.version(), &(self.head() + 1), || {
            "the next event".to_owned()
        })?;
        let kind = event.kind().map_err(|fault| fault_of("event", &fault))?;
        let before = self
            .states
            .last()
            .cloned()
            .unwrap_or_else(|| Value::empty(self.flavour.kind()));
        let after = self.apply(event, &before)?;
        self.states.push(after.clone());
        self.events.push(event.clone());
        self.stacks.take(&event.header());
        match kind {
            EventKind::Delete => self.deleted = true,
            EventKind::Undelete => self.deleted = false,
            _ => {}
        }
        let deed = event.header().deed;
        match deed {
            Deed::Undo { of } => drop(self.off.insert(self.stacks.root(of))),
            Deed::Redo { of } => drop(self.off.remove(&self.stacks.root(of))),
            Deed::Edit | Deed::Other => {}
        }
        let changes = if self.flavour.kind() == Kind::Design {
            let role = match deed {
                Deed::Edit => Role::Edit,
                Deed::Undo { .. } | Deed::Redo { .. } => Role::Compensation,
                Deed::Other => Role::Other,
            };
            let delta = event.delta().ok().flatten();
            let delta = delta.map(|delta| delta.to_json()).unwrap_or_default();
            self.owners
                .take(event.version(), role, &delta, &after.to_json(), &self.off)
        } else {
            Vec::new()
        };
        if kind.has_delta() {
            self.follow(event, deed, &before, &after)?;
        }
        Ok(changes)
    }

    /// The delta leads from the state before to one with the event's digest, and the inverse back.
    fn apply(&self, event: &PageEvent, before: &Value) -> Checked<Value> {
        let version = event.version();
        let delta = event.delta().map_err(|fault| fault_of("event", &fault))?;
        let inverse = event.inverse().map_err(|fault| fault_of("event", &fault))?;
        let mut after = before.clone();
        if let (Some(delta), Some(inverse)) = (&delta, &inverse) {
            after.replay(delta).map_err(|fault| fault_of("replay", &fault))?;
            let mut back = after.clone();
            back.replay(inverse).map_err(|fault| fault_of("inverse", &fault))?;
            equal("inverse", &back.digest(), &before.digest(), || {
                format!("back from {version}")
            })?;
            if version.is_multiple_of(NOW_AND_THEN) {
                self.check_forms(&after, &[delta, inverse])?;
            }
        }
        after
            .check_invariants()
            .map_err(|fault| fault_of("invariants", &fault))?;
        equal("replay", &after.digest(), &event.digest(), || {
            format!("the state at {version}")
        })?;
        Ok(after)
    }

    fn check_forms(&self, after: &Value, deltas: &[&Delta]) -> Checked {
        let kind = self.flavour.kind();
        let again = Value::from_json(kind, &after.to_json()).map_err(|fault| fault_of("json", &fault.fault))?;
        equal("json", &again.digest(), &after.digest(), || "a value's JSON".to_owned())?;
        let bytes = after.to_bytes().map_err(|fault| fault_of("bytes", &fault))?;
        let again = Value::from_bytes(&bytes).map_err(|fault| fault_of("bytes", &fault))?;
        equal("bytes", &again.digest(), &after.digest(), || {
            "a value's bytes".to_owned()
        })?;
        for delta in deltas {
            let again = Delta::from_json(kind, &delta.to_json()).map_err(|fault| fault_of("json", &fault.fault))?;
            equal("json", &&again, delta, || "a delta's JSON".to_owned())?;
        }
        Ok(())
    }

    /// Takes the event into the model of this flavour, and compares.
    fn follow(&mut self, event: &PageEvent, deed: Deed, before: &Value, after: &Value) -> Checked {
        let version = event.version();
        let compensates = matches!(deed, Deed::Undo { .. } | Deed::Redo { .. });
        let delta = event
            .delta()
            .ok()
            .flatten()
            .map(|delta| delta.to_json())
            .unwrap_or_default();
        match self.flavour {
            Flavour::Fields => {
                let state = after.to_json();
                let registers = self.registers.get_or_insert_with(|| Registers::new(state.clone()));
                if !compensates && version > 1 {
                    registers.edit(version, &delta, &before.to_json());
                }
            }
            Flavour::Doc => {
                let letters = self.letters.entry(String::new()).or_insert_with(|| Letters::new(true));
                if !compensates {
                    letters.edit(version, &delta, &self.off);
                }
            }
            Flavour::Lines => {
                for op in delta.as_array().into_iter().flatten().filter(|_| !compensates) {
                    let path = op["path"].as_str().unwrap_or_default();
                    let letters = self
                        .letters
                        .entry(path.to_owned())
                        .or_insert_with(|| Letters::new(false));
                    match op["op"].as_str() {
                        Some("addFile") => {
                            letters.edit(version, &serde_json::json!([{ "insert": op["text"] }]), &self.off);
                        }
                        _ => letters.edit(version, &op["delta"], &self.off),
                    }
                }
            }
            Flavour::Design | Flavour::Code | Flavour::Sheet => {}
        }
        Ok(())
    }

    /// Leaves fields out of the registers of which an undo told something.
    pub(crate) fn pass_over(&mut self, report: &UndoReport) {
        let restored = report.notes.listed.iter().filter(|note| note["code"] == "restored");
        self.passed_over.extend(restored.cloned());
        if let Some(registers) = &mut self.registers {
            registers.pass_over(report);
        }
    }

    /// What undos set back over others, as they told it.
    pub(crate) fn passed_over(&self) -> &[Json] {
        &self.passed_over
    }

    /// Whether one of these edits gave a field the value that it has.
    pub(crate) fn gave(&self, edits: &BTreeSet<u64>, change: &Change) -> bool {
        self.owners.gave(edits, change)
    }

    /// Whether the thing that has a field was made twice under one id.
    pub(crate) fn lived_twice(&self, field: &str) -> bool {
        self.owners.lived_twice(field)
    }

    /// As [`Page::lived_twice`], also where one edit took the thing away and made it anew.
    pub(crate) fn was_made_anew(&self, field: &str) -> bool {
        self.owners.was_made_anew(field)
    }

    /// Whether a change found its field as an event had left it.
    pub(crate) fn is_as_left(&self, version: u64, change: &Change) -> bool {
        value_in(&self.state(version).to_json(), &change.field) == change.before
    }

    /// Whether an edit is undone.
    pub(crate) fn is_undone(&self, edit: u64) -> bool {
        self.off.contains(&edit)
    }

    /// The state is what the model of this flavour makes of the edits that stand.
    pub(crate) fn check_model(&self) -> Checked {
        self.check_model_but(&self.off)
    }

    /// The state is what the model makes of the edits of all others.
    pub(crate) fn check_without(&self, actor: &str) -> Checked {
        let mut off = self.off.clone();
        off.extend(self.stacks.edits_of(actor));
        self.check_model_but(&off).map_err(|fault| Fault {
            law: "all_undone",
            ..fault
        })
    }

    fn check_model_but(&self, off: &HashSet<u64>) -> Checked {
        if let Some(registers) = &self.registers {
            registers.check(&self.now().to_json(), off)?;
        }
        if self.letters.is_empty() {
            return Ok(());
        }
        let state = self.now().to_json();
        for (path, letters) in &self.letters {
            let wanted = letters.render(off);
            let got = if path.is_empty() {
                shown_of(state.get("ops").unwrap_or(&state))
            } else {
                shown_of(&serde_json::json!([{ "insert": state["files"][path].as_str().unwrap_or_default() }]))
            };
            holds("letters", got == wanted, || {
                let differ = got.iter().zip(&wanted).find(|(got, wanted)| got != wanted);
                let (got, wanted) = (plain(&got), plain(&wanted));
                let mut off: Vec<_> = off.iter().collect();
                off.sort_unstable();
                format!(
                    "the text {path:?}\n  came:   {got:?}\n  wanted: {wanted:?}\n  first {differ:?}; undone {off:?}"
                )
            })?;
        }
        Ok(())
    }
}

/// A fault of a law from an error.
pub(crate) fn fault_of(law: &'static str, fault: &impl std::fmt::Display) -> Fault {
    Fault {
        law,
        text: fault.to_string(),
    }
}
