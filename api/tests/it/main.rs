//! The API from outside: the router on the memory engine, and a server in this process.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test may panic, and say what it passed over"
)]

mod access;
mod bad_input;
mod conflicts;
mod contract;
mod corpora;
mod deltas;
mod feeds;
mod history;
mod limits;
mod listing;
mod openapi;
mod operations;
mod pages;
mod retries;
mod server;
mod support;
mod undo;
mod uploads;

/// A module that nobody lists here would never run.
#[test]
fn every_file_here_is_a_module() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let list = std::fs::read_to_string(here.join("main.rs")).unwrap();
    for entry in std::fs::read_dir(&here).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(
            module == "main" || list.contains(&format!("mod {module};")),
            "{name} is not listed in main.rs"
        );
    }
}
