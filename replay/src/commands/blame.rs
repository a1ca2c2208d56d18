//! `recto blame`

use crate::args::Blame;
use crate::failure::{Code, Failure};
use crate::out::Out;
use crate::source::Source;

pub(super) async fn run(source: &Source, asked: &Blame, out: &mut Out) -> Result<Code, Failure> {
    todo!()
}
