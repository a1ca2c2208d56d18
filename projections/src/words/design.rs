//! Changes of a DESIGN page in words.

use super::backgrounds;
use super::fields::{Fields, label};
use super::lives::{Lives, Parents};
use super::names::Names;
use super::phrase::{counted, listed, on_one_line, value};
use super::telling::{Key, Telling};
use crate::design::{BACKGROUNDS, DesignOp, DesignValue, GeometryPatch, Id, NewNode, Side};
use crate::json::Json;
use crate::patch::Patch;
use crate::pointer::Pointer;

/// How many values of a set are shown.
const VALUES_MAX: usize = 2;
/// The fields that tell a place in the parent.
const PLACE: [Side; 2] = [Side::X, Side::Y];

/// Says what operations do to nodes, attributes and backgrounds, in the order in which these come up.
pub(super) fn describe(ops: &[DesignOp], before: Option<&DesignValue>) -> Vec<String> {
    let mut story = Story {
        lives: Lives::new(ops, before),
        names: Names::new(before),
        parents: Parents::new(before),
        after: after(ops, before),
        lists_backgrounds: ops.iter().any(adds_or_removes_background),
        telling: Telling::default(),
    };
    for op in ops {
        story.take(op);
        story.parents.follow(op);
    }
    story.telling.finish()
}

/// What was told so far, and what is known.
struct Story<'a> {
    lives: Lives<'a>,
    names: Names<'a>,
    parents: Parents<'a>,
    /// The page afterwards, where operations give keys to nodes and fit the page.
    after: Option<DesignValue>,
    lists_backgrounds: bool,
    telling: Telling<'a>,
}

impl<'a> Story<'a> {
    fn take(&mut self, op: &'a DesignOp) {
        match op {
            DesignOp::AddNode { node, .. } => self.add_node(node),
            DesignOp::RemoveNode { id } => self.remove_node(id),
            DesignOp::SetNode { id, .. }
            | DesignOp::MoveNode { id, .. }
            | DesignOp::EditText { id, .. }
            | DesignOp::AddToSet { id, .. }
            | DesignOp::RemoveFromSet { id, .. } => {
                // What is new is told as a whole.
                if !self.lives.is_new(id) {
                    self.change_node(id, op);
                }
            }
            DesignOp::SetAttributes { patch } => self.set_attributes(patch),
            DesignOp::AddBackground { background, .. } => self.telling.tell(backgrounds::added(background)),
            DesignOp::RemoveBackground { id } => self.telling.tell(backgrounds::removed(id)),
            DesignOp::MoveBackground { id, .. } => self.telling.tell(backgrounds::moved(id)),
            DesignOp::SetBackground { id, patch } => {
                let whose = || backgrounds::called(id);
                self.telling.fields(Key::Background(id), whose).patch(patch);
            }
        }
    }

    fn change_node(&mut self, id: &'a Id, op: &'a DesignOp) {
        match op {
            DesignOp::SetNode { patch, .. } => self.fields(id).patch(patch),
            DesignOp::MoveNode {
                parent: Some(parent),
                position,
                geometry,
                ..
            } => self.move_to(id, parent.as_deref(), position.is_some(), geometry),
            DesignOp::MoveNode { position, geometry, .. } => {
                if position.is_some() {
                    self.reorder(id);
                }
                self.set_sides(id, geometry, &Side::ALL);
            }
            DesignOp::EditText { pointer, delta, .. } => {
                let names = &self.names;
                let what = || format!("edited the {} of {}", label(pointer), names.of(id));
                self.telling.counts(Key::Text(id, pointer), what).add(delta);
            }
            DesignOp::AddToSet { pointer, values, .. } => self.change_set(["added", "to"], id, pointer, values),
            DesignOp::RemoveFromSet { pointer, values, .. } => {
                self.change_set(["removed", "from"], id, pointer, values);
            }
            _ => {}
        }
    }

    fn add_node(&mut self, node: &'a NewNode) {
        self.names.add(node);
        let Some(below) = self.lives.added_below(&node.id) else {
            return;
        };
        let name = self.names.of(&node.id);
        let kind = on_one_line(&node.kind);
        let space = if kind.is_empty() { "" } else { " " };
        let members = self.lives.grouped(&node.id);
        let sentence = match members.map(|members| (members.len(), members.iter().next())) {
            Some((1, Some(member))) => format!("grouped {} into {name}", self.names.of(member)),
            Some((count, _)) => format!("grouped {} into {name}", counted(count, "node")),
            None => format!("added {kind}{space}{name}{}", and_below(below)),
        };
        self.telling.tell(sentence);
    }

    fn remove_node(&mut self, id: &Id) {
        if let Some(below) = self.lives.removed_below(id) {
            let sentence = format!("removed {}{}", self.names.of(id), and_below(below));
            self.telling.tell(sentence);
        }
    }

    /// A move to another parent is committed with the whole geometry: what of it is as before is not told.
    fn move_to(&mut self, id: &'a Id, parent: Option<&'a str>, is_placed: bool, geometry: &GeometryPatch) {
        let changed = self.changed_sides(id, geometry);
        let (place, size): (Vec<Side>, Vec<Side>) = changed.iter().partition(|side| PLACE.contains(side));
        let grouped = parent.and_then(|parent| self.lives.grouped(parent));
        if grouped.is_some_and(|members| members.contains(&**id)) {
            return self.set_sides(id, geometry, &size);
        }
        if self.parents.knows(id) && self.parents.of(id) == parent {
            if is_placed {
                self.reorder(id);
            }
            return self.set_sides(id, geometry, &changed);
        }
        let target = match parent {
            Some(parent) => format!("into {}", self.names.of(parent)),
            None => "to the top level".into(),
        };
        let sentence = format!("moved {} {target}{}", self.names.of(id), at_place(geometry, &place));
        self.telling.tell_of(Key::Place(id), sentence);
        self.set_sides(id, geometry, &size);
    }

    /// Tells that a node got another order key. It may stand where it stood all the same.
    fn reorder(&mut self, id: &'a Id) {
        let names = &self.names;
        let beside = |value: &DesignValue| Some(value.siblings_of(value.node(id)?));
        let before = names.before.and_then(beside);
        if before.is_some() && before == self.after.as_ref().and_then(beside) {
            self.telling.rekeyed(|| names.of(id));
        } else {
            let sentence = format!("moved {} to another place among its siblings", names.of(id));
            self.telling.tell_of(Key::Place(id), sentence);
        }
    }

    fn changed_sides(&self, id: &str, geometry: &GeometryPatch) -> Vec<Side> {
        let before = self.names.before.and_then(|before| before.node(id));
        let same = |side: Side| before.is_some_and(|node| Some(node.geometry().get(side)) == geometry.get(side));
        Side::ALL.into_iter().filter(|side| !same(*side)).collect()
    }

    fn set_sides(&mut self, id: &'a Id, geometry: &GeometryPatch, sides: &[Side]) {
        if sides.iter().any(|side| geometry.get(*side).is_some()) {
            self.fields(id).geometry(geometry, sides);
        }
    }

    fn change_set(&mut self, words: [&str; 2], id: &Id, pointer: &Pointer, values: &[Json]) {
        let [verb, towards] = words;
        let shown = match values.len() {
            0 => return,
            few if few <= VALUES_MAX => listed(&values.iter().map(value).collect::<Vec<_>>()),
            many => counted(many, "value"),
        };
        let (label, name) = (label(pointer), self.names.of(id));
        self.telling.tell(format!("{verb} {shown} {towards} {label} of {name}"));
    }

    fn set_attributes(&mut self, patch: &'a Patch) {
        let lists_backgrounds = self.lists_backgrounds;
        // The list comes with the first background and goes with the last: those are told.
        let is_list = |pointer: &Pointer| lists_backgrounds && pointer.as_str().strip_prefix('/') == Some(BACKGROUNDS);
        let whose = || "the page".to_owned();
        self.telling.fields(Key::Attributes, whose).patch_but(patch, is_list);
    }

    fn fields(&mut self, id: &'a Id) -> &mut Fields<'a> {
        let names = &self.names;
        self.telling.fields(Key::Node(id), || names.of(id))
    }
}

/// ` and 3 below it`, or nothing.
fn and_below(count: usize) -> String {
    match count {
        0 => String::new(),
        count => format!(" and {count} below it"),
    }
}

/// ` at x 10, y 20`, or nothing.
fn at_place(geometry: &GeometryPatch, sides: &[Side]) -> String {
    let word = |side: &Side| Some(format!("{} {}", side.as_str(), geometry.get(*side)?.to_text()));
    let words: Vec<String> = sides.iter().filter_map(word).collect();
    let at = if words.is_empty() { "" } else { " at " };
    format!("{at}{}", words.join(", "))
}

/// Gives the page after the operations, if they give keys to nodes that keep their parents, and fit it.
fn after(ops: &[DesignOp], before: Option<&DesignValue>) -> Option<DesignValue> {
    let gives_key = |op: &DesignOp| matches!(op, DesignOp::MoveNode { position: Some(_), .. });
    let mut after = before.filter(|_| ops.iter().any(gives_key))?.clone();
    after.replay(ops).ok()?;
    Some(after)
}

fn adds_or_removes_background(op: &DesignOp) -> bool {
    matches!(op, DesignOp::AddBackground { .. } | DesignOp::RemoveBackground { .. })
}
