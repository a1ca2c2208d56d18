//! `recto verify`

use crate::args::Verify;
use crate::failure::{Code, Failure};
use crate::out::Out;
use crate::source::Source;

pub(super) async fn run(source: &Source, asked: &Verify, out: &mut Out) -> Result<Code, Failure> {
    todo!()
}
