//! The tool: `recto --help` lists its commands.

use std::process::ExitCode;

/// A history is read as a few small values an event: the system's allocator would take a fifth of the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    recto_replay::start(std::env::args_os()).await
}
