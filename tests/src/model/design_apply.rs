//! What the operations do to a DESIGN page, with indices into lists instead of order keys.

use serde_json::{Map, json};

use super::design::{Design, Node, SIDES, object, parse};
use super::patch::{self, text};
use super::{Refusal, Text};
use crate::Json;

impl Design {
    pub(super) fn apply(&mut self, delta: &Json) -> Result<(), Refusal> {
        for op in delta.as_array().into_iter().flatten() {
            self.apply_op(op)?;
        }
        Ok(())
    }

    fn apply_op(&mut self, op: &Json) -> Result<(), Refusal> {
        match text(&op["op"]) {
            "addNode" => self.add_node(op),
            "removeNode" => self.remove_node(text(&op["id"])),
            "setNode" => self.set_node(op),
            "moveNode" => self.move_node(op),
            "editText" => self.edit_text(op),
            "addToSet" | "removeFromSet" => self.change_set(op),
            "setAttributes" => self.patch_attributes(op),
            "addBackground" => self.add_background(op),
            "removeBackground" => self.take_background(text(&op["id"])).map(drop),
            "setBackground" => self.set_background(op),
            "moveBackground" => self.move_background(op),
            other => panic!("the model knows no {other}"),
        }
    }

    fn add_node(&mut self, op: &Json) -> Result<(), Refusal> {
        let id = text(&op["node"]["id"]).to_owned();
        let node = Node::from_json(&op["node"]);
        if self.nodes.contains_key(&id) {
            return Err("id_taken");
        }
        if node
            .parent
            .as_ref()
            .is_some_and(|parent| !self.nodes.contains_key(parent))
        {
            return Err("parent_missing");
        }
        let siblings = self.children.entry(node.parent.clone()).or_default();
        let index = index_of(siblings, op.get("placement"))?;
        siblings.insert(index, id.clone());
        self.nodes.insert(id, node);
        Ok(())
    }

    fn remove_node(&mut self, id: &str) -> Result<(), Refusal> {
        if !self.children(Some(id)).is_empty() {
            return Err("has_children");
        }
        let node = self.nodes.remove(id).ok_or("node_missing")?;
        self.leave(id, &node.parent);
        Ok(())
    }

    fn set_node(&mut self, op: &Json) -> Result<(), Refusal> {
        let node = self.nodes.get_mut(text(&op["id"])).ok_or("node_missing")?;
        let mut whole = Map::new();
        whole.insert("type".to_owned(), Json::from(node.kind.as_str()));
        whole.insert("props".to_owned(), node.props());
        for pointer in pointers(op) {
            let keys = patch::keys(pointer);
            let below_props = keys.len() > 1 && keys[0] == "props";
            let sets_type = pointer == "/type" && op.get("set").is_some_and(|set| set.get(pointer).is_some());
            if !below_props && !sets_type {
                return Err("not_writable");
            }
        }
        patch::apply(&mut whole, op)?;
        whole["type"].as_str().ok_or("malformed")?.clone_into(&mut node.kind);
        node.props = whole["props"].to_string();
        Ok(())
    }

    fn move_node(&mut self, op: &Json) -> Result<(), Refusal> {
        let id = text(&op["id"]).to_owned();
        let node = self.nodes.get(&id).ok_or("node_missing")?;
        let old = node.parent.clone();
        let new = match op.get("parentId") {
            None => old.clone(),
            Some(parent) => parent.as_str().map(str::to_owned),
        };
        self.check_parent(&id, new.as_deref())?;
        if new != old || op.get("placement").is_some() {
            self.leave(&id, &old);
            let siblings = self.children.entry(new.clone()).or_default();
            let index = index_of(siblings, op.get("placement"))?;
            siblings.insert(index, id.clone());
        }
        let node = self.nodes.get_mut(&id).expect("the node that was found");
        node.parent = new;
        for (side, field) in SIDES.iter().zip(&mut node.geometry) {
            if let Some(number) = op.get("geometry").and_then(|geometry| geometry.get(side)) {
                *field = number.to_string();
            }
        }
        Ok(())
    }

    fn check_parent(&self, id: &str, parent: Option<&str>) -> Result<(), Refusal> {
        let mut above = parent;
        while let Some(ancestor) = above {
            if ancestor == id {
                return Err("cycle");
            }
            above = self.nodes.get(ancestor).ok_or("parent_missing")?.parent.as_deref();
        }
        Ok(())
    }

    fn edit_text(&mut self, op: &Json) -> Result<(), Refusal> {
        self.change_prop(op, |value| {
            let mut edited = Text::plain(value.as_str().ok_or("not_a_string")?);
            edited.apply_plain(&op["delta"])?;
            *value = Json::from(edited.to_plain());
            Ok(())
        })
    }

    fn change_set(&mut self, op: &Json) -> Result<(), Refusal> {
        let adds = op["op"] == "addToSet";
        let wanted: Vec<_> = op["values"].as_array().into_iter().flatten().collect();
        let changed = self.change_prop(op, |set| {
            let set = set.as_array_mut().ok_or("not_a_set")?;
            if (1..set.len()).any(|index| set[..index].iter().any(|other| same(other, &set[index]))) {
                return Err("not_a_set");
            }
            for value in &wanted {
                let found = set.iter().position(|held| same(held, value));
                match found {
                    None if adds => set.push((*value).clone()),
                    Some(index) if !adds => drop(set.remove(index)),
                    _ => {}
                }
            }
            Ok(())
        });
        match changed {
            Err("path_missing") if adds && !wanted.is_empty() => {
                let pointer = text(&op["pointer"]);
                self.set_node(&json!({ "id": op["id"], "set": { pointer: [] } }))?;
                self.change_set(op)
            }
            Err("path_missing") => Ok(()),
            changed => changed,
        }
    }

    fn change_prop(&mut self, op: &Json, change: impl FnOnce(&mut Json) -> Result<(), Refusal>) -> Result<(), Refusal> {
        let node = self.nodes.get_mut(text(&op["id"])).ok_or("node_missing")?;
        let mut whole = Map::new();
        whole.insert("props".to_owned(), node.props());
        change(patch::find(&mut whole, text(&op["pointer"]))?)?;
        node.props = whole["props"].to_string();
        Ok(())
    }

    fn patch_attributes(&mut self, op: &Json) -> Result<(), Refusal> {
        let mut map = self.attributes_map();
        patch::apply(&mut map, op)?;
        self.set_attributes(map);
        Ok(())
    }

    fn add_background(&mut self, op: &Json) -> Result<(), Refusal> {
        let ids = self.background_ids();
        if ids.iter().any(|id| *id == text(&op["background"]["id"])) {
            return Err("id_taken");
        }
        let index = index_of(&ids, op.get("placement"))?;
        self.backgrounds.insert(index, op["background"].to_string());
        Ok(())
    }

    fn take_background(&mut self, id: &str) -> Result<String, Refusal> {
        let index = self
            .background_ids()
            .iter()
            .position(|found| found == id)
            .ok_or("background_missing")?;
        Ok(self.backgrounds.remove(index))
    }

    fn set_background(&mut self, op: &Json) -> Result<(), Refusal> {
        let id = text(&op["id"]);
        let index = self
            .background_ids()
            .iter()
            .position(|found| found == id)
            .ok_or("background_missing")?;
        let mut map = object(&parse(&self.backgrounds[index]));
        patch::apply(&mut map, op)?;
        self.backgrounds[index] = Json::Object(map).to_string();
        Ok(())
    }

    fn move_background(&mut self, op: &Json) -> Result<(), Refusal> {
        let taken = self.take_background(text(&op["id"]))?;
        let index = index_of(&self.background_ids(), op.get("placement"))?;
        self.backgrounds.insert(index, taken);
        Ok(())
    }

    /// Takes a node out of its parent's list; a list without children is no list.
    fn leave(&mut self, id: &str, parent: &Option<String>) {
        let siblings = self.children.get_mut(parent).expect("the list of a node's siblings");
        siblings.retain(|sibling| sibling != id);
        if siblings.is_empty() {
            self.children.remove(parent);
        }
    }
}

/// Whether two values are written the same.
fn same(one: &Json, other: &Json) -> bool {
    let (one, other) = (one.to_string(), other.to_string());
    one == other
}

/// Where a placement is among siblings; without one, the end.
fn index_of(siblings: &[String], placement: Option<&Json>) -> Result<usize, Refusal> {
    let Some(placement) = placement else {
        return Ok(siblings.len());
    };
    match placement.as_str() {
        Some("first") => return Ok(0),
        Some("last") => return Ok(siblings.len()),
        _ => {}
    }
    let (beside, step) = match (placement.get("after"), placement.get("before")) {
        (Some(after), None) => (text(after), 1),
        (None, Some(before)) => (text(before), 0),
        _ => panic!("{placement} is no placement"),
    };
    let index = siblings.iter().position(|sibling| sibling == beside);
    index.map(|index| index + step).ok_or("sibling_missing")
}

fn pointers(op: &Json) -> impl Iterator<Item = &str> {
    let set = op
        .get("set")
        .and_then(Json::as_object)
        .into_iter()
        .flatten()
        .map(|(pointer, _)| pointer.as_str());
    let unset = op.get("unset").and_then(Json::as_array).into_iter().flatten().map(text);
    set.chain(unset)
}
