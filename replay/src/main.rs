//! The tool: `recto --help` lists its commands.

use std::process::ExitCode;

use clap::Parser;
use recto_replay::args::Args;

#[tokio::main]
async fn main() -> ExitCode {
    recto_replay::run(Args::parse()).await
}
