//! `recto undo`

use crate::args::Undo;
use crate::failure::{Code, Failure};
use crate::out::Out;
use crate::source::Source;

pub(super) async fn run(source: &Source, asked: &Undo, out: &mut Out) -> Result<Code, Failure> {
    todo!()
}
