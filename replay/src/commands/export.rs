//! `recto export`

use crate::args::Export;
use crate::failure::{Code, Failure};
use crate::out::Out;
use crate::source::Source;

pub(super) async fn run(source: &Source, asked: &Export, out: &mut Out) -> Result<Code, Failure> {
    todo!()
}
