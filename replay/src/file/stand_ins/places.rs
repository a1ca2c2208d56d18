//! Which map a string goes through, by the name that it stands under. The lists stand in `EXPORT.md` too.

/// What becomes of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Treatment {
    /// It stays.
    Keep,
    /// Only its letters' classes stay.
    Text,
    /// It becomes another, different ones different ones.
    Id,
}

/// The names whose strings stay: without them the page would not be of the same structure.
const KEPT: [&str; 19] = [
    "align",
    "backgroundColor",
    "blendMode",
    "borderColor",
    "color",
    "direction",
    "fill",
    "fit",
    "fontFamily",
    "fontStyle",
    "fontWeight",
    "list",
    "preset",
    "presetId",
    "script",
    "stroke",
    "textAlign",
    "type",
    "verticalAlign",
];
/// The names whose strings are names of something.
const IDS: [&str; 16] = [
    "assetId", "author", "file", "href", "id", "ids", "image", "key", "link", "mention", "name", "path", "ref", "src",
    "url", "video",
];
/// So end the names of others.
const ID_ENDS: [&str; 8] = ["Id", "Ids", "Key", "Path", "Ref", "Src", "Uri", "Url"];
/// Names of fields that are no secret; their strings go through the text map.
const KNOWN: [&str; 44] = [
    "alt",
    "attributes",
    "background",
    "backgrounds",
    "blockquote",
    "bold",
    "caption",
    "cells",
    "children",
    "code",
    "code-block",
    "columns",
    "content",
    "crop",
    "data",
    "description",
    "dimensions",
    "filters",
    "font",
    "fontSize",
    "gradient",
    "header",
    "height",
    "html",
    "indent",
    "italic",
    "label",
    "letterSpacing",
    "lineHeight",
    "locked",
    "opacity",
    "placeholder",
    "props",
    "radius",
    "rotation",
    "rows",
    "size",
    "stops",
    "strike",
    "tags",
    "text",
    "title",
    "underline",
    "width",
];

/// What becomes of a string under a name (none at the top of a sheet). Within arrays what differs stays different,
/// because an array may be a set.
pub(super) fn treatment(name: Option<&str>, in_array: bool) -> Treatment {
    let name = name.unwrap_or_default();
    if KEPT.contains(&name) {
        Treatment::Keep
    } else if in_array || IDS.contains(&name) || ID_ENDS.iter().any(|end| name.ends_with(end)) {
        Treatment::Id
    } else {
        Treatment::Text
    }
}

/// Whether a name itself stays.
pub(super) fn is_known(name: &str) -> bool {
    KEPT.contains(&name) || IDS.contains(&name) || KNOWN.contains(&name)
}
