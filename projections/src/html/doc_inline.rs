//! A piece of a line as HTML.

use std::collections::BTreeMap;

use super::css;
use super::doc_names::{ATTRIBUTES, BACKGROUND, CODE, COLOR, EMBED, IMAGE, IMAGE_ATTRIBUTES, LINK, SCRIPT, TAGS, TEXT};
use super::doc_write::Segment;
use super::escape::{push_attribute, push_text};
use super::url;
use crate::json::{self, Json};
use crate::text::{Attributes, Content, Embed};

/// Appends a piece of a line: a link around colours around tags around the text.
pub(super) fn push_segment(out: &mut String, segment: &Segment<'_>, in_code: bool) {
    let mut rest: BTreeMap<&str, &Json> = segment.attributes.into_iter().flat_map(Attributes::iter).collect();
    let mut closing: Vec<&str> = Vec::new();
    let image = match segment.content {
        Content::Embed(embed) => image_of(embed),
        Content::Text(_) => None,
    };
    let sized = take_sizes(image, &mut rest);
    if let Some(link) = string(&rest, LINK).filter(|link| url::is_safe(link)) {
        rest.remove(LINK);
        out.push_str("<a");
        push_attribute(out, "href", link);
        out.push('>');
        closing.push("a");
    }
    let mut tags = Vec::new();
    for (name, written) in TAGS {
        if !(in_code && name == CODE) && rest.get(name) == Some(&&Json::Bool(true)) {
            rest.remove(name);
            tags.extend(written.first().copied());
        }
    }
    let script = match string(&rest, SCRIPT) {
        Some("sub") => Some("sub"),
        Some("super") => Some("sup"),
        _ => None,
    };
    if script.is_some() {
        rest.remove(SCRIPT);
    }
    if push_span(out, &mut rest) {
        closing.push("span");
    }
    for tag in tags.into_iter().chain(script) {
        out.push('<');
        out.push_str(tag);
        out.push('>');
        closing.push(tag);
    }
    match (segment.content, image) {
        (_, Some(image)) => push_image(out, image, &sized),
        (Content::Embed(embed), None) => {
            out.push_str("<span");
            push_attribute(out, EMBED, embed.canonical());
            out.push_str("></span>");
        }
        (Content::Text(_), None) if segment.text.contains('\0') => {
            out.push_str("<span");
            push_attribute(out, TEXT, &json::text(segment.text));
            out.push_str("></span>");
        }
        (Content::Text(_), None) => push_text(out, segment.text),
    }
    for tag in closing.into_iter().rev() {
        out.push_str("</");
        out.push_str(tag);
        out.push('>');
    }
}

/// Gives the URL of an image that `img` says all of.
fn image_of(embed: &Embed) -> Option<&str> {
    let map = embed.json().as_object().filter(|map| map.len() == 1)?;
    map.get(IMAGE)?
        .as_str()
        .filter(|url| url::is_safe(url) && !url.contains('\0'))
}

/// Takes out what `img` says of an image beside its URL.
fn take_sizes<'a>(image: Option<&str>, rest: &mut BTreeMap<&'a str, &'a Json>) -> Vec<(&'static str, &'a str)> {
    let names = IMAGE_ATTRIBUTES.iter().filter(|_| image.is_some());
    names
        .filter_map(|name| {
            let value = string(rest, name)?;
            rest.remove(name);
            Some((*name, value))
        })
        .collect()
}

fn push_image(out: &mut String, url: &str, sized: &[(&str, &str)]) {
    out.push_str("<img");
    push_attribute(out, "src", url);
    sized.iter().for_each(|(name, value)| push_attribute(out, name, value));
    out.push('>');
}

/// Opens a span for colours and for what has no element; says whether it was needed.
fn push_span(out: &mut String, rest: &mut BTreeMap<&str, &Json>) -> bool {
    let mut style = Vec::new();
    for (name, property) in [(COLOR, "color"), (BACKGROUND, "background-color")] {
        if let Some(value) = string(rest, name).filter(|value| css::is_sayable(property, value)) {
            style.push(format!("{property}:{value}"));
            rest.remove(name);
        }
    }
    if style.is_empty() && rest.is_empty() {
        return false;
    }
    out.push_str("<span");
    if !style.is_empty() {
        push_attribute(out, "style", &style.join(";"));
    }
    if !rest.is_empty() {
        push_attribute(out, ATTRIBUTES, &json::text(rest));
    }
    out.push('>');
    true
}

/// Gives an attribute that is a string that HTML can hold.
fn string<'a>(rest: &BTreeMap<&'a str, &'a Json>, name: &str) -> Option<&'a str> {
    let value = *rest.get(name)?;
    value.as_str().filter(|text| !text.contains('\0'))
}
