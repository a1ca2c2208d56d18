//! What is drawn of a page, and where.

use resvg::usvg::roxmltree::Document;
use serde_json::json;

use crate::parsed::{check, ids, node, pixel, pixels, svg};
use crate::support::{Folder, recto};

#[tokio::test]
async fn the_story_is_drawn_at_each_version() {
    let folder = Folder::with_story().await;
    for version in ["1", "4", "5", "7", "8"] {
        let ran = recto(&folder.data(), &["show", "poster", "--at", version, "--as", "svg"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        check(&ran.out);
        insta::assert_snapshot!(format!("poster_{version}"), ran.out);
    }
    let ran = recto(&folder.data(), &["show", "poster", "--as", "png"]);
    assert_eq!(&ran.bytes[1..4], b"PNG");
    let ran = recto(&folder.data(), &["show", "notes", "--as", "svg"]);
    assert_eq!(ran.code, 2, "only DESIGN pages are drawn: {}", ran.err);
}

#[test]
fn nodes_are_drawn_in_tree_order_at_their_places_on_the_page() {
    let svg = svg(&json!({ "nodes": [
        { "id": "a", "type": "group", "geometry": { "x": 100, "y": 50, "width": 40, "height": 40 } },
        { "id": "b", "type": "rect", "parentId": "a", "geometry": { "x": 5, "y": 6, "width": 10, "height": 10 } },
        { "id": "c", "type": "rect", "geometry": { "x": 1, "y": 2, "width": 20, "height": 10, "rotation": 90 } },
    ] }));
    check(&svg);
    let document = Document::parse(&svg).unwrap();
    assert_eq!(ids(&document), ["a", "b", "c"]);
    assert_eq!(node(&document, "b").attribute("transform"), Some("translate(105 56)"));
    assert_eq!(node(&document, "b").attribute("data-parent-id"), Some("a"));
    assert_eq!(
        node(&document, "c").attribute("transform"),
        Some("matrix(0 1 -1 0 16 -3)")
    );
    assert_eq!(
        node(&document, "a")
            .children()
            .find(|node| node.has_tag_name("text"))
            .unwrap()
            .text(),
        None
    );
}

#[test]
fn a_whiteboard_shows_all_its_nodes_and_a_page_its_own_size() {
    let nodes = json!([{ "id": "a", "type": "rect", "geometry": { "x": -500, "y": 200, "width": 100, "height": 50 } }]);
    let board = svg(
        &json!({ "attributes": { "presetId": "whiteboard", "dimensions": { "width": 9, "height": 9 } }, "nodes": nodes }),
    );
    assert!(board.contains("viewBox=\"-503 197 106 56\""), "{board}");
    let sized = svg(&json!({ "attributes": { "dimensions": { "width": 300, "height": "200px" } }, "nodes": nodes }));
    assert!(
        sized.contains("viewBox=\"0 0 300 200\" width=\"300\" height=\"200\""),
        "{sized}"
    );
    let empty = svg(&json!({}));
    assert!(empty.contains("viewBox=\"0 0 800 600\""), "{empty}");
}

#[test]
fn what_is_written_is_text() {
    let text = "</svg><script>alert(1)</script>\u{1}&\"'";
    let id = "</svg><script>&\"'";
    let svg = svg(
        &json!({ "nodes": [{ "id": id, "type": id, "geometry": { "width": 900, "height": 20 },
        "props": { "text": text, "name": text, "fontFamily": "x\" onload=\"y", "fill": "red\" onload=\"y" } }] }),
    );
    check(&svg);
    let document = Document::parse(&svg).unwrap();
    let written = document.descendants().find(|node| node.has_tag_name("tspan")).unwrap();
    assert_eq!(written.text(), Some("</svg><script>alert(1)</script>␁&\"'"));
    assert_eq!(ids(&document), [id]);
}

#[test]
fn an_image_is_a_place_with_its_asset() {
    let svg = svg(&json!({ "nodes": [
        { "id": "i", "type": "image", "geometry": { "width": 400, "height": 300 }, "props": { "assetId": "asset-42" } },
        { "id": "v", "type": "video", "geometry": { "width": 400, "height": 300 }, "props": { "src": "data:video/mp4;base64,AAAA" } },
    ] }));
    check(&svg);
    assert!(svg.contains("image asset-42"), "{svg}");
    assert!(svg.contains("video data:video/mp4…") && !svg.contains("AAAA"), "{svg}");
}

#[test]
fn pixels_have_the_colours_of_fills_strokes_and_backgrounds() {
    let drawn = pixels(&json!({
        "attributes": { "dimensions": { "width": 200, "height": 100 },
            "backgrounds": [{ "id": "b", "type": "color", "color": "#102030" },
                { "id": "g", "type": "gradient", "opacity": 0, "gradient": "linear-gradient(red, blue)" }] },
        "nodes": [
            { "id": "under", "type": "rect", "geometry": { "x": 10, "y": 10, "width": 50, "height": 50 }, "props": { "fill": "red" } },
            { "id": "over", "type": "ellipse", "geometry": { "x": 20, "y": 20, "width": 30, "height": 30 },
                "props": { "style": { "background-color": "rgb(0, 255, 0)" } } },
            { "id": "half", "type": "rect", "geometry": { "x": 100, "y": 10, "width": 40, "height": 40 },
                "props": { "fill": "#ffffff", "opacity": 50 } },
            { "id": "gone", "type": "rect", "geometry": { "x": 150, "y": 10, "width": 40, "height": 40 },
                "props": { "fill": "#ffffff", "visible": false } },
        ],
    }));
    assert_eq!((drawn.width(), drawn.height()), (200, 100));
    assert_eq!(pixel(&drawn, 2, 2), [0x10, 0x20, 0x30]);
    assert_eq!(pixel(&drawn, 12, 12), [255, 0, 0]);
    assert_eq!(pixel(&drawn, 35, 35), [0, 255, 0], "later siblings lie on top");
    assert_eq!(pixel(&drawn, 22, 22), [255, 0, 0], "an ellipse has no corners");
    let half = pixel(&drawn, 120, 30);
    assert!(half[0].abs_diff(0x87) < 3, "half of white on the background: {half:?}");
    assert_eq!(
        pixel(&drawn, 170, 30),
        [0x10, 0x20, 0x30],
        "hidden nodes are only outlined"
    );
}

#[test]
fn a_gradient_runs_from_colour_to_colour() {
    let drawn = pixels(&json!({ "attributes": { "dimensions": { "width": 100, "height": 100 },
        "backgrounds": [{ "id": "g", "type": "gradient", "angle": 90,
            "stops": [{ "color": "#000000", "offset": 0 }, { "color": "#ffffff", "offset": 1 }] }] } }));
    let (left, middle, right) = (
        pixel(&drawn, 1, 50)[0],
        pixel(&drawn, 50, 50)[0],
        pixel(&drawn, 98, 50)[0],
    );
    assert!(
        left < 10 && middle.abs_diff(128) < 6 && right > 245,
        "{left} {middle} {right}"
    );
}

#[test]
fn a_large_page_is_made_smaller() {
    let drawn = pixels(
        &json!({ "attributes": { "dimensions": { "width": 100_000, "height": 50_000 } },
        "nodes": [{ "id": "a", "type": "rect", "geometry": { "width": 50_000, "height": 50_000 }, "props": { "fill": "blue" } }] }),
    );
    assert_eq!((drawn.width(), drawn.height()), (4096, 2048));
    assert_eq!(pixel(&drawn, 1000, 1000), [0, 0, 255]);
    assert_eq!(pixel(&drawn, 3000, 1000), [255, 255, 255]);
}

#[test]
fn a_drawing_of_a_huge_page_says_what_is_left_out() {
    let nodes: Vec<_> = (0..50_001)
        .map(|number| json!({ "id": format!("n{number}"), "type": "rect", "geometry": { "x": number, "width": 1, "height": 1 } }))
        .collect();
    let svg = svg(&json!({ "nodes": nodes }));
    assert!(svg.contains("<desc>1 more nodes are not drawn</desc>"));
}
