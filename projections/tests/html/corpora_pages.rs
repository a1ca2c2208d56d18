//! Real canvases, and real HTML.

use recto_projections::DesignValue;
use recto_projections::html::{HTML_MAX_UNITS, HtmlError, NewIds, Scope, design_from_html, design_to_html, fragment};
use recto_projections::text::units;

use crate::check::{check_fixed_point, check_round_trip, design, diff, merge, whole};
use crate::support::{canvas, corpora};

/// How many nodes go into one fragment where the whole page is over the limit.
const WINDOW: usize = 40;

/// Checks a page whole where it is within the limit, else window by window.
fn check(name: &str, page: &DesignValue) -> (usize, bool) {
    let html = design_to_html(page);
    if units(&html) <= HTML_MAX_UNITS {
        check_round_trip(page);
        return (page.len(), true);
    }
    let error = design_from_html(&html, page, Scope::Whole, &NewIds::new("c")).unwrap_err();
    assert!(matches!(error, HtmlError::TooLong { .. }), "{name}: {error}");
    let ids: Vec<String> = page.tree().map(|node| node.id().to_string()).collect();
    for window in ids.chunks(WINDOW).step_by(1 + ids.len() / 4_000) {
        let html = fragment(page, window.iter().map(String::as_str));
        if units(&html) <= HTML_MAX_UNITS {
            let read = merge(&html, page);
            assert_eq!(read.warnings, [], "{name}: {html}");
            assert!(diff(page, &read.value).is_empty(), "{name}: {html}");
        }
    }
    (page.len(), false)
}

#[test]
fn canvases_come_back_as_they_are() {
    let (mut nodes, mut whole, mut windows) = (0, 0, 0);
    let mut tell = |(count, fits): (usize, bool)| {
        nodes += count;
        whole += usize::from(fits);
        windows += usize::from(!fits);
    };
    for name in corpora::files("canvas/excalidraw") {
        if name.ends_with(".excalidrawlib.gz") {
            let json = canvas::excalidraw_library(&corpora::json(&name).unwrap());
            tell(check(&name, &design(&json)));
        }
    }
    if let Some(lines) = corpora::json_lines("canvas/excalidraw/all-elements.jsonl.zst") {
        let json = canvas::excalidraw(lines.iter().map(|line| &line["element"]));
        tell(check("all elements", &design(&json)));
    }
    for name in corpora::files("canvas/dashboards") {
        tell(check(
            &name,
            &design(&canvas::dashboard(&corpora::json(&name).unwrap())),
        ));
    }
    for name in corpora::files("canvas/fabric") {
        tell(check(&name, &design(&canvas::fabric(&corpora::json(&name).unwrap()))));
    }
    for name in corpora::files("canvas/poster") {
        tell(check(&name, &design(&canvas::poster(&corpora::json(&name).unwrap()))));
    }
    eprintln!("canvases: {whole} whole, {windows} by windows, {nodes} nodes");
}

#[test]
fn html_is_a_fixed_point_after_the_first_pass() {
    let (mut pages, mut nodes, mut refused) = (0, 0, 0);
    for name in corpora::files("html") {
        let html = String::from_utf8(corpora::read(&name).unwrap()).unwrap();
        if units(&html) > HTML_MAX_UNITS {
            let error = design_from_html(&html, &DesignValue::default(), Scope::Whole, &NewIds::new("c")).unwrap_err();
            assert_eq!(error.code(), "html_too_long", "{name}");
            refused += 1;
            continue;
        }
        let first = whole(&html, &DesignValue::default()).value;
        assert!(!first.is_empty(), "{name}");
        check_fixed_point(&first);
        pages += 1;
        nodes += first.len();
    }
    eprintln!("html: {pages} pages, {nodes} nodes, {refused} over the limit");
}
