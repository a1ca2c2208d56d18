//! Cases of DESIGN pages as HTML, each by name.

use recto_projections::DesignValue;
use recto_projections::design::DesignOp;
use recto_projections::html::{WarningCode, design_to_html, fragment};
use serde_json::{Value as Json, json};

use crate::check::{check_fixed_point, check_round_trip, codes, design, diff, merge, whole};

fn page() -> DesignValue {
    design(&json!({
    "attributes": {"dimensions": {"width": 800, "height": 600}, "presetId": "poster"},
    "nodes": [
        {"id": "g", "type": "group", "geometry": {"x": 10, "y": 20, "width": 300, "height": 200, "rotation": 30}},
        {"id": "t", "type": "text", "parentId": "g", "geometry": {"x": 1.50, "width": 100, "height": 20},
            "props": {"text": "Hello brown world\n& more", "fill": "#111", "style": {"fontSize": 14}, "opacity": 80}},
        {"id": "i", "type": "image", "parentId": "g", "geometry": {"width": 50, "height": 50},
            "props": {"assetId": "as1", "crop": {"x": 1.2345, "y": 0, "width": 40, "height": 40.5},
                "adjustments": {"contrast": 1}}},
        {"id": "s", "type": "shape", "props": {"fill": {"type": "gradient"}, "stroke": "red", "strokeWidth": 2}},
    ]}))
}

fn node(page: &DesignValue, id: &str) -> Json {
    page.to_json()["nodes"][id].clone()
}

#[test]
fn a_page_reads_well() {
    assert_eq!(
        design_to_html(&page()),
        r##"<!doctype html>
<div data-canvas data-canvas-width="800" data-canvas-height="600" data-canvas-preset="poster" style="position:relative;width:800px;height:600px">
 <div data-node-id="g" data-node-type="group" style="position:absolute;left:10px;top:20px;width:300px;height:200px;transform:rotate(30deg)">
  <div data-node-id="t" data-node-type="text" style="position:absolute;left:1.5px;top:0px;width:100px;height:20px;color:#111;opacity:80%;font-size:14px">Hello brown world<br>&amp; more</div>
  <img data-node-id="i" data-node-type="image" data-asset-id="as1" data-crop="1.23 0 40 40.5" style="position:absolute;left:0px;top:0px;width:50px;height:50px">
 </div>
 <div data-node-id="s" data-node-type="shape" style="position:absolute;left:0px;top:0px;width:0px;height:0px;stroke:red;stroke-width:2"></div>
</div>
"##
    );
}

#[test]
fn one_word_changes_one_text() {
    let html = design_to_html(&page()).replace("brown", "red");
    for read in [whole(&html, &page()), merge(&html, &page())] {
        let ops = diff(&page(), &read.value);
        let [DesignOp::SetNode { id, patch }] = ops.as_slice() else {
            panic!("{ops:?}")
        };
        assert_eq!((&**id, patch.set.len(), patch.unset.len()), ("t", 1, 0));
        assert_eq!(read.changed.iter().collect::<Vec<_>>(), ["t"]);
        assert_eq!(read.named.len(), 4);
    }
}

#[test]
fn one_word_of_a_long_text_is_an_edit_of_a_word() {
    let words = "lorem ipsum ".repeat(50) + "dolor";
    let page = design(&json!({"nodes": [{"id": "t", "type": "text", "props": {"text": words}}]}));
    let read = whole(&design_to_html(&page).replace("dolor", "amet"), &page);
    assert!(matches!(
        diff(&page, &read.value).as_slice(),
        [DesignOp::EditText { .. }]
    ));
}

#[test]
fn one_node_moves_alone() {
    let html = design_to_html(&page()).replace("left:10px;top:20px", "left:11px;top:20px");
    let ops = diff(&page(), &whole(&html, &page()).value);
    assert!(
        matches!(
            ops.as_slice(),
            [DesignOp::MoveNode {
                parent: None,
                position: None,
                ..
            }]
        ),
        "{ops:?}"
    );
    // Out of its group, to the end of the page.
    let html = design_to_html(&page());
    let mut moved: Vec<&str> = html.lines().collect();
    let image = moved.remove(4);
    moved.insert(6, image);
    let read = whole(&moved.join("\n"), &page());
    let ops = diff(&page(), &read.value);
    assert!(
        matches!(ops.as_slice(), [DesignOp::MoveNode { parent: Some(None), .. }]),
        "{ops:?}"
    );
    let order: Vec<&str> = read.value.children_of(None).map(|node| &**node.id()).collect();
    assert_eq!(order, ["g", "s", "i"]);
}

#[test]
fn many_nodes_put_together_get_keys_evenly_and_one_that_moves_leaves_the_others() {
    let nodes: Vec<Json> = (0..200)
        .map(|index| json!({"id": format!("n{index}"), "type": "shape"}))
        .collect();
    let page = design(&json!({"nodes": nodes}));
    let mut lines: Vec<String> = design_to_html(&page).lines().map(str::to_owned).collect();
    let line = lines.remove(150);
    lines.insert(3, line);
    assert_eq!(diff(&page, &whole(&lines.join("\n"), &page).value).len(), 1);
    let new: String = (0..500)
        .map(|_| "<div data-node-type=\"shape\" style=\"left:0;top:0\"></div>")
        .collect();
    let read = whole(
        &design_to_html(&page).replacen("</div>\n", &format!("</div>{new}"), 1),
        &page,
    );
    assert_eq!(read.created.len(), 500);
    assert!(read.value.tree().all(|node| node.order().as_str().len() < 12));
}

#[test]
fn leaving_out_deletes_in_a_whole_page_and_keeps_in_a_merge() {
    let html =
        "<div data-node-id=\"t\" data-node-type=\"text\" style=\"left:1.5px;top:0;width:100px;height:20px\">New</div>";
    let read = whole(html, &page());
    assert_eq!(read.removed, ["s", "i", "g"]);
    assert_eq!(node(&read.value, "t")["parentId"], json!(null));
    assert_eq!(
        node(&read.value, "t")["props"],
        json!({"text": "New"}),
        "styles that are left out go"
    );
    let read = merge(html, &page());
    assert!(read.removed.is_empty() && codes(&read).is_empty());
    assert_eq!(
        node(&read.value, "t")["parentId"],
        json!("g"),
        "a group that is left out keeps its members"
    );
    let mut props = node(&page(), "t")["props"].clone();
    props["text"] = json!("New");
    assert_eq!(node(&read.value, "t")["props"], props);
    let read = merge("<div data-node-id=\"t\" data-parent-id=\"\"></div>", &page());
    assert_eq!(codes(&read), [WarningCode::TextKept]);
    assert_eq!(node(&read.value, "t")["parentId"], json!(null));
    let read = merge("<div data-node-id=\"t\" data-text=\"\"></div>", &page());
    assert_eq!(
        (codes(&read), node(&read.value, "t")["props"]["text"].clone()),
        (vec![], json!(""))
    );
}

#[test]
fn what_html_cannot_say_is_kept_by_id() {
    let html = design_to_html(&page())
        .replace("data-crop=\"1.23 0 40 40.5\"", "data-crop=\"1.23 0 41 40.5\"")
        .replace("as1", "as2")
        .replace("opacity:80%", "opacity:0.5")
        .replace("font-size:14px", "font-size:16px")
        .replace("stroke-width:2", "stroke-width:3;background:blue");
    let read = whole(&html, &page());
    assert_eq!(codes(&read), [WarningCode::Kept]);
    assert_eq!(
        (read.warnings[0].node.as_deref(), read.warnings[0].property.as_deref()),
        (Some("s"), Some("fill"))
    );
    assert_eq!(
        node(&read.value, "i")["props"],
        json!({"assetId": "as2",
        "crop": {"x": 1.2345, "y": 0, "width": 41, "height": 40.5}, "adjustments": {"contrast": 1}})
    );
    assert_eq!(node(&read.value, "t")["props"]["opacity"], json!(50));
    assert_eq!(node(&read.value, "t")["props"]["style"], json!({"fontSize": 16}));
    assert_eq!(
        node(&read.value, "s")["props"],
        json!({"fill": {"type": "gradient"}, "stroke": "red", "strokeWidth": 3})
    );
}

#[test]
fn an_image_keeps_its_asset_unless_another_is_named() {
    let html = design_to_html(&page()).replace(" data-asset-id=\"as1\"", "");
    let read = whole(&html, &page());
    assert_eq!(codes(&read), [WarningCode::Kept]);
    assert_eq!(diff(&page(), &read.value), []);
}

#[test]
fn a_new_node_is_taken_with_its_styles() {
    let html = "<div data-node-id=\"new\" data-node-type=\"text\" style=\"position:absolute; left:1px;top:2px;\
        width:3px;height:4px;transform:rotate(0.5turn) scale(2);color:red;opacity:50%;letter-spacing:1px;--x: {a;b}\">\
        <p>One</p>\n<p>Two <b>bold</b></p></div>";
    for read in [
        whole(html, &DesignValue::default()),
        merge(html, &DesignValue::default()),
    ] {
        assert_eq!(codes(&read), [WarningCode::FormattingDropped]);
        assert_eq!(read.created, ["new"]);
        let node = node(&read.value, "new");
        assert_eq!(
            node["geometry"],
            json!({"x": 1, "y": 2, "width": 3, "height": 4, "rotation": 180})
        );
        assert_eq!(
            node["props"],
            json!({"text": "One\nTwo bold", "fill": "red", "opacity": 0.5,
            "style": {"transform": "scale(2)", "letterSpacing": "1px", "--x": "{a;b}"}})
        );
        check_fixed_point(&read.value);
    }
}

#[test]
fn a_merge_puts_new_nodes_where_they_are_written() {
    let html = "<div data-node-id=\"g\"><div data-node-id=\"t\">Hello brown world<br>&amp; more</div>\
        <div data-node-id=\"new\" data-node-type=\"shape\" style=\"left:0;top:0\"></div></div>";
    let read = merge(html, &page());
    assert_eq!(codes(&read), []);
    let order: Vec<String> = read.value.tree().map(|node| node.id().to_string()).collect();
    assert_eq!(order, ["g", "t", "new", "i", "s"]);
    assert_eq!(diff(&page(), &read.value).len(), 1);
}

#[test]
fn a_fragment_shows_groups_as_context() {
    let html = fragment(&page(), ["i", "nobody"]);
    assert!(
        html.starts_with("<div data-node-id=\"g\" data-node-type=\"group\" data-context "),
        "{html}"
    );
    assert!(
        html.contains("data-node-id=\"i\"") && !html.contains("data-node-id=\"t\""),
        "{html}"
    );
    assert_eq!(fragment(&page(), ["g", "t"]).matches("data-node-id=\"t\"").count(), 1);
    assert_eq!(fragment(&page(), []).trim(), "");
}

#[test]
fn html_of_others_becomes_nodes() {
    let html = "<html><head><title>T</title><style>p{}</style></head><body><h1>Big <i>title</i></h1>\n\
        <div class=card>lead <p>para one<br>line two</p><img src=a.png width=10 height=20 alt=A><br> tail</div>\
        <table><tr><td>1</td><td>2</td></tr></table><hr><span></span></body></html>";
    let read = whole(html, &DesignValue::default());
    let outline: Vec<(String, Json)> = read
        .value
        .tree()
        .map(|node| {
            (
                node.kind().to_owned(),
                node.props().get("text").cloned().unwrap_or_default(),
            )
        })
        .collect();
    let text = |text: &str| ("text".to_owned(), json!(text));
    let other = |kind: &str| (kind.to_owned(), Json::Null);
    assert_eq!(
        outline,
        [
            text("Big title"),
            other("group"),
            text("lead"),
            text("para one\nline two"),
            other("image"),
            text("\ntail"),
            other("group"),
            other("group"),
            other("group"),
            text("1"),
            text("2"),
            other("shape"),
        ]
    );
    assert!(
        codes(&read).contains(&WarningCode::PositionDefaulted)
            && codes(&read).contains(&WarningCode::FormattingDropped)
    );
    check_fixed_point(&read.value);
}

#[test]
fn words_around_the_html_are_no_nodes() {
    let fenced = |html: &str| format!("Here is the page:\n```html\n{html}\n```\nDone.");
    let read = whole(&fenced(&design_to_html(&page())), &page());
    assert_eq!(codes(&read), [WarningCode::TextDropped, WarningCode::TextDropped]);
    assert_eq!(diff(&page(), &read.value), []);
    let read = merge(&fenced(&fragment(&page(), ["i"])), &page());
    assert_eq!(codes(&read), [WarningCode::TextDropped, WarningCode::TextDropped]);
    assert_eq!(diff(&page(), &read.value), []);
    let read = merge("<span style=\"left:0;top:0\">new</span>", &page());
    assert_eq!(read.created.len(), 1);
}

/// The border of a node that holds others is an element of its own, and comes back from wherever it is written.
#[test]
fn a_border_around_others_is_drawn_apart() {
    let page = design(&json!({"nodes": [
        {"id": "frame", "type": "group", "geometry": {"x": 1, "y": 2, "width": 30, "height": 40, "rotation": 0},
         "props": {"style": {"border": "4px solid red", "borderRadius": "3px", "color": "blue"}}},
        {"id": "in", "type": "shape", "parentId": "frame", "geometry": {"x": 5, "y": 6, "width": 7, "height": 8, "rotation": 0},
         "props": {"style": {"border": "1px solid"}}},
    ]}));
    let html = design_to_html(&page);
    let edge = "<div data-node-edge style=\"position:absolute;inset:0;box-sizing:border-box;border-radius:inherit;border:4px solid red\"></div>";
    assert_eq!(html.matches("data-node-edge").count(), 1, "{html}");
    assert!(html.contains(edge), "{html}");
    check_round_trip(&page);

    let style_of = |html: &str, id: &str| {
        let read = whole(html, &page);
        assert_eq!(read.warnings, [], "{html}");
        serde_json::to_value(&read.value.node(id).unwrap().props()["style"]).unwrap()
    };
    let thinner = html.replace("border:4px solid red", "border:2px dotted green");
    assert_eq!(style_of(&thinner, "frame")["border"], "2px dotted green");
    // Said on the node itself, too: that is where a style is looked for.
    let own = html.replace("border-radius:3px", "border-radius:3px;border:9px solid");
    assert_eq!(style_of(&own, "frame")["border"], "9px solid");
    let without = html.replace(edge, "");
    assert_eq!(
        style_of(&without, "frame"),
        json!({"borderRadius": "3px", "color": "blue"})
    );
    // What was put into the edge lies in the node.
    let filled = html.replace(
        "4px solid red\"></div>",
        "4px solid red\"><img data-asset-id=\"a\" style=\"left:0;top:0\"></div>",
    );
    let read = whole(&filled, &page);
    assert_eq!(
        read.value.node(&read.created[0]).unwrap().parent().map(|id| &**id),
        Some("frame")
    );
    check_fixed_point(&whole(&filled, &DesignValue::default()).value);
}

/// What says that it is an edge is none where it is something else, and lays nothing but the border on its node.
#[test]
fn an_edge_is_a_box_and_nothing_but_a_border() {
    let page = design(&json!({"nodes": [
        {"id": "g", "type": "group", "geometry": {"x": 50, "y": 60, "width": 30, "height": 40, "rotation": 0}},
        {"id": "in", "type": "shape", "parentId": "g"},
    ]}));
    let inside = |what: &str| format!("<div data-node-id=\"g\">{what}</div>");
    let edge = "<div data-node-edge style=\"position:absolute;left:0;top:0;width:100%;opacity:.5;transform:rotate(10deg);border:2px solid blue\"></div>";
    let read = merge(&inside(edge), &page);
    let node = read.value.node("g").unwrap();
    assert_eq!(node.geometry(), page.node("g").unwrap().geometry());
    assert_eq!(
        serde_json::to_value(node.props()).unwrap(),
        json!({"style": {"border": "2px solid blue"}})
    );

    for code in [
        "<script data-node-edge>alert(1)</script>",
        "<style data-node-edge>a{}</style>",
    ] {
        assert!(merge(&inside(code), &page).value == page, "{code}");
    }
    let read = merge(
        &inside("<img data-node-edge data-asset-id=\"a\" style=\"left:1px;top:1px\">"),
        &page,
    );
    assert_eq!(read.created.len(), 1);
}
