//! DOC pages: rich text that ends with a newline.

use crate::digest::{self, Digest};
use crate::fault::{ApplyError, Invalid, Limited, Rule};
use crate::flaw::at_most;
use crate::json::{self, Json};
use crate::limits::TEXT_MAX_UNITS;
use crate::text::{Content, RichText, TextDelta, TextOp};

const PAGE_DOMAIN: &str = "recto.doc.page.1";
/// The field that holds the operations where a delta comes as an object.
const OPS: &str = "ops";

/// The state of a DOC page. A clone is O(1).
#[derive(Clone, Debug, PartialEq)]
pub struct DocValue(RichText);

impl DocValue {
    /// Takes a text.
    ///
    /// # Errors
    /// [`Rule::MissingNewline`] unless it ends with a newline; [`Rule::TooLarge`] past [`TEXT_MAX_UNITS`].
    pub fn new(text: RichText) -> Result<DocValue, Rule> {
        check(&text)?;
        Ok(DocValue(text))
    }

    /// Gives the text.
    pub fn text(&self) -> &RichText {
        &self.0
    }

    /// Reads a document: an array of inserts, or an object whose `ops` is one.
    ///
    /// # Errors
    /// [`Invalid`] with the pointer of the first fault.
    pub fn from_json(json: &Json) -> Result<DocValue, Invalid> {
        let (ops, pointer) = operations(json)?;
        let document = TextDelta::document_from_json(ops, &pointer)?;
        let text = RichText::from_document(&document).map_err(|fault| Invalid::rule(&*pointer, fault.into()))?;
        DocValue::new(text).map_err(|rule| Invalid::rule(pointer, rule))
    }

    /// Gives the document as an array of inserts.
    pub fn to_json(&self) -> Json {
        self.0.to_document().to_json()
    }

    /// Appends the document as JSON text.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        self.0.write_json(out);
    }

    /// Gives the digest of the state, in O(1).
    pub fn digest(&self) -> Digest {
        let mut hasher = digest::hasher(PAGE_DOMAIN);
        hasher.update(&self.0.digest().to_bytes());
        digest::finish(&hasher)
    }

    /// Gives roughly how many bytes of memory the value holds, in O(1).
    pub fn weight(&self) -> usize {
        size_of::<DocValue>() + self.0.weight()
    }

    /// Checks that the document ends with a newline, and that the kept digest is right.
    ///
    /// # Errors
    /// A sentence that names the first thing that does not hold.
    pub fn check_invariants(&self) -> Result<(), String> {
        check(&self.0).map_err(|rule| rule.to_string())?;
        let fresh = RichText::from_document(&self.0.to_document()).map_err(|fault| fault.to_string())?;
        match fresh.digest() == self.0.digest() && fresh.len() == self.0.len() {
            true => Ok(()),
            false => Err("the kept digest of the text is wrong".into()),
        }
    }

    pub(crate) fn apply(&mut self, delta: &TextDelta) -> Result<(TextDelta, TextDelta), ApplyError> {
        self.check_after(delta).map_err(refuse)?;
        let committed = self
            .0
            .effective(delta)
            .map_err(|fault| refuse(fault.into()))?
            .into_owned();
        let before = self.0.digest();
        let inverse = self.0.apply(delta).map_err(|fault| refuse(fault.into()))?;
        if before == self.0.digest() && changes_nothing(&self.0, &inverse) {
            return Ok(Default::default());
        }
        Ok((committed, inverse))
    }

    pub(crate) fn replay(&mut self, delta: &TextDelta) -> Result<(), ApplyError> {
        self.check_after(delta).map_err(refuse)?;
        self.0.replay(delta).map_err(|fault| refuse(fault.into()))
    }

    pub(crate) fn diff(&self, to: &DocValue) -> TextDelta {
        self.0.diff(&to.0)
    }

    /// Refuses a delta after which the text would be too long or end without its newline. Whether the delta fits the
    /// text at all is for the text to say.
    fn check_after(&self, delta: &TextDelta) -> Result<(), Rule> {
        let (len, base) = (self.0.len(), delta.base_len());
        at_most(
            Limited::TextUnits,
            TEXT_MAX_UNITS,
            len.saturating_add_signed(delta.change_len()),
        )?;
        if base != len {
            // The end of the text stays, or the delta reaches past it.
            return Ok(());
        }
        let mut end = base;
        for op in delta.ops().iter().rev() {
            match op {
                TextOp::Delete { len } => end -= len,
                TextOp::Retain { .. } => break,
                TextOp::Insert {
                    content: Content::Text(text),
                    ..
                } if text.ends_with('\n') => return Ok(()),
                TextOp::Insert { .. } => return Err(Rule::MissingNewline),
            }
        }
        check_newline(&self.0, end)
    }
}

impl Default for DocValue {
    fn default() -> DocValue {
        DocValue(RichText::from_plain("\n"))
    }
}

/// Reads a delta: an array of operations, or an object whose `ops` is one.
pub(crate) fn delta_from_json(json: &Json) -> Result<TextDelta, Invalid> {
    let (ops, pointer) = operations(json)?;
    Ok(TextDelta::from_json(ops, &pointer)?)
}

/// Finds the array of operations, and refuses keys and strings past the limits in it.
fn operations(json: &Json) -> Result<(&Json, String), Invalid> {
    let (ops, pointer) = match json {
        Json::Object(map) if map.len() == 1 && map.contains_key(OPS) => (&map[OPS], format!("/{OPS}")),
        json => (json, String::new()),
    };
    // The operations themselves are two levels that do not count, being an array and objects.
    let Json::Array(items) = ops else {
        return Err(Invalid::malformed(pointer, "an array of operations"));
    };
    for (index, item) in items.iter().enumerate() {
        let fields = item.as_object().into_iter().flatten();
        for (name, value) in fields {
            json::check(value, 0).map_err(|flaw| flaw.under_key(name).into_invalid(&format!("{pointer}/{index}")))?;
        }
    }
    Ok((ops, pointer))
}

/// Says whether a delta that led to this text led from the same. To be asked where the digests are equal, which for a
/// text that someone made up proves nothing.
pub(crate) fn changes_nothing(text: &RichText, inverse: &TextDelta) -> bool {
    let mut before = text.clone();
    before.replay(inverse).is_ok() && before == *text
}

fn check(text: &RichText) -> Result<(), Rule> {
    at_most(Limited::TextUnits, TEXT_MAX_UNITS, text.len())?;
    check_newline(text, text.len())
}

/// Refuses a text whose unit before `end` is no newline.
fn check_newline(text: &RichText, end: usize) -> Result<(), Rule> {
    let last = end.checked_sub(1).and_then(|start| text.slice(start, end).ok());
    match last.as_ref().and_then(|last| last.ops().first()) {
        Some(TextOp::Insert {
            content: Content::Text(text),
            ..
        }) if text == "\n" => Ok(()),
        _ => Err(Rule::MissingNewline),
    }
}

fn refuse(rule: Rule) -> ApplyError {
    ApplyError {
        op: 0,
        pointer: String::new(),
        rule,
    }
}
