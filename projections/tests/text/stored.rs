//! The stored form: it comes back equal, and nothing else comes back.

use proptest::collection::vec;
use proptest::prelude::*;
use recto_projections::text::{RichText, StoredDelta, StoredFault, StoredOp, TextDelta, TextFault};

use crate::generators::{fit, steps, text};
use crate::model::Model;
use crate::support::config;

fn bytes(stored: &StoredDelta) -> Vec<u8> {
    bincode::serde::encode_to_vec(stored, bincode::config::standard()).unwrap()
}

fn decode(bytes: &[u8]) -> Option<StoredDelta> {
    let limited = bincode::config::standard().with_limit::<{ 1 << 20 }>();
    bincode::serde::decode_from_slice(bytes, limited)
        .ok()
        .map(|(stored, _)| stored)
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn deltas_and_texts_come_back_equal(text in text(20), steps in steps(12)) {
        let delta = fit(&steps, &Model::of(&text));
        let stored = decode(&bytes(&delta.to_stored())).unwrap();
        prop_assert_eq!(TextDelta::from_stored(stored).unwrap(), delta);
        let stored = decode(&bytes(&text.to_stored())).unwrap();
        let back = RichText::from_stored(stored).unwrap();
        prop_assert_eq!(back.digest(), text.digest());
        prop_assert_eq!(back, text);
    }

    #[test]
    fn damaged_bytes_give_an_error_or_something_in_normal_form(
        text in text(6),
        steps in steps(6),
        place in any::<prop::sample::Index>(),
        bit in 0_u8..8,
        cut in any::<bool>(),
    ) {
        let delta = fit(&steps, &Model::of(&text));
        let mut bytes = bytes(&delta.to_stored());
        let at = place.index(bytes.len());
        if cut { bytes.truncate(at) } else { bytes[at] ^= 1 << bit }
        check(&bytes);
    }

    #[test]
    fn random_bytes_never_panic(bytes in vec(any::<u8>(), 0..64)) {
        check(&bytes);
    }
}

/// Whatever is read back is stored again as it was.
fn check(bytes: &[u8]) {
    let Some(stored) = decode(bytes) else { return };
    if let Ok(delta) = TextDelta::from_stored(stored.clone()) {
        assert_eq!(delta.to_stored(), stored);
    }
    if let Ok(text) = RichText::from_stored(stored.clone()) {
        assert_eq!(text.to_stored(), stored);
    }
}

#[test]
fn what_was_never_stored_is_refused() {
    let check = |ops: Vec<StoredOp>, fault: StoredFault| {
        assert_eq!(TextDelta::from_stored(StoredDelta { ops }), Err(fault));
    };
    let text = |text: &str| StoredOp::Insert(text.to_owned());
    let with = |attributes: &str| StoredOp::InsertWith("a".to_owned(), attributes.to_owned());
    let embed = |json: &str| StoredOp::Embed(json.to_owned());
    let not_normal = |op| StoredFault::NotNormal { op };
    let not_canonical = || StoredFault::NotCanonical { op: 0 };
    check(vec![text("")], not_normal(0));
    check(vec![StoredOp::Retain(0)], not_normal(0));
    check(vec![text("a"), StoredOp::Delete(0)], not_normal(1));
    check(vec![text("a"), text("b")], not_normal(1));
    check(vec![StoredOp::Retain(1), StoredOp::Retain(2)], not_normal(1));
    check(vec![StoredOp::Delete(1), text("a")], not_normal(1));
    for json in [
        "",
        "null",
        "[]",
        "{}",
        "{\"b\":1,\"a\":1}",
        "{\"a\": 1}",
        "{\"a\":null}",
        "{\"a\":1,\"a\":1}",
        "{\"a\":1}x",
    ] {
        check(vec![with(json)], not_canonical());
    }
    for json in [
        "",
        "1",
        "[]",
        "\"x\"",
        "{ }",
        "{\"a\":\"\\u0061\"}",
        &"{\"a\":".repeat(200),
    ] {
        check(vec![embed(json)], not_canonical());
    }
    let ops = vec![StoredOp::Retain(1)];
    let fault = RichText::from_stored(StoredDelta { ops });
    assert_eq!(fault, Err(StoredFault::Rule(TextFault::InsertsOnly { op: 0 })));
}
