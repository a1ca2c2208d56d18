//! `recto manual`

use crate::args::Manual;
use crate::failure::{Code, Failure};
use crate::out::Out;

pub(super) async fn run(asked: &Manual, out: &mut Out) -> Result<Code, Failure> {
    todo!()
}
