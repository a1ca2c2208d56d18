//! HTML both ways.

mod background;
mod content;
mod css;
mod design_read;
mod design_write;
mod doc_element;
mod doc_inline;
mod doc_line;
mod doc_names;
mod doc_read;
mod doc_write;
mod element;
mod escape;
mod fault;
mod ids;
mod parse;
mod place;
mod shown;
mod sink;
mod space;
mod tree;
mod url;
mod walk;

pub use design_read::{Read, Scope, design_from_html};
pub use design_write::{design_to_html, fragment};
pub use doc_read::doc_from_html;
pub use doc_write::doc_to_html;
pub use fault::{HtmlError, WARNINGS_MAX, Warning, WarningCode};
pub use ids::NewIds;
pub use parse::{HTML_ATTRIBUTES_MAX, HTML_DEPTH_MAX, HTML_MAX_UNITS};
