//! Page histories: the whole text of a document, version by version.

use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::corpora::{Corpora, CorpusError};

/// The file in which a history's text stands in a CODE page.
pub const HISTORY_FILE: &str = "main";

/// A history of the corpora.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct History {
    /// Its name.
    pub name: &'static str,
    /// The kind of page that it becomes.
    pub kind: TextKind,
}

/// The kinds of pages that hold a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// Rich text.
    Doc,
    /// A file.
    Code,
}

/// One version.
#[derive(Clone, Debug, Deserialize)]
pub struct Version {
    /// Its number, from 0.
    pub seq: usize,
    /// The whole text.
    pub text: String,
}

/// The histories that the loader replays.
pub const HISTORIES: [History; 3] = [
    History {
        name: "public-apis-readme",
        kind: TextKind::Doc,
    },
    History {
        name: "awesome-readme",
        kind: TextKind::Doc,
    },
    History {
        name: "node-exporter-dashboard",
        kind: TextKind::Code,
    },
];

impl History {
    /// How many versions there are.
    ///
    /// # Errors
    /// [`CorpusError`].
    pub fn count(self, corpora: &Corpora) -> Result<usize, CorpusError> {
        let mut count = 0;
        self.each(corpora, |_| {
            count += 1;
            Ok(())
        })?;
        Ok(count)
    }

    /// Goes through the versions in order; only one is held at a time.
    ///
    /// # Errors
    /// [`CorpusError`], and whatever `visit` fails with.
    pub fn each<E: From<CorpusError>>(
        self,
        corpora: &Corpora,
        mut visit: impl FnMut(Version) -> Result<(), E>,
    ) -> Result<(), E> {
        for version in corpora.json_lines(&self.file())? {
            visit(version?)?;
        }
        Ok(())
    }

    fn file(self) -> String {
        format!("histories/{}.versions.jsonl.zst", self.name)
    }
}

impl TextKind {
    /// The name of the kind on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Doc => "DOC",
            Self::Code => "CODE",
        }
    }

    /// A whole page value that holds a text. A DOC page ends with a newline: where the text does not, one is added.
    #[must_use]
    pub fn value(self, text: &str) -> Json {
        match self {
            Self::Doc if text.ends_with('\n') => json!([{ "insert": text }]),
            Self::Doc => json!([{ "insert": format!("{text}\n") }]),
            Self::Code => json!({ "files": { HISTORY_FILE: text }, "entry": null }),
        }
    }

    /// The text that a page value holds; `None` where it holds anything else beside.
    ///
    /// `like` is the text expected: only it can tell whether the newline at a DOC page's end was added.
    #[must_use]
    pub fn text(self, value: &Json, like: &str) -> Option<String> {
        match self {
            Self::Doc => {
                let ops = value.as_array()?;
                let text: Option<String> = ops.iter().map(|op| op.get("insert")?.as_str()).collect();
                let text = text?;
                let added = !like.ends_with('\n');
                if added {
                    text.strip_suffix('\n').map(str::to_owned)
                } else {
                    Some(text)
                }
            }
            Self::Code => {
                let files = value.get("files")?.as_object()?;
                (files.len() == 1).then(|| files.get(HISTORY_FILE)?.as_str().map(str::to_owned))?
            }
        }
    }
}
