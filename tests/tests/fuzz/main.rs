//! Random actors write, merge, replace, undo, redo, restore, delete and retry, and after every event the laws of undo
//! are checked; a run that breaks one is shrunk and told.
//!
//! `RECTO_SEED` sets the seed, `RECTO_FUZZ_EVENTS` how many events the runs of all kinds of pages make together.

#![expect(clippy::expect_used, reason = "a test may panic")]

mod act;
mod ask;
mod drive;
mod fault;
mod flavour;
mod letters;
mod owners;
mod page;
mod registers;
mod regressions;
mod request;
mod rounds;
mod shrink;
mod stacks;
mod world;

use recto_tests::seed::Random;
use recto_tests::service::Ground;

use crate::flavour::Flavour;

/// How many steps a run on RocksDB takes.
const ROCKS_STEPS: usize = 60;

#[tokio::test]
async fn a_design_page_holds() {
    drive::drive(Flavour::Design, 31).await;
}

#[tokio::test]
async fn fields_are_registers() {
    drive::drive(Flavour::Fields, 32).await;
}

#[tokio::test]
async fn a_document_is_its_letters() {
    drive::drive(Flavour::Doc, 33).await;
}

#[tokio::test]
async fn a_code_page_holds() {
    drive::drive(Flavour::Code, 34).await;
}

#[tokio::test]
async fn files_are_their_letters() {
    drive::drive(Flavour::Lines, 35).await;
}

#[tokio::test]
async fn a_sheet_holds() {
    drive::drive(Flavour::Sheet, 36).await;
}

#[tokio::test]
async fn all_of_it_holds_on_rocksdb() {
    let mut random = Random::of_test("fuzz on RocksDB", 37);
    for flavour in Flavour::ALL {
        let mut script = drive::script(flavour, &mut random);
        script.steps = (0..ROCKS_STEPS).map(|_| random.next()).collect();
        (script.ends, script.small_window) = (true, false);
        let ended = shrink::play_safely(&script, &Ground::rocks()).await;
        let fault = ended
            .fault
            .map(|(step, fault)| format!("step {step}: {fault}\n{}", ended.trace.join("\n")));
        assert!(
            fault.is_none(),
            "{flavour:?}: {}; {script:?}",
            fault.unwrap_or_default()
        );
    }
}

/// Every file beside this one belongs to the program.
#[test]
fn no_file_is_forgotten() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz");
    let listed = include_str!("main.rs");
    for entry in std::fs::read_dir(folder).expect("the folder of the tests") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_stem()
            .and_then(|name| name.to_str())
            .expect("a name")
            .to_owned();
        assert!(
            name == "main" || listed.contains(&format!("\nmod {name};\n")),
            "{name} is in no list of modules"
        );
    }
}
