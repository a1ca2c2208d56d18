//! Backgrounds: one element each. HTML says their type, their colour or gradient as CSS, their opacity, and the image;
//! of a video it says nothing but that it is there. What an element leaves out is kept.

use std::borrow::Cow;

use super::css;
use super::element::{ASSET_ID, BACKGROUND_ID, style};
use super::escape::{push_attribute, said};
use super::fault::{WarningCode, Warnings};
use super::shown::{VIDEO, attribute_of, stored};
use super::tree::{At, Tree};
use super::url;
use crate::json::{Json, JsonMap};
use crate::wire::check_type;

const TYPE: &str = "data-canvas-background-type";
const PLACE: &str = "position:absolute;inset:0;width:100%;height:100%";
/// The fields that hold a colour or gradient, the first that is CSS.
const PAINTS: [&str; 4] = ["color", "gradient", "value", "css"];
const OPACITY: &str = "opacity";
/// Types between which a background can change: HTML says all of them.
const PLAIN: [&str; 3] = ["color", "gradient", "image"];
const SOURCES: [(&str, [&str; 2]); 2] = [("assetId", [ASSET_ID, ASSET_ID]), ("src", ["src", "data-src"])];

/// Writes a background.
pub(super) fn write(out: &mut String, background: &Json) {
    let Some(map) = background.as_object() else { return };
    let kind = kind_of(map);
    let image = kind == "image" && attribute_of(map, "src").is_some();
    let tag = if image { "img" } else { "div" };
    out.push('<');
    out.push_str(tag);
    push_attribute(
        out,
        BACKGROUND_ID,
        map.get("id").and_then(Json::as_str).unwrap_or_default(),
    );
    push_attribute(out, TYPE, kind);
    for (key, [own, other]) in SOURCES {
        if let Some(value) = shown(map, key) {
            push_attribute(out, if image { own } else { other }, value);
        }
    }
    let mut style = PLACE.to_owned();
    for (name, value) in declared(map) {
        style.push_str(&format!(";{name}:{value}"));
    }
    push_attribute(out, "style", &style);
    out.push('>');
    if !image {
        out.push_str("</div>");
    }
}

/// Gives a background after a write: the stored one, or a new one, with what its element says otherwise.
pub(super) fn read(tree: &Tree, at: At, id: &str, old: Option<&JsonMap>, warnings: &mut Warnings) -> JsonMap {
    let styles = style(tree, at);
    let mut reading = Reading {
        id,
        map: old.cloned().unwrap_or_default(),
        warnings,
    };
    let written = tree.attribute(at, TYPE);
    match old {
        Some(_) => reading.change_type(written),
        None => {
            let kind = written
                .filter(|kind| check_type(kind).is_ok())
                .map_or_else(|| guess(tree, at, &styles), str::to_owned);
            reading.map.insert("id".into(), id.into());
            reading.map.insert("type".into(), kind.into());
        }
    }
    for (key, names) in SOURCES {
        let value = names.iter().find_map(|name| tree.attribute(at, name));
        value.into_iter().for_each(|value| reading.source(key, value));
    }
    for (name, value) in &styles {
        reading.declaration(name, value);
    }
    reading.map
}

struct Reading<'a> {
    id: &'a str,
    map: JsonMap,
    warnings: &'a mut Warnings,
}

impl Reading<'_> {
    fn change_type(&mut self, written: Option<&str>) {
        let old = kind_of(&self.map).to_owned();
        match written {
            Some(new) if new == said(&old) => {}
            Some(new) if PLAIN.contains(&new) && PLAIN.contains(&&*old) => {
                self.map.insert("type".into(), new.into());
            }
            Some(_) => self.warn(WarningCode::Kept, "type"),
            None => {}
        }
    }

    fn source(&mut self, key: &str, value: &str) {
        let old = self.map.get(key);
        if shown(&self.map, key).is_some_and(|shown| said(shown) == value) {
            return;
        }
        if kind_of(&self.map) == VIDEO || old.is_some_and(|old| !old.is_string()) {
            self.warn(WarningCode::Kept, key);
        } else if url::is_safe(value) {
            self.map.insert(key.into(), value.into());
        }
    }

    fn declaration(&mut self, name: &str, value: &str) {
        let name = match name {
            "background-color" | "background-image" => "background",
            name => name,
        };
        if css::declarations(PLACE).any(|(place, _)| place == name)
            || declared(&self.map).any(|(other, old)| other == name && old == value)
        {
            return;
        }
        if !css::is_sayable(name, value) {
            return self.warn(WarningCode::UnsafeStyle, name);
        }
        let key = match name {
            "background" => paint(&self.map).map_or_else(|| paint_for(value), |(key, _)| key),
            OPACITY => OPACITY,
            name => return self.warn(WarningCode::StyleDropped, name),
        };
        let old = self.map.get(key);
        if kind_of(&self.map) == VIDEO || old.is_some_and(|old| !old.is_string() && !old.is_number()) {
            return self.warn(WarningCode::Kept, key);
        }
        let json = stored(old, name, value);
        self.map.insert(key.into(), json);
    }

    fn warn(&mut self, code: WarningCode, property: &str) {
        self.warnings.add(code, Some(self.id), Some(property));
    }
}

fn declared(map: &JsonMap) -> impl Iterator<Item = (&'static str, String)> {
    let shown = kind_of(map) != VIDEO;
    let paint = paint(map).map(|(_, value)| ("background", value.to_owned()));
    let opacity = match map.get(OPACITY) {
        Some(Json::Number(number)) if number.as_f64().is_some_and(|number| number > 1.0) => Some(format!("{number}%")),
        Some(Json::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    let opacity = opacity.map(|value| (OPACITY, value));
    [paint, opacity].into_iter().flatten().filter(move |_| shown)
}

fn paint(map: &JsonMap) -> Option<(&'static str, &str)> {
    PAINTS.iter().find_map(|key| {
        let value = map.get(*key)?.as_str()?;
        css::is_sayable("background", value).then_some((*key, value))
    })
}

fn paint_for(value: &str) -> &'static str {
    if value.contains("gradient(") {
        "gradient"
    } else {
        "color"
    }
}

fn guess(tree: &Tree, at: At, styles: &[(Cow<'_, str>, Cow<'_, str>)]) -> String {
    let image = tree.name(at) == Some("img") || tree.attribute(at, ASSET_ID).is_some();
    let paint = styles.iter().find(|(name, _)| name.starts_with("background"));
    match paint {
        _ if image => "image".to_owned(),
        Some((_, value)) => paint_for(value).to_owned(),
        None => "color".to_owned(),
    }
}

fn shown<'a>(map: &'a JsonMap, key: &str) -> Option<&'a str> {
    attribute_of(map, key).filter(|_| kind_of(map) != VIDEO)
}

fn kind_of(map: &JsonMap) -> &str {
    map.get("type").and_then(Json::as_str).unwrap_or_default()
}
