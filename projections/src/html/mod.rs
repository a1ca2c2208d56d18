//! DESIGN and DOC pages as HTML, and HTML as pages: for a model that reads a page and writes it.
//!
//! ```text
//! design_to_html, fragment ──► HTML ──► design_from_html(stored page, Scope, NewIds) ──► Read
//! doc_to_html              ──► HTML ──► doc_from_html                               ──► DocValue
//! ```
//!
//! What always holds:
//!
//! - **Nothing changes by itself.** HTML that comes back as it was written leads to the very page, to the digit: reading
//!   compares what is written with how the stored node would be written, and touches only what differs.
//! - **Nothing is lost unsaid.** What HTML cannot say is kept from the stored node or background by its id. What a write
//!   would change but cannot is a [`Warning`] with the node and the property.
//! - **Nothing runs.** Scripts, event handlers and URLs that run code are neither read nor written.
//! - **Bounded.** Every limit is a constant here; the parser is fed in pieces and looked at in between; no walk recurses.
//!
//! # DESIGN
//!
//! | of a page | in HTML |
//! |---|---|
//! | the page | `div data-canvas`, with `data-canvas-width`, `-height` of `dimensions`; `data-canvas-preset` is for reading only |
//! | a background | `data-canvas-background-id`, `-type`; `color`, `gradient`, `value` or `css` as `background`; `opacity`, `assetId`, `src` |
//! | a video background | its id and type; everything else of it is kept |
//! | a node | an element in that of its parent, with `data-node-id`, `data-node-type`; `img` and `video` where it holds nothing, else `div` |
//! | geometry | `left`, `top`, `width`, `height` in px; `rotation` as the first `rotate()` of `transform` |
//! | the first string of `text`, `content`, `label` | its text; a line break is `br`; `white-space:pre-wrap` where white space counts |
//! | `assetId`, `src`, `alt`, `href`, `name` | `data-asset-id`, `src` and `alt` (on a `div` `data-src`, `data-alt`), `data-href`, `data-name`, up to 2,000 bytes |
//! | `crop {x, y, width, height}` | `data-crop`: four numbers of px, to a hundredth |
//! | `fill` | `color` of a text, `background` of any other node |
//! | `opacity` | `opacity`; above 1 it is stored in hundredths, and said in `%` |
//! | `color`, `backgroundColor`, `stroke`, `strokeWidth`, `fontSize`, `fontFamily`, `fontWeight`, `fontStyle`, `textAlign`, `textDecoration`, `lineHeight`, `letterSpacing`, `borderRadius` | the declaration of that name; a number is px where CSS takes a length |
//! | `style {…}` | the declaration of each key (`fontSize` is `font-size`), as far as it is one; what only moves a box is not said |
//! | anything else | not said, and kept |
//!
//! The border of a node with nodes in it stands on an element of its own, `data-node-edge`, for a browser places what lies
//! in an element from the inside of its border. A node smaller than its own border and padding is drawn as large as these;
//! one that hides what overflows cuts it off at its outside, not inside its border.
//!
//! The other way, a declaration goes back where it came from, in the sort (number or string) that is stored. One that
//! the node had not goes to `fill` or `opacity`, else to `style`. `position`, margins and the like say nothing and are
//! dropped with a warning. An element without an id is a new node; an id that the page does not know is taken for a new
//! node; of an id that repeats, the second node gets a new one. New ids are made of the command id and the number of the
//! new node.
//!
//! | leaving out | in a whole page | in a fragment |
//! |---|---|---|
//! | a node, a background | deletes it | keeps it |
//! | a declaration, `src`, `alt`, `href`, `name`, `data-crop` | takes the property away | keeps it |
//! | the text | empties it | keeps it, with a warning; `data-text=""` empties it |
//! | a side of the geometry, `data-node-type`, `data-asset-id`, anything of a background | keeps it | keeps it |
//! | the group around a node | moves the node to the page | keeps its parent; `data-parent-id` names another, empty is the page |
//!
//! Siblings stand in the order of their elements. In a fragment what is not written stays in place around them.
//!
//! HTML that no page was written as: an element with boxes in it is a `group`, its bare texts are nodes; one with text is
//! a `text`, plain; `img` and `video` are themselves; an empty box is a `shape`. What has no place gets a default, with a
//! warning. The next pass changes nothing more.
//!
//! # DOC
//!
//! A line is a block (`p`, `h1` to `h6`, `li`, `blockquote`; lines of code share a `pre`); lists nest by `indent`. `bold`,
//! `italic`, `underline`, `strike`, `code`, `script`, `link`, `color`, `background`, `align`, images with `alt`, `width`,
//! `height` are said by HTML. Any other attribute stands as JSON in `data-attributes` of the block (of its newline) or of
//! a `span`, any other embed in `data-embed`, a text with a NUL in `data-text`: so every document comes back exactly, but
//! for URLs that run code, and for attributes past [`DOC_ATTRIBUTES_MAX`] on one text, which are dropped with a warning.
//! Tables and rules become text.

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
mod edge;
mod element;
mod escape;
mod fault;
mod ids;
mod inside;
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
pub use doc_element::DOC_ATTRIBUTES_MAX;
pub use doc_read::{doc_from_html, whole_doc_from_html};
pub use doc_write::doc_to_html;
pub use fault::{HtmlError, WARNINGS_MAX, Warning, WarningCode};
pub use ids::NewIds;
pub use parse::{HTML_ATTRIBUTES_MAX, HTML_DEPTH_MAX, HTML_MAX_UNITS, has_element};
