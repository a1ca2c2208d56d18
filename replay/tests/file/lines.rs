//! The lines of an exported file, taken out and put back.

use std::path::Path;

use crate::support::recto;

/// The bytes of all lines.
pub(crate) fn lines_of(path: &Path) -> Vec<u8> {
    zstd::decode_all(std::fs::File::open(path).unwrap()).unwrap()
}

/// Writes lines as somebody would who has only zstd: without a seal.
pub(crate) fn write_lines(path: &Path, lines: &[u8]) {
    std::fs::write(path, zstd::encode_all(lines, 1).unwrap()).unwrap();
}

/// Exports a page.
pub(crate) fn export(data: &Path, page: &str, to: &Path, options: &[&str]) {
    let to = to.to_str().unwrap();
    let ran = recto(data, &[&["export", page, "--output", to], options].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
}

/// Imports a file.
pub(crate) fn import(data: &Path, file: &Path, options: &[&str]) -> (i32, String) {
    let ran = recto(data, &[&["import", file.to_str().unwrap()], options].concat());
    (ran.code, format!("{}{}", ran.out, ran.err))
}
