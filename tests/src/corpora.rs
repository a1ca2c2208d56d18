//! Real inputs, read in place: from the folder that `RECTO_CORPORA` names, else from
//! `shared/corpora` beside the repository.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::Json;

/// Names the variable that tells where the corpora are.
pub const FOLDER_VARIABLE: &str = "RECTO_CORPORA";
/// The window that the large histories were packed with, as a power of two.
const WINDOW_LOG_MAX: u32 = 27;

/// A file of the corpora, unpacked by its ending; `None`, and a line that says so, where it
/// is not there and the test is passed over.
pub fn open(name: &str) -> Option<Box<dyn BufRead>> {
    let path = folder().join(name);
    let Ok(file) = File::open(&path) else {
        pass_over(&path);
        return None;
    };
    let ending = path.extension().and_then(|ending| ending.to_str());
    let unpacked: Box<dyn Read> = match ending {
        Some("gz") => Box::new(flate2::read::GzDecoder::new(file)),
        Some("zst") => {
            let mut decoder = zstd::Decoder::new(file).expect("zstd starts");
            decoder
                .window_log_max(WINDOW_LOG_MAX)
                .expect("a window that zstd knows");
            Box::new(decoder)
        }
        _ => Box::new(file),
    };
    Some(Box::new(BufReader::new(unpacked)))
}

/// A file of one JSON value a line.
pub fn lines(name: &str) -> Option<impl Iterator<Item = Json>> {
    let lines = open(name)?.lines();
    Some(lines.map(|line| serde_json::from_str(&line.expect("a line of UTF-8")).expect("a line of JSON")))
}

/// A file that is one JSON value.
pub fn json(name: &str) -> Option<Json> {
    Some(serde_json::from_reader(open(name)?).expect("a file of JSON"))
}

/// The bytes behind a field that holds them in base 64.
pub fn bytes(line: &Json, field: &str) -> Vec<u8> {
    let text = line[field].as_str().unwrap_or_else(|| panic!("no {field} in {line}"));
    STANDARD.decode(text).expect("base 64")
}

/// The naughty strings: bytes, among them some that are no UTF-8.
pub fn naughty() -> Option<Vec<Vec<u8>>> {
    let coded = json("badinput/blns.base64.json")?;
    let coded = coded.as_array().expect("an array").iter();
    let mut all: Vec<_> = coded
        .map(|text| STANDARD.decode(text.as_str().unwrap()).expect("base 64"))
        .collect();
    for line in lines("badinput/fuzzdb-inputs.jsonl.gz")? {
        all.push(bytes(&line, "base64"));
    }
    all.sort();
    all.dedup();
    Some(all)
}

fn folder() -> PathBuf {
    match std::env::var_os(FOLDER_VARIABLE) {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpora"),
    }
}

#[expect(
    clippy::print_stderr,
    reason = "whoever runs the tests is to know what they did not test"
)]
fn pass_over(path: &Path) {
    eprintln!(
        "passed over: {} is not there; {FOLDER_VARIABLE} names the folder",
        path.display()
    );
}
