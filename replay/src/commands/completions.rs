//! `recto completions`

use crate::args::Completions;
use crate::failure::{Code, Failure};
use crate::out::Out;

pub(super) async fn run(asked: &Completions, out: &mut Out) -> Result<Code, Failure> {
    todo!()
}
