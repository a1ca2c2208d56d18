//! Laws and cases of DOC pages as HTML.

use proptest::prelude::*;
use recto_projections::html::{HTML_MAX_UNITS, WarningCode, doc_from_html, doc_to_html};
use recto_projections::text::units;
use recto_projections::{Delta, DocValue, Value};
use serde_json::{Value as Json, json};

use crate::check::config;
use crate::random_doc::document;
use crate::support::corpora;

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn a_document_comes_back_as_it_is(document in document()) {
        let html = doc_to_html(&document);
        let (back, warnings) = doc_from_html(&html).unwrap();
        prop_assert_eq!(document.to_json(), back.to_json(), "{}", html);
        prop_assert_eq!(warnings, vec![]);
    }
}

fn read(html: &str) -> (Json, Vec<WarningCode>) {
    let (document, warnings) = doc_from_html(html).unwrap();
    document.check_invariants().unwrap();
    let codes = warnings.iter().map(|warning| warning.code).collect();
    (document.to_json(), codes)
}

#[track_caller]
fn check(html: &str, expected: Json) {
    assert_eq!(read(html), (expected, Vec::new()), "{html}");
}

fn document_of(ops: Json) -> DocValue {
    DocValue::from_json(&ops).unwrap()
}

#[test]
fn blocks_and_formatting_have_quills_names() {
    check("", json!([{"insert": "\n"}]));
    check(
        "<p>a <b>b</b> <i>c</i></p>",
        json!([
        {"insert": "a "}, {"insert": "b", "attributes": {"bold": true}}, {"insert": " "},
        {"insert": "c", "attributes": {"italic": true}}, {"insert": "\n"}]),
    );
    check(
        "<h2>  A\n  title </h2>",
        json!([{"insert": "A title"}, {"insert": "\n", "attributes": {"header": 2}}]),
    );
    check(
        "<p>one<br>two<br><br></p><p><br></p>",
        json!([{"insert": "one\ntwo\n\n\n"}]),
    );
    check(
        "<blockquote><p>q</p></blockquote>",
        json!([{"insert": "q"}, {"insert": "\n", "attributes": {"blockquote": true}}]),
    );
    check(
        "<pre><code class=\"language-rust\">fn a() {\n  b()\n}</code></pre>",
        json!([
        {"insert": "fn a() {"}, {"insert": "\n", "attributes": {"code-block": "rust"}},
        {"insert": "  b()"}, {"insert": "\n", "attributes": {"code-block": "rust"}},
        {"insert": "}"}, {"insert": "\n", "attributes": {"code-block": "rust"}}]),
    );
    check(
        "<p style=\"text-align: center\"><span style=\"color: red; background-color: #ff0\">x</span></p>",
        json!([
        {"insert": "x", "attributes": {"color": "red", "background": "#ff0"}},
        {"insert": "\n", "attributes": {"align": "center"}}]),
    );
    check(
        "<p><a href=\"/x\">l <u>u</u></a><s>s</s><code>c</code><img src=\"a.png\" alt=\"A\"></p>",
        json!([
        {"insert": "l ", "attributes": {"link": "/x"}},
        {"insert": "u", "attributes": {"link": "/x", "underline": true}},
        {"insert": "s", "attributes": {"strike": true}}, {"insert": "c", "attributes": {"code": true}},
        {"insert": {"image": "a.png"}, "attributes": {"alt": "A"}}, {"insert": "\n"}]),
    );
}

#[test]
fn lists_nest_by_indent() {
    check(
        "<ul><li>a<ol><li>b</li></ol></li><li><p>c</p></li></ul><ul><li><input type=checkbox checked> d</li></ul>",
        json!([
        {"insert": "a"}, {"insert": "\n", "attributes": {"list": "bullet"}},
        {"insert": "b"}, {"insert": "\n", "attributes": {"list": "ordered", "indent": 1}},
        {"insert": "c"}, {"insert": "\n", "attributes": {"list": "bullet"}},
        {"insert": "d"}, {"insert": "\n", "attributes": {"list": "checked"}}]),
    );
    let html = doc_to_html(&document_of(json!([
        {"insert": "a"}, {"insert": "\n", "attributes": {"list": "bullet"}},
        {"insert": "b"}, {"insert": "\n", "attributes": {"list": "ordered", "indent": 1}},
        {"insert": "c"}, {"insert": "\n", "attributes": {"list": "checked"}}, {"insert": "d\n"}])));
    assert_eq!(
        html,
        "<ul>\n<li>a<ol>\n<li>b</li></ol></li>\n<li data-checked=\"true\">c</li></ul>\n<p>d</p>\n"
    );
}

#[test]
fn what_cannot_be_said_becomes_text_with_a_warning() {
    let (json, codes) = read("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table><hr>");
    assert_eq!(json, json!([{"insert": "a\tb\nc\n---\n"}]));
    assert_eq!(codes, [WarningCode::Flattened, WarningCode::Flattened]);
    let (json, codes) = read(
        "<p onclick=\"x()\" style=\"letter-spacing: 2px\"><a href=\" java\nscript:x\">l</a><img src=\"vbscript:x\" alt=\"i\">\
         <script>x()</script><iframe src=\"/\"></iframe><span data-attributes=\"[1]\" data-x>y</span></p>",
    );
    assert_eq!(json, json!([{"insert": "liy\n"}]));
    for code in [
        WarningCode::ScriptDropped,
        WarningCode::HandlerDropped,
        WarningCode::UnsafeUrl,
        WarningCode::StyleDropped,
        WarningCode::ElementDropped,
        WarningCode::AttributesInvalid,
    ] {
        assert!(codes.contains(&code), "{code:?}");
    }
}

#[test]
fn an_unsafe_link_is_never_written_as_one_and_never_read() {
    let document = document_of(json!([{"insert": "x", "attributes": {"link": "javascript:x"}},
        {"insert": {"image": "javascript:y"}}, {"insert": "\n"}]));
    let html = doc_to_html(&document);
    assert!(!html.contains("href") && !html.contains("src="), "{html}");
    let (json, codes) = read(&html);
    assert_eq!(json, json!([{"insert": "x\n"}]));
    assert_eq!(codes, [WarningCode::UnsafeUrl, WarningCode::UnsafeUrl]);
}

#[test]
fn one_word_is_a_delta_of_one_word() {
    let document = document_of(
        json!([{"insert": "The quick brown fox"}, {"insert": "\n", "attributes": {"header": 1}},
        {"insert": "jumps "}, {"insert": "over", "attributes": {"bold": true}}, {"insert": " the dog\n"}]),
    );
    let html = doc_to_html(&document).replace("brown", "red");
    let (new, _) = doc_from_html(&html).unwrap();
    let Delta::Doc(delta) = Value::Doc(document).diff(&Value::Doc(new)).unwrap() else {
        panic!("a DOC delta");
    };
    assert!(delta.to_json().to_string().len() < 80, "{}", delta.to_json());
}

#[test]
fn html_is_a_fixed_point_after_the_first_pass() {
    let mut count = 0;
    for name in corpora::files("html") {
        let html = String::from_utf8(corpora::read(&name).unwrap()).unwrap();
        if units(&html) > HTML_MAX_UNITS {
            assert_eq!(doc_from_html(&html).unwrap_err().code(), "html_too_long");
            continue;
        }
        let (first, _) = doc_from_html(&html).unwrap();
        let (again, warnings) = doc_from_html(&doc_to_html(&first)).unwrap();
        assert_eq!(first.to_json(), again.to_json(), "{name}");
        assert_eq!(warnings, [], "{name}");
        count += 1;
    }
    eprintln!("html as documents: {count} pages");
}
