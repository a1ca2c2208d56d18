//! The corpora: real histories that nobody here wrote, read in place.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use serde_json::Value as Json;

/// The setting that names the folder.
pub const CORPORA_VARIABLE: &str = "RECTO_CORPORA";

/// Where the corpora stand beside a checkout.
const BESIDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/corpora");

/// The zstd files were packed with a window of this many bits.
const WINDOW_LOG: u32 = 27;

/// The folder of the corpora.
#[derive(Clone, Debug)]
pub struct Corpora {
    folder: PathBuf,
}

/// Why a corpus cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// No folder where it was looked for.
    #[error("there are no corpora at {}: name their folder with --corpora or {CORPORA_VARIABLE}", folder.display())]
    NoFolder {
        /// Where it was looked for.
        folder: PathBuf,
    },
    /// A file cannot be read.
    #[error("{} cannot be read: {fault}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        fault: io::Error,
    },
    /// A file is not what it should be.
    #[error("{} is not what it should be: {what}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
}

impl Corpora {
    /// Finds the corpora: in the folder given, else in the one that the environment names, else beside the checkout.
    ///
    /// # Errors
    /// [`CorpusError::NoFolder`].
    pub fn find(given: Option<&Path>) -> Result<Self, CorpusError> {
        let named = || std::env::var_os(CORPORA_VARIABLE).map(PathBuf::from);
        let folder = given
            .map(Path::to_path_buf)
            .or_else(named)
            .unwrap_or_else(|| PathBuf::from(BESIDE));
        if folder.is_dir() {
            Ok(Self { folder })
        } else {
            Err(CorpusError::NoFolder { folder })
        }
    }

    /// The full path of one file.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The names of the files in a subfolder that end in a given way, sorted, with the subfolder in front.
    ///
    /// # Errors
    /// [`CorpusError::Unreadable`].
    pub fn list(&self, subfolder: &str, ending: &str) -> Result<Vec<String>, CorpusError> {
        let path = self.path(subfolder);
        let unreadable = |fault| CorpusError::Unreadable {
            path: path.clone(),
            fault,
        };
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&path).map_err(unreadable)? {
            let name = entry.map_err(unreadable)?.file_name().to_string_lossy().into_owned();
            if name.ends_with(ending) {
                names.push(format!("{subfolder}/{name}"));
            }
        }
        names.sort();
        Ok(names)
    }

    /// A whole file, unpacked as its name says (`.gz`, `.zst`, anything else as it is).
    ///
    /// # Errors
    /// [`CorpusError::Unreadable`].
    pub fn read(&self, name: &str) -> Result<Vec<u8>, CorpusError> {
        let mut bytes = Vec::new();
        let read = self.open(name)?.read_to_end(&mut bytes);
        read.map_err(|fault| CorpusError::Unreadable {
            path: self.path(name),
            fault,
        })?;
        Ok(bytes)
    }

    /// A whole file as JSON.
    ///
    /// # Errors
    /// [`CorpusError::Unreadable`], [`CorpusError::Malformed`].
    pub fn read_json(&self, name: &str) -> Result<Json, CorpusError> {
        serde_json::from_slice(&self.read(name)?).map_err(|fault| self.malformed(name, &fault))
    }

    /// The lines of a file, unpacked as its name says, each parsed as JSON. Only one line is held at a time.
    ///
    /// # Errors
    /// [`CorpusError::Unreadable`] where the file does not open; later faults are among the items.
    pub fn json_lines<'a, T>(
        &'a self,
        name: &'a str,
    ) -> Result<impl Iterator<Item = Result<T, CorpusError>> + 'a, CorpusError>
    where
        T: serde::de::DeserializeOwned + 'a,
    {
        let lines = BufReader::with_capacity(1 << 20, self.open(name)?).lines();
        Ok(lines.map(move |line| {
            let line = line.map_err(|fault| CorpusError::Unreadable {
                path: self.path(name),
                fault,
            })?;
            serde_json::from_str(&line).map_err(|fault| self.malformed(name, &fault))
        }))
    }

    /// The fault of a file that does not say what it should.
    pub fn malformed(&self, name: &str, what: &dyn std::fmt::Display) -> CorpusError {
        CorpusError::Malformed {
            path: self.path(name),
            what: what.to_string(),
        }
    }

    fn open(&self, name: &str) -> Result<Box<dyn Read>, CorpusError> {
        let path = self.path(name);
        let opened = File::open(&path).and_then(|file| unpack(file, name));
        opened.map_err(|fault| CorpusError::Unreadable { path, fault })
    }
}

fn unpack(file: File, name: &str) -> io::Result<Box<dyn Read>> {
    match Path::new(name).extension().and_then(|ending| ending.to_str()) {
        Some("gz") => Ok(Box::new(MultiGzDecoder::new(BufReader::new(file)))),
        Some("zst") => {
            let mut decoder = zstd::stream::read::Decoder::new(file)?;
            decoder.window_log_max(WINDOW_LOG)?;
            Ok(Box::new(decoder))
        }
        _ => Ok(Box::new(BufReader::new(file))),
    }
}
