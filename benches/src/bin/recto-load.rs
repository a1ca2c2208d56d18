//! Loads real histories into a running server and reads them back.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

use std::process::ExitCode;

use clap::Parser;
use recto_benches::load::{self, LoadError, Options};

/// Replays real histories over HTTP into a Recto server, reads versions back, and compares them with the source
#[derive(Debug, Parser)]
#[command(name = "recto-load", version)]
struct Arguments {
    #[command(flatten)]
    options: Options,

    /// Print the names of what can be loaded
    #[arg(long)]
    list: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = if arguments.list {
        list(&arguments.options)
    } else {
        load(&arguments.options)
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("recto-load: {fault}");
            ExitCode::FAILURE
        }
    }
}

fn list(options: &Options) -> Result<(), LoadError> {
    for name in load::names(options)? {
        println!("{name}");
    }
    Ok(())
}

fn load(options: &Options) -> Result<(), LoadError> {
    println!("\n{}", load::run(options)?);
    Ok(())
}
