//! The tool: `recto --help` lists its commands.

use std::process::ExitCode;

use clap::Parser;
use recto_replay::args::Args;

/// A history is read as a few small values an event: the system's allocator would take a fifth of the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    recto_replay::run(Args::parse()).await
}
