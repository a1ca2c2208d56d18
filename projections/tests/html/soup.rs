//! Random HTML of scraps: nothing panics, nothing is left half done, the next pass changes nothing.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use recto_projections::DesignValue;
use recto_projections::html::{NewIds, Scope, design_from_html, doc_from_html, doc_to_html};
use serde_json::json;

use crate::check::{check_fixed_point, config, design};

const SCRAPS: [&str; 64] = [
    "<div>",
    "</div>",
    "<p>",
    "</p>",
    "<b>",
    "</b>",
    "<a href=\"/x\">",
    "</a>",
    "<span style=\"color:red\">",
    "</span>",
    "<table>",
    "<tr>",
    "<td>",
    "</td>",
    "</table>",
    "<ul>",
    "<li>",
    "</ul>",
    "<ol>",
    "</ol>",
    "<pre>",
    "</pre>",
    "<br>",
    "<hr>",
    "<img src=a.png width=10>",
    "<svg><g>",
    "</svg>",
    "<script>x</script>",
    "<style>p{}</style>",
    "<template>",
    "</template>",
    "<select><option>",
    "</select>",
    "<h1>",
    "</h1>",
    "<blockquote>",
    "</blockquote>",
    "<form>",
    "<input value=v>",
    "word",
    " two  words ",
    "\n",
    "&lt;&amp;",
    "😀\u{a0}",
    "\0\r\t",
    "<div data-node-id=\"g\" data-node-type=\"group\" style=\"left:1px;top:2px\">",
    "<div data-node-id=\"t\" data-node-type=\"text\" style=\"left:1px;top:2px;white-space:pre-wrap\">",
    "<div data-node-id=\"t\">",
    "<img data-node-id=\"i\" data-asset-id=\"a\" data-crop=\"1 2 3 4\">",
    "<div data-node-id=\"new\" data-node-type=\"te&quot;xt\" style=\"border:1px solid;padding:2px\">",
    "<span data-node-id=\"h\">",
    "<div data-node-id=\"b\">",
    "<div data-node-type=\"text\">",
    "<div data-parent-id=\"g\">",
    "<div data-canvas data-canvas-width=5>",
    "<div data-canvas-background-id=\"b\" style=\"background:red\">",
    "<div data-canvas-background-id=\"c\">",
    "<div style=\"position:absolute;left:3px;top:4px;width:5px;height:6px;opacity:2\">",
    "<div style=\"transform:rotate(10deg) rotate(5deg);background:url(x);margin:1px\">",
    "<p style=\"box-sizing:border-box;border:1px\">",
    "<p style=\"white-space:pre\">",
    "<div data-text=\"said\">",
    "<span data-attributes='{\"bold\":true,\"x\":null}'>",
    "<span data-embed='{\"video\":\"v\"}'>",
];

fn soup() -> impl Strategy<Value = String> {
    vec(select(&SCRAPS[..]), 0..40).prop_map(|scraps| scraps.concat())
}

fn page() -> DesignValue {
    design(&json!({
    "attributes": {"backgrounds": [{"id": "b", "type": "video", "assetId": "v"}]},
    "nodes": [
        {"id": "g", "type": "group"},
        {"id": "h", "type": "group", "parentId": "g", "geometry": {"rotation": 5}},
        {"id": "t", "type": "text", "parentId": "h", "props": {"text": " Hello  you ", "clip": {"start": 1}}},
        {"id": "i", "type": "image", "props": {"assetId": "x", "crop": {"x": 0.123, "y": 0, "width": 1, "height": 1}}},
    ]}))
}

fn ids(page: &DesignValue) -> BTreeSet<String> {
    page.tree().map(|node| node.id().to_string()).collect()
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn what_comes_of_soup_is_a_page_that_stays(html in soup()) {
        let empty = DesignValue::default();
        let read = design_from_html(&html, &empty, Scope::Whole, &NewIds::new("c")).unwrap();
        check_fixed_point(&read.value);
        prop_assert_eq!(ids(&read.value), read.created.iter().cloned().collect());
        let (document, _) = doc_from_html(&html).unwrap();
        prop_assert_eq!(doc_from_html(&doc_to_html(&document)).unwrap().0.to_json(), document.to_json());
    }

    #[test]
    fn soup_over_a_page_accounts_for_every_node(html in soup()) {
        let page = page();
        let read = design_from_html(&html, &page, Scope::Whole, &NewIds::new("c")).unwrap();
        read.value.check_invariants().unwrap();
        let mut expected = ids(&page);
        for id in &read.removed {
            prop_assert!(expected.remove(id), "{} was not there", id);
        }
        expected.extend(read.created.iter().cloned());
        prop_assert_eq!(ids(&read.value), expected);
        let Ok(read) = design_from_html(&html, &page, Scope::Fragment, &NewIds::new("c")) else {
            // A node that is written into its own group's group.
            return Ok(());
        };
        read.value.check_invariants().unwrap();
        prop_assert!(read.removed.is_empty() && ids(&read.value).is_superset(&ids(&page)));
        prop_assert_eq!(read.value.backgrounds(), page.backgrounds());
        for node in page.tree().filter(|node| !read.named.contains(&**node.id())) {
            prop_assert!(read.value.node(node.id()) == Some(node), "{} changed", node.id());
        }
        let again = design_from_html(&html, &page, Scope::Fragment, &NewIds::new("c")).unwrap();
        prop_assert_eq!((again.created, again.value.digest()), (read.created, read.value.digest()));
    }
}
