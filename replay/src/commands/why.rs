//! `recto why`

use crate::args::Why;
use crate::failure::{Code, Failure};
use crate::out::Out;
use crate::source::Source;

pub(super) async fn run(source: &Source, asked: &Why, out: &mut Out) -> Result<Code, Failure> {
    todo!()
}
