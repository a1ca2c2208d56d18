//! What the tests ask of a reading.

use proptest::prelude::ProptestConfig;
use recto_projections::design::DesignOp;
use recto_projections::html::{NewIds, Read, Scope, WarningCode, design_from_html, design_to_html};
use recto_projections::{Delta, DesignValue, Value};
use serde_json::Value as Json;

/// How many cases a property gets unless `PROPTEST_CASES` says otherwise.
pub(crate) fn config(cases: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok());
    ProptestConfig {
        failure_persistence: None,
        cases: asked.unwrap_or(cases),
        ..ProptestConfig::default()
    }
}

pub(crate) fn design(json: &Json) -> DesignValue {
    DesignValue::from_json(json).unwrap()
}

pub(crate) fn whole(html: &str, stored: &DesignValue) -> Read {
    design_from_html(html, stored, Scope::Whole, &NewIds::new("command")).unwrap()
}

pub(crate) fn merge(html: &str, stored: &DesignValue) -> Read {
    design_from_html(html, stored, Scope::Fragment, &NewIds::new("command")).unwrap()
}

pub(crate) fn diff(from: &DesignValue, to: &DesignValue) -> Vec<DesignOp> {
    let (from, to) = (Value::Design(from.clone()), Value::Design(to.clone()));
    match from.diff(&to).unwrap() {
        Delta::Design(ops) => ops,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn codes(read: &Read) -> Vec<WarningCode> {
    read.warnings.iter().map(|warning| warning.code).collect()
}

/// Checks that a page comes back as it is, without a word; and that what comes of it on an empty page comes back too.
pub(crate) fn check_round_trip(page: &DesignValue) {
    let html = design_to_html(page);
    let read = whole(&html, page);
    assert_eq!(read.warnings, [], "{html}");
    assert_eq!(diff(page, &read.value), [], "{html}");
    assert!(read.value == *page);
    assert!(read.created.is_empty() && read.removed.is_empty() && read.changed.is_empty());
    assert_eq!(read.named.len(), page.len());
    let first = whole(&html, &DesignValue::default()).value;
    check_fixed_point(&first);
}

/// Checks that a page that came of HTML is the same after another pass, with and without the page at hand.
pub(crate) fn check_fixed_point(first: &DesignValue) {
    let html = design_to_html(first);
    let kept = whole(&html, first);
    assert_eq!(kept.warnings, [], "{html}");
    assert_eq!(diff(first, &kept.value), [], "{html}");
    let again = whole(&html, &DesignValue::default()).value;
    assert_eq!(without_order(first), without_order(&again), "{html}");
    first.check_invariants().unwrap();
}

/// Gives a page as JSON without its order keys, which are made anew on an empty page.
fn without_order(page: &DesignValue) -> String {
    let mut json = page.to_json();
    for (_, node) in json["nodes"].as_object_mut().unwrap() {
        node.as_object_mut().unwrap().remove("order");
    }
    serde_json::to_string_pretty(&json).unwrap()
}
