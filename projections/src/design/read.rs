//! Reading a whole value from JSON.

use std::collections::{HashMap, HashSet};

use super::build::{Part, assemble, check_tree};
use super::node::Id;
use super::op::NewNode;
use super::{BACKGROUNDS, DesignValue, Geometry};
use crate::fault::{Invalid, Limited, Rule};
use crate::flaw::at_most;
use crate::json::{Json, JsonMap};
use crate::limits::BACKGROUNDS_MAX;
use crate::order::OrderKey;
use crate::pointer;
use crate::sequence::longest_increasing;
use crate::wire::{Fields, array, check_id, check_type, free_map, nullable_id, string};

/// A node as it came.
struct Read {
    node: NewNode,
    order: Option<OrderKey>,
    pointer: String,
}

impl DesignValue {
    /// Reads a whole value that is to replace this one: nodes that come without an order key keep the one they have here
    /// where the order of the siblings allows it. Siblings without keys stand in the order in which they appear, after
    /// the one with a key that they follow.
    ///
    /// # Errors
    /// [`Invalid`] with the pointer of the first fault.
    pub fn successor_from_json(&self, json: &Json) -> Result<DesignValue, Invalid> {
        let fields = Fields::open(json, String::new(), &["attributes", "nodes"])?;
        let attributes = match fields.optional("attributes") {
            Some(json) => read_attributes(json)?,
            None => JsonMap::new(),
        };
        let nodes = fields
            .optional("nodes")
            .map(read_nodes)
            .transpose()?
            .unwrap_or_default();
        let at = |index: usize| {
            nodes
                .get(index)
                .map_or("/nodes", |read| read.pointer.as_str())
                .to_owned()
        };
        check_tree(&nodes.iter().map(|read| &read.node).collect::<Vec<_>>())
            .map_err(|fault| fault.flaw.into_invalid(&at(fault.index)))?;
        let orders = self.orders(&nodes)?;
        let parts = nodes
            .into_iter()
            .zip(orders)
            .map(|(read, order)| Part { node: read.node, order });
        assemble(attributes, parts.collect()).map_err(|fault| fault.flaw.into_invalid("/nodes"))
    }

    /// Gives every node an order key.
    fn orders(&self, nodes: &[Read]) -> Result<Vec<OrderKey>, Invalid> {
        let mut families: HashMap<Option<&str>, Vec<usize>> = HashMap::new();
        for (index, read) in nodes.iter().enumerate() {
            families.entry(read.node.parent.as_deref()).or_default().push(index);
        }
        let mut orders: Vec<Option<OrderKey>> = nodes.iter().map(|read| read.order.clone()).collect();
        for family in families.values() {
            self.order_family(nodes, family, &mut orders)
                .ok_or_else(|| Invalid::rule("/nodes", Rule::OrderKeysExhausted))?;
        }
        orders
            .into_iter()
            .collect::<Option<_>>()
            .ok_or_else(|| Invalid::rule("/nodes", Rule::OrderKeysExhausted))
    }

    /// Gives the siblings without a key one, gap by gap between those that have one.
    fn order_family(&self, nodes: &[Read], family: &[usize], orders: &mut [Option<OrderKey>]) -> Option<()> {
        let mut keyed: Vec<usize> = family
            .iter()
            .copied()
            .filter(|index| orders[*index].is_some())
            .collect();
        if keyed.len() == family.len() {
            return Some(());
        }
        keyed.sort_by(|a, b| (&orders[*a], &nodes[*a].node.id).cmp(&(&orders[*b], &nodes[*b].node.id)));
        let ranks: HashMap<usize, usize> = keyed
            .iter()
            .enumerate()
            .map(|(rank, index)| (*index, rank + 1))
            .collect();
        let mut gaps: Vec<Vec<usize>> = vec![Vec::new(); keyed.len() + 1];
        let mut gap = 0;
        for index in family {
            match ranks.get(index) {
                Some(rank) => gap = *rank,
                None => gaps[gap].push(*index),
            }
        }
        for (gap, members) in gaps.iter().enumerate() {
            let left = gap.checked_sub(1).and_then(|rank| orders[keyed[rank]].clone());
            let right = keyed[gap..]
                .iter()
                .filter_map(|index| orders[*index].clone())
                .find(|key| Some(key) > left.as_ref());
            let ids: Vec<&NewNode> = members.iter().map(|index| &nodes[*index].node).collect();
            let keys = self.fill_gap(&ids, left.as_ref(), right.as_ref())?;
            members
                .iter()
                .zip(keys)
                .for_each(|(index, key)| orders[*index] = Some(key));
        }
        Some(())
    }

    /// Gives siblings in a gap their keys: as many as possible keep theirs, the others go evenly between.
    fn fill_gap(
        &self,
        siblings: &[&NewNode],
        left: Option<&OrderKey>,
        right: Option<&OrderKey>,
    ) -> Option<Vec<OrderKey>> {
        let known: Vec<Option<&OrderKey>> = siblings.iter().map(|node| self.kept_key(node, left, right)).collect();
        let present: Vec<&OrderKey> = known.iter().copied().flatten().collect();
        let mut stays = longest_increasing(&present).into_iter();
        let kept: Vec<Option<&OrderKey>> = known
            .into_iter()
            .map(|key| key.filter(|_| stays.next().unwrap_or(false)))
            .collect();
        let mut keys: Vec<OrderKey> = Vec::with_capacity(siblings.len());
        while keys.len() < kept.len() {
            let rest = &kept[keys.len()..];
            let free = rest.iter().take_while(|key| key.is_none()).count();
            let next = rest.get(free).copied().flatten();
            let between = OrderKey::spread(keys.last().or(left), next.or(right), free)?;
            keys.extend(between);
            keys.extend(next.cloned());
        }
        Some(keys)
    }

    /// Gives the key that a node has here, if it has the same parent and the key lies in the gap.
    fn kept_key(&self, node: &NewNode, left: Option<&OrderKey>, right: Option<&OrderKey>) -> Option<&OrderKey> {
        let old = self.node(&node.id).filter(|old| old.parent() == node.parent.as_ref())?;
        let key = Some(old.order());
        (key > left && (right.is_none() || key < right)).then_some(old.order())
    }
}

/// Refuses backgrounds that are not a list of objects with different ids and a type each.
pub(crate) fn check_attributes(map: &JsonMap) -> Result<(), Invalid> {
    let Some(list) = map.get(BACKGROUNDS) else {
        return Ok(());
    };
    let place = pointer::below("", BACKGROUNDS);
    let list = array(list, || place.clone())?;
    at_most(Limited::Backgrounds, BACKGROUNDS_MAX, list.len()).map_err(|rule| Invalid::rule(&*place, rule))?;
    let mut ids = HashSet::new();
    for (index, background) in list.iter().enumerate() {
        let place = format!("{place}/{index}");
        let Json::Object(background) = background else {
            return Err(Invalid::malformed(place, "a background, an object"));
        };
        let id = check_background(background, &place)?;
        if !ids.insert(id.clone()) {
            return Err(Invalid::rule(
                format!("{place}/id"),
                Rule::IdTaken { id: id.to_string() },
            ));
        }
    }
    Ok(())
}

/// Refuses a background without an id or type; gives the id.
pub(super) fn check_background(map: &JsonMap, place: &str) -> Result<Id, Invalid> {
    let fields = Fields::of(map, place.to_owned());
    let kind = fields.string("type")?;
    check_type(kind).map_err(|rule| Invalid::rule(fields.at("type"), rule))?;
    fields.id("id")
}

/// Reads a node; `key` is the key it stands under. Gives its order key if it has one.
pub(super) fn read_node(json: &Json, place: String, key: Option<&str>) -> Result<(NewNode, Option<OrderKey>), Invalid> {
    let fields = Fields::open(json, place, &["id", "type", "parentId", "order", "geometry", "props"])?;
    let id = match (fields.optional("id"), key) {
        (None, Some(key)) => key,
        _ => fields.string("id")?,
    };
    if key.is_some_and(|key| key != id) {
        return Err(Invalid::rule(fields.at("id"), Rule::IdMismatch));
    }
    let id_place = if fields.optional("id").is_some() {
        fields.at("id")
    } else {
        fields.place()
    };
    check_id(id).map_err(|rule| Invalid::rule(id_place, rule))?;
    let kind = fields.string("type")?;
    check_type(kind).map_err(|rule| Invalid::rule(fields.at("type"), rule))?;
    let node = NewNode {
        id: id.into(),
        kind: kind.into(),
        parent: fields
            .optional("parentId")
            .map_or(Ok(None), |json| nullable_id(json, || fields.at("parentId")))?,
        geometry: match fields.optional("geometry") {
            Some(json) => Geometry::from_json(json, fields.at("geometry"))?,
            None => Geometry::default(),
        },
        props: fields
            .optional("props")
            .map_or(Ok(JsonMap::new()), |json| free_map(json, || fields.at("props")))?,
    };
    Ok((node, read_order(&fields)?))
}

/// Reads the field `order`, if it is there.
pub(super) fn read_order(fields: &Fields<'_>) -> Result<Option<OrderKey>, Invalid> {
    let Some(json) = fields.optional("order") else {
        return Ok(None);
    };
    let text = string(json, || fields.at("order"))?;
    let key = OrderKey::parse(text).map_err(|_| Invalid::rule(fields.at("order"), Rule::OrderKeyInvalid))?;
    Ok(Some(key))
}

fn read_attributes(json: &Json) -> Result<JsonMap, Invalid> {
    let map = free_map(json, || "/attributes".into())?;
    check_attributes(&map).map_err(|invalid| Invalid {
        pointer: format!("/attributes{}", invalid.pointer),
        ..invalid
    })?;
    Ok(map)
}

fn read_nodes(json: &Json) -> Result<Vec<Read>, Invalid> {
    let read = |json: &Json, pointer: String, key: Option<&str>| {
        let (node, order) = read_node(json, pointer.clone(), key)?;
        Ok(Read { node, order, pointer })
    };
    match json {
        Json::Object(map) => map
            .iter()
            .map(|(key, json)| read(json, pointer::below("/nodes", key), Some(key)))
            .collect(),
        Json::Array(list) => {
            let nodes = list.iter().enumerate();
            nodes
                .map(|(index, json)| read(json, format!("/nodes/{index}"), None))
                .collect()
        }
        _ => Err(Invalid::malformed("/nodes", "an object by id, or an array of nodes")),
    }
}
