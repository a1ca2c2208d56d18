//! Backgrounds in whole pages and in merges.

use recto_projections::html::{WarningCode, design_to_html};
use recto_projections::{DesignValue, Json};
use serde_json::json;

use crate::check::{codes, design, diff, merge, whole};

fn page() -> DesignValue {
    design(&json!({"attributes": {"backgrounds": [
        {"id": "colour", "type": "color", "color": "#fff", "opacity": 0.5},
        {"id": "film", "type": "video", "assetId": "v1", "clip": {"start": 1, "end": 2.50}, "adjustments": {"hue": 3}},
        {"id": "photo", "type": "image", "assetId": "i1", "src": "https://example.org/i.png",
            "layers": [{"a": 1}, {"b": 2}], "crop": {"x": 0.333}, "adjustments": {"hue": 3}},
    ]}, "nodes": [{"id": "n", "type": "shape"}]}))
}

fn list(page: &DesignValue) -> Vec<Json> {
    page.backgrounds().to_vec()
}

#[test]
fn a_background_is_an_element_and_nothing_else() {
    let html = design_to_html(&page());
    for id in ["colour", "film", "photo"] {
        assert_eq!(html.matches(&format!("\"{id}\"")).count(), 1, "{html}");
    }
    assert!(html.contains("background:#fff;opacity:0.5"), "{html}");
    assert!(!html.contains("v1") && !html.contains("hue"), "{html}");
}

#[test]
fn a_whole_page_takes_the_whole_set_and_keeps_what_html_cannot_say() {
    let html = "<div data-canvas>\
        <div data-canvas-background-id=\"photo\" data-canvas-background-type=\"image\" data-asset-id=\"i2\"></div>\
        <div data-canvas-background-id=\"film\" data-canvas-background-type=\"video\"></div>\
        <div data-canvas-background-id=\"new\" style=\"background:linear-gradient(red, blue)\"></div>\
        <div data-node-id=\"n\" data-node-type=\"shape\"></div></div>";
    let stored = page();
    let read = whole(html, &stored);
    assert_eq!(codes(&read), []);
    let old = list(&stored);
    let mut photo = old[2].clone();
    photo["assetId"] = json!("i2");
    assert_eq!(
        list(&read.value),
        [
            photo,
            old[1].clone(),
            json!({"id": "new", "type": "gradient", "gradient": "linear-gradient(red, blue)"})
        ]
    );
    assert_eq!(read.value.len(), 1);
}

#[test]
fn a_merge_changes_existing_backgrounds_only() {
    let html = "<div data-canvas-background-id=\"colour\" style=\"background-color:red\"></div>\
        <div data-canvas-background-id=\"new\" style=\"background:blue\">text</div>";
    let read = merge(html, &page());
    assert_eq!(codes(&read), [WarningCode::BackgroundUnknown]);
    assert_eq!(read.warnings[0].node.as_deref(), Some("new"));
    let mut expected = list(&page());
    expected[0]["color"] = json!("red");
    assert_eq!(list(&read.value), expected);
    assert!(read.created.is_empty() && read.value.len() == 1);
    assert_eq!(diff(&page(), &read.value).len(), 1);
}

#[test]
fn a_video_is_kept_whatever_is_written_over_it() {
    for html in [
        "<div data-canvas-background-id=\"film\" data-canvas-background-type=\"color\" style=\"background:red\"></div>",
        "<div data-canvas-background-id=\"film\" data-asset-id=\"v2\" style=\"opacity:0.1\"></div>",
    ] {
        let read = merge(html, &page());
        assert_eq!(codes(&read), [WarningCode::Kept, WarningCode::Kept], "{html}");
        assert!(
            read.warnings
                .iter()
                .all(|warning| warning.node.as_deref() == Some("film") && warning.property.is_some())
        );
        assert_eq!(diff(&page(), &read.value), []);
    }
}

#[test]
fn a_background_is_never_a_node_as_well() {
    let html = "<div data-node-id=\"colour\" data-node-type=\"shape\"></div>\
        <div data-canvas-background-id=\"photo\" data-node-id=\"n\"></div>";
    for read in [merge(html, &page()), whole(html, &page())] {
        assert_eq!(
            codes(&read),
            [WarningCode::BackgroundIsNoNode, WarningCode::BackgroundIsNoNode]
        );
        assert!(read.created.is_empty());
        assert_eq!(read.value.len(), 1, "the node that was written as a background stays");
    }
}

#[test]
fn the_canvas_keeps_its_size_unless_a_whole_page_says_a_good_one() {
    let page = design(&json!({"attributes": {"dimensions": {"width": 100, "height": 50, "unit": "px"}}}));
    let sized =
        |width: &str| format!("<div data-canvas data-canvas-width=\"{width}\" data-canvas-height=\"50\"></div>");
    let read = whole(&sized("200.5"), &page);
    assert_eq!(codes(&read), []);
    assert_eq!(
        read.value.attributes()["dimensions"],
        json!({"width": 200.5, "height": 50, "unit": "px"})
    );
    for width in ["0", "-5", "NaN", "1e999", "wide"] {
        let read = whole(&sized(width), &page);
        assert_eq!(
            (codes(&read), diff(&page, &read.value)),
            (vec![WarningCode::CanvasKept], vec![]),
            "{width}"
        );
    }
    let read = merge(&sized("200"), &page);
    assert_eq!(
        (codes(&read), diff(&page, &read.value)),
        (vec![WarningCode::CanvasKept], vec![])
    );
}
