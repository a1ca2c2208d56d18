//! Content that is written: HTML, source or a value, made a value of the page's kind. And pages made of content.

use std::sync::Arc;

use recto_projections::html::{
    HTML_MAX_UNITS, HtmlError, NewIds, Scope, Warning, design_from_html, doc_to_html, has_element, whole_doc_from_html,
};
use recto_projections::text::units;
use recto_projections::{CodeValue, DocValue, Json, Kind, Value};
use recto_store::Id;
use serde_json::{Map, json};

use super::refusal::ContractRefusal;
use crate::actor::Caller;
use crate::answer::Written;
use crate::create::CreatePage;
use crate::error::WriteError;
use crate::report::{Entries, Report};
use crate::service::Pages;

/// The most UTF-16 units of the content of a page that is written: a larger page is written in parts.
pub const PAGE_CHARS_MAX: usize = HTML_MAX_UNITS;
/// The most bytes of JSON that the warnings of a write hold; more are counted.
const WARNINGS_BYTES_MAX: usize = 12 * 1024;
/// The file of a CODE page that is made of one source.
const FIRST_FILE: &str = "index.html";

const DESIGN_FORMS: &str = "HTML as a string, or a value as an object";
const DOC_FORMS: &str = "HTML as a string, or a Quill document";
const CODE_FORMS: &str = "an object with files and entry; for a page of one file its source as a string";

/// A page to be made of content.
#[derive(Clone, Debug)]
pub struct InsertPage {
    /// Who makes it, and in which workspace.
    pub caller: Caller,
    /// Its id.
    pub page: Id,
    /// Its kind, for good.
    pub kind: Kind,
    /// The file of the design tool that it is in.
    pub file: Option<Id>,
    /// HTML or a value for DESIGN and DOC, source or a value for CODE.
    pub content: Json,
    /// The idempotency key.
    pub command: Id,
}

/// A value read from content, and what was taken otherwise than it was written.
pub(crate) struct Taken {
    pub value: Value,
    pub warnings: Vec<Warning>,
}

impl Pages {
    /// Makes a page of content. As [`Pages::create`], idempotent by the page's id: new nodes get their ids from it.
    ///
    /// # Errors
    /// As [`Pages::create`], and [`ContractRefusal`] where the content is none of the kind.
    pub async fn insert_page(&self, insert: InsertPage) -> Result<Written, WriteError> {
        let InsertPage {
            caller,
            page,
            kind,
            file,
            content,
            command,
        } = insert;
        let (ids, content) = (NewIds::new(page.as_str()), Arc::new(content));
        let work = length(&content)?;
        let taken = self
            .compute(work, move || take(&Value::empty(kind), &content, &ids))
            .await??;
        let report = Report {
            warnings: entries(&taken.warnings),
            ..Report::default()
        };
        let create = CreatePage {
            caller,
            page,
            kind,
            file,
            value: taken.value,
            command,
        };
        self.create_with(create, report).await
    }
}

/// The length of content in UTF-16 units, within the limit.
pub(crate) fn length(content: &Json) -> Result<usize, ContractRefusal> {
    let got = match content {
        Json::String(text) => units(text),
        json => units(&json.to_string()),
    };
    if got > PAGE_CHARS_MAX {
        return Err(ContractRefusal::ContentTooLong {
            limit: PAGE_CHARS_MAX,
            got,
        });
    }
    Ok(got)
}

/// Reads content as the whole of a page that was `old` before.
pub(crate) fn take(old: &Value, content: &Json, ids: &NewIds) -> Result<Taken, ContractRefusal> {
    length(content)?;
    let bare = |value| Taken {
        value,
        warnings: Vec::new(),
    };
    match (old, content) {
        (Value::Design(old), Json::String(html)) => {
            let read = design_from_html(html, old, Scope::Whole, ids)?;
            // What was cut off, or is no page at all, would delete what it leaves out.
            if !old.is_empty() && (read.is_cut_off || !has_element(html)) {
                return Err(HtmlError::NotWhole.into());
            }
            Ok(Taken {
                value: Value::Design(read.value),
                warnings: read.warnings,
            })
        }
        (Value::Doc(old), Json::String(html)) => take_doc(old, html),
        (Value::Code(old), Json::String(source)) => take_source(old, source).map(bare),
        (Value::Sheet(_), _) => Err(ContractRefusal::NotWritable { kind: old.kind() }),
        (old, value @ (Json::Object(_) | Json::Array(_))) => {
            let value = old.successor_from_json(value);
            value.map(bare).map_err(ContractRefusal::ContentInvalid)
        }
        (old, _) => Err(shape(old.kind())),
    }
}

/// Warnings as they go into answers and receipts.
pub(crate) fn entries(warnings: &[Warning]) -> Entries {
    let entry = |warning: &Warning| {
        let mut map = Map::new();
        map.insert("code".into(), warning.code.as_str().into());
        map.insert("detail".into(), warning.text.as_str().into());
        if let Some(node) = &warning.node {
            map.insert("node".into(), node.as_str().into());
        }
        if let Some(property) = &warning.property {
            map.insert("property".into(), property.as_str().into());
        }
        Json::Object(map)
    };
    Entries::within(WARNINGS_BYTES_MAX, warnings.iter().map(entry))
}

fn take_doc(old: &DocValue, html: &str) -> Result<Taken, ContractRefusal> {
    // What comes back as it was read changes nothing, whatever HTML can say of it.
    if doc_to_html(old) == html {
        return Ok(Taken {
            value: Value::Doc(old.clone()),
            warnings: Vec::new(),
        });
    }
    let (value, warnings) = whole_doc_from_html(html)?;
    Ok(Taken {
        value: Value::Doc(value),
        warnings,
    })
}

/// A source is the one file of its page.
fn take_source(old: &CodeValue, source: &str) -> Result<Value, ContractRefusal> {
    let mut paths = old.files().map(|(path, _)| path.to_string());
    let path = match (paths.next(), paths.next()) {
        (None, _) => FIRST_FILE.to_owned(),
        (Some(path), None) => path,
        _ => return Err(shape(Kind::Code)),
    };
    let entry = match old.files().next() {
        None => json!(path),
        Some(_) => json!(old.entry().map(|entry| entry.to_string())),
    };
    let files: Map<String, Json> = [(path, source.into())].into_iter().collect();
    let value = json!({ "files": files, "entry": entry, "attributes": old.attributes() });
    let value = CodeValue::from_json(&value).map_err(ContractRefusal::ContentInvalid)?;
    Ok(Value::Code(value))
}

fn shape(kind: Kind) -> ContractRefusal {
    let expected = match kind {
        Kind::Design => DESIGN_FORMS,
        Kind::Doc => DOC_FORMS,
        Kind::Code | Kind::Sheet => CODE_FORMS,
    };
    ContractRefusal::ContentShape { kind, expected }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take_text(old: Json, source: &str) -> Option<Json> {
        let old = Value::from_json(Kind::Code, &old).ok()?;
        let taken = take(&old, &json!(source), &NewIds::new("c")).ok()?;
        Some(taken.value.to_json())
    }

    #[test]
    fn a_source_is_the_one_file_of_its_page() {
        assert_eq!(
            take_text(json!({}), "a"),
            Some(json!({ "files": { "index.html": "a" }, "entry": "index.html" }))
        );
        assert_eq!(
            take_text(json!({ "files": { "f": "a" }, "attributes": { "x": 1 } }), "b"),
            Some(json!({ "files": { "f": "b" }, "entry": null, "attributes": { "x": 1 } }))
        );
        assert_eq!(take_text(json!({ "files": { "f": "a", "g": "b" } }), "c"), None);
    }

    #[test]
    fn content_has_a_limit_in_characters() {
        let long = "x".repeat(PAGE_CHARS_MAX);
        assert_eq!(length(&json!(long)).ok(), Some(PAGE_CHARS_MAX));
        assert!(length(&json!(format!("{long}x"))).is_err());
        assert!(length(&json!([long])).is_err());
    }
}
