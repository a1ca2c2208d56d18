//! What an element says by its name, its attributes and its style.

use std::borrow::Cow;

use super::css;
use super::edge::EDGE;
use super::fault::{WarningCode, Warnings};
use super::shown::STYLES_MAX;
use super::space::keeps_space;
use super::tree::{At, Step, Tree};
use super::url::{self, URL_ATTRIBUTES};

pub(super) const NODE_ID: &str = "data-node-id";
pub(super) const NODE_TYPE: &str = "data-node-type";
pub(super) const ASSET_ID: &str = "data-asset-id";
pub(super) const BACKGROUND_ID: &str = "data-canvas-background-id";
pub(super) const CANVAS: [&str; 3] = ["data-canvas", "data-canvas-width", "data-canvas-height"];

/// Elements that say nothing on a page.
const SILENT: [&str; 12] = [
    "head", "script", "style", "template", "title", "meta", "link", "base", "noscript", "datalist", "param", "track",
];
/// Elements that a page cannot hold.
const DROPPED: [&str; 10] = [
    "iframe", "object", "embed", "applet", "frame", "frameset", "audio", "canvas", "map", "dialog",
];
/// Elements that stand in a line of text.
const INLINE: [&str; 41] = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "center", "cite", "code", "data", "del", "dfn", "em", "font",
    "i", "ins", "kbd", "label", "mark", "nobr", "output", "q", "rp", "rt", "ruby", "s", "samp", "small", "span",
    "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr", "picture", "option",
];
/// Elements of a line of text that say nothing by themselves.
const PLAIN: [&str; 7] = ["span", "label", "data", "time", "output", "wbr", "option"];

/// The most declarations of a style: those of a node, and some that say where it lies and how it is drawn there.
pub(super) const DECLARATIONS_MAX: usize = STYLES_MAX + 20;

/// The declarations of an element: names and values.
pub(super) type Style<'a> = Vec<(Cow<'a, str>, Cow<'a, str>)>;

/// What is made of an element of a DESIGN page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// It and all that lies below it says nothing.
    Silent,
    /// A page cannot hold it and what lies below it.
    Dropped,
    /// It is nothing by itself: the document, the canvas, the edge of a node.
    Clear,
    Background,
    /// A node by its attributes, or an image.
    Marked,
    Break,
    Inline,
    /// A box: a node of its own where it is not part of a text.
    Block,
}

/// Says what is made of an element.
pub(super) fn classify(tree: &Tree, at: At) -> Class {
    let Some(name) = tree.name(at) else {
        return match tree.is_foreign(at) {
            true => Class::Marked,
            false => Class::Clear,
        };
    };
    let (mut marked, mut edge) = (false, false);
    for (key, _) in tree.attributes(at).filter(|(key, _)| key.starts_with("data-")) {
        match key {
            BACKGROUND_ID => return Class::Background,
            key if CANVAS.contains(&key) => return Class::Clear,
            NODE_ID | NODE_TYPE | ASSET_ID => marked = true,
            EDGE => edge = true,
            _ => {}
        }
    }
    match name {
        "html" | "body" => Class::Clear,
        name if SILENT.contains(&name) => Class::Silent,
        name if DROPPED.contains(&name) => Class::Dropped,
        "br" => Class::Break,
        _ if marked => Class::Marked,
        "img" | "video" => Class::Marked,
        _ if edge => Class::Clear,
        name if INLINE.contains(&name) => Class::Inline,
        _ => Class::Block,
    }
}

/// Says whether an element of a line of text makes it look different.
pub(super) fn is_formatting(tree: &Tree, at: At) -> bool {
    tree.name(at).is_some_and(|name| !PLAIN.contains(&name)) || tree.attribute(at, "style").is_some()
}

/// Gives the style of an element: each name once, with the value that came last; no more than [`DECLARATIONS_MAX`].
pub(super) fn style(tree: &Tree, at: At) -> Style<'_> {
    let mut found: Style<'_> = Vec::new();
    for (name, value) in css::declarations(tree.attribute(at, "style").unwrap_or_default()) {
        let value = match value.contains(|letter: char| letter.is_ascii_control()) {
            true => value.split_ascii_whitespace().collect::<Vec<_>>().join(" ").into(),
            false => Cow::Borrowed(value),
        };
        let full = found.len() >= DECLARATIONS_MAX;
        match found.iter_mut().find(|(other, _)| *other == name) {
            Some((_, old)) => *old = value,
            None if full => {}
            None => found.push((name, value)),
        }
    }
    found
}

/// Says whether white space counts in an element.
pub(super) fn is_exact(tree: &Tree, at: At) -> bool {
    let styled = css::declarations(tree.attribute(at, "style").unwrap_or_default());
    let value = styled.filter(|(name, _)| name == "white-space").last();
    match value {
        Some((_, value)) => keeps_space(value),
        None => tree
            .name(at)
            .is_some_and(|name| ["pre", "textarea", "listing", "plaintext", "xmp"].contains(&name)),
    }
}

/// Tells of everything that runs code. None of it is ever taken.
pub(super) fn warn_of_code(tree: &Tree, warnings: &mut Warnings) {
    for step in tree.walk(0) {
        let Step::Enter(at) = step else { continue };
        if tree.name(at) == Some("script") {
            warnings.add(WarningCode::ScriptDropped, owner(tree, at), Some("script"));
        }
        for (name, value) in tree.attributes(at) {
            if name.starts_with("on") {
                warnings.add(WarningCode::HandlerDropped, owner(tree, at), Some(name));
            } else if URL_ATTRIBUTES.contains(&name) && !url::is_safe(value) {
                warnings.add(WarningCode::UnsafeUrl, owner(tree, at), Some(name));
            }
        }
    }
}

/// Gives the id of the node that an item belongs to.
pub(super) fn owner(tree: &Tree, at: At) -> Option<&str> {
    let mut next = Some(at);
    while let Some(at) = next {
        if let Some(id) = tree
            .attribute(at, NODE_ID)
            .or_else(|| tree.attribute(at, BACKGROUND_ID))
        {
            return Some(id);
        }
        next = tree.item(at).parent;
    }
    None
}
