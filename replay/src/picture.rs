//! Pictures of pages: drawings, pages of HTML, a timeline.
//!
//! ```text
//!   props ─ colour ─ paint ─ look ─ letters     what a node's properties say about its looks
//!   plane ─ placed                              where nodes lie on the page
//!   pen ─ contour ─ node ─ drawing ─ marks      SVG, perhaps with what changed outlined
//!   png                                         the same in pixels
//!   html, timeline                              pages that stand alone
//! ```
//!
//! Any page gives a picture, however odd: coordinates are bounded, text is cut, and nothing of it becomes markup. The same
//! page gives the same picture everywhere, to the byte; only pixels depend on the fonts that a system has.

mod colour;
mod contour;
mod drawing;
mod escape;
mod html;
mod letters;
mod look;
mod marks;
mod node;
mod paint;
mod pen;
mod placed;
mod plane;
mod png;
mod props;
mod timeline;

use std::ops::RangeInclusive;

use recto_pages::PageKey;
use recto_projections::{Delta, DesignValue, Value};

use self::drawing::{Style, draw};
use crate::args::Log;
use crate::failure::Failure;
use crate::source::Source;
use crate::states::Doubt;

/// Which page at which version a picture shows.
#[derive(Clone, Copy, Debug)]
pub struct Heading<'a> {
    /// The page's id.
    pub page: &'a str,
    /// The version.
    pub version: u64,
    /// From when on states are uncertain, where this one is.
    pub doubt: Option<&'a Doubt>,
}

/// The log of a page as one self-contained web page with a timeline, below 5 MB.
///
/// # Errors
/// [`Failure`], where the page cannot be read.
pub async fn log_page(
    source: &Source,
    page: &PageKey,
    versions: RangeInclusive<u64>,
    asked: &Log,
) -> Result<String, Failure> {
    timeline::page(source, page, versions, asked).await
}

/// A page as a self-contained web page.
#[must_use]
pub fn html(heading: &Heading<'_>, value: &Value) -> String {
    html::page(heading, value)
}

/// Two versions of a page side by side, with what changed outlined; `delta` leads from the one to the other, and `words`
/// tell it.
#[must_use]
pub fn diff_page(from: (&Heading<'_>, &Value), to: (&Heading<'_>, &Value), delta: &Delta, words: &[String]) -> String {
    html::diff(&html::Versions { from, to, delta, words })
}

/// A drawing.
#[must_use]
pub fn svg(page: &DesignValue) -> String {
    draw(page, Style::ALONE)
}

/// A drawing in pixels, at most 4,096 a side.
///
/// # Errors
/// [`Failure::Picture`].
pub fn png(page: &DesignValue) -> Result<Vec<u8>, Failure> {
    png::png(page)
}
