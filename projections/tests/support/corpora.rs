//! Reading the corpora: real inputs, read in place. Where the folder is missing, tests pass over them and say so.

use std::io::Read as _;
use std::path::PathBuf;

use serde_json::Value as Json;

/// The window with which the long histories are packed, as a power of two.
const LONG_WINDOW_LOG: u32 = 27;

/// Finds a file of the corpora: below the folder that `RECTO_CORPORA` names, else beside the repository.
pub fn find(name: &str) -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/corpora");
    let folder = std::env::var_os("RECTO_CORPORA").map_or_else(|| PathBuf::from(beside), PathBuf::from);
    let path = folder.join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("passed over: {name} is not in the corpora folder (set RECTO_CORPORA)");
    None
}

/// Reads a file, unpacked by its name's ending.
pub fn read(name: &str) -> Option<Vec<u8>> {
    let packed = std::fs::read(find(name)?).unwrap();
    let mut bytes = Vec::new();
    if name.ends_with(".gz") {
        flate2::read::GzDecoder::new(&packed[..])
            .read_to_end(&mut bytes)
            .unwrap();
    } else if name.ends_with(".zst") {
        let mut decoder = zstd::Decoder::new(&packed[..]).unwrap();
        decoder.window_log_max(LONG_WINDOW_LOG).unwrap();
        decoder.read_to_end(&mut bytes).unwrap();
    } else {
        bytes = packed;
    }
    Some(bytes)
}

/// Reads a file as JSON.
pub fn json(name: &str) -> Option<Json> {
    Some(serde_json::from_slice(&read(name)?).unwrap())
}

/// Reads a file as lines of JSON.
pub fn json_lines(name: &str) -> Option<Vec<Json>> {
    let bytes = read(name)?;
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    Some(lines.map(|line| serde_json::from_slice(line).unwrap()).collect())
}

/// Names the files of a folder of the corpora, in order.
pub fn files(folder: &str) -> Vec<String> {
    let Some(path) = find(folder) else {
        return Vec::new();
    };
    let entries = std::fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = entries.map(|name| format!("{folder}/{name}")).collect();
    names.sort();
    names
}
