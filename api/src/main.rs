//! The server: `recto-server --help` lists its settings.

use std::process::ExitCode;

use clap::Parser;
use recto_api::Config;
use rustix::process::{Resource, getrlimit, setrlimit};

/// Events are many small values: the system's allocator would take a fifth of the time of a cold undo.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    raise_file_limit();
    match recto_api::serve(Config::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            tell(&fault.to_string());
            ExitCode::FAILURE
        }
    }
}

/// Every connection is a file to the system, and the usual limit is low. Where it cannot be raised, it stays.
fn raise_file_limit() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    let _raised = setrlimit(Resource::Nofile, limit);
}

#[expect(clippy::print_stderr, reason = "it is the last word of a command")]
fn tell(fault: &str) {
    eprintln!("recto-server: {fault}");
}
