//! Cases from the field, each a real bug of somebody's, by their ids.

use recto_projections::text::{RichText, TextDelta, TextFault, apply_plain, diff_plain};
use serde_json::{Value as Json, json};

use crate::support::{delta, text};

/// Applies a delta, checks the document after it, and that the inverse gives back the document before it.
fn check(before: Json, change: Json, after: Json, inverse: Json) {
    let mut page = text(&before);
    let undo = page.apply(&delta(&change)).unwrap();
    assert_eq!(page.to_document().to_json(), after);
    assert_eq!(undo.to_json(), inverse);
    page.apply(&undo).unwrap();
    assert_eq!(page.to_document().to_json(), before);
}

fn refused(before: &str, change: Json, fault: TextFault) {
    let mut page = RichText::from_plain(before);
    let change = delta(&change);
    assert_eq!(page.apply(&change), Err(fault.clone()));
    assert_eq!(page.replay(&change), Err(fault.clone()));
    assert_eq!(page.to_plain(), before);
    if change.require_plain().is_ok() {
        assert_eq!(apply_plain(before, &change), Err(fault));
    }
}

#[test]
fn e1_no_boundary_inside_a_surrogate_pair() {
    let splits = |change| refused("a😀b", change, TextFault::SplitsSurrogate { at: 2 });
    splits(json!([{"retain": 2}]));
    splits(json!([{"retain": 2}, {"insert": "x"}]));
    splits(json!([{"retain": 2}, {"delete": 1}]));
    splits(json!([{"retain": 1}, {"delete": 1}]));
    splits(json!([{"delete": 2}]));
    splits(json!([{"retain": 1}, {"retain": 1, "attributes": {"bold": true}}]));
    splits(json!([{"retain": 2}, {"retain": 2, "attributes": {"bold": true}}]));
    check(
        json!([{"insert": "a😀b"}]),
        json!([{"retain": 1}, {"delete": 2}]),
        json!([{"insert": "ab"}]),
        json!([{"retain": 1}, {"insert": "😀"}]),
    );
    let composed = delta(&json!([{"insert": "😀"}])).compose(&delta(&json!([{"retain": 1}, {"delete": 1}])));
    assert_eq!(composed, Err(TextFault::SplitsSurrogate { at: 1 }));
}

#[test]
fn e1_a_diff_never_cuts_a_pair() {
    // 😀 and 😁 share their first half, 😀 and 🨀 their second.
    for (old, new) in [
        ("a😀b", "a😁b"),
        ("😀", "🨀"),
        ("👩‍👩‍👧", "👩‍👧"),
        ("🇩🇪", "🇫🇷"),
        ("é", "e\u{301}"),
    ] {
        let delta = diff_plain(old, new);
        let (changed, inverse) = apply_plain(old, &delta).unwrap();
        assert_eq!(changed, new);
        assert_eq!(apply_plain(new, &inverse).unwrap().0, old);
        assert_eq!(RichText::from_plain(old).diff(&RichText::from_plain(new)), delta);
    }
}

#[test]
fn e2_nothing_past_the_end() {
    let past = |change, reach| refused("ab", change, TextFault::OutOfRange { reach, len: 2 });
    past(json!([{"retain": 10}]), 10);
    past(json!([{"delete": 5}]), 5);
    past(json!([{"retain": 10}, {"delete": 5}]), 15);
    past(json!([{"retain": 3}, {"insert": "x"}]), 3);
    past(json!([{"retain": 1}, {"insert": "x"}, {"delete": 2}]), 3);
    past(json!([{"retain": 3, "attributes": {"bold": true}}]), 3);
    assert_eq!(delta(&json!([{"retain": 2}])).base_len(), 2);
    let mut page = RichText::from_plain("ab");
    assert!(page.apply(&delta(&json!([{"retain": 2}]))).unwrap().is_empty());
}

#[test]
fn e4_the_inverse_stands_where_the_change_stood() {
    check(
        json!([{"insert": "aaa"}]),
        json!([{"retain": 1}, {"delete": 1}]),
        json!([{"insert": "aa"}]),
        json!([{"retain": 1}, {"insert": "a"}]),
    );
}

#[test]
fn e4_two_equal_embeds_stay_two() {
    let image = json!({"insert": {"image": "a.png"}});
    check(
        json!([image, {"insert": "x"}, image]),
        json!([{"retain": 1}, {"insert": "yy"}, {"delete": 1}]),
        json!([image, {"insert": "yy"}, image]),
        json!([{"retain": 1}, {"insert": "x"}, {"delete": 2}]),
    );
    check(
        json!([image, image]),
        json!([{"retain": 1}, {"delete": 1}]),
        json!([image]),
        json!([{"retain": 1}, image]),
    );
}

#[test]
fn e9_an_insert_and_a_delete_undone_one_after_the_other() {
    let mut page = RichText::new();
    let first = page.apply(&delta(&json!([{"insert": "a"}]))).unwrap();
    let second = page.apply(&delta(&json!([{"delete": 1}]))).unwrap();
    assert_eq!(page.to_plain(), "");
    page.apply(&second).unwrap();
    assert_eq!(page.to_plain(), "a");
    page.apply(&first).unwrap();
    assert_eq!(page.to_plain(), "");
    assert_eq!(page.digest(), RichText::new().digest());
}

#[test]
fn e11_no_null_among_the_attributes_of_a_document() {
    let document = json!([{"insert": "a", "attributes": {"bold": null}}]);
    assert!(TextDelta::from_json(&document, "").is_err());
    let mut page = RichText::from_plain("ab");
    page.apply(&delta(&json!([{"retain": 1, "attributes": {"bold": null}}])))
        .unwrap();
    assert_eq!(page, RichText::from_plain("ab"));
    let null = [("bold".to_owned(), Json::Null)].into();
    let nulls = recto_projections::text::Attributes::new(null).unwrap();
    let insert = TextDelta::new().insert("x", nulls);
    let fault = TextFault::NullAttribute {
        name: "bold".to_owned(),
    };
    assert_eq!(page.apply(&insert), Err(fault.clone()));
    assert_eq!(RichText::from_document(&insert), Err(fault));
}

#[test]
fn e11_the_same_object_again_is_no_change() {
    let page = text(&json!([{"insert": "ab", "attributes": {"link": {"u": 1}}}]));
    let same = delta(&json!([{"retain": 2, "attributes": {"link": {"u": 1}}}]));
    assert!(page.effective(&same).unwrap().is_empty());
    assert!(page.clone().apply(&same).unwrap().is_empty());
    assert!(page.diff(&page.clone()).is_empty());
    check(
        json!([{"insert": "ab", "attributes": {"link": {"u": 1}}}]),
        json!([{"retain": 1, "attributes": {"link": {"u": 2}, "bold": true}}]),
        json!([
            {"insert": "a", "attributes": {"bold": true, "link": {"u": 2}}},
            {"insert": "b", "attributes": {"link": {"u": 1}}},
        ]),
        json!([{"retain": 1, "attributes": {"bold": null, "link": {"u": 1}}}]),
    );
}

#[test]
fn e14_a_document_holds_inserts_only() {
    let check = |ops: Json, op: usize| {
        let document = TextDelta::from_json(&ops, "").unwrap();
        assert_eq!(RichText::from_document(&document), Err(TextFault::InsertsOnly { op }));
        assert!(TextDelta::document_from_json(&ops, "").is_err());
    };
    check(json!([{"retain": 1}]), 0);
    check(json!([{"insert": "a"}, {"retain": 1}]), 1);
    check(json!([{"insert": "a"}, {"delete": 1}]), 1);
    assert_eq!(RichText::from_document(&TextDelta::new()), Ok(RichText::new()));
}

#[test]
fn e15_an_unknown_embed_passes_through() {
    let embed = r#"{"hologram":{"v":1.50,"parts":[null,{"z":1,"a":2}]},"beside":true}"#;
    let unknown = json!({"insert": serde_json::from_str::<Json>(embed).unwrap()});
    check(
        json!([{"insert": "a"}, unknown, {"insert": "b"}]),
        json!([{"retain": 1}, {"delete": 1}]),
        json!([{"insert": "ab"}]),
        json!([{"retain": 1}, unknown]),
    );
    let bold = delta(&json!([{"retain": 1, "attributes": {"bold": true}}]));
    let composed = delta(&json!([unknown])).compose(&bold).unwrap();
    let written = format!(r#"[{{"insert":{embed},"attributes":{{"bold":true}}}}]"#);
    assert_eq!(composed.to_json().to_string(), written);
    let mut page = text(&json!([unknown]));
    page.apply(&bold).unwrap();
    assert_eq!(page.to_document(), composed);
}

#[test]
fn e16_line_ends_are_kept_to_the_byte() {
    check(
        json!([{"insert": "a\r\nb"}]),
        json!([{"retain": 3}, {"insert": "x\n"}, {"delete": 1}]),
        json!([{"insert": "a\r\nx\n"}]),
        json!([{"retain": 3}, {"insert": "b"}, {"delete": 2}]),
    );
    check(
        json!([{"insert": "a\r\nb"}]),
        json!([{"retain": 1}, {"delete": 1}]),
        json!([{"insert": "a\nb"}]),
        json!([{"retain": 1}, {"insert": "\r"}]),
    );
    let delta = diff_plain("a\r\nb\r\n", "a\nb\r\n");
    assert_eq!(delta.to_json(), json!([{"retain": 1}, {"delete": 1}]));
}
