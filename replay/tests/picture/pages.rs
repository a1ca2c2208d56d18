//! Pages of HTML: what they show of each kind, and that they stand alone.

use recto_projections::{Kind, Value};
use recto_replay::picture::{Heading, html};
use serde_json::{Value as Json, json};

use crate::support::{Folder, recto};

/// What tries to get out of wherever it stands.
pub(crate) const HOSTILE: &str = "</script></style></pre></title><img src=x onerror=alert(1)>\"'&\u{0}";

/// Checks that a page loads nothing, and that what was on the page is text.
pub(crate) fn check(html: &str) {
    assert!(html.starts_with("<!doctype html>") && html.ends_with("</html>\n"));
    assert!(html.contains("default-src 'none'"));
    for part in [
        "<img", "<link", "<iframe", "<object", "src=\"", "url(h", "@import", "\u{0}",
    ] {
        assert!(!html.contains(part), "{part} in {html}");
    }
    assert!(html.matches("<script").count() <= 1);
    assert!(html.matches("</style>").count() == 1 && html.matches("</title>").count() >= 1);
}

fn shown(kind: Kind, json: &Json) -> String {
    let heading = Heading {
        page: HOSTILE,
        version: 7,
        doubt: None,
    };
    let html = html(&heading, &Value::from_json(kind, json).unwrap());
    check(&html);
    html
}

#[tokio::test]
async fn the_story_is_shown() {
    let folder = Folder::with_story().await;
    for (page, parts) in [
        ("poster", ["<h1>poster</h1>", "version 8", "<svg", "Summer super sale"]),
        ("notes", ["<h1>notes</h1>", "version 4", "<p>", "Agenda"]),
        (
            "app",
            [
                "main.rs <span class=\"dim\">(entry)",
                "version 3",
                "<td class=\"n\">1</td>",
                "fn main() {",
            ],
        ),
        ("table", ["<h1>table</h1>", "version 2", "&quot;rows&quot;: [", "<pre>"]),
    ] {
        let ran = recto(&folder.data(), &["show", page, "--as", "html"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        check(&ran.out);
        for part in parts {
            assert!(ran.out.contains(part), "{part} in {}", ran.out);
        }
    }
}

#[test]
fn a_doc_has_its_formats() {
    let html = shown(
        Kind::Doc,
        &json!({ "ops": [
            { "insert": "Title" }, { "insert": "\n", "attributes": { "header": 1 } },
            { "insert": "bold", "attributes": { "bold": true, "color": "#ff0000", "background": "red;x" } },
            { "insert": " and " },
            { "insert": "link", "attributes": { "link": "https://example.org/?a=\"b" } },
            { "insert": "bad", "attributes": { "link": "javascript:alert(1)" } },
            { "insert": "\none" }, { "insert": "\n", "attributes": { "list": "ordered" } },
            { "insert": "two" }, { "insert": "\n", "attributes": { "list": "ordered", "indent": 1 } },
            { "insert": "let x;" }, { "insert": "\n", "attributes": { "code-block": true } },
            { "insert": { "image": "asset-9" } }, { "insert": HOSTILE }, { "insert": "\n" },
        ] }),
    );
    for part in [
        "<h2>Title</h2>",
        "<p><span style=\"color:#ff0000;\"><strong>bold</strong></span> and ",
        "<a rel=\"noreferrer\" href=\"https://example.org/?a=&quot;b\">link</a>",
        "<u title=\"javascript:alert(1)\">bad</u></p>",
        "<ol><li class=\"ordered\">one</li>\n<li class=\"ordered\" style=\"margin-left:2em;\">two</li>\n</ol>",
        "<pre>let x;\n</pre>",
        "<span class=\"embed\">image asset-9</span>&lt;/script&gt;",
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }
}

#[test]
fn every_kind_shows_hostile_text_as_text() {
    shown(
        Kind::Code,
        &json!({ "files": { HOSTILE.replace('\u{0}', "").replace('/', "-"): HOSTILE } }),
    );
    shown(Kind::Sheet, &json!({ HOSTILE: [HOSTILE, { "a": HOSTILE }] }));
    shown(
        Kind::Doc,
        &json!({ "ops": [{ "insert": { HOSTILE: HOSTILE } }, { "insert": "\n", "attributes": { "align": HOSTILE } }] }),
    );
    shown(
        Kind::Design,
        &json!({ "attributes": { "title": HOSTILE }, "nodes": [{ "id": "a", "type": "x", "props": { "text": HOSTILE, "fill": HOSTILE } }] }),
    );
}
