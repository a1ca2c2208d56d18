//! The replay tool: what happened on a page, at which event, and why.
//!
//! ```text
//!   args      what was asked
//!     │
//!   source    a server's data folder, read beside it │ an exported file, read into memory
//!     │
//!   commands  one file each: finds an answer, tells it in words or as JSON
//!     │
//!   out       terminal, file or pipe; colour; tables; times
//! ```
//!
//! Invariants:
//! - Nothing is written where the tool was asked to look. Only `import` writes, into the folder it is given, and never
//!   over anything.
//! - What a command says about a page at an earlier version is computed by the page service on a [view](source::AsOf) of
//!   the store that ends there: the tool has no second opinion of what an undo does.
//! - Damage is shown, not hidden: where something cannot be read, the answer says what, where and from when on it is
//!   uncertain.

pub mod args;
pub mod commands;
pub mod failure;
pub mod file;
pub mod history;
pub mod out;
pub mod outline;
pub mod picture;
pub mod probe;
pub mod rules;
pub mod screen;
pub mod search;
pub mod source;
pub mod states;
pub mod telling;
pub mod trial;
pub mod verify;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use crate::args::Args;
use crate::failure::Failure;
use crate::out::Out;

/// Does what the arguments of the process ask, and tells with what success.
pub async fn start(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    match Args::try_parse_from(&arguments) {
        Ok(args) => run(args).await,
        Err(fault) if fault.use_stderr() && wants_json(&arguments) => {
            let failure = Failure::Usage(fault.render().to_string());
            out::tell_failure(&failure, true);
            failure.code().into()
        }
        // Help, the version, or what is wrong with the arguments, in words.
        Err(told) => told.exit(),
    }
}

/// Whether JSON is asked for by arguments that cannot be read.
fn wants_json(arguments: &[OsString]) -> bool {
    let options = arguments.iter().skip(1).take_while(|argument| *argument != "--");
    options.into_iter().any(|argument| argument == "--json")
}

/// Does what was asked, and tells with what success.
pub async fn run(args: Args) -> ExitCode {
    let mut out = Out::of(&args.common);
    let json = args.common.json;
    match commands::run(args, &mut out).await {
        Ok(code) => code.into(),
        // Whoever read the answer has seen enough.
        Err(Failure::Output(fault)) if fault.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => {
            out::tell_failure(&failure, json);
            failure.code().into()
        }
    }
}
