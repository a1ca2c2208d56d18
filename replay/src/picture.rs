//! Pictures of pages.

use std::ops::RangeInclusive;

use recto_pages::PageKey;
use recto_projections::{DesignValue, Value};

use crate::args::Log;
use crate::failure::Failure;
use crate::source::Source;

/// The log of a page as one self-contained web page with a timeline.
///
/// # Errors
/// [`Failure`], where the page cannot be read.
pub async fn log_page(source: &Source, page: &PageKey, versions: RangeInclusive<u64>, asked: &Log) -> Result<String, Failure> {
    todo!()
}
/// A page as HTML.
pub fn html(value: &Value) -> Result<String, Failure> {
    todo!()
}
/// A drawing.
pub fn svg(page: &DesignValue) -> String {
    todo!()
}
/// A drawing in pixels.
pub fn png(page: &DesignValue) -> Result<Vec<u8>, Failure> {
    todo!()
}
