//! Who last wrote what stands on a DESIGN page.

use std::collections::{BTreeMap, HashMap};

use crate::delta::Delta;
use crate::design::{BACKGROUNDS, DesignOp, DesignValue, Id, Side};
use crate::json::{Json, JsonMap};
use crate::patch::Patch;
use crate::pointer::{below, holds};
use crate::rebase::Subject;

/// The whole of a subject, as a pointer.
const WHOLE: &str = "";
/// What follows `/` in the order of bytes: the end of what lies below a pointer.
const AFTER_SLASH: char = '0';

/// Something on a page, and the event that last wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blamed {
    /// A node, a background, or the attributes.
    pub subject: Subject,
    /// The field as a JSON pointer into the node as it is written in JSON: `/type`, `/parentId`, `/order`, `/geometry/x`,
    /// `/props/text`; empty for the whole.
    pub pointer: String,
    /// The version that the event made; `None` if it is older than what was fed.
    pub version: Option<u64>,
}

/// A search for the events that last wrote the fields of a node, or last touched each thing on a page.
///
/// It is fed with [`DesignBlame::take`] from the newest event to the oldest, until [`DesignBlame::is_done`]. An event that
/// only made order keys short wrote nothing anybody cares for: the caller leaves it out. A move to another parent is
/// committed with the whole geometry, and writes all of it.
///
/// A search costs the logarithm of the number of fields for each pointer that an event names, whatever else the page
/// holds.
#[derive(Clone, Debug)]
pub struct DesignBlame {
    found: Vec<Blamed>,
    /// What is still searched for: by subject the pointers, each with its place in `found`.
    open: HashMap<Subject, BTreeMap<String, usize>>,
}

impl DesignBlame {
    /// Starts a search for every field of a node as it is now; nothing if there is no such node.
    ///
    /// Objects are descended into; arrays, scalars and empty objects are fields. The id is none: it never changes.
    #[must_use]
    pub fn of_node(now: &DesignValue, node: &str) -> Option<Self> {
        let node = now.node(node)?;
        let subject = Subject::Node(node.id().clone());
        let mut pointers: Vec<String> = ["/type", "/parentId", "/order"].map(str::to_owned).into();
        pointers.extend(Side::ALL.map(geometry_pointer));
        push_leaves(node.props(), "/props", &mut pointers);
        let fields = pointers.into_iter().map(|pointer| (subject.clone(), pointer));
        Some(Self::start(fields))
    }

    /// Starts a search for the newest event that touched each node (in the order of the tree), each background, and the
    /// attributes, if there are any beside the backgrounds.
    #[must_use]
    pub fn of_page(now: &DesignValue) -> Self {
        let nodes = now.tree().map(|node| Subject::Node(node.id().clone()));
        let backgrounds = now.backgrounds().iter().filter_map(|background| {
            let id = background.get("id")?.as_str()?;
            Some(Subject::Background(id.into()))
        });
        let has_attributes = now.attributes().keys().any(|key| key != BACKGROUNDS);
        let attributes = has_attributes.then_some(Subject::Attributes);
        let all = nodes.chain(backgrounds).chain(attributes);
        Self::start(all.map(|subject| (subject, WHOLE.to_owned())))
    }

    /// Takes the next older event in. A delta of another kind is passed over.
    pub fn take(&mut self, version: u64, delta: &Delta) {
        let Delta::Design(ops) = delta else { return };
        for op in ops.iter().rev() {
            if self.is_done() {
                return;
            }
            self.take_op(version, op);
        }
    }

    /// Says whether everything is accounted for, so that no older event matters.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.open.is_empty()
    }

    /// Gives what was found, in the order of the tree or of the fields of the node.
    #[must_use]
    pub fn finish(self) -> Vec<Blamed> {
        self.found
    }

    fn start(all: impl Iterator<Item = (Subject, String)>) -> Self {
        let mut blame = Self {
            found: Vec::new(),
            open: HashMap::new(),
        };
        for (subject, pointer) in all {
            let fields = blame.open.entry(subject.clone()).or_default();
            fields.insert(pointer.clone(), blame.found.len());
            blame.found.push(Blamed {
                subject,
                pointer,
                version: None,
            });
        }
        blame
    }

    fn take_op(&mut self, version: u64, op: &DesignOp) {
        match op {
            // What is older is about another life of the same id.
            DesignOp::AddNode { node, .. } => self.end(&Subject::Node(node.id.clone()), Some(version)),
            DesignOp::AddBackground { background, .. } => {
                self.end(&Subject::Background(background.id().into()), Some(version));
            }
            DesignOp::RemoveNode { id } => self.end(&Subject::Node(id.clone()), None),
            DesignOp::RemoveBackground { id } => self.end(&Subject::Background(id.clone()), None),
            DesignOp::SetNode { id, patch } => self.take_patch(version, Subject::Node(id.clone()), patch),
            DesignOp::SetBackground { id, patch } => self.take_patch(version, Subject::Background(id.clone()), patch),
            DesignOp::SetAttributes { patch } => self.take_patch(version, Subject::Attributes, patch),
            DesignOp::MoveNode { id, .. } => self.take_move(version, id, op),
            DesignOp::MoveBackground { id, .. } => self.write(version, &Subject::Background(id.clone()), WHOLE),
            DesignOp::EditText { id, pointer, .. }
            | DesignOp::AddToSet { id, pointer, .. }
            | DesignOp::RemoveFromSet { id, pointer, .. } => {
                self.write(version, &Subject::Node(id.clone()), pointer.as_str());
            }
        }
    }

    fn take_move(&mut self, version: u64, id: &Id, op: &DesignOp) {
        let DesignOp::MoveNode {
            parent,
            position,
            geometry,
            ..
        } = op
        else {
            return;
        };
        let subject = Subject::Node(id.clone());
        if parent.is_some() {
            self.write(version, &subject, "/parentId");
        }
        if position.is_some() || parent.is_some() {
            self.write(version, &subject, "/order");
        }
        let sides = Side::ALL.into_iter().filter(|side| geometry.get(*side).is_some());
        sides.for_each(|side| self.write(version, &subject, &geometry_pointer(side)));
    }

    fn take_patch(&mut self, version: u64, subject: Subject, patch: &Patch) {
        if !self.open.contains_key(&subject) {
            return;
        }
        // The list of backgrounds stands among the attributes, but is no part of them here.
        let is_list = |pointer: &str| {
            subject == Subject::Attributes && pointer.strip_prefix('/').is_some_and(|key| holds(BACKGROUNDS, key))
        };
        let set = patch.set.iter().map(|(pointer, _)| pointer);
        for pointer in set.chain(&patch.unset).filter(|pointer| !is_list(pointer.as_str())) {
            self.write(version, &subject, pointer.as_str());
        }
        // A key that only goes to another place is not written, but what holds it is.
        for (pointer, _) in patch.at.iter().filter(|(pointer, _)| !is_list(pointer.as_str())) {
            if let Some((object, _)) = pointer.split_last() {
                self.write_above(version, &subject, object);
            }
        }
    }

    /// Notes that an event wrote what a pointer names: the field that it is or lies in, and all fields below it.
    fn write(&mut self, version: u64, subject: &Subject, pointer: &str) {
        self.write_above(version, subject, pointer);
        let Some(fields) = self.open.get_mut(subject) else {
            return;
        };
        let (first, end) = (format!("{pointer}/"), format!("{pointer}{AFTER_SLASH}"));
        let inside: Vec<String> = fields.range(first..end).map(|(pointer, _)| pointer.clone()).collect();
        for pointer in inside {
            if let Some(place) = fields.remove(&pointer) {
                self.found[place].version = Some(version);
            }
        }
        self.close(subject);
    }

    /// Notes that an event wrote the field that a pointer names or leads into.
    fn write_above(&mut self, version: u64, subject: &Subject, pointer: &str) {
        let Some(fields) = self.open.get_mut(subject) else {
            return;
        };
        let slashes = pointer.match_indices('/').map(|(at, _)| at);
        for end in slashes.chain([pointer.len()]) {
            if let Some(place) = fields.remove(&pointer[..end]) {
                self.found[place].version = Some(version);
            }
        }
        self.close(subject);
    }

    /// Ends the search for a subject: what is not found yet was written by this event, or is not to be found.
    fn end(&mut self, subject: &Subject, version: Option<u64>) {
        for place in self.open.remove(subject).into_iter().flat_map(BTreeMap::into_values) {
            self.found[place].version = version;
        }
    }

    fn close(&mut self, subject: &Subject) {
        if self.open.get(subject).is_some_and(BTreeMap::is_empty) {
            self.open.remove(subject);
        }
    }
}

fn geometry_pointer(side: Side) -> String {
    format!("/geometry/{}", side.as_str())
}

/// Appends the pointers of all fields below an object, which itself is the one field where it is empty.
fn push_leaves(object: &JsonMap, pointer: &str, pointers: &mut Vec<String>) {
    if object.is_empty() {
        pointers.push(pointer.to_owned());
    }
    for (key, value) in object {
        let pointer = below(pointer, key);
        match value {
            Json::Object(map) => push_leaves(map, &pointer, pointers),
            _ => pointers.push(pointer),
        }
    }
}
