//! `recto replay`: a page's history, step by step, in the terminal.

use crate::args::Replay;
use crate::failure::{Code, Failure};
use crate::out::Out;
use crate::screen;
use crate::source::Source;

pub(super) async fn run(source: &Source, asked: &Replay, out: &mut Out) -> Result<Code, Failure> {
    if out.json || !out.terminal {
        return Err(Failure::Usage(format!(
            "replay is for a terminal; use `recto log {page}`, `recto show {page} --at V` or `recto stack {page} --at V` instead",
            page = asked.page
        )));
    }
    let page = source.key(&asked.page);
    let version = source.resolve(&page, asked.at).await?;
    screen::run(source, &page, version).await?;
    Ok(Code::Ok)
}
