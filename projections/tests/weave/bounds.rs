//! What a weave refuses. It is then as it was.

use recto_projections::text::weave::{Counted, EditId, Weave, WeaveError, WeaveLimits};
use recto_projections::text::{Attributes, RichText, TextDelta, TextFault};
use serde_json::{Value as Json, json};

use crate::delta;
use crate::history::History;

const NO_LIMITS: WeaveLimits = WeaveLimits {
    edits: usize::MAX,
    runs: usize::MAX,
    text_bytes: usize::MAX,
    units: usize::MAX,
};

#[test]
fn a_history_too_long_is_refused_by_what_there_is_too_much_of() {
    let start = RichText::from_plain("0123456789");
    let type_until_refused = |limits: WeaveLimits| {
        let mut weave = Weave::with_limits(&start, limits).unwrap();
        for event in 1.. {
            let edit = TextDelta::new().retain(5, None).insert("ab", None);
            let before = weave.rendered();
            if let Err(refusal) = weave.edit(EditId(event), &edit) {
                assert_eq!(weave.rendered(), before);
                assert_eq!(refusal.code(), "history_too_long");
                return (event, refusal);
            }
        }
        unreachable!("there is a limit")
    };
    let too_long = |counted, limit| WeaveError::HistoryTooLong { counted, limit };
    let cases = [
        (WeaveLimits { edits: 3, ..NO_LIMITS }, 4, too_long(Counted::Edits, 3)),
        (WeaveLimits { runs: 5, ..NO_LIMITS }, 5, too_long(Counted::Runs, 5)),
        (
            WeaveLimits {
                text_bytes: 7,
                ..NO_LIMITS
            },
            4,
            too_long(Counted::TextBytes, 7),
        ),
        (WeaveLimits { units: 20, ..NO_LIMITS }, 5, too_long(Counted::Units, 20)),
    ];
    for (limits, event, refusal) in cases {
        assert_eq!(type_until_refused(limits), (event, refusal));
    }
    let long = Weave::with_limits(&start, WeaveLimits { units: 9, ..NO_LIMITS });
    assert_eq!(long.unwrap_err(), too_long(Counted::Units, 9));
}

#[test]
fn a_delta_that_does_not_fit_is_refused() {
    let mut weave = Weave::new(&RichText::from_plain("a😀b")).unwrap();
    weave
        .edit(EditId(1), &TextDelta::new().retain(3, None).insert("🦀", None))
        .unwrap();
    let before = weave.rendered();
    let null = Attributes::new([("bold".to_owned(), Json::Null)].into()).unwrap();
    let cases = [
        (
            TextDelta::new().retain(2, None).insert("x", None),
            TextFault::SplitsSurrogate { at: 2 },
        ),
        (
            TextDelta::new().retain(1, None).delete(1),
            TextFault::SplitsSurrogate { at: 2 },
        ),
        (TextDelta::new().delete(4), TextFault::SplitsSurrogate { at: 4 }),
        (
            TextDelta::new().retain(6, None).delete(1),
            TextFault::OutOfRange { reach: 7, len: 6 },
        ),
        (
            TextDelta::new().insert("x", null),
            TextFault::NullAttribute {
                name: "bold".to_owned(),
            },
        ),
    ];
    for (edit, fault) in cases {
        let refusal = weave.edit(EditId(2), &edit).unwrap_err();
        assert_eq!(refusal.code(), fault.code());
        assert_eq!(refusal, WeaveError::Text(fault));
        assert_eq!(weave.rendered(), before);
        assert_eq!(weave.newest(), Some(EditId(1)));
    }
}

#[test]
fn events_out_of_order_and_unknown_ones_are_refused() {
    let mut page = History::plain("text");
    let edit = page.insert(0, 0, "a");
    let undo = page.undo(&[edit]);
    let weave = &mut page.weave;
    let out_of_order = |event| WeaveError::OutOfOrder { event, newest: undo };
    let unknown = WeaveError::UnknownEvent { event: EditId(9) };
    assert_eq!(weave.edit(undo, &TextDelta::new()).unwrap_err(), out_of_order(undo));
    assert_eq!(weave.undo(edit, &[undo]).unwrap_err(), out_of_order(edit));
    assert_eq!(weave.undo(EditId(3), &[edit, EditId(9)]).unwrap_err(), unknown);
    assert_eq!(weave.preview(&[EditId(9)]).unwrap_err(), unknown);
    assert_eq!(weave.switches(&[EditId(9)]).unwrap_err(), unknown);
    // An undo is no edit that could be toggled itself.
    assert_eq!(
        weave.toggle(&[undo], true).unwrap_err(),
        WeaveError::UnknownEvent { event: undo }
    );
    assert_eq!(weave.newest(), Some(undo));
    assert_eq!(weave.is_active(edit), Some(false));
    assert_eq!(weave.is_active(undo), None);
}

#[test]
fn surrogate_pairs_and_sequences_stay_whole() {
    let mut page = History::plain("👨‍👩‍👧🇩🇪");
    // Between the letters of a sequence is a place like any other; inside a pair is none.
    let inside = page.insert(0, 2, "😀");
    let delete = page.delete(1, 3 + 2, 8);
    page.undo(&[inside]);
    page.undo(&[delete]);
    assert_eq!(page.read(), "👨‍👩‍👧🇩🇪");
}

#[test]
fn long_texts_of_wide_letters_are_found_their_way_in() {
    let mut page = History::plain("").without_naive();
    let wide = "漢字😀é".repeat(2_000);
    let units = wide.encode_utf16().count();
    let paste = page.insert(0, 0, &wide);
    for (bars, at) in (0..units).step_by(5 * 37).enumerate() {
        page.insert(1, at + bars, "|");
    }
    let bars = page.text.len() - units;
    page.undo(&[paste]);
    assert_eq!(page.read(), "|".repeat(bars));
}

#[test]
fn an_edit_that_does_nothing_is_an_edit() {
    let mut page = History::document_of(&json!([{ "insert": "a\n" }]));
    let edit = page.quill(0, &json!([{ "retain": 2 }]));
    assert_eq!(page.weave.preview(&[edit]).unwrap(), delta(&json!([])));
    assert_eq!(page.weave.active().collect::<Vec<_>>(), [edit]);
    assert!(!page.weave.is_empty());
}
