//! Prints what the benches measured as one Markdown table.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

use std::process::ExitCode;

fn main() -> ExitCode {
    match recto_benches::figures::collect() {
        Ok(figures) if figures.is_empty() => {
            eprintln!("nothing was measured yet: run `cargo bench --locked --workspace --bench '*'` first");
            ExitCode::FAILURE
        }
        Ok(figures) => {
            print!("{}", recto_benches::table::markdown(&figures));
            ExitCode::SUCCESS
        }
        Err(fault) => {
            eprintln!("the figures cannot be read: {fault}");
            ExitCode::FAILURE
        }
    }
}
