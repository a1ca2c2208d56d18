//! CODE values and operations as JSON.

use super::{CodeOp, CodeValue, Path, check_path};
use crate::fault::{Invalid, Limited};
use crate::flaw::at_most;
use crate::json::{self, Json, JsonMap};
use crate::limits::STRING_MAX_BYTES;
use crate::patch::Patch;
use crate::pointer;
use crate::text::{RichText, TextDelta};
use crate::wire::{Fields, free_map, read_ops, string, unknown_op};

impl CodeValue {
    /// Reads a value: `files` by path, `entry`, `attributes`; each may be missing.
    ///
    /// # Errors
    /// [`Invalid`] with the pointer of the first fault.
    pub fn from_json(json: &Json) -> Result<CodeValue, Invalid> {
        let fields = Fields::open(json, String::new(), &["files", "entry", "attributes"])?;
        let mut files = Vec::new();
        match fields.optional("files") {
            None => {}
            Some(Json::Object(map)) => {
                for (path, text) in map {
                    let place = || pointer::below("/files", path);
                    check_path(path).map_err(|rule| Invalid::rule(place(), rule))?;
                    files.push((Path::from(path.as_str()), RichText::from_plain(read_text(text, place)?)));
                }
            }
            Some(_) => return Err(Invalid::malformed("/files", "an object of texts by path")),
        }
        let entry = match fields.optional("entry") {
            None | Some(Json::Null) => None,
            Some(json) => Some(Path::from(string(json, || fields.at("entry"))?)),
        };
        let attributes = match fields.optional("attributes") {
            Some(json) => free_map(json, || fields.at("attributes"))?,
            None => JsonMap::new(),
        };
        let value = CodeValue::assemble(files, None, attributes).map_err(|rule| Invalid::rule("/files", rule))?;
        value.with_entry(entry).map_err(|rule| Invalid::rule("/entry", rule))
    }

    /// Gives the value as JSON: files in the order of their paths; attributes only if there are any.
    pub fn to_json(&self) -> Json {
        let files = self
            .files()
            .map(|(path, text)| (path.to_string(), Json::from(text.to_plain())));
        let mut map = JsonMap::new();
        map.insert("files".into(), Json::Object(files.collect()));
        map.insert(
            "entry".into(),
            self.entry().map_or(Json::Null, |path| Json::from(&**path)),
        );
        if !self.attributes().is_empty() {
            map.insert("attributes".into(), Json::Object(self.attributes().clone()));
        }
        Json::Object(map)
    }

    /// Appends the value as JSON text.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"files\":{");
        for (index, (path, text)) in self.files().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            json::write(&**path, out);
            out.push(b':');
            text.write_plain_json(out);
        }
        out.extend_from_slice(b"},\"entry\":");
        json::write(&self.entry().map(AsRef::<str>::as_ref), out);
        if !self.attributes().is_empty() {
            out.extend_from_slice(b",\"attributes\":");
            json::write(self.attributes(), out);
        }
        out.push(b'}');
    }
}

/// Reads an array of operations.
pub(crate) fn ops_from_json(json: &Json) -> Result<Vec<CodeOp>, Invalid> {
    read_ops(json, read_op)
}

/// Gives operations as an array.
pub(crate) fn ops_to_json(ops: &[CodeOp]) -> Json {
    ops.iter().map(|op| Json::Object(write_op(op))).collect()
}

fn read_op(tag: &str, json: &Json, place: String) -> Result<CodeOp, Invalid> {
    match tag {
        "addFile" => {
            let fields = Fields::open(json, place, &["op", "path", "text"])?;
            let text = read_text(fields.required("text", "a string")?, || fields.at("text"))?;
            Ok(CodeOp::AddFile {
                path: read_path(&fields, "path")?,
                text: text.to_owned(),
            })
        }
        "removeFile" => {
            let fields = Fields::open(json, place, &["op", "path"])?;
            Ok(CodeOp::RemoveFile {
                path: read_path(&fields, "path")?,
            })
        }
        "renameFile" => {
            let fields = Fields::open(json, place, &["op", "path", "to"])?;
            Ok(CodeOp::RenameFile {
                path: read_path(&fields, "path")?,
                to: read_path(&fields, "to")?,
            })
        }
        "editFile" => {
            let fields = Fields::open(json, place, &["op", "path", "delta"])?;
            let delta = fields.required("delta", "a text delta, an array of operations")?;
            let delta = TextDelta::from_json(delta, &fields.at("delta"))?;
            delta
                .require_plain()
                .map_err(|fault| Invalid::rule(fields.at("delta"), fault.into()))?;
            Ok(CodeOp::EditFile {
                path: read_path(&fields, "path")?,
                delta,
            })
        }
        "setEntry" => {
            let fields = Fields::open(json, place, &["op", "path"])?;
            let path = match fields.required("path", "a path or null")? {
                Json::Null => None,
                _ => Some(read_path(&fields, "path")?),
            };
            Ok(CodeOp::SetEntry { path })
        }
        "setAttributes" => {
            let fields = Fields::open(json, place, &["op", "set", "unset", "at"])?;
            Ok(CodeOp::SetAttributes {
                patch: Patch::from_fields(&fields)?,
            })
        }
        _ => Err(unknown_op(
            &place,
            "one of addFile, removeFile, renameFile, editFile, setEntry, setAttributes",
        )),
    }
}

fn write_op(op: &CodeOp) -> JsonMap {
    let mut map = JsonMap::new();
    let mut put = |name: &str, json: Json| drop(map.insert(name.to_owned(), json));
    match op {
        CodeOp::AddFile { path, text } => {
            put("op", Json::from("addFile"));
            put("path", Json::from(&**path));
            put("text", Json::from(text.as_str()));
        }
        CodeOp::RemoveFile { path } => {
            put("op", Json::from("removeFile"));
            put("path", Json::from(&**path));
        }
        CodeOp::RenameFile { path, to } => {
            put("op", Json::from("renameFile"));
            put("path", Json::from(&**path));
            put("to", Json::from(&**to));
        }
        CodeOp::EditFile { path, delta } => {
            put("op", Json::from("editFile"));
            put("path", Json::from(&**path));
            put("delta", delta.to_json());
        }
        CodeOp::SetEntry { path } => {
            put("op", Json::from("setEntry"));
            put("path", path.as_deref().map_or(Json::Null, Json::from));
        }
        CodeOp::SetAttributes { patch } => {
            put("op", Json::from("setAttributes"));
            patch.write_fields(&mut map);
        }
    }
    map
}

fn read_path(fields: &Fields<'_>, name: &str) -> Result<Path, Invalid> {
    let path = fields.string(name)?;
    check_path(path).map_err(|rule| Invalid::rule(fields.at(name), rule))?;
    Ok(path.into())
}

fn read_text(json: &Json, place: impl Fn() -> String) -> Result<&str, Invalid> {
    let text = string(json, &place)?;
    at_most(Limited::StringBytes, STRING_MAX_BYTES, text.len()).map_err(|rule| Invalid::rule(place(), rule))?;
    Ok(text)
}
