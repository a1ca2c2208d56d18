//! A DOC page as HTML: a block a line, lists nested by their indent, lines of code in one block.

use std::collections::BTreeMap;

use super::doc_inline::push_segment;
use super::doc_names::{
    ALIGN, ALIGNS, ATTRIBUTES, BLOCKQUOTE, CHECKED, CODE_BLOCK, HEADER, HEADERS, INDENT, LANGUAGE, LIST, LIST_DEPTH_MAX,
};
use super::escape::push_attribute;
use super::space::is_simple;
use crate::doc::DocValue;
use crate::json::Json;
use crate::text::{Attributes, Content, TextOp};

/// Writes a whole document.
pub fn doc_to_html(value: &DocValue) -> String {
    let document = value.text().to_document();
    let mut writer = Writer::default();
    let mut line: Vec<Segment<'_>> = Vec::new();
    for op in document.ops() {
        let TextOp::Insert { content, attributes } = op else {
            continue;
        };
        let attributes = attributes.as_ref();
        let Content::Text(text) = content else {
            line.push(Segment {
                content,
                text: "",
                attributes,
            });
            continue;
        };
        for (index, text) in text.split('\n').enumerate() {
            if index > 0 {
                writer.line(&line, attributes);
                line.clear();
            }
            if !text.is_empty() {
                line.push(Segment {
                    content,
                    text,
                    attributes,
                });
            }
        }
    }
    writer.close_lists(0);
    writer.close_code();
    writer.out
}

/// A piece of a line.
pub(super) struct Segment<'a> {
    pub(super) content: &'a Content,
    /// The text of this line, where the content is text.
    pub(super) text: &'a str,
    pub(super) attributes: Option<&'a Attributes>,
}

/// How a line is said.
#[derive(Clone, Debug, PartialEq)]
struct Block<'a> {
    sort: Sort<'a>,
    align: Option<&'a str>,
    /// What HTML has no element for.
    rest: BTreeMap<&'a str, &'a Json>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Sort<'a> {
    Paragraph,
    Header(&'static str),
    Quote,
    Code(Option<&'a str>),
    Item {
        tag: &'static str,
        checked: Option<bool>,
        depth: usize,
    },
}

/// A list that is open.
struct List {
    tag: &'static str,
    item: bool,
}

#[derive(Default)]
struct Writer {
    out: String,
    lists: Vec<List>,
    /// The beginning of the block of code that is open.
    code: Option<String>,
}

impl Writer {
    fn line(&mut self, line: &[Segment<'_>], attributes: Option<&Attributes>) {
        let block = Block::of(attributes);
        match block.sort {
            Sort::Code(language) => self.code_line(line, language, &block),
            Sort::Item { tag, checked, depth } => {
                self.close_code();
                self.item(tag, depth);
                self.out.push_str("<li");
                if let Some(checked) = checked {
                    push_attribute(&mut self.out, CHECKED, if checked { "true" } else { "false" });
                }
                self.rest_of_block(line, &block);
            }
            Sort::Paragraph => self.plain(line, "p", &block),
            Sort::Quote => self.plain(line, "blockquote", &block),
            Sort::Header(tag) => self.plain(line, tag, &block),
        }
    }

    fn plain(&mut self, line: &[Segment<'_>], tag: &str, block: &Block<'_>) {
        self.close_code();
        self.close_lists(0);
        self.out.push('<');
        self.out.push_str(tag);
        self.rest_of_block(line, block);
        self.out.push_str("</");
        self.out.push_str(tag);
        self.out.push_str(">\n");
    }

    /// Ends the tag of a block, and writes the line.
    fn rest_of_block(&mut self, line: &[Segment<'_>], block: &Block<'_>) {
        block.push_rest(&mut self.out, !is_plain(line));
        self.out.push('>');
        if line.is_empty() {
            self.out.push_str("<br>");
        }
        line.iter()
            .for_each(|segment| push_segment(&mut self.out, segment, false));
    }

    fn code_line(&mut self, line: &[Segment<'_>], language: Option<&str>, block: &Block<'_>) {
        let mut tag = String::from("<pre");
        if let Some(language) = language {
            push_attribute(&mut tag, LANGUAGE, language);
        }
        block.push_rest(&mut tag, false);
        // The parser drops a line break right after the tag.
        tag.push_str(">\n");
        if self.code.as_ref() != Some(&tag) {
            self.close_code();
            self.close_lists(0);
            self.out.push_str(&tag);
            self.code = Some(tag);
        }
        line.iter()
            .for_each(|segment| push_segment(&mut self.out, segment, true));
        self.out.push('\n');
    }

    fn close_code(&mut self) {
        if self.code.take().is_some() {
            self.out.push_str("</pre>\n");
        }
    }

    /// Opens and closes lists until an item can stand at a depth.
    fn item(&mut self, tag: &'static str, depth: usize) {
        self.close_lists(depth);
        if self.lists.len() == depth && self.lists.last().is_some_and(|list| list.tag != tag) {
            self.close_lists(depth - 1);
        }
        while self.lists.len() < depth {
            self.out.push('<');
            self.out.push_str(tag);
            self.out.push('>');
            self.lists.push(List { tag, item: false });
        }
        if let Some(list) = self.lists.last_mut() {
            if list.item {
                self.out.push_str("</li>");
            }
            list.item = true;
        }
        self.out.push('\n');
    }

    fn close_lists(&mut self, depth: usize) {
        while self.lists.len() > depth {
            let Some(list) = self.lists.pop() else { return };
            self.out.push_str(if list.item { "</li></" } else { "</" });
            self.out.push_str(list.tag);
            self.out.push('>');
            if self.lists.is_empty() {
                self.out.push('\n');
            }
        }
    }
}

impl<'a> Block<'a> {
    fn of(attributes: Option<&'a Attributes>) -> Block<'a> {
        let mut rest: BTreeMap<&str, &Json> = attributes.into_iter().flat_map(Attributes::iter).collect();
        let sort = code(&mut rest)
            .or_else(|| item(&mut rest))
            .or_else(|| header(&mut rest))
            .or_else(|| quote(&mut rest))
            .unwrap_or(Sort::Paragraph);
        let align = rest.get(ALIGN).and_then(|align| align.as_str());
        let align = align.filter(|align| ALIGNS.contains(align) && !matches!(sort, Sort::Code(_)));
        if align.is_some() {
            rest.remove(ALIGN);
        }
        Block { sort, align, rest }
    }

    fn push_rest(&self, out: &mut String, exact: bool) {
        let align = self.align.map(|align| format!("text-align:{align}"));
        let exact = exact.then(|| "white-space:pre-wrap".to_owned());
        let style: Vec<String> = align.into_iter().chain(exact).collect();
        if !style.is_empty() {
            push_attribute(out, "style", &style.join(";"));
        }
        if !self.rest.is_empty() {
            push_attribute(out, ATTRIBUTES, &crate::json::text(&self.rest));
        }
    }
}

fn code<'a>(rest: &mut BTreeMap<&'a str, &'a Json>) -> Option<Sort<'a>> {
    let language = match *rest.get(CODE_BLOCK)? {
        Json::Bool(true) => None,
        Json::String(language) if !language.is_empty() && !language.contains('\0') => Some(language.as_str()),
        _ => return None,
    };
    rest.remove(CODE_BLOCK);
    Some(Sort::Code(language))
}

fn item<'a>(rest: &mut BTreeMap<&'a str, &'a Json>) -> Option<Sort<'a>> {
    let (tag, checked) = match rest.get(LIST)?.as_str()? {
        "bullet" => ("ul", None),
        "ordered" => ("ol", None),
        "checked" => ("ul", Some(true)),
        "unchecked" => ("ul", Some(false)),
        _ => return None,
    };
    rest.remove(LIST);
    let indent = rest.get(INDENT).and_then(|indent| indent.as_u64());
    let indent = indent
        .and_then(|indent| usize::try_from(indent).ok())
        .filter(|indent| (1..LIST_DEPTH_MAX).contains(indent));
    if indent.is_some() {
        rest.remove(INDENT);
    }
    let depth = indent.unwrap_or(0) + 1;
    Some(Sort::Item { tag, checked, depth })
}

fn header<'a>(rest: &mut BTreeMap<&'a str, &'a Json>) -> Option<Sort<'a>> {
    let level = rest.get(HEADER)?.as_u64()?;
    let tag = HEADERS.get(usize::try_from(level).ok()?.checked_sub(1)?)?;
    rest.remove(HEADER);
    Some(Sort::Header(tag))
}

fn quote<'a>(rest: &mut BTreeMap<&'a str, &'a Json>) -> Option<Sort<'a>> {
    (**rest.get(BLOCKQUOTE)? == Json::Bool(true)).then(|| {
        rest.remove(BLOCKQUOTE);
        Sort::Quote
    })
}

/// Says whether a line needs nothing for its white space to come back.
fn is_plain(line: &[Segment<'_>]) -> bool {
    let text: String = line
        .iter()
        .map(|segment| match segment.content {
            Content::Text(_) => segment.text,
            Content::Embed(_) => "-",
        })
        .collect();
    is_simple(&text)
}
