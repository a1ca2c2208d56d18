//! `recto import`

use crate::args::{Common, Import};
use crate::failure::{Code, Failure};
use crate::out::Out;


pub(super) async fn run(common: &Common, asked: &Import, out: &mut Out) -> Result<Code, Failure> {
    todo!()
}
