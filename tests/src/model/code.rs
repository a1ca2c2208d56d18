//! A CODE page as texts by path.

use std::collections::BTreeMap;

use serde_json::Map;

use super::patch::{self, text};
use super::{Refusal, Text};
use crate::Json;

/// The value of a CODE page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Code {
    files: BTreeMap<String, Text>,
    entry: Option<String>,
    /// JSON text by key, in their order.
    attributes: Vec<(String, String)>,
}

impl Code {
    pub(super) fn from_json(json: &Json) -> Self {
        let files = json["files"].as_object().into_iter().flatten();
        let mut code = Self {
            files: files
                .map(|(path, file)| (path.clone(), Text::plain(text(file))))
                .collect(),
            entry: json["entry"].as_str().map(str::to_owned),
            attributes: Vec::new(),
        };
        code.set_attributes(
            json.get("attributes")
                .and_then(Json::as_object)
                .cloned()
                .unwrap_or_default(),
        );
        code
    }

    /// The paths of all files, sorted.
    pub fn paths(&self) -> Vec<&str> {
        self.files.keys().map(String::as_str).collect()
    }

    /// A file's text.
    pub fn file(&self, path: &str) -> Option<&Text> {
        self.files.get(path)
    }

    pub(super) fn apply(&mut self, delta: &Json) -> Result<(), Refusal> {
        for op in delta.as_array().into_iter().flatten() {
            self.apply_op(op)?;
        }
        match &self.entry {
            Some(entry) if !self.files.contains_key(entry) => Err("entry_missing"),
            _ => Ok(()),
        }
    }

    fn apply_op(&mut self, op: &Json) -> Result<(), Refusal> {
        let path = op["path"].as_str().unwrap_or_default().to_owned();
        match text(&op["op"]) {
            "addFile" => self.put(path, Text::plain(text(&op["text"]))),
            "removeFile" => {
                self.files.remove(&path).ok_or("file_missing")?;
                self.entry.take_if(|entry| *entry == path);
                Ok(())
            }
            "renameFile" => self.rename(&path, text(&op["to"])),
            "editFile" => self
                .files
                .get_mut(&path)
                .ok_or("file_missing")?
                .apply_plain(&op["delta"]),
            "setEntry" => {
                self.entry = op["path"].as_str().map(str::to_owned);
                Ok(())
            }
            "setAttributes" => {
                let read = |(key, value): &(String, String)| (key.clone(), super::design::parse(value));
                let mut map: Map<String, Json> = self.attributes.iter().map(read).collect();
                patch::apply(&mut map, op)?;
                self.set_attributes(map);
                Ok(())
            }
            other => panic!("the model knows no {other}"),
        }
    }

    fn rename(&mut self, path: &str, to: &str) -> Result<(), Refusal> {
        let file = self.files.get(path).ok_or("file_missing")?.clone();
        if path == to {
            return Ok(());
        }
        self.put(to.to_owned(), file)?;
        self.files.remove(path);
        if let Some(entry) = self.entry.as_mut().filter(|entry| *entry == path) {
            to.clone_into(entry);
        }
        Ok(())
    }

    fn put(&mut self, path: String, file: Text) -> Result<(), Refusal> {
        if path.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
            return Err("path_invalid");
        }
        if self.files.contains_key(&path) {
            return Err("file_exists");
        }
        self.files.insert(path, file);
        Ok(())
    }

    fn set_attributes(&mut self, map: Map<String, Json>) {
        self.attributes = map.into_iter().map(|(key, value)| (key, value.to_string())).collect();
    }
}
