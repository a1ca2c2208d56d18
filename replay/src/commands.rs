//! The commands: each finds an answer and tells it, in words or as JSON.

mod bisect;
mod blame;
mod check;
mod completions;
mod diff;
mod export;
mod import;
pub mod log;
mod manual;
mod pages;
mod replay;
mod show;
mod stack;
mod undo;
mod verify;
mod why;

use crate::args::{Args, Command};
use crate::failure::{Code, Failure};
use crate::out::Out;
use crate::source::Source;

/// Carries a command out.
///
/// # Errors
/// [`Failure`] where there is no answer.
pub async fn run(args: Args, out: &mut Out) -> Result<Code, Failure> {
    let code = match &args.command {
        Command::Import(asked) => import::run(&args.common, asked, out).await?,
        Command::Completions(asked) => completions::run(asked, out).await?,
        Command::Manual(asked) => manual::run(asked, out).await?,
        Command::Check(asked) if asked.list => check::list(out)?,
        asked => read(&Source::open(&args.common).await?, asked, out).await?,
    };
    out.flush()?;
    Ok(code)
}

/// The commands that look into a history.
async fn read(source: &Source, asked: &Command, out: &mut Out) -> Result<Code, Failure> {
    match asked {
        Command::Pages(asked) => pages::run(source, asked, out).await,
        Command::Log(asked) => log::run(source, asked, out).await,
        Command::Show(asked) => show::run(source, asked, out).await,
        Command::Replay(asked) => replay::run(source, asked, out).await,
        Command::Stack(asked) => stack::run(source, asked, out).await,
        Command::Undo(asked) => undo::run(source, asked, out).await,
        Command::Diff(asked) => diff::run(source, asked, out).await,
        Command::Blame(asked) => blame::run(source, asked, out).await,
        Command::Bisect(asked) => bisect::run(source, asked, out).await,
        Command::Verify(asked) => verify::run(source, asked, out).await,
        Command::Export(asked) => export::run(source, asked, out).await,
        Command::Why(asked) => why::run(source, asked, out).await,
        Command::Check(asked) => check::run(source, asked, out).await,
        Command::Import(_) | Command::Completions(_) | Command::Manual(_) => Ok(Code::Ok),
    }
}
