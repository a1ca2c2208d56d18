//! `recto diff`

use crate::args::Diff;
use crate::failure::{Code, Failure};
use crate::out::Out;
use crate::source::Source;

pub(super) async fn run(source: &Source, asked: &Diff, out: &mut Out) -> Result<Code, Failure> {
    todo!()
}
