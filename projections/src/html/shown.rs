//! What of a node HTML says, and where. Reading asks the same questions of the stored node, so that what comes back
//! unchanged is left as it is stored, to the digit.

use std::borrow::Cow;

use super::css;
use super::space::{is_simple, keeps_space};
use super::url;
use crate::design::{Geometry, Number, Side};
use crate::json::{Json, JsonMap};

pub(super) const TEXT: &str = "text";
pub(super) const GROUP: &str = "group";
pub(super) const IMAGE: &str = "image";
pub(super) const VIDEO: &str = "video";
pub(super) const SHAPE: &str = "shape";
/// The property that holds styles without a property of their own.
pub(super) const STYLE: &str = "style";
pub(super) const CROP: &str = "crop";
pub(super) const CROP_ATTRIBUTE: &str = "data-crop";
pub(super) const CROP_SIDES: [&str; 4] = ["x", "y", "width", "height"];
/// The properties that hold a node's text, the first that is a string.
const TEXTS: [&str; 3] = [TEXT, "content", "label"];
/// Properties that are attributes: on an `img` or `video` by the second name, else by the third.
pub(super) const ATTRIBUTES: [(&str, &str, &str); 5] = [
    ("assetId", "data-asset-id", "data-asset-id"),
    ("src", "src", "data-src"),
    ("alt", "alt", "data-alt"),
    ("href", "data-href", "data-href"),
    ("name", "data-name", "data-name"),
];
/// A longer attribute is not said, but kept: image data, above all.
const ATTRIBUTE_MAX_BYTES: usize = 2_000;
/// The most declarations of one element.
pub(super) const STYLES_MAX: usize = 300;
/// Properties of a node that are styles by themselves.
const STYLED: [(&str, &str); 13] = [
    ("color", "color"),
    ("backgroundColor", "background-color"),
    ("stroke", "stroke"),
    ("strokeWidth", "stroke-width"),
    ("fontSize", "font-size"),
    ("fontFamily", "font-family"),
    ("fontWeight", "font-weight"),
    ("fontStyle", "font-style"),
    ("textAlign", "text-align"),
    ("textDecoration", "text-decoration"),
    ("lineHeight", "line-height"),
    ("letterSpacing", "letter-spacing"),
    ("borderRadius", "border-radius"),
];
const OPACITY: &str = "opacity";
const FILL: &str = "fill";
/// What the geometry says alone.
const PLACED: [&str; 9] = [
    "position", "left", "top", "width", "height", "right", "bottom", "float", "clear",
];
const PLACED_LEADS: [&str; 4] = ["inset", "margin", "min-", "max-"];

/// Where a declaration comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source<'a> {
    /// A property of the node.
    Prop(&'a str),
    /// A key below [`STYLE`].
    Style(&'a str),
    /// Nowhere: it is what makes a browser draw the rest right.
    Made,
}

/// A declaration of a node's style.
#[derive(Clone, Debug)]
pub(super) struct Declared<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) value: Cow<'a, str>,
    pub(super) source: Source<'a>,
}

/// Gives the declarations of a node but for its geometry, each name once.
pub(super) fn declared<'a>(kind: &str, props: &'a JsonMap) -> Vec<Declared<'a>> {
    let mut found: Vec<Declared<'a>> = Vec::new();
    for (key, json) in props {
        if let Some(name) = style_of(kind, key) {
            declare(&mut found, name.into(), json, Source::Prop(key));
        }
    }
    let text = text_of(props).is_some_and(|(_, text)| !is_simple(text));
    for (key, json) in props.get(STYLE).and_then(Json::as_object).into_iter().flatten() {
        let Some(name) = css::name_of(key).filter(|name| !is_placed(name) && name != "transform") else {
            continue;
        };
        let hidden = text && name == "white-space" && !json.as_str().is_some_and(keeps_space);
        if !hidden {
            declare(&mut found, name, json, Source::Style(key));
        }
    }
    if text && !found.iter().any(|one| one.name == "white-space") {
        found.push(made("white-space", "pre-wrap"));
    }
    let has = |lead: &str| found.iter().any(|one| one.name.starts_with(lead));
    if (has("border") || has("padding")) && !has("box-sizing") {
        found.push(made("box-sizing", "border-box"));
    }
    found
}

/// Gives the property in which a declaration of a node goes that it had not; nothing for [`STYLE`].
pub(super) fn home_of(kind: &str, name: &str) -> Option<&'static str> {
    match name {
        "opacity" => Some(OPACITY),
        "color" if kind == TEXT => Some(FILL),
        "background" if kind != TEXT => Some(FILL),
        _ => None,
    }
}

/// Says whether a declaration says what the geometry says, or moves what stands at an absolute place.
pub(super) fn is_placed(name: &str) -> bool {
    PLACED.contains(&name) || PLACED_LEADS.iter().any(|lead| name.starts_with(lead))
}

/// Gives a declaration's value as it is to be stored: of the sort that is stored already.
pub(super) fn stored(old: Option<&Json>, name: &str, value: &str) -> Json {
    if name == OPACITY && !old.is_some_and(Json::is_string) {
        let percents = old.and_then(Json::as_f64).is_some_and(|old| old > 1.0);
        return opacity(value, percents).map_or_else(|| Json::from(value), |number| number.to_json());
    }
    let number = old
        .filter(|old| old.is_number())
        .and_then(|_| css::number(value, css::unit_of(name)?));
    number.map_or_else(|| Json::from(value), |number| number.to_json())
}

/// Gives the property that holds the text, and the text.
pub(super) fn text_of(props: &JsonMap) -> Option<(&str, &str)> {
    let strings = props
        .iter()
        .filter_map(|(key, json)| Some((key.as_str(), json.as_str()?)));
    strings
        .filter_map(|(key, text)| Some((TEXTS.iter().position(|name| *name == key)?, key, text)))
        .min()
        .map(|(_, key, text)| (key, text))
}

/// Gives the value of an attribute, if HTML says it.
pub(super) fn attribute_of<'a>(props: &'a JsonMap, key: &str) -> Option<&'a str> {
    let value = props.get(key)?.as_str()?;
    (value.len() <= ATTRIBUTE_MAX_BYTES && (!["src", "href"].contains(&key) || url::is_safe(value))).then_some(value)
}

/// Gives a crop in px, rounded to a hundredth.
pub(super) fn crop_of(props: &JsonMap) -> Option<String> {
    let crop = props.get(CROP)?.as_object()?;
    let sides = CROP_SIDES.map(|side| crop.get(side).and_then(Json::as_f64));
    let mut text = String::new();
    for side in sides {
        if !text.is_empty() {
            text.push(' ');
        }
        let rounded = (side.filter(|side| side.is_finite())? * 100.0).round() / 100.0;
        text.push_str(&Number::from_f64(rounded)?.to_text());
    }
    Some(text)
}

/// Gives the transform: the rotation, then what the style says.
pub(super) fn transform_of(geometry: &Geometry, props: &JsonMap) -> Option<String> {
    let rotation = geometry.get(Side::Rotation);
    let more = props
        .get(STYLE)
        .and_then(|style| style.get("transform"))
        .and_then(Json::as_str)
        .filter(|more| css::is_sayable("transform", more) && css::split_rotation(more).is_none());
    let rotated = (rotation.to_f64() != 0.0).then(|| format!("rotate({}deg)", rotation.to_text()));
    match (rotated, more) {
        (Some(rotated), Some(more)) => Some(format!("{rotated} {more}")),
        (rotated, more) => rotated.or_else(|| more.map(str::to_owned)),
    }
}

fn declare<'a>(found: &mut Vec<Declared<'a>>, name: Cow<'a, str>, json: &'a Json, source: Source<'a>) {
    let full = found.len() >= STYLES_MAX;
    if let Some(value) = value_of(&name, json)
        .filter(|_| !full)
        .filter(|_| !found.iter().any(|one| one.name == name))
    {
        found.push(Declared { name, value, source });
    }
}

fn made(name: &'static str, value: &'static str) -> Declared<'static> {
    let source = Source::Made;
    Declared {
        name: name.into(),
        value: value.into(),
        source,
    }
}

fn style_of(kind: &str, key: &str) -> Option<&'static str> {
    match key {
        OPACITY => Some(OPACITY),
        FILL if kind == TEXT => Some("color"),
        FILL => Some("background"),
        key => STYLED.iter().find(|(name, _)| *name == key).map(|(_, style)| *style),
    }
}

/// Gives a value as CSS, if it is one.
fn value_of<'a>(name: &str, json: &'a Json) -> Option<Cow<'a, str>> {
    match json {
        Json::String(text) => css::is_sayable(name, text).then_some(Cow::Borrowed(text)),
        Json::Number(number) if name == OPACITY && number.as_f64()? > 1.0 => Some(format!("{number}%").into()),
        Json::Number(number) => Some(format!("{number}{}", css::unit_of(name)?).into()),
        _ => None,
    }
}

/// Reads an opacity: a fraction of 1, or of 100 where that is how it is stored.
fn opacity(value: &str, percents: bool) -> Option<Number> {
    let percent = css::number(value, "%");
    match (percent, percents) {
        (Some(percent), true) => Some(percent),
        (Some(percent), false) => Number::from_f64((percent.to_f64() / 100.0).clamp(0.0, 1.0)),
        (None, false) => {
            let number = css::number(value, "")?;
            match number.to_f64() {
                0.0..=1.0 => Some(number),
                other => Number::from_f64(other.clamp(0.0, 1.0)),
            }
        }
        (None, true) => Number::from_f64((css::number(value, "")?.to_f64() * 100.0).clamp(0.0, 100.0)),
    }
}
