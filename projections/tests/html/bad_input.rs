//! HTML that is refused, or taken only in part.

use recto_projections::DesignValue;
use recto_projections::html::{
    HTML_ATTRIBUTES_MAX, HTML_DEPTH_MAX, HTML_MAX_UNITS, HtmlError, NewIds, Scope, WARNINGS_MAX, WarningCode,
    design_from_html, design_to_html, doc_from_html,
};
use recto_projections::{Json, Rule};
use serde_json::json;

use crate::check::{check_fixed_point, codes, design, diff, whole};

fn refused(html: &str) -> HtmlError {
    let empty = DesignValue::default();
    let error = design_from_html(html, &empty, Scope::Whole, &NewIds::new("c")).unwrap_err();
    assert_eq!(doc_from_html(html).unwrap_err(), error);
    assert!(error.to_string().contains(": "), "no next step: {error}");
    error
}

#[test]
fn a_character_too_many_is_refused() {
    let fits = "x".repeat(HTML_MAX_UNITS);
    assert_eq!(whole(&fits, &DesignValue::default()).created.len(), 1);
    let (limit, got) = (HTML_MAX_UNITS, HTML_MAX_UNITS + 1);
    assert_eq!(refused(&(fits + "x")), HtmlError::TooLong { limit, got });
    // Characters are UTF-16 units: one outside the first plane is two.
    assert_eq!(refused(&"😀".repeat(HTML_MAX_UNITS / 2 + 1)).code(), "html_too_long");
}

#[test]
fn deep_elements_are_refused() {
    let limit = HTML_DEPTH_MAX;
    for tag in [
        "<div>",
        "<b>",
        "<svg>",
        "<ul><li>",
        "<table><tr><td>",
        "<template>",
        "<object>",
        "<q><div><a>",
    ] {
        let thousand = tag.repeat(1_000);
        let full = tag.repeat(HTML_MAX_UNITS / tag.len());
        for html in [thousand, full] {
            let error = refused(&html);
            assert!(
                matches!(error, HtmlError::TooDeep { .. } | HtmlError::Repeats),
                "{tag}: {error}"
            );
        }
    }
    // html and body are two of them.
    let depth = |depth: usize| "<div>".repeat(depth) + "x";
    assert_eq!(
        whole(&depth(limit - 2), &DesignValue::default()).created.len(),
        limit - 2
    );
    assert_eq!(refused(&depth(limit - 1)), HtmlError::TooDeep { limit });
}

#[test]
fn formatting_that_the_parser_repeats_is_refused() {
    let mut html = String::from("<p>");
    html.extend((0..400).map(|index| format!("<b id={index}>")));
    html.push_str(&"<p>x".repeat(40_000));
    assert_eq!(refused(&html), HtmlError::Repeats);
    let long = format!("<p><b style=\"{}\"></p>", "a".repeat(100_000)) + &"<p>x".repeat(10_000);
    assert_eq!(refused(&long), HtmlError::Repeats);
}

#[test]
fn attributes_that_hold_for_too_much_are_refused() {
    let link = "x".repeat(100_000);
    for html in [
        format!("<a href=\"{link}\">") + &"<b>x</b>y".repeat(10_000),
        format!("<pre data-attributes='{{\"x\":\"{link}\"}}'>") + &"x\n".repeat(40_000),
        format!("<p data-attributes='{{\"x\":\"{link}\"}}'>") + &"x<br>".repeat(10_000),
    ] {
        assert_eq!(doc_from_html(&html).unwrap_err(), HtmlError::Repeats);
    }
}

#[test]
fn an_element_with_too_many_styles_keeps_some_and_says_so() {
    let style: String = (0..30_000).map(|index| format!("a{index}:b;")).collect();
    let html = format!(
        "<div style=\"left:0;top:0;{}\"></div>",
        &style[..style.len().min(180_000)]
    );
    let read = whole(&html, &DesignValue::default());
    assert_eq!(codes(&read), [WarningCode::StyleDropped]);
    check_fixed_point(&read.value);
    let styles: serde_json::Map<String, Json> = (0..30_000).map(|index| (format!("a{index}"), json!("b"))).collect();
    let page = design(&json!({"nodes": [{"id": "n", "type": "shape", "props": {"style": styles}}]}));
    let read = whole(&design_to_html(&page), &page);
    assert_eq!(diff(&page, &read.value), []);
}

#[test]
fn an_element_with_too_many_attributes_is_refused() {
    let with = |count: usize| {
        let list: String = (0..count).map(|index| format!(" a{index}=\"x > y\"")).collect();
        format!("<p{list}>text</p>")
    };
    assert_eq!(
        whole(&with(HTML_ATTRIBUTES_MAX), &DesignValue::default()).created.len(),
        1
    );
    let limit = HTML_ATTRIBUTES_MAX;
    assert_eq!(
        refused(&with(HTML_ATTRIBUTES_MAX + 1)),
        HtmlError::TooManyAttributes { limit }
    );
    // Many words in one value, and in a text, are no attributes.
    let words = "word ".repeat(5_000);
    let read = whole(
        &format!("<p title = '{words}'>5 < 6 {words}</p>"),
        &DesignValue::default(),
    );
    assert_eq!(read.created.len(), 1);
}

#[test]
fn scripts_and_handlers_are_dropped_with_a_warning() {
    let html = "<script>alert(1)</script><div data-node-id=\"a\" data-node-type=\"image\" onload=\"x()\" \
        data-src=\"java&#9;script:x\" data-href=\"JAVASCRIPT:y\" style=\"left:1px;top:1px;background:url(javascript:x);color:red\">\
        <script>x</script></div><svg onload=\"z\"><script>s</script></svg><a href=\"javascript:x\">link</a>";
    let read = whole(html, &DesignValue::default());
    let text = read.value.to_json().to_string();
    for sign in ["alert", "script", "SCRIPT", "onload", "x()", "url("] {
        assert!(!text.contains(sign), "{sign} in {text}");
    }
    let codes = codes(&read);
    for (code, count) in [
        (WarningCode::ScriptDropped, 2),
        (WarningCode::HandlerDropped, 2),
        (WarningCode::UnsafeUrl, 3),
        (WarningCode::UnsafeStyle, 1),
    ] {
        assert_eq!(
            codes.iter().filter(|other| **other == code).count(),
            count,
            "{code:?} {:?}",
            read.warnings
        );
    }
    let handler = read
        .warnings
        .iter()
        .find(|warning| warning.code == WarningCode::HandlerDropped)
        .unwrap();
    assert_eq!(
        (handler.node.as_deref(), handler.property.as_deref()),
        (Some("a"), Some("onload"))
    );
    check_fixed_point(&read.value);
}

#[test]
fn a_place_that_is_no_number_of_px_is_not_taken() {
    let page =
        design(&json!({"nodes": [{"id": "a", "type": "shape", "geometry": {"x": 5, "width": 7, "height": -3}}]}));
    for (style, code) in [
        ("left:NaNpx", WarningCode::NotPixels),
        ("left:1e999px", WarningCode::NotPixels),
        ("left:-Infinitypx", WarningCode::NotPixels),
        ("left:50%", WarningCode::NotPixels),
        ("left:calc(1px + 2px)", WarningCode::NotPixels),
        ("left:auto", WarningCode::NotPixels),
        ("width:-1px", WarningCode::NegativeSize),
        ("height:-4px", WarningCode::NegativeSize),
        ("right:1px", WarningCode::StyleDropped),
        ("margin-left:1px", WarningCode::StyleDropped),
    ] {
        let html = format!("<div data-node-id=\"a\" style=\"{style}\"></div>");
        let read = whole(&html, &page);
        assert_eq!(codes(&read), [code], "{style}");
        assert_eq!(diff(&page, &read.value), [], "{style}");
    }
    for (style, x) in [
        ("left:1e30px", "1e+30"),
        ("left:-0.50px", "-0.50"),
        ("left:.5px", "0.5"),
        ("left:+7PX", "7"),
        ("LEFT: 0", "0"),
    ] {
        let html = format!("<div data-node-id=\"a\" style=\"{style};height:-3px\"></div>");
        let read = whole(&html, &page);
        assert_eq!(codes(&read), [], "{style}");
        assert_eq!(
            read.value.to_json()["nodes"]["a"]["geometry"]["x"].to_string(),
            x,
            "{style}"
        );
    }
}

#[test]
fn ids_that_repeat_or_are_none_get_new_ones() {
    let page = design(&json!({"nodes": [{"id": "a", "type": "text", "props": {"text": "A", "unknown": 1}}]}));
    let long = "x".repeat(129);
    let html = design_to_html(&page).replace(
        "</div>\n</div>",
        &format!(
            "</div><div data-node-id=\"a\" data-node-type=\"text\" style=\"left:0;top:0\">B</div>\
             <div data-node-id=\"{long}\" style=\"left:0;top:0\">C</div><div data-node-id=\"\" style=\"left:0;top:0\">D</div></div>"
        ),
    );
    let read = whole(&html, &page);
    assert_eq!(codes(&read), [WarningCode::IdRepeated, WarningCode::IdInvalid]);
    assert_eq!(read.created.len(), 3);
    let json = read.value.to_json();
    assert_eq!(json["nodes"]["a"]["props"], json!({"text": "A", "unknown": 1}));
    let texts: Vec<&Json> = read
        .created
        .iter()
        .map(|id| &json["nodes"][id]["props"]["text"])
        .collect();
    assert_eq!(texts, [&json!("B"), &json!("C"), &json!("D")]);
    // The same command makes the same ids; another makes others.
    assert_eq!(whole(&html, &page).created, read.created);
    let other = design_from_html(&html, &page, Scope::Whole, &NewIds::new("other")).unwrap();
    assert!(other.created.iter().all(|id| !read.created.contains(id)));
}

#[test]
fn a_cycle_in_a_merge_is_refused() {
    let page = design(&json!({"nodes": [{"id": "a", "type": "group"}, {"id": "b", "type": "group", "parentId": "a"}]}));
    let html = "<div data-node-id=\"a\" data-parent-id=\"b\"></div>";
    let error = design_from_html(html, &page, Scope::Fragment, &NewIds::new("c")).unwrap_err();
    assert!(
        matches!(
            error,
            HtmlError::Refused {
                rule: Rule::Cycle { .. }
            }
        ),
        "{error}"
    );
    assert_eq!(error.code(), "cycle");
}

#[test]
fn the_list_of_warnings_ends() {
    let read = whole(&"<p>x</p>".repeat(3 * WARNINGS_MAX), &DesignValue::default());
    assert_eq!(read.warnings.len(), WARNINGS_MAX);
    let last = read.warnings.last().unwrap();
    assert_eq!(last.code, WarningCode::More);
    assert!(last.text.contains("201 more"), "{}", last.text);
}

#[test]
fn odd_html_is_read_without_panic() {
    for html in [
        "",
        "<",
        "</",
        "<!--",
        "<![CDATA[",
        "<!doctype",
        "<a",
        "<a b",
        "<a b=",
        "<a b='",
        "&",
        "&#",
        "&#x110000;",
        "\0",
        "\u{feff}",
        "<table>x<tr>y<td>z</table>w",
        "<b><p></b>x</p>",
        "<svg><p>x</svg>",
        "<frameset><frame></frameset>",
        "<template><p>x</template>",
        "<select><option>a<option>b</select>",
        "<plaintext>x</p>",
        "<style>x",
        "<title>x",
        "<div style=\"a:b;;:;c\"></div>",
        "<div style=\"'\"></div>",
        "<div style=\"\\\"></div>",
        "<img data-canvas data-node-id=a data-canvas-background-id=b>",
        "<br data-node-id=a>",
        "<script data-node-id=a>",
        "<html data-node-id=a><body data-node-id=b>x",
        "<p data-canvas-width=NaN data-canvas-height=-5>x",
    ] {
        let read = whole(html, &DesignValue::default());
        read.value.check_invariants().unwrap();
        check_fixed_point(&read.value);
        doc_from_html(html).unwrap();
    }
}
