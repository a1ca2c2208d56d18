//! Rebase, undo and redo: the cases by their ids, the tables of the design, and random histories of several actors.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test may panic, and tells what led there"
)]

mod page;
mod random;
mod rebase_all;
mod rebase_cases;
mod rebase_code;
mod rebase_laws;
mod rebase_pairs;
mod rebase_pairs_code;
mod rebase_pairs_laws;
mod rebase_table;
mod rebase_text;
mod text_history;
mod text_history_code;
mod undo_cases;
mod undo_fuzz;
mod undo_lives;
mod undo_places;
mod undo_regressions;
mod undo_sheet;
mod undo_table;
mod undo_text;
mod undo_tree;
