//! References that nobody else can follow: a `blob:` URL is known to one tab of one browser, and a `data:` URL is the file
//! itself, once more in every version. Neither comes into a page by an edit; what is in a history stays, and is restored.

use recto_projections::design::DesignOp;
use recto_projections::json::JsonMap;
use recto_projections::patch::Patch;
use recto_projections::text::{Content, TextOp};
use recto_projections::{Delta, Json};

use crate::error::WriteError;

/// The fields in which a file is meant; in any other one a text is a text.
const FIELDS: [&str; 9] = [
    "assetId", "asset", "src", "url", "image", "video", "poster", "link", "href",
];
const SCHEMES: [&str; 2] = ["blob:", "data:"];

/// Refuses a delta that brings such a reference. `index` is the delta's in the request.
pub(crate) fn refuse_temporary(index: usize, delta: &Delta) -> Result<(), WriteError> {
    let found = match delta {
        Delta::Design(ops) => ops.iter().find_map(in_op),
        Delta::Doc(text) => text.ops().iter().find_map(in_text),
        Delta::Code(_) | Delta::Sheet(_) => None,
    };
    found.map_or(Ok(()), |(field, scheme)| {
        Err(WriteError::TemporaryReference {
            delta: index,
            field: field.to_owned(),
            scheme,
        })
    })
}

/// The field and what its reference begins with.
type Found = (&'static str, &'static str);

fn in_op(op: &DesignOp) -> Option<Found> {
    match op {
        DesignOp::AddNode { node, .. } => in_map(&node.props),
        DesignOp::AddBackground { background, .. } => in_map(background.as_map()),
        DesignOp::SetNode { patch, .. } | DesignOp::SetAttributes { patch } | DesignOp::SetBackground { patch, .. } => {
            in_patch(patch)
        }
        DesignOp::AddToSet { values, .. } => values.iter().find_map(|value| in_value(None, value)),
        _ => None,
    }
}

fn in_text(op: &TextOp) -> Option<Found> {
    let (content, attributes) = match op {
        TextOp::Insert { content, attributes } => (Some(content), attributes.as_ref()),
        TextOp::Retain { attributes, .. } => (None, attributes.as_ref()),
        TextOp::Delete { .. } => return None,
    };
    let embed = content.and_then(|content| match content {
        Content::Embed(embed) => in_value(None, embed.json()),
        Content::Text(_) => None,
    });
    embed.or_else(|| {
        attributes?
            .iter()
            .find_map(|(name, value)| in_value(field(name), value))
    })
}

fn in_patch(patch: &Patch) -> Option<Found> {
    patch.set.iter().find_map(|(pointer, value)| {
        let name = pointer.segments().last();
        in_value(name.and_then(|name| field(&name)), value)
    })
}

fn in_map(map: &JsonMap) -> Option<Found> {
    map.iter().find_map(|(name, value)| in_value(field(name), value))
}

fn in_value(field: Option<&'static str>, value: &Json) -> Option<Found> {
    match value {
        Json::String(text) => field.zip(scheme(text)),
        Json::Array(items) => items.iter().find_map(|item| in_value(field, item)),
        Json::Object(map) => in_map(map),
        _ => None,
    }
}

fn field(name: &str) -> Option<&'static str> {
    FIELDS.into_iter().find(|field| *field == name)
}

/// Browsers pass over blanks before a URL, and capitals in its scheme.
fn scheme(text: &str) -> Option<&'static str> {
    let text = text.trim_start();
    let begins = |scheme: &&str| {
        text.get(..scheme.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(scheme))
    };
    SCHEMES.into_iter().find(|scheme| begins(scheme))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may panic")]

    use recto_projections::Kind;
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(kind: Kind, delta: &Json, expected: Option<(&str, &str)>) {
        let delta = Delta::from_json(kind, delta).unwrap();
        let found = match refuse_temporary(3, &delta) {
            Err(WriteError::TemporaryReference {
                delta: 3,
                field,
                scheme,
            }) => Some((field, scheme)),
            other => {
                other.unwrap();
                None
            }
        };
        let found = found.as_ref().map(|(field, scheme)| (field.as_str(), *scheme));
        assert_eq!(found, expected, "{delta:?}");
    }

    #[test]
    fn a_reference_is_found_wherever_a_file_is_meant() {
        let node = |props: Json| json!([{"op": "addNode", "node": {"id": "n", "type": "image", "props": props}}]);
        let set = |pointer: &str, value: Json| json!([{"op": "setNode", "id": "n", "set": {pointer: value}}]);
        for (delta, expected) in [
            (node(json!({"src": "blob:https://a/1"})), Some(("src", "blob:"))),
            (
                node(json!({"fill": [{"image": {"url": " DATA:image/png,x"}}]})),
                Some(("url", "data:")),
            ),
            (set("/props/assetId", json!("blob:1")), Some(("assetId", "blob:"))),
            (
                set("/props/media", json!({"poster": "data:,"})),
                Some(("poster", "data:")),
            ),
            (
                json!([{"op": "addBackground", "background": {"id": "b", "type": "image", "asset": "blob:1"}}]),
                Some(("asset", "blob:")),
            ),
            (node(json!({"text": "data: none", "src": "/v1/assets/1/content"})), None),
            (set("/props/text", json!("blob: the monster")), None),
        ] {
            check(Kind::Design, &delta, expected);
        }
        check(
            Kind::Doc,
            &json!([{"insert": {"image": "blob:1"}}]),
            Some(("image", "blob:")),
        );
        check(
            Kind::Doc,
            &json!([{"retain": 2, "attributes": {"link": "data:text/html,x"}}]),
            Some(("link", "data:")),
        );
        check(Kind::Doc, &json!([{"insert": "data: blob:"}]), None);
    }
}
