//! What the elements of a document mean for the lines and texts in them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::css;
use super::doc_names::{
    ALIGN, ALIGNS, BACKGROUND, BLOCKQUOTE, CHECKED, CODE, CODE_BLOCK, COLOR, HEADER, HEADERS, IMAGE_ATTRIBUTES, INDENT,
    LANGUAGE, LINK, LIST, SCRIPT, TAGS,
};
use super::element::{is_exact, style};
use super::fault::{WarningCode, Warnings};
use super::tree::{At, Tree};
use super::url;
use crate::json::Json;
use crate::text::Attributes;

const SILENT: [&str; 12] = [
    "head", "script", "style", "template", "title", "meta", "link", "base", "noscript", "datalist", "param", "track",
];
const DROPPED: [&str; 14] = [
    "iframe", "object", "embed", "applet", "frame", "frameset", "audio", "video", "canvas", "map", "textarea",
    "select", "button", "progress",
];
const BLOCKS: [&str; 43] = [
    "html",
    "body",
    "p",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "li",
    "ul",
    "ol",
    "menu",
    "dir",
    "blockquote",
    "pre",
    "div",
    "section",
    "article",
    "header",
    "footer",
    "main",
    "nav",
    "aside",
    "table",
    "thead",
    "tbody",
    "tfoot",
    "tr",
    "caption",
    "dl",
    "dt",
    "dd",
    "figure",
    "figcaption",
    "form",
    "fieldset",
    "legend",
    "address",
    "details",
    "summary",
    "center",
    "listing",
];
/// Styles that say nothing about a text, or that are read elsewhere.
const PASSED: [&str; 3] = ["white-space", "text-align", "list-style"];
/// From this weight on a text is bold.
const BOLD_WEIGHT: f64 = 600.0;
/// The most attributes of one line or text that are read.
pub const DOC_ATTRIBUTES_MAX: usize = 256;
/// A class of this lead names the language of a block of code.
const LANGUAGE_CLASS: &str = "language-";

/// Attributes by name.
pub(super) type Map = BTreeMap<String, Json>;

/// What becomes of an element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Sort {
    Silent,
    Dropped,
    Break,
    Rule,
    Image,
    /// An input, perhaps the box before a task.
    Check,
    /// A cell of a table: apart from the one before it.
    Cell,
    Block,
    #[default]
    Inline,
}

/// An open element, with all that it takes over from those around it.
#[derive(Clone, Debug, Default)]
pub(super) struct Element {
    pub(super) at: At,
    pub(super) sort: Sort,
    /// White space counts.
    pub(super) exact: bool,
    pub(super) is_item: bool,
    /// It lies in a block of code, where `code` says nothing more.
    in_code: bool,
    /// How many lists it lies in, and whether the innermost is numbered.
    lists: usize,
    ordered: bool,
    /// The attributes of lines around the outermost list: an item takes nothing over from the item that it lies in.
    around: Arc<Map>,
    /// The attributes of its lines.
    pub(super) line: Arc<Map>,
    text: Arc<Map>,
    /// The attributes of its texts, once a text asked for them.
    ready: Option<Option<Attributes>>,
}

pub(super) fn sort_of(name: &str) -> Sort {
    match name {
        "br" => Sort::Break,
        "hr" => Sort::Rule,
        "img" => Sort::Image,
        "input" => Sort::Check,
        "td" | "th" => Sort::Cell,
        name if SILENT.contains(&name) => Sort::Silent,
        name if DROPPED.contains(&name) => Sort::Dropped,
        name if BLOCKS.contains(&name) => Sort::Block,
        _ => Sort::Inline,
    }
}

impl Element {
    /// Opens an element in this one.
    pub(super) fn below(&self, tree: &Tree, at: At, sort: Sort, warnings: &mut Warnings) -> Element {
        let mut element = self.clone();
        (element.at, element.sort, element.is_item) = (at, sort, false);
        let name = tree.name(at).unwrap_or_default();
        element.exact = match tree
            .attribute(at, "style")
            .is_some_and(|style| style.contains("white-space"))
        {
            true => is_exact(tree, at),
            false => (self.exact && !is_frame(name)) || is_exact(tree, at),
        };
        match sort {
            Sort::Block => element.open_block(tree, at, name),
            _ => element.open_inline(tree, at, name),
        }
        element.take_style(tree, at, warnings);
        element
    }

    /// Sets an attribute by name; says whether it could be.
    pub(super) fn put(&mut self, sort: Sort, name: &str, value: Json) -> bool {
        let map = if sort == Sort::Block { &self.line } else { &self.text };
        let valid =
            map.len() < DOC_ATTRIBUTES_MAX && Attributes::new(Map::from([(name.to_owned(), value.clone())])).is_ok();
        match sort {
            _ if !valid => {}
            Sort::Block => self.set_line(name, value),
            _ => self.set_text(name, value),
        }
        valid
    }

    /// Gives the attributes of its texts.
    pub(super) fn attributes(&mut self) -> Option<Attributes> {
        let text = &self.text;
        let ready = self
            .ready
            .get_or_insert_with(|| Attributes::new((**text).clone()).ok().flatten());
        ready.clone()
    }

    pub(super) fn set_checked(&mut self, checked: bool) {
        self.set_line(LIST, if checked { "checked" } else { "unchecked" });
    }

    fn open_block(&mut self, tree: &Tree, at: At, name: &str) {
        if let Some(level) = HEADERS.iter().position(|header| *header == name) {
            self.set_line(HEADER, level + 1);
        }
        match name {
            "blockquote" => self.set_line(BLOCKQUOTE, true),
            "pre" | "listing" => self.open_code(tree.attribute(at, LANGUAGE).or_else(|| language(tree, at))),
            "ul" | "ol" | "menu" | "dir" => {
                match self.lists {
                    0 => self.around = self.line.clone(),
                    _ => self.line = self.around.clone(),
                }
                self.lists += 1;
                self.ordered = name == "ol";
            }
            "li" => {
                self.is_item = true;
                let checked = tree.attribute(at, CHECKED);
                match checked {
                    Some(checked) => self.set_checked(checked == "true"),
                    None => self.set_line(LIST, if self.ordered { "ordered" } else { "bullet" }),
                }
                Arc::make_mut(&mut self.line).remove(INDENT);
                if self.lists > 1 {
                    self.set_line(INDENT, self.lists - 1);
                }
            }
            _ => {}
        }
        if let Some(align) = tree.attribute(at, "align") {
            self.align(align);
        }
    }

    fn open_code(&mut self, language: Option<&str>) {
        self.in_code = true;
        let language = language.filter(|language| !language.is_empty());
        self.set_line(CODE_BLOCK, language.map_or(Json::Bool(true), Json::from));
    }

    fn open_inline(&mut self, tree: &Tree, at: At, name: &str) {
        for (attribute, tags) in TAGS {
            if tags.contains(&name) && !(self.in_code && attribute == CODE) {
                self.set_text(attribute, true);
            }
        }
        match name {
            "a" => {
                if let Some(url) = tree.attribute(at, "href").filter(|url| url::is_safe(url)) {
                    self.set_text(LINK, url);
                }
            }
            "sub" => self.set_text(SCRIPT, "sub"),
            "sup" => self.set_text(SCRIPT, "super"),
            "font" => {
                if let Some(colour) = tree
                    .attribute(at, "color")
                    .filter(|colour| css::is_sayable(COLOR, colour))
                {
                    self.set_text(COLOR, colour);
                }
            }
            "img" => {
                for name in IMAGE_ATTRIBUTES {
                    if let Some(value) = tree.attribute(at, name) {
                        self.set_text(name, value);
                    }
                }
            }
            _ => {}
        }
    }

    fn take_style(&mut self, tree: &Tree, at: At, warnings: &mut Warnings) {
        for (name, value) in style(tree, at) {
            let value = &*value;
            if !css::is_sayable(&name, value) {
                warnings.add(WarningCode::UnsafeStyle, None, Some(&name));
                continue;
            }
            match &*name {
                "color" => self.set_text(COLOR, value),
                "background-color" | "background" => self.set_text(BACKGROUND, value),
                "font-weight" => match value {
                    "bold" | "bolder" => self.set_text("bold", true),
                    value if value.parse().is_ok_and(|weight: f64| weight >= BOLD_WEIGHT) => {
                        self.set_text("bold", true)
                    }
                    _ => self.unset_text("bold"),
                },
                "font-style" => match value {
                    "italic" | "oblique" => self.set_text("italic", true),
                    _ => self.unset_text("italic"),
                },
                "text-decoration" | "text-decoration-line" => {
                    let has = |line: &str| value.split_ascii_whitespace().any(|word| word == line);
                    let (under, through) = (has("underline"), has("line-through"));
                    if under {
                        self.set_text("underline", true);
                    }
                    if through {
                        self.set_text("strike", true);
                    }
                }
                "text-align" if self.sort == Sort::Block => self.align(value),
                name if PASSED.contains(&name) => {}
                name => warnings.add(WarningCode::StyleDropped, None, Some(name)),
            }
        }
    }

    fn align(&mut self, align: &str) {
        if ALIGNS.contains(&align) {
            self.set_line(ALIGN, align);
        }
    }

    fn set_text(&mut self, name: &str, value: impl Into<Json>) {
        self.ready = None;
        Arc::make_mut(&mut self.text).insert(name.to_owned(), value.into());
    }

    fn unset_text(&mut self, name: &str) {
        self.ready = None;
        Arc::make_mut(&mut self.text).remove(name);
    }

    fn set_line(&mut self, name: &str, value: impl Into<Json>) {
        Arc::make_mut(&mut self.line).insert(name.to_owned(), value.into());
    }
}

/// Says whether an element holds others only, between which white space says nothing.
fn is_frame(name: &str) -> bool {
    [
        "ul", "ol", "menu", "dir", "table", "thead", "tbody", "tfoot", "tr", "dl",
    ]
    .contains(&name)
}

/// Gives the language of a block of code: by its class, or by that of the element in it.
fn language(tree: &Tree, at: At) -> Option<&str> {
    language_of(tree, at).or_else(|| language_of(tree, tree.item(at).first?))
}

fn language_of(tree: &Tree, at: At) -> Option<&str> {
    let classes = tree.attribute(at, "class")?.split_ascii_whitespace();
    classes.filter_map(|class| class.strip_prefix(LANGUAGE_CLASS)).next()
}
