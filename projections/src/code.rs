//! CODE pages: text files by path, an entry, attributes.
//!
//! Files are a map: they come out in the bytewise order of their paths. The entry, if there is one, names a file: a
//! rename takes it along, removing its file sets it to null, and `setEntry` sets it otherwise.

mod apply;
mod diff;
mod op;
mod wire;

use std::sync::Arc;

use imbl::OrdMap;

use crate::digest::{self, Digest, HashSum};
use crate::fault::{Limited, Rule};
use crate::flaw::at_most;
use crate::json::{self, JsonMap};
use crate::limits::{FILES_MAX, PATH_MAX_BYTES, TEXT_MAX_UNITS};
use crate::text::RichText;

pub use op::CodeOp;
pub(crate) use wire::{ops_from_json, ops_to_json};

const PAGE_DOMAIN: &str = "recto.code.page.1";
const FILE_DOMAIN: &[u8] = b"recto.code.file.1\0";
const META_DOMAIN: &[u8] = b"recto.code.meta.1\0";
/// What a file takes beside its path and text, roughly, in bytes.
const FILE_WEIGHT: usize = 160;

/// The path of a file. A clone is a reference count.
pub type Path = Arc<str>;

/// The state of a CODE page. A clone is O(1).
#[derive(Clone, Debug)]
pub struct CodeValue {
    files: OrdMap<Path, File>,
    meta: Arc<Meta>,
    /// The sum of the hashes of all files.
    sum: HashSum,
    /// The weight of all files, in bytes.
    weight: usize,
}

/// A file, with its hash and weight.
#[derive(Clone, Debug)]
struct File {
    text: RichText,
    sum: HashSum,
    weight: usize,
}

/// What a page has beside files, with its hash and weight.
#[derive(Clone, Debug)]
struct Meta {
    entry: Option<Path>,
    attributes: JsonMap,
    sum: HashSum,
    weight: usize,
}

impl CodeValue {
    /// Gives the text of a file.
    pub fn file(&self, path: &str) -> Option<&RichText> {
        self.files.get(path).map(|file| &file.text)
    }

    /// Goes over the files in the bytewise order of their paths.
    pub fn files(&self) -> impl Iterator<Item = (&Path, &RichText)> {
        self.files.iter().map(|(path, file)| (path, &file.text))
    }

    /// Gives the path of the entry.
    pub fn entry(&self) -> Option<&Path> {
        self.meta.entry.as_ref()
    }

    /// Gives the attributes.
    pub fn attributes(&self) -> &JsonMap {
        &self.meta.attributes
    }

    /// Gives the digest of the state, in O(1).
    pub fn digest(&self) -> Digest {
        let mut hasher = digest::hasher(PAGE_DOMAIN);
        hasher.update(&self.meta.sum.to_bytes());
        hasher.update(&self.sum.to_bytes());
        digest::finish(&hasher)
    }

    /// Gives roughly how many bytes of memory the value holds, in O(1).
    pub fn weight(&self) -> usize {
        size_of::<CodeValue>() + self.meta.weight + self.weight
    }

    /// Puts a value together of parts; they come from outside and are checked here.
    pub(crate) fn assemble(
        files: Vec<(Path, RichText)>,
        entry: Option<Path>,
        attributes: JsonMap,
    ) -> Result<CodeValue, Rule> {
        let mut value = CodeValue::default();
        at_most(Limited::Files, FILES_MAX, files.len())?;
        for (path, text) in files {
            check_path(&path)?;
            check_text(&text)?;
            if value.put_file(path.clone(), text).is_some() {
                return Err(Rule::FileExists { path: path.to_string() });
            }
        }
        json::check_map(&attributes, 0).map_err(|flaw| flaw.rule)?;
        value.put_meta(None, attributes);
        value.with_entry(entry)
    }

    /// Gives the same value with another entry.
    fn with_entry(mut self, entry: Option<Path>) -> Result<CodeValue, Rule> {
        self.put_meta(entry, self.attributes().clone());
        self.check_entry()?;
        Ok(self)
    }

    /// Checks the files, the entry, and the kept digest and weight.
    ///
    /// # Errors
    /// A sentence that names the first thing that does not hold.
    pub fn check_invariants(&self) -> Result<(), String> {
        let mut files = Vec::with_capacity(self.files.len());
        for (path, file) in &self.files {
            let fresh = File::new(path, RichText::from_plain(&file.text.to_plain()));
            if fresh.sum != file.sum || fresh.text.len() != file.text.len() {
                return Err(format!("the kept hash of the file {path:?} is wrong"));
            }
            files.push((path.clone(), file.text.clone()));
        }
        let fresh = CodeValue::assemble(files, self.entry().cloned(), self.attributes().clone())
            .map_err(|rule| format!("the page is not valid: {rule}"))?;
        match fresh.digest() == self.digest() && fresh.weight() == self.weight() {
            true => Ok(()),
            false => Err("the kept digest or weight is wrong".into()),
        }
    }

    /// Puts a file in, or in another's place; gives the text of that.
    fn put_file(&mut self, path: Path, text: RichText) -> Option<RichText> {
        let file = File::new(&path, text);
        self.sum.add(file.sum);
        self.weight += file.weight;
        let old = self.files.insert(path, file)?;
        self.count_out(&old);
        Some(old.text)
    }

    /// Takes a file out; gives its text.
    fn take_file(&mut self, path: &str) -> Option<RichText> {
        let file = self.files.remove(path)?;
        self.count_out(&file);
        Some(file.text)
    }

    fn count_out(&mut self, file: &File) {
        self.sum.remove(file.sum);
        self.weight -= file.weight;
    }

    fn put_meta(&mut self, entry: Option<Path>, attributes: JsonMap) {
        self.meta = Arc::new(Meta::new(entry, attributes));
    }

    fn check_entry(&self) -> Result<(), Rule> {
        match self.entry() {
            Some(path) if !self.files.contains_key(path) => Err(Rule::EntryMissing { path: path.to_string() }),
            _ => Ok(()),
        }
    }
}

impl Default for CodeValue {
    fn default() -> CodeValue {
        let meta = Arc::new(Meta::new(None, JsonMap::new()));
        CodeValue {
            files: OrdMap::new(),
            meta,
            sum: HashSum::default(),
            weight: 0,
        }
    }
}

impl PartialEq for CodeValue {
    fn eq(&self, other: &CodeValue) -> bool {
        self.entry() == other.entry()
            && json::same_map(self.attributes(), other.attributes())
            && self.files == other.files
    }
}

impl File {
    fn new(path: &str, text: RichText) -> File {
        let mut file = File {
            text,
            sum: HashSum::default(),
            weight: 0,
        };
        file.count(path);
        file
    }

    /// Takes hash and weight of the text as it is now.
    fn count(&mut self, path: &str) {
        let digest = self.text.digest().to_bytes();
        let mut bytes = Vec::with_capacity(FILE_DOMAIN.len() + digest.len() + path.len());
        bytes.extend_from_slice(FILE_DOMAIN);
        bytes.extend_from_slice(&digest);
        bytes.extend_from_slice(path.as_bytes());
        self.sum = HashSum::of(&blake3::hash(&bytes));
        self.weight = FILE_WEIGHT + path.len() + self.text.weight();
    }
}

/// Two files under one path are equal if their texts are.
impl PartialEq for File {
    fn eq(&self, other: &File) -> bool {
        self.text == other.text
    }
}

impl Meta {
    fn new(entry: Option<Path>, attributes: JsonMap) -> Meta {
        let mut bytes = META_DOMAIN.to_vec();
        json::write(&entry.as_deref(), &mut bytes);
        json::write(&attributes, &mut bytes);
        let weight = entry.as_deref().map_or(0, str::len) + json::map_weight(&attributes);
        Meta {
            sum: HashSum::of(&blake3::hash(&bytes)),
            weight,
            entry,
            attributes,
        }
    }
}

/// Refuses a path that is empty or too long, absolute, or has an empty, `.` or `..` segment or a control character.
fn check_path(path: &str) -> Result<(), Rule> {
    at_most(Limited::PathBytes, PATH_MAX_BYTES, path.len())?;
    let segments = path.split('/').all(|segment| !matches!(segment, "" | "." | ".."));
    if segments && !path.chars().any(char::is_control) {
        Ok(())
    } else {
        Err(Rule::PathInvalid)
    }
}

fn check_text(text: &RichText) -> Result<(), Rule> {
    at_most(Limited::TextUnits, TEXT_MAX_UNITS, text.len())
}
