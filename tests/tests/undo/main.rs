//! Undo, redo and restore among others' edits, through the page service: every case of the field that is about them,
//! by its id, and what a stranger would try next.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod backgrounds;
mod fields;
mod grouping;
mod lives;
mod mechanics;
mod order;
mod policies;
mod references;
mod restores;
mod stacks;
mod texts;
mod tree;
mod typing;
mod writes;

/// Every file beside this one belongs to the program.
#[test]
fn no_file_is_forgotten() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/undo");
    let listed = include_str!("main.rs");
    for entry in std::fs::read_dir(folder).expect("the folder of the tests") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        assert!(
            name == "main" || listed.contains(&format!("\nmod {name};\n")),
            "{name} is in no list of modules"
        );
    }
}
