//! Sets: array properties of different values, changed element by element.

use std::collections::HashSet;

use super::apply::Run;
use super::node::{Id, Node};
use super::op::DesignOp;
use super::set_node::find;
use crate::fault::Rule;
use crate::flaw::Flaw;
use crate::json::{self, Json};
use crate::patch::Patch;
use crate::pointer::Pointer;
use crate::sequence::merge_at;

impl Run<'_> {
    pub(super) fn add_to_set(&mut self, id: &Id, pointer: &Pointer, values: &[Json], at: &[usize]) -> Result<(), Flaw> {
        let depth = pointer.segments().count();
        for (index, value) in values.iter().enumerate() {
            json::check(value, depth).map_err(|flaw| flaw.under(&format!("/values/{index}")))?;
        }
        let old = self.node(id)?;
        let mut content = old.content().clone();
        let array = match find(&mut content.props, pointer) {
            Ok(value) => set_in(value)?,
            Err(flaw) if flaw.rule == Rule::PathMissing && !values.is_empty() => {
                self.set_node(
                    id,
                    &Patch {
                        set: vec![(pointer.clone(), Json::Array(Vec::new()))],
                        ..Patch::default()
                    },
                )
                .map_err(|flaw| Flaw::new("/pointer", flaw.rule))?;
                return self.add_to_set(id, pointer, values, at);
            }
            Err(flaw) if flaw.rule == Rule::PathMissing => return Ok(()),
            Err(flaw) => return Err(flaw),
        };
        let (added, at) = add(array, values, at)?;
        if added.is_empty() {
            return Ok(());
        }
        self.value.put_node(Node::new(content, old.order().clone()));
        let (id, pointer) = (id.clone(), pointer.clone());
        self.commit(|_| {
            let inverse = DesignOp::RemoveFromSet {
                id: id.clone(),
                pointer: pointer.clone(),
                values: added.clone(),
            };
            Some((
                DesignOp::AddToSet {
                    id,
                    pointer,
                    values: added,
                    at,
                },
                inverse,
            ))
        });
        Ok(())
    }

    pub(super) fn remove_from_set(&mut self, id: &Id, pointer: &Pointer, values: &[Json]) -> Result<(), Flaw> {
        let old = self.node(id)?;
        let mut content = old.content().clone();
        let array = match find(&mut content.props, pointer) {
            Ok(value) => set_in(value)?,
            Err(flaw) if flaw.rule == Rule::PathMissing => return Ok(()),
            Err(flaw) => return Err(flaw),
        };
        let (removed, at) = remove(array, values)?;
        if removed.is_empty() {
            return Ok(());
        }
        self.value.put_node(Node::new(content, old.order().clone()));
        let (id, pointer) = (id.clone(), pointer.clone());
        self.commit(|_| {
            let op = DesignOp::RemoveFromSet {
                id: id.clone(),
                pointer: pointer.clone(),
                values: removed.clone(),
            };
            Some((
                op,
                DesignOp::AddToSet {
                    id,
                    pointer,
                    values: removed,
                    at,
                },
            ))
        });
        Ok(())
    }
}

fn set_in(value: &mut Json) -> Result<&mut Vec<Json>, Flaw> {
    value.as_array_mut().ok_or_else(|| Flaw::new("/pointer", Rule::NotASet))
}

/// Adds what is not there; gives that, and the indices if it does not simply come last.
fn add(array: &mut Vec<Json>, values: &[Json], at: &[usize]) -> Result<(Vec<Json>, Vec<usize>), Flaw> {
    let mut present = texts(array)?;
    let new = values
        .iter()
        .enumerate()
        .filter(|(_, value)| present.insert(json::text(*value)));
    let new: Vec<(usize, &Json)> = new.collect();
    let places: Option<Vec<usize>> = new.iter().map(|(index, _)| at.get(*index).copied()).collect();
    let added: Vec<Json> = new.into_iter().map(|(_, value)| value.clone()).collect();
    let appended: Vec<Json> = array.iter().chain(&added).cloned().collect();
    let Some(places) = places else {
        *array = appended;
        return Ok((added, Vec::new()));
    };
    *array = merge_at(
        std::mem::take(array),
        places.iter().copied().zip(added.iter().cloned()).collect(),
    );
    let at = if json::same_items(array, &appended) {
        Vec::new()
    } else {
        places
    };
    Ok((added, at))
}

/// Takes out what is there; gives that in its order, and the indices if it did not simply stand last.
fn remove(array: &mut Vec<Json>, values: &[Json]) -> Result<(Vec<Json>, Vec<usize>), Flaw> {
    texts(array)?;
    let wanted: HashSet<String> = values.iter().map(json::text).collect();
    let (mut kept, mut removed, mut at) = (Vec::new(), Vec::new(), Vec::new());
    for (index, value) in std::mem::take(array).into_iter().enumerate() {
        if wanted.contains(&json::text(&value)) {
            removed.push(value);
            at.push(index);
        } else {
            kept.push(value);
        }
    }
    *array = kept;
    if at.first().is_none_or(|first| *first == array.len()) {
        at.clear();
    }
    Ok((removed, at))
}

/// Gives the texts of the values, which all differ.
fn texts(array: &[Json]) -> Result<HashSet<String>, Flaw> {
    let texts: HashSet<String> = array.iter().map(json::text).collect();
    if texts.len() == array.len() {
        Ok(texts)
    } else {
        Err(Flaw::new("/pointer", Rule::NotASet))
    }
}
