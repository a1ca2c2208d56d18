//! `recto replay`

use crate::args::Replay;
use crate::failure::{Code, Failure};
use crate::out::Out;
use crate::source::Source;

pub(super) async fn run(source: &Source, asked: &Replay, out: &mut Out) -> Result<Code, Failure> {
    todo!()
}
