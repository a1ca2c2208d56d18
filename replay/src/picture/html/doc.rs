//! A DOC page: the text with its formats, as far as these have the usual names of Quill.

use std::fmt::Write;

use recto_projections::text::{Attributes, Content, Embed, RichText, TextOp};
use serde_json::Value as Json;

use crate::picture::colour::Colour;
use crate::picture::escape::{Text, cut};

/// The elements of formats within a line.
const INLINE: [(&str, &str); 5] = [
    ("bold", "strong"),
    ("italic", "em"),
    ("underline", "u"),
    ("strike", "s"),
    ("code", "code"),
];
/// A link that leads elsewhere is only told.
const LINKS: [&str; 3] = ["https://", "http://", "mailto:"];
/// The most characters of an embed that are shown.
const EMBED_CHARS: usize = 200;
/// The deepest indent that is drawn.
const INDENT_MAX: u64 = 20;

/// What a line is.
#[derive(Clone, PartialEq)]
enum Block {
    Paragraph,
    Heading(u64),
    Quote,
    Code,
    Item(&'static str),
}

/// Writes blocks as their lines end.
struct Writer<'a> {
    out: &'a mut String,
    /// What the line that is being written holds so far.
    line: String,
    /// The list or block of code that is open.
    open: Option<Block>,
}

pub(super) fn write(out: &mut String, text: &RichText) {
    out.push_str("<article class=\"doc\">\n");
    let mut writer = Writer {
        out,
        line: String::new(),
        open: None,
    };
    for op in text.to_document().ops() {
        let TextOp::Insert { content, attributes } = op else {
            continue;
        };
        match content {
            Content::Text(text) => writer.text(text, attributes.as_ref()),
            Content::Embed(embed) => writer.embed(embed),
        }
    }
    writer.finish();
    out.push_str("</article>\n");
}

/// What stands for an embed: what it is, and which.
pub(super) fn embed_label(embed: &Embed) -> String {
    let Some((name, value)) = embed.json().as_object().and_then(|map| map.iter().next()) else {
        return "embed".to_owned();
    };
    let value = match value {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    };
    format!("{} {}", cut(name, EMBED_CHARS), cut(&value, EMBED_CHARS))
}

impl Writer<'_> {
    fn text(&mut self, text: &str, attributes: Option<&Attributes>) {
        let mut lines = text.split('\n').peekable();
        while let Some(line) = lines.next() {
            if !line.is_empty() {
                inline(&mut self.line, line, attributes);
            }
            if lines.peek().is_some() {
                self.end(attributes);
            }
        }
    }

    fn embed(&mut self, embed: &Embed) {
        let _ = write!(self.line, "<span class=\"embed\">{}</span>", Text(&embed_label(embed)));
    }

    /// A line break ends a line, and says what the line is.
    fn end(&mut self, attributes: Option<&Attributes>) {
        let line = std::mem::take(&mut self.line);
        let block = Block::of(attributes);
        self.enter(&block);
        let style = style_of(attributes);
        let _ = match block {
            Block::Paragraph if line.is_empty() => writeln!(self.out, "<p><br></p>"),
            Block::Paragraph => writeln!(self.out, "<p{style}>{line}</p>"),
            // The page's own title is the first.
            Block::Heading(level) => writeln!(self.out, "<h{n}{style}>{line}</h{n}>", n = level + 1),
            Block::Quote => writeln!(self.out, "<blockquote{style}>{line}</blockquote>"),
            Block::Code => writeln!(self.out, "{line}"),
            Block::Item(kind) => writeln!(self.out, "<li class=\"{kind}\"{style}>{line}</li>"),
        };
    }

    /// Opens and closes what lines stand in together.
    fn enter(&mut self, block: &Block) {
        let list = |block: &Block| match block {
            Block::Item("ordered") => Some("ol"),
            Block::Item(_) => Some("ul"),
            Block::Code => Some("pre"),
            _ => None,
        };
        let (old, new) = (self.open.as_ref().and_then(list), list(block));
        if old != new {
            if let Some(old) = old {
                let _ = writeln!(self.out, "</{old}>");
            }
            if let Some(new) = new {
                let _ = write!(self.out, "<{new}>");
            }
        }
        self.open = Some(block.clone());
    }

    fn finish(&mut self) {
        if !self.line.is_empty() {
            self.end(None);
        }
        self.enter(&Block::Paragraph);
    }
}

impl Block {
    fn of(attributes: Option<&Attributes>) -> Self {
        let get = |name: &str| attributes.and_then(|attributes| attributes.get(name));
        if let Some(level) = get("header").and_then(Json::as_u64) {
            return Self::Heading(level.clamp(1, 5));
        }
        match get("list").and_then(Json::as_str) {
            Some("ordered") => return Self::Item("ordered"),
            Some("checked") => return Self::Item("checked"),
            Some("unchecked") => return Self::Item("unchecked"),
            Some(_) => return Self::Item("bullet"),
            None => {}
        }
        match (get("blockquote"), get("code-block")) {
            (Some(Json::Bool(true)), _) => Self::Quote,
            (_, Some(Json::Bool(true) | Json::String(_))) => Self::Code,
            _ => Self::Paragraph,
        }
    }
}

/// Text within a line, with its formats.
fn inline(out: &mut String, text: &str, attributes: Option<&Attributes>) {
    let Some(attributes) = attributes else {
        let _ = write!(out, "{}", Text(text));
        return;
    };
    let mut close: Vec<&str> = Vec::new();
    let mut open = |out: &mut String, name: &'static str, rest: &str| {
        let _ = write!(out, "<{name}{rest}>");
        close.push(name);
    };
    if let Some(link) = attributes.get("link").and_then(Json::as_str) {
        let safe = LINKS.iter().any(|lead| link.starts_with(lead));
        let (name, attribute) = if safe {
            ("a", "rel=\"noreferrer\" href")
        } else {
            ("u", "title")
        };
        open(out, name, &format!(" {attribute}=\"{}\"", Text(link)));
    }
    let style = inline_style(attributes);
    if !style.is_empty() {
        open(out, "span", &format!(" style=\"{style}\""));
    }
    for (format, element) in INLINE {
        if attributes.get(format) == Some(&Json::Bool(true)) {
            open(out, element, "");
        }
    }
    match attributes.get("script").and_then(Json::as_str) {
        Some("super") => open(out, "sup", ""),
        Some("sub") => open(out, "sub", ""),
        _ => {}
    }
    let _ = write!(out, "{}", Text(text));
    for name in close.iter().rev() {
        let _ = write!(out, "</{name}>");
    }
}

fn inline_style(attributes: &Attributes) -> String {
    let mut style = String::new();
    for (format, name) in [("color", "color"), ("background", "background-color")] {
        if let Some(colour) = attributes.get(format).and_then(Colour::of) {
            let _ = write!(style, "{name}:{colour};");
        }
    }
    style
}

/// The place of a line: how far in, and to which side.
fn style_of(attributes: Option<&Attributes>) -> String {
    let get = |name: &str| attributes.and_then(|attributes| attributes.get(name));
    let mut style = String::new();
    if let Some(indent) = get("indent").and_then(Json::as_u64).filter(|indent| *indent > 0) {
        let _ = write!(style, "margin-left:{}em;", indent.min(INDENT_MAX) * 2);
    }
    if let Some(align @ ("center" | "right" | "justify")) = get("align").and_then(Json::as_str) {
        let _ = write!(style, "text-align:{align};");
    }
    if style.is_empty() {
        style
    } else {
        format!(" style=\"{style}\"")
    }
}
