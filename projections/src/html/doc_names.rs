//! The names of attributes and embeds of documents, as Quill uses them, and of the HTML attributes for what HTML cannot say.

pub(super) const HEADER: &str = "header";
pub(super) const LIST: &str = "list";
pub(super) const INDENT: &str = "indent";
pub(super) const BLOCKQUOTE: &str = "blockquote";
pub(super) const CODE_BLOCK: &str = "code-block";
pub(super) const ALIGN: &str = "align";
pub(super) const ALIGNS: [&str; 4] = ["left", "center", "right", "justify"];
pub(super) const HEADERS: [&str; 6] = ["h1", "h2", "h3", "h4", "h5", "h6"];
pub(super) const LINK: &str = "link";
pub(super) const COLOR: &str = "color";
pub(super) const BACKGROUND: &str = "background";
pub(super) const SCRIPT: &str = "script";
pub(super) const CODE: &str = "code";
pub(super) const IMAGE: &str = "image";
/// Attributes that are a tag where they are true, the outermost first; the first tag is the one that is written.
pub(super) const TAGS: [(&str, &[&str]); 5] = [
    ("bold", &["strong", "b"]),
    ("italic", &["em", "i", "cite", "dfn"]),
    ("underline", &["u", "ins"]),
    ("strike", &["s", "strike", "del"]),
    (CODE, &["code", "kbd", "samp", "tt"]),
];
/// The attributes of an image that are attributes of `img`.
pub(super) const IMAGE_ATTRIBUTES: [&str; 3] = ["alt", "width", "height"];
/// The most lists in each other that are written as such.
pub(super) const LIST_DEPTH_MAX: usize = 20;
/// Attributes that HTML has no element for, as a JSON object: of a block for its line, of another element for its text.
pub(super) const ATTRIBUTES: &str = "data-attributes";
/// An embed that is no image, as a JSON object.
pub(super) const EMBED: &str = "data-embed";
/// A text that HTML cannot hold, as a JSON string.
pub(super) const TEXT: &str = "data-text";
pub(super) const LANGUAGE: &str = "data-language";
pub(super) const CHECKED: &str = "data-checked";
