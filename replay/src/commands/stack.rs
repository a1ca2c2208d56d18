//! `recto stack`

use crate::args::Stack;
use crate::failure::{Code, Failure};
use crate::out::Out;
use crate::source::Source;

pub(super) async fn run(source: &Source, asked: &Stack, out: &mut Out) -> Result<Code, Failure> {
    todo!()
}
