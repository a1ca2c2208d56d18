//! `recto completions`: what a shell needs to complete the tool's arguments.

use clap::CommandFactory;

use crate::args::{Args, Completions};
use crate::failure::{Code, Failure};
use crate::out::Out;

pub(super) async fn run(asked: &Completions, out: &mut Out) -> Result<Code, Failure> {
    let mut command = Args::command();
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(asked.shell, &mut command, name, &mut script);
    out.bytes(&script)?;
    Ok(Code::Ok)
}
