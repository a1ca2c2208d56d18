//! What must hold of every value and of every step from one to the next.

use recto_projections::{Applied, Delta, Json, Value};

/// The JSON text of a value: what a reader gets, byte for byte.
pub(crate) fn text(value: &Value) -> String {
    let mut bytes = Vec::new();
    value.write_json(&mut bytes);
    String::from_utf8(bytes).unwrap()
}

/// Checks that two values are the same in every way there is.
pub(crate) fn assert_same(a: &Value, b: &Value) {
    assert_eq!(text(a), text(b));
    assert_eq!(a.digest(), b.digest());
    assert!(a == b);
}

/// Checks a value by itself: its invariants, and that JSON and bytes give it back with the same digest.
pub(crate) fn check_value(value: &Value) {
    value.check_invariants().unwrap();
    assert_eq!(serde_json::to_string(&value.to_json()).unwrap(), text(value));
    let parsed: Json = serde_json::from_str(&text(value)).unwrap();
    let read = Value::from_json(value.kind(), &parsed).unwrap();
    assert_same(value, &read);
    assert_eq!(
        value.weight() / 2,
        read.weight() / 2,
        "the weight is that of what a value holds"
    );
    assert_same(value, &Value::from_bytes(&value.to_bytes().unwrap()).unwrap());
    assert!(value.diff(value).unwrap().is_empty());
}

/// Checks that JSON and bytes give a delta back.
pub(crate) fn check_delta(delta: &Delta) {
    let text = serde_json::to_string(&delta.to_json()).unwrap();
    let parsed: Json = serde_json::from_str(&text).unwrap();
    let read = Delta::from_json(delta.kind(), &parsed).unwrap_or_else(|invalid| panic!("{invalid}: {text}"));
    assert!(read == *delta, "{text}");
    assert!(
        Delta::from_bytes(&delta.to_bytes().unwrap()).unwrap() == *delta,
        "{text}"
    );
}

/// Applies a delta, and checks the laws of inverse, atomicity and replay. Gives what was applied.
pub(crate) fn step(value: &mut Value, delta: &Delta) -> Option<Applied> {
    let before = value.clone();
    let applied = match value.apply(delta) {
        Ok(applied) => applied,
        Err(_) => {
            assert_same(&before, value);
            let replayed = value.replay(delta);
            assert!(replayed.is_err());
            assert_same(&before, value);
            return None;
        }
    };
    value.check_invariants().unwrap();
    check_delta(&applied.delta);
    check_delta(&applied.inverse);
    assert_eq!(applied.delta.is_empty(), applied.inverse.is_empty());
    assert_eq!(
        applied.delta.is_empty(),
        text(&before) == text(value),
        "what changes nothing is no change"
    );
    let mut replayed = before.clone();
    replayed.replay(&applied.delta).unwrap();
    assert_same(&replayed, value);
    let mut again = before.clone();
    assert!(
        again.apply(&applied.delta).unwrap() == applied,
        "a committed delta commits as it is"
    );
    let mut back = value.clone();
    let forth = back.apply(&applied.inverse).unwrap();
    back.check_invariants().unwrap();
    assert_same(&before, &back);
    back.apply(&forth.inverse).unwrap();
    assert_same(value, &back);
    Some(applied)
}

/// Checks that the diff of two values leads from one to the other, and back.
pub(crate) fn check_diff(from: &Value, to: &Value) -> Delta {
    let delta = from.diff(to).unwrap();
    check_delta(&delta);
    let mut reached = from.clone();
    let applied = step(&mut reached, &delta).unwrap_or_else(|| panic!("a diff applies: {}", delta.to_json()));
    assert_same(to, &reached);
    assert_eq!(delta.is_empty(), text(from) == text(to));
    let mut back = to.clone();
    back.apply(&applied.inverse).unwrap();
    assert_same(from, &back);
    delta
}
