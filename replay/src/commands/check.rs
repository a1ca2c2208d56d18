//! `recto check`

use crate::args::Check;
use crate::failure::{Code, Failure};
use crate::out::Out;
use crate::source::Source;

pub(super) async fn run(source: &Source, asked: &Check, out: &mut Out) -> Result<Code, Failure> {
    todo!()
}
