//! A flipped bit, a cut, a foreign line: found, with the line that it is in.

use std::path::{Path, PathBuf};

use recto_replay::failure::Failure;
use recto_replay::file;

use crate::lines::{export, import, lines_of, write_lines};
use crate::support::Folder;

/// In so many steps bytes are gone through; the bit changes with the byte.
const STEP: usize = 7;

async fn exported() -> (Folder, PathBuf, Vec<u8>) {
    let folder = Folder::with_story().await;
    let path = folder.dir().join("file");
    export(&folder.data(), "poster", &path, &[]);
    let lines = lines_of(&path);
    (folder, path, lines)
}

/// The line that is at fault; `None` where the file is read.
async fn fault(path: &Path) -> Option<(u64, String)> {
    match file::load(path).await {
        Ok(_) => None,
        Err(Failure::File { line, what, .. }) => Some((line, what)),
        Err(other) => panic!("{other}"),
    }
}

#[tokio::test]
async fn every_flipped_bit_of_the_file_is_found() {
    let (folder, path, _) = exported().await;
    let whole = std::fs::read(&path).unwrap();
    let flipped_path = folder.dir().join("flipped");
    for at in 0..whole.len() {
        let mut flipped = whole.clone();
        flipped[at] ^= 1 << (at % 8);
        std::fs::write(&flipped_path, &flipped).unwrap();
        let found = fault(&flipped_path).await;
        assert!(found.is_some_and(|(line, _)| line > 0), "byte {at} of {}", whole.len());
    }
}

#[tokio::test]
async fn every_flipped_bit_of_the_lines_is_found_in_its_line() {
    let (folder, _, lines) = exported().await;
    let path = folder.dir().join("flipped");
    write_lines(&path, &lines);
    assert_eq!(fault(&path).await, None, "lines that were compressed again are read");
    for at in (0..lines.len()).step_by(STEP) {
        let mut flipped = lines.clone();
        flipped[at] ^= 1 << (at / STEP % 8);
        write_lines(&path, &flipped);
        let line = 1 + lines[..at].iter().filter(|byte| **byte == b'\n').count() as u64;
        let (found, what) = fault(&path).await.unwrap_or_else(|| panic!("byte {at} in line {line}"));
        assert_eq!(found, line, "byte {at}: {what}");
    }
}

#[tokio::test]
async fn a_cut_file_is_found() {
    let (folder, path, lines) = exported().await;
    let whole = std::fs::read(&path).unwrap();
    let cut_path = folder.dir().join("cut");
    for end in (0..whole.len()).step_by(STEP) {
        std::fs::write(&cut_path, &whole[..end]).unwrap();
        assert!(fault(&cut_path).await.is_some(), "cut at {end} of {}", whole.len());
    }
    // The seal alone may be left out: zstd makes none.
    for end in (0..lines.len()).step_by(STEP * 3) {
        write_lines(&cut_path, &lines[..end]);
        assert!(
            fault(&cut_path).await.is_some(),
            "lines cut at {end} of {}",
            lines.len()
        );
    }
    std::fs::write(&cut_path, [&whole[..], b"more"].concat()).unwrap();
    assert!(fault(&cut_path).await.is_some());
}

#[tokio::test]
async fn lines_that_do_not_belong_there_are_found() {
    let (folder, path, lines) = exported().await;
    let lines: Vec<&[u8]> = lines.split_inclusive(|byte| *byte == b'\n').collect();
    let foreign_path = folder.dir().join("foreign");
    let check = |changed: Vec<&[u8]>| write_lines(&foreign_path, &changed.concat());
    for at in 0..lines.len() {
        let mut without = lines.clone();
        without.remove(at);
        check(without);
        let (line, what) = fault(&foreign_path).await.unwrap();
        assert!(
            line == at as u64 + 1 || at == 0 && line <= 2,
            "without line {at}: {line}, {what}"
        );
        let mut twice = lines.clone();
        twice.insert(at, lines[at]);
        check(twice);
        assert_eq!(fault(&foreign_path).await.unwrap().0, at as u64 + 2, "line {at} twice");
    }
    for foreign in [&b"{}\n"[..], b"\n", b"not JSON\n", b"{\"event\":1}\n"] {
        let mut with = lines.clone();
        with.insert(3, foreign);
        check(with);
        assert_eq!(fault(&foreign_path).await.unwrap().0, 4);
    }
    let (code, told) = import(&folder.data(), &foreign_path, &["--as", "other"]);
    assert_eq!(code, 4, "{told}");
    assert!(told.contains("line 4"), "{told}");
    assert!(fault(&path).await.is_none());
}

#[tokio::test]
async fn a_line_without_end_is_not_read_into_memory() {
    let folder = Folder::new();
    let path = folder.dir().join("bomb");
    let mut encoder = zstd::Encoder::new(std::fs::File::create(&path).unwrap(), 1).unwrap();
    let zeros = vec![b' '; 1 << 20];
    for _ in 0..80 {
        std::io::Write::write_all(&mut encoder, &zeros).unwrap();
    }
    encoder.finish().unwrap();
    let (line, what) = fault(&path).await.unwrap();
    assert_eq!(line, 1);
    assert!(what.contains("at most"), "{what}");
}
