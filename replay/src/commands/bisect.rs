//! `recto bisect`

use crate::args::Bisect;
use crate::failure::{Code, Failure};
use crate::out::Out;
use crate::source::Source;

pub(super) async fn run(source: &Source, asked: &Bisect, out: &mut Out) -> Result<Code, Failure> {
    todo!()
}
