//! HTML as a DOC page.

use super::doc_element::{self, Element, Sort};
use super::doc_line::Lines;
use super::doc_names::{ATTRIBUTES, EMBED, LINK, TEXT};
use super::element::{owner, warn_of_code};
use super::fault::{HtmlError, Warning, WarningCode, Warnings};
use super::parse::parse;
use super::tree::{At, Step, Tree};
use super::url;
use crate::doc::DocValue;
use crate::json::{Json, JsonMap};
use crate::text::{Embed, RichText};

/// Keys of an embed that hold a URL.
const URL_KEYS: [&str; 4] = ["image", "video", "link", "src"];

/// Reads a document.
///
/// # Errors
/// [`HtmlError`] for HTML past a limit, or a document that breaks a rule.
pub fn doc_from_html(html: &str) -> Result<(DocValue, Vec<Warning>), HtmlError> {
    read(&parse(html)?)
}

/// Reads a document that is a whole: HTML that ends inside a tag, or with an element open that has to be closed, is none.
///
/// # Errors
/// [`HtmlError::NotWhole`], and those of [`doc_from_html`].
pub fn whole_doc_from_html(html: &str) -> Result<(DocValue, Vec<Warning>), HtmlError> {
    let tree = parse(html)?;
    if tree.is_cut_off {
        return Err(HtmlError::NotWhole);
    }
    read(&tree)
}

fn read(tree: &Tree) -> Result<(DocValue, Vec<Warning>), HtmlError> {
    let mut warnings = Warnings::default();
    warn_of_code(tree, &mut warnings);
    let mut reader = Reader {
        tree,
        warnings: &mut warnings,
        lines: Lines::default(),
        open: Vec::new(),
    };
    let mut steps = tree.walk(0);
    while let Some(step) = steps.next() {
        match step {
            Step::Enter(at) if !reader.enter(at) => steps.pass_over(at),
            Step::Enter(_) => {}
            Step::Leave(at) => reader.leave(at),
        }
        if reader.lines.are_too_much() {
            return Err(HtmlError::Repeats);
        }
    }
    let document = reader.lines.finish();
    let refused = |rule| HtmlError::Refused { rule };
    let text = RichText::from_document(&document).map_err(|fault| refused(fault.into()))?;
    let value = DocValue::new(text).map_err(refused)?;
    Ok((value, warnings.finish()))
}

struct Reader<'a, 'b> {
    tree: &'a Tree,
    warnings: &'b mut Warnings,
    lines: Lines,
    open: Vec<Element>,
}

impl Reader<'_, '_> {
    /// Takes an item in; says whether to go on below it.
    fn enter(&mut self, at: At) -> bool {
        if let Some(text) = self.tree.text(at) {
            self.text(text);
            return true;
        }
        let Some(name) = self.tree.name(at) else {
            let foreign = self.tree.is_foreign(at);
            if foreign {
                self.warn(WarningCode::ElementDropped, at, "svg");
            }
            return !foreign;
        };
        let sort = doc_element::sort_of(name);
        match sort {
            Sort::Silent => return false,
            Sort::Dropped => {
                self.warn(WarningCode::ElementDropped, at, name);
                return false;
            }
            Sort::Break => {
                let top = self.top();
                self.lines.end(&top.line);
                return false;
            }
            Sort::Rule => {
                self.warn(WarningCode::Flattened, at, name);
                let top = self.top();
                self.lines.end_if_any(&top.line);
                self.lines.push_text("---", None);
                self.lines.end(&top.line);
                return false;
            }
            Sort::Image => {
                self.image(at);
                return false;
            }
            Sort::Check => {
                self.check(at);
                return false;
            }
            Sort::Block | Sort::Cell | Sort::Inline => {}
        }
        if let Some(json) = self.tree.attribute(at, EMBED) {
            self.embed(at, json);
            return false;
        }
        if let Some(json) = self.tree.attribute(at, TEXT) {
            match serde_json::from_str::<String>(json) {
                Ok(text) => self.exact(&text, at),
                Err(_) => self.warn(WarningCode::AttributesInvalid, at, TEXT),
            }
            return false;
        }
        if name == "table" {
            self.warn(WarningCode::Flattened, at, name);
        }
        let above = self.top();
        if sort == Sort::Block {
            self.lines.end_if_any(&above.line);
        } else if sort == Sort::Cell && !self.lines.is_at_start() {
            self.lines.push_text("\t", None);
        }
        let mut element = above.below(self.tree, at, sort, self.warnings);
        if let Some(json) = self.tree.attribute(at, ATTRIBUTES) {
            self.attributes(at, json, &mut element, sort);
        }
        self.open.push(element);
        true
    }

    fn leave(&mut self, at: At) {
        if self.tree.text(at).is_some() {
            return;
        }
        if self.open.last().is_some_and(|element| element.at == at) {
            let element = self.open.pop();
            if let Some(element) = element.filter(|element| element.sort == Sort::Block) {
                self.lines.end_if_any(&element.line);
            }
        } else if at == 0 {
            let top = self.top();
            self.lines.end_if_any(&top.line);
        }
    }

    fn text(&mut self, text: &str) {
        let mut nothing = Element::default();
        let top = self.open.last_mut().unwrap_or(&mut nothing);
        let attributes = top.attributes();
        if !top.exact {
            return self.lines.push_words(text, attributes.as_ref());
        }
        for (index, line) in text.split('\n').enumerate() {
            if index > 0 {
                self.lines.end(&top.line);
            }
            self.lines.push_text(line, attributes.as_ref());
        }
    }

    /// Takes in a text of which every letter counts.
    fn exact(&mut self, text: &str, at: At) {
        let mut element = self.top().below(self.tree, at, Sort::Inline, self.warnings);
        let attributes = element.attributes();
        for (index, line) in text.split('\n').enumerate() {
            if index > 0 {
                self.lines.end(&element.line);
            }
            self.lines.push_text(line, attributes.as_ref());
        }
    }

    fn image(&mut self, at: At) {
        let mut element = self.top().below(self.tree, at, Sort::Image, self.warnings);
        if let Some(json) = self.tree.attribute(at, ATTRIBUTES) {
            self.attributes(at, json, &mut element, Sort::Image);
        }
        let Some(url) = self.tree.attribute(at, "src").filter(|url| url::is_safe(url)) else {
            // What stands for the image is said instead.
            let alt = self.tree.attribute(at, "alt").unwrap_or_default();
            let attributes = self.top().attributes();
            return self.lines.push_words(alt, attributes.as_ref());
        };
        let mut map = JsonMap::new();
        map.insert(super::doc_names::IMAGE.into(), url.into());
        if let Ok(embed) = Embed::new(Json::Object(map)) {
            self.lines.push_embed(embed, element.attributes().as_ref());
        }
    }

    fn embed(&mut self, at: At, json: &str) {
        let embed = serde_json::from_str(json).ok().and_then(|json| Embed::new(json).ok());
        let Some(embed) = embed else {
            return self.warn(WarningCode::AttributesInvalid, at, EMBED);
        };
        let url = |key: &&str| embed.json().get(*key).and_then(Json::as_str);
        if URL_KEYS.iter().filter_map(url).any(|url| !url::is_safe(url)) {
            return self.warn(WarningCode::UnsafeUrl, at, EMBED);
        }
        let attributes = self.top().attributes();
        self.lines.push_embed(embed, attributes.as_ref());
    }

    /// Takes in attributes that HTML has no element for.
    fn attributes(&mut self, at: At, json: &str, element: &mut Element, sort: Sort) {
        let Ok(Json::Object(map)) = serde_json::from_str(json) else {
            return self.warn(WarningCode::AttributesInvalid, at, ATTRIBUTES);
        };
        for (name, value) in map {
            let unsafe_link = name == LINK && value.as_str().is_some_and(|url| !url::is_safe(url));
            if unsafe_link {
                self.warn(WarningCode::UnsafeUrl, at, LINK);
            } else if value.is_null() || !element.put(sort, &name, value) {
                self.warn(WarningCode::AttributesInvalid, at, &name);
            }
        }
    }

    /// Takes in the box before an item of a list of tasks.
    fn check(&mut self, at: At) {
        let checked = self.tree.attribute(at, "checked").is_some();
        if self.tree.attribute(at, "type") != Some("checkbox") {
            return;
        }
        let from = self.open.iter().rposition(|element| element.is_item);
        for element in self.open.iter_mut().skip(from.unwrap_or(usize::MAX)) {
            element.set_checked(checked);
        }
    }

    fn top(&self) -> Element {
        self.open.last().cloned().unwrap_or_default()
    }

    fn warn(&mut self, code: WarningCode, at: At, property: &str) {
        self.warnings.add(code, owner(self.tree, at), Some(property));
    }
}
