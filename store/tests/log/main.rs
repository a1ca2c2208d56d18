//! The log over its engines: every promise, by the id of its case.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod support;

mod appends;
mod conformance;
#[cfg(feature = "rocksdb")]
mod disk;
mod feeds;
mod golden;
mod limits;
mod model;
mod outcomes;
#[cfg(feature = "rocksdb")]
mod processes;
mod races;
#[cfg(feature = "rocksdb")]
mod reader;
mod reads;
mod records;
mod snapshots;
mod verify;

#[test]
fn every_file_is_in_the_list() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/log");
    let list = include_str!("main.rs");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(
            module == "main" || list.contains(&format!("mod {module};")),
            "{name} is not in the list"
        );
    }
}
