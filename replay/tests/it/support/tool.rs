//! The tool as a process.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value as Json;

/// What the tool answered.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) err: String,
}

/// Runs the tool on a data folder or file.
pub(crate) fn recto(data: &Path, arguments: &[&str]) -> Ran {
    recto_in(Path::new("."), data, arguments)
}

/// Runs the tool in a folder.
pub(crate) fn recto_in(folder: &Path, data: &Path, arguments: &[&str]) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_recto"))
        .args(arguments)
        .arg("--data")
        .arg(data)
        .current_dir(folder)
        .env_remove("RECTO_DATA")
        .env_remove("RECTO_WORKSPACE")
        .output()
        .unwrap();
    Ran::of(output)
}

impl Ran {
    fn of(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            bytes: output.stdout,
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The answer, where it was one object.
    pub(crate) fn json(&self) -> Json {
        serde_json::from_str(&self.out).unwrap_or_else(|fault| panic!("{fault}: {} {}", self.out, self.err))
    }

    /// The answer, one object a line, spread out.
    pub(crate) fn pretty(&self) -> String {
        let lines = self.lines().into_iter();
        let spread = lines.map(|json| serde_json::to_string_pretty(&json).unwrap());
        spread.collect::<Vec<_>>().join("\n")
    }

    /// The answer, where it was one object a line.
    pub(crate) fn lines(&self) -> Vec<Json> {
        self.out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}
