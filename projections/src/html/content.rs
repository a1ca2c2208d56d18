//! From a draft to a node: the stored node with what its element says otherwise.
//!
//! Whatever the element says just as the stored node would be written is left as it is stored. So a write that repeats
//! what was read changes nothing, and what HTML cannot say stays.

use std::borrow::Cow;

use super::Scope;
use super::css;
use super::element::style;
use super::escape::said;
use super::fault::{WarningCode, Warnings};
use super::shown::{
    ATTRIBUTES, CROP, CROP_ATTRIBUTE, CROP_SIDES, Declared, STYLE, STYLES_MAX, Source, TEXT, attribute_of, crop_of,
    declared, home_of, is_placed, stored, text_of, transform_of,
};
use super::space::{collapsed, is_simple, keeps_space};
use super::tree::Tree;
use super::url;
use super::walk::{Draft, Kind};
use crate::design::{Geometry, Node, Number, Side};
use crate::json::{Json, JsonMap};
use crate::text::units;

/// The size of a node that has none, in px.
const DEFAULT_WIDTH: i32 = 200;
const DEFAULT_HEIGHT: i32 = 40;
/// The text of an attribute that holds a node's text where it is to be empty.
const TEXT_ATTRIBUTE: &str = "data-text";
/// The most UTF-16 units of a style that is stored.
const VALUE_MAX_UNITS: usize = 20_000;
const SIDES: [(Side, &str); 4] = [
    (Side::X, "left"),
    (Side::Y, "top"),
    (Side::Width, "width"),
    (Side::Height, "height"),
];

/// A node after a write, but for its place in the tree.
pub(super) struct Content {
    pub(super) kind: Box<str>,
    pub(super) geometry: Geometry,
    pub(super) props: JsonMap,
    /// It has no place of its own yet, only a default.
    pub(super) flows: bool,
}

/// Reads a node.
pub(super) fn read(
    tree: &Tree,
    draft: &Draft<'_>,
    old: Option<&Node>,
    scope: Scope,
    warnings: &mut Warnings,
) -> Content {
    let kind: Box<str> = match (draft.kind, old) {
        (Kind::Written(kind), Some(old)) if said(old.kind()) == kind => old.kind().into(),
        (Kind::Written(kind), _) => kind.into(),
        (Kind::Guessed(_), Some(old)) => old.kind().into(),
        (Kind::Guessed(kind), None) => kind.into(),
    };
    let written = draft.at.map(|at| style(tree, at)).unwrap_or_default();
    let mut reading = Reading {
        draft,
        old,
        scope,
        warnings,
        geometry: old.map(|old| old.geometry().clone()).unwrap_or_default(),
        props: old.map(|old| old.props().clone()).unwrap_or_default(),
        styles: JsonMap::new(),
        flows: false,
    };
    reading.text(draft.at.and_then(|at| tree.attribute(at, TEXT_ATTRIBUTE)));
    if let Some(at) = draft.at {
        reading.attributes(|name| tree.attribute(at, name));
        reading.crop(tree.attribute(at, CROP_ATTRIBUTE));
    }
    let size = |name| draft.at.and_then(|at| tree.attribute(at, name));
    reading.sides(&written, size);
    reading.transform(&written);
    reading.styles(&kind, &written);
    Content {
        kind,
        geometry: reading.geometry,
        props: reading.props,
        flows: reading.flows,
    }
}

type Written<'a> = [(Cow<'a, str>, Cow<'a, str>)];

struct Reading<'a> {
    draft: &'a Draft<'a>,
    old: Option<&'a Node>,
    scope: Scope,
    warnings: &'a mut Warnings,
    geometry: Geometry,
    props: JsonMap,
    /// Styles that the node had not, and that have no property of their own.
    styles: JsonMap,
    flows: bool,
}

impl Reading<'_> {
    fn text(&mut self, attribute: Option<&str>) {
        let stored = self.old.and_then(|old| text_of(old.props()));
        let written = attribute.or(self.draft.text.as_deref());
        let (key, new) = match (stored, written) {
            (None, None | Some("")) => return,
            (Some((_, old)), Some(new)) if said(old) == new => return,
            // White space that HTML itself would not show is no change.
            (Some((_, old)), Some(new)) if !is_simple(old) && collapsed(&said(old)) == new => return,
            (Some((_, "")), None) => return,
            (Some((key, _)), None) if self.scope == Scope::Fragment => {
                return self.warn(WarningCode::TextKept, key);
            }
            (Some((key, _)), new) => (key, new.unwrap_or_default()),
            (None, Some(new)) => (TEXT, new),
        };
        if self.props.get(key).is_some_and(|old| !old.is_string()) {
            return self.warn(WarningCode::Kept, key);
        }
        self.props.insert(key.into(), new.into());
    }

    fn attributes<'b>(&mut self, attribute: impl Fn(&str) -> Option<&'b str>) {
        for (key, own, other) in ATTRIBUTES {
            let shown = self.old.and_then(|old| attribute_of(old.props(), key));
            match (shown, attribute(own).or_else(|| attribute(other))) {
                (None, None) => {}
                (Some(old), Some(new)) if said(old) == new => {}
                (Some(_), None) if self.scope == Scope::Fragment => {}
                // An image without its asset is none: whoever wants that removes the node.
                (Some(_), None) if key == "assetId" => self.warn(WarningCode::Kept, key),
                (Some(_), None) => drop(self.props.shift_remove(key)),
                (_, Some(new)) if ["src", "href"].contains(&key) && !url::is_safe(new) => {}
                (_, Some(new)) => match self.props.get(key) {
                    Some(old) if !old.is_string() => self.warn(WarningCode::Kept, key),
                    _ => drop(self.props.insert(key.into(), new.into())),
                },
            }
        }
    }

    fn crop(&mut self, written: Option<&str>) {
        let shown = self.old.and_then(|old| crop_of(old.props()));
        match (shown, written) {
            (None, None) => {}
            (Some(old), Some(new)) if old == new => {}
            (Some(_), None) if self.scope == Scope::Fragment => {}
            (Some(_), None) => drop(self.props.shift_remove(CROP)),
            (_, Some(new)) => self.set_crop(new),
        }
    }

    fn set_crop(&mut self, written: &str) {
        let sides: Option<Vec<Number>> = written
            .split_ascii_whitespace()
            .map(|side| css::number(side, "px").or_else(|| css::number(side, "")))
            .collect();
        let Some(sides) = sides.filter(|sides| sides.len() == CROP_SIDES.len()) else {
            return self.warn(WarningCode::NotPixels, CROP);
        };
        let crop = self.props.entry(CROP).or_insert_with(|| Json::Object(JsonMap::new()));
        let Json::Object(crop) = crop else {
            return self.warn(WarningCode::Kept, CROP);
        };
        // A crop in something other than px says more than four numbers can.
        if !crop.is_empty()
            && !CROP_SIDES
                .iter()
                .all(|side| crop.get(*side).is_some_and(Json::is_number))
        {
            return self.warn(WarningCode::Kept, CROP);
        }
        for (side, number) in CROP_SIDES.iter().zip(sides) {
            let old = crop.get(*side).and_then(Json::as_f64).unwrap_or_default();
            let same = Number::from_f64((old * 100.0).round() / 100.0).is_some_and(|old| old == number);
            if !same || !crop.contains_key(*side) {
                crop.insert((*side).into(), number.to_json());
            }
        }
    }

    fn sides<'b>(&mut self, written: &Written<'_>, attribute: impl Fn(&'static str) -> Option<&'b str>) {
        let mut placed = true;
        for (side, name) in SIDES {
            let styled = written
                .iter()
                .find(|(other, _)| other == name)
                .map(|(_, value)| &**value);
            let sized = || attribute(name).and_then(|value| css::number(value, ""));
            let number = match styled {
                Some(value) => self.side(side, name, value),
                None => sized().filter(|number| self.old.is_none() && number.to_f64() >= 0.0),
            };
            match number {
                Some(number) => self.geometry.set(side, number),
                None if self.old.is_none() => {
                    placed &= !matches!(side, Side::X | Side::Y);
                    self.geometry.set(side, default_of(side));
                }
                None => {}
            }
        }
        if !placed {
            self.flows = written.iter().all(|(name, _)| name != "top");
            self.warn(WarningCode::PositionDefaulted, "geometry");
        }
    }

    /// Reads one side; nothing where it is to stay.
    fn side(&mut self, side: Side, name: &str, value: &str) -> Option<Number> {
        let old = self.old.map(|old| old.geometry().get(side));
        if old.is_some_and(|old| value.strip_suffix("px") == Some(&old.to_text())) {
            return None;
        }
        let size = matches!(side, Side::Width | Side::Height);
        match css::pixels(value) {
            Some(number) if size && number.to_f64() < 0.0 => self.warn(WarningCode::NegativeSize, name),
            Some(number) => return Some(number),
            None => self.warn(WarningCode::NotPixels, name),
        }
        None
    }

    fn transform(&mut self, written: &Written<'_>) {
        let shown = self.old.and_then(|old| transform_of(old.geometry(), old.props()));
        let new = written
            .iter()
            .find(|(name, _)| name == "transform")
            .map(|(_, value)| &**value);
        match (&shown, new) {
            (None, None) => return,
            (Some(old), Some(new)) if old == new => return,
            (Some(_), None) if self.scope == Scope::Fragment => return,
            _ => {}
        }
        let new = new.unwrap_or_default();
        let (rotation, more) = css::split_rotation(new).unwrap_or((Number::ZERO, new));
        if self.geometry.get(Side::Rotation).to_f64() != rotation.to_f64() {
            self.geometry.set(Side::Rotation, rotation);
        }
        if more.is_empty() || more == "none" {
            if shown.is_some() {
                self.remove(Source::Style("transform"));
            }
        } else if css::split_rotation(more).is_some() {
            self.warn(WarningCode::StyleDropped, "transform");
        } else if self.is_taken("transform", more) {
            self.put_style("transform", more);
        }
    }

    fn styles(&mut self, kind: &str, written: &Written<'_>) {
        let shown = self
            .old
            .map(|old| declared(old.kind(), old.props()))
            .unwrap_or_default();
        if self.scope == Scope::Whole {
            for one in shown
                .iter()
                .filter(|one| !written.iter().any(|(name, _)| one.name == *name))
            {
                self.remove(one.source);
            }
        }
        let edged = written
            .iter()
            .any(|(name, _)| name.starts_with("border") || name.starts_with("padding"));
        let mut room = STYLES_MAX.saturating_sub(shown.len());
        for (name, value) in written {
            match shown.iter().find(|one| one.name == *name) {
                Some(one) if one.value == *value => {}
                _ if name == "position" && value == "absolute" => {}
                _ if SIDES.iter().any(|(_, side)| side == name) || name == "transform" => {}
                None if edged && name == "box-sizing" && value == "border-box" => {}
                _ if is_placed(name) => self.warn(WarningCode::StyleDropped, name),
                Some(one) => self.change(one, value),
                None if room > 0 => {
                    room -= 1;
                    self.declare(kind, name, value);
                    if room == 0 {
                        self.warn(WarningCode::StyleDropped, STYLE);
                    }
                }
                None => {}
            }
        }
        if !self.styles.is_empty() {
            let more = std::mem::take(&mut self.styles);
            match self.props.entry(STYLE).or_insert_with(|| Json::Object(JsonMap::new())) {
                Json::Object(styles) => styles.extend(more),
                _ => self.warn(WarningCode::Kept, STYLE),
            }
        }
    }

    /// Changes what a declaration comes from.
    fn change(&mut self, one: &Declared<'_>, value: &str) {
        if !self.is_taken(&one.name, value) {
            return;
        }
        let (map, key) = match one.source {
            Source::Prop(key) => (Some(&mut self.props), key),
            Source::Style(key) => (self.props.get_mut(STYLE).and_then(Json::as_object_mut), key),
            Source::Made => return self.put_style(&one.name, value),
        };
        if let Some(map) = map {
            let json = stored(map.get(key), &one.name, value);
            map.insert(key.into(), json);
        }
    }

    /// Takes a declaration in that the node had not.
    fn declare(&mut self, kind: &str, name: &str, value: &str) {
        let spaced = self.draft.text.as_deref().is_some_and(|text| !is_simple(text));
        if name == "white-space" && keeps_space(value) && spaced || !self.is_taken(name, value) {
            return;
        }
        match home_of(kind, name) {
            Some(key) if self.props.contains_key(key) => self.warn(WarningCode::Kept, key),
            Some(key) => drop(self.props.insert(key.into(), stored(None, name, value))),
            None => self.put_style(name, value),
        }
    }

    fn put_style(&mut self, name: &str, value: &str) {
        let key = css::key_of(name);
        let old = self.props.get(STYLE).and_then(|styles| styles.get(&key));
        match old {
            Some(old) if !old.is_string() && name != "transform" => self.warn(WarningCode::Kept, name),
            _ => drop(self.styles.insert(key, value.into())),
        }
    }

    fn remove(&mut self, source: Source<'_>) {
        match source {
            Source::Prop(key) => drop(self.props.shift_remove(key)),
            Source::Style(key) => {
                if let Some(styles) = self.props.get_mut(STYLE).and_then(Json::as_object_mut) {
                    styles.shift_remove(key);
                    if styles.is_empty() {
                        self.props.shift_remove(STYLE);
                    }
                }
            }
            Source::Made => {}
        }
    }

    /// Says whether a declaration can be kept, and tells of it if not.
    fn is_taken(&mut self, name: &str, value: &str) -> bool {
        let taken = css::is_sayable(name, value) && units(value) <= VALUE_MAX_UNITS;
        if !taken {
            self.warn(WarningCode::UnsafeStyle, name);
        }
        taken
    }

    fn warn(&mut self, code: WarningCode, property: &str) {
        self.warnings.add(code, Some(&self.draft.id), Some(property));
    }
}

fn default_of(side: Side) -> Number {
    match side {
        Side::Width => Number::from(DEFAULT_WIDTH),
        Side::Height => Number::from(DEFAULT_HEIGHT),
        _ => Number::ZERO,
    }
}
