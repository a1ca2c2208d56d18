//! HTML as a DESIGN page.

use std::collections::BTreeSet;

use super::background;
use super::css;
use super::element::{style, warn_of_code};
use super::fault::{HtmlError, Warning, WarningCode, Warnings};
use super::ids::NewIds;
use super::parse::parse;
use super::place::operations;
use super::tree::{At, Tree};
use super::walk::{Walked, walk};
use crate::design::{DesignOp, DesignValue, Id, Number, diff_attributes};
use crate::json::{Json, JsonMap};

const DIMENSIONS: &str = "dimensions";
const BACKGROUNDS: &str = "backgrounds";

/// What leaving something out means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The HTML is the whole page: what it leaves out is deleted.
    Whole,
    /// The HTML is a part of the page: only what it names changes.
    Fragment,
}

/// A page after a write, and what there is to tell of it.
#[derive(Clone, Debug)]
pub struct Read {
    /// The whole page after the write. What did not change is shared with the stored page.
    pub value: DesignValue,
    /// What was taken otherwise than it was written, in the order of the HTML.
    pub warnings: Vec<Warning>,
    /// The new nodes, parents before their children.
    pub created: Vec<String>,
    /// The nodes that the page had and the HTML mentions.
    pub named: BTreeSet<String>,
    /// Those of them that the write changes or moves.
    pub changed: BTreeSet<String>,
    /// The backgrounds that the page had and the HTML mentions.
    pub backgrounds: BTreeSet<String>,
    /// The nodes that the write takes away, children before their parents.
    pub removed: Vec<String>,
    /// Whether the HTML ended inside a tag, or with an element open that has to be closed: so ends what a model was cut
    /// off in.
    pub is_cut_off: bool,
}

/// Reads a DESIGN page, or a part of one.
///
/// # Errors
/// [`HtmlError`] for HTML past a limit, or a page that breaks a rule.
pub fn design_from_html(html: &str, stored: &DesignValue, scope: Scope, ids: &NewIds) -> Result<Read, HtmlError> {
    let tree = parse(html)?;
    let mut warnings = Warnings::default();
    warn_of_code(&tree, &mut warnings);
    let walked = walk(&tree, stored, scope, ids, &mut warnings);
    let mut ops = attribute_operations(&tree, &walked, stored, scope, &mut warnings);
    ops.extend(operations(&tree, &walked, stored, scope, &mut warnings));
    let mut value = stored.clone();
    value
        .replay(&ops)
        .map_err(|error| HtmlError::Refused { rule: error.rule })?;
    let known = |id: &&Id| stored.node(id).is_some();
    let mentioned = walked.drafts.iter().map(|draft| &draft.id);
    Ok(Read {
        value,
        warnings: warnings.finish(),
        created: mentioned
            .clone()
            .filter(|id| !known(id))
            .map(ToString::to_string)
            .collect(),
        named: mentioned.filter(known).map(ToString::to_string).collect(),
        changed: ops.iter().filter_map(changed).map(ToString::to_string).collect(),
        backgrounds: backgrounds_named(&walked, stored),
        removed: ops.iter().filter_map(removed).map(ToString::to_string).collect(),
        is_cut_off: tree.is_cut_off,
    })
}

fn changed(op: &DesignOp) -> Option<&Id> {
    match op {
        DesignOp::SetNode { id, .. } | DesignOp::MoveNode { id, .. } => Some(id),
        _ => None,
    }
}

fn removed(op: &DesignOp) -> Option<&Id> {
    match op {
        DesignOp::RemoveNode { id } => Some(id),
        _ => None,
    }
}

fn backgrounds_named(walked: &Walked<'_>, stored: &DesignValue) -> BTreeSet<String> {
    let old = stored.backgrounds().iter();
    let old: BTreeSet<&str> = old.filter_map(|old| old.get("id")?.as_str()).collect();
    let named = walked.backgrounds.iter().map(|(id, _)| &**id);
    named.filter(|id| old.contains(id)).map(str::to_owned).collect()
}

/// Makes the operations on the size of the canvas and on the backgrounds.
fn attribute_operations(
    tree: &Tree,
    walked: &Walked<'_>,
    stored: &DesignValue,
    scope: Scope,
    warnings: &mut Warnings,
) -> Vec<DesignOp> {
    let mut attributes = stored.attributes().clone();
    if let Some(canvas) = walked.canvas {
        resize(tree, canvas, &mut attributes, scope, warnings);
    }
    let backgrounds = backgrounds(tree, walked, stored, scope, warnings);
    if !backgrounds.is_empty() || attributes.contains_key(BACKGROUNDS) {
        attributes.insert(BACKGROUNDS.into(), Json::Array(backgrounds));
    }
    let mut ops = Vec::new();
    diff_attributes(stored.attributes(), &attributes, &mut ops);
    ops
}

/// Gives the backgrounds after the write: the whole set, or the stored ones with what is said otherwise.
fn backgrounds(
    tree: &Tree,
    walked: &Walked<'_>,
    stored: &DesignValue,
    scope: Scope,
    warnings: &mut Warnings,
) -> Vec<Json> {
    let mut list = stored.backgrounds().to_vec();
    let mut written = Vec::new();
    for (id, at) in &walked.backgrounds {
        let place = list
            .iter()
            .position(|old| old.get("id").and_then(Json::as_str) == Some(id));
        let old = place.and_then(|place| list.get(place)).and_then(Json::as_object);
        if old.is_none() && scope == Scope::Fragment {
            warnings.add(WarningCode::BackgroundUnknown, Some(id), None);
            continue;
        }
        let new = Json::Object(background::read(tree, *at, id, old, warnings));
        match place.filter(|_| scope == Scope::Fragment) {
            Some(place) => list[place] = new,
            None => written.push(new),
        }
    }
    match scope {
        Scope::Whole => written,
        Scope::Fragment => list,
    }
}

fn resize(tree: &Tree, canvas: At, attributes: &mut JsonMap, scope: Scope, warnings: &mut Warnings) {
    for side in ["width", "height"] {
        let Some(written) = tree.attribute(canvas, &format!("data-canvas-{side}")) else {
            continue;
        };
        let dimensions = attributes.get(DIMENSIONS);
        let old = dimensions.and_then(|dimensions| dimensions.get(side));
        if matches!(old, Some(Json::Number(number)) if number.as_str() == written) {
            continue;
        }
        let number = css::pixels(written).or_else(|| css::number(written, ""));
        let number = number.filter(|number| number.to_f64() > 0.0 && scope == Scope::Whole);
        let holds = dimensions.is_none_or(Json::is_object) && old.is_none_or(Json::is_number);
        let Some(number) = number.filter(|_| holds) else {
            warnings.add(WarningCode::CanvasKept, None, Some(side));
            continue;
        };
        set_dimension(attributes, side, &number);
    }
    for (name, value) in style(tree, canvas) {
        if name.starts_with("background") && value != "none" {
            warnings.add(WarningCode::CanvasKept, None, Some(&name));
        }
    }
}

fn set_dimension(attributes: &mut JsonMap, side: &str, number: &Number) {
    let dimensions = attributes
        .entry(DIMENSIONS)
        .or_insert_with(|| Json::Object(JsonMap::new()));
    if let Json::Object(dimensions) = dimensions {
        dimensions.insert(side.into(), number.to_json());
    }
}
