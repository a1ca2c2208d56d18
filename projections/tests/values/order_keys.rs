//! Order keys: between any two there is one, and the reference library accepts them all.

use std::process::Command;

use proptest::prelude::*;
use recto_projections::limits::{ORDER_KEY_MAX_BYTES, ORDER_KEY_REBALANCE_BYTES};
use recto_projections::order::OrderKey;

use crate::random::config;

fn key(text: &str) -> OrderKey {
    OrderKey::parse(text).unwrap()
}

/// The validation of the reference library, version 4, and that every digit is one.
fn reference_accepts(text: &str) -> bool {
    let Some(head) = text.chars().next() else {
        return false;
    };
    let length = match head {
        'a'..='z' => head as usize - 'a' as usize + 2,
        'A'..='Z' => 'Z' as usize - head as usize + 2,
        _ => return false,
    };
    let smallest = format!("A{}", "0".repeat(26));
    let fraction = text.get(length..);
    text != smallest
        && text.chars().all(|digit| digit.is_ascii_alphanumeric())
        && fraction.is_some_and(|fraction| !fraction.ends_with('0'))
}

/// Text that is often a key, and often nearly one.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[abcyzABYZ][0-9A-Za-z]{0,5}",
        "[a-zA-Z][0-9A-Za-z]{1,30}",
        "a[0-9A-Za-z]0{0,2}[0-9A-Za-z]{0,2}",
        "A0{24,28}[0-9A-Z]{0,2}",
        "z{24,30}[0-9A-Z]{0,2}",
        "\\PC{0,4}",
    ]
}

fn keys() -> impl Strategy<Value = OrderKey> {
    text().prop_filter_map("a key", |text| OrderKey::parse(&text).ok())
}

proptest! {
    #![proptest_config(config(2_000))]

    #[test]
    fn parse_takes_what_the_reference_takes(text in text()) {
        prop_assert_eq!(OrderKey::parse(&text).is_ok(), reference_accepts(&text), "{}", text);
    }

    #[test]
    fn between_lies_between(a in keys(), b in keys()) {
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        if low == high {
            prop_assert!(OrderKey::between(Some(&low), Some(&high)).is_none());
            return Ok(());
        }
        prop_assert!(OrderKey::between(Some(&high), Some(&low)).is_none());
        for (left, right) in [(Some(&low), Some(&high)), (None, Some(&low)), (Some(&high), None)] {
            let middle = OrderKey::between(left, right).unwrap();
            prop_assert!(left.is_none_or(|left| *left < middle), "{:?} {:?} {}", left, right, middle);
            prop_assert!(right.is_none_or(|right| middle < *right), "{:?} {:?} {}", left, right, middle);
            prop_assert!(reference_accepts(middle.as_str()), "{}", middle);
        }
    }

    #[test]
    fn spread_is_in_order(a in proptest::option::of(keys()), b in proptest::option::of(keys()), count in 0usize..70) {
        let (left, right) = match (a, b) {
            (Some(a), Some(b)) if a == b => return Ok(()),
            (Some(a), Some(b)) if a > b => (Some(b), Some(a)),
            pair => pair,
        };
        let spread = OrderKey::spread(left.as_ref(), right.as_ref(), count).unwrap();
        prop_assert_eq!(spread.len(), count);
        let all: Vec<&OrderKey> = left.iter().chain(&spread).chain(right.iter()).collect();
        prop_assert!(all.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", all);
        prop_assert!(spread.iter().all(|key| reference_accepts(key.as_str())));
    }
}

#[test]
fn keys_are_those_of_the_reference() {
    let between = |left: Option<&str>, right: Option<&str>| {
        OrderKey::between(left.map(key).as_ref(), right.map(key).as_ref()).map(|key| key.to_string())
    };
    let cases = [
        (None, None, "a0"),
        (None, Some("a0"), "Zz"),
        (None, Some("Zz"), "Zy"),
        (Some("a0"), None, "a1"),
        (Some("a1"), None, "a2"),
        (Some("a0"), Some("a1"), "a0V"),
        (Some("a1"), Some("a2"), "a1V"),
        (Some("a0V"), Some("a1"), "a0l"),
        (Some("Zz"), Some("a0"), "ZzV"),
        (Some("Zz"), Some("a1"), "a0"),
        (None, Some("Y00"), "Xzzz"),
        (Some("bzz"), None, "c000"),
        (Some("a0"), Some("a0V"), "a0G"),
        (Some("a0"), Some("a0G"), "a08"),
        (Some("b125"), Some("b129"), "b127"),
        (Some("a0"), Some("a1V"), "a1"),
        (Some("Zz"), Some("a01"), "a0"),
        (None, Some("a0V"), "a0"),
        (None, Some("b999"), "b99"),
        (
            None,
            Some("A000000000000000000000000001"),
            "A000000000000000000000000000V",
        ),
        (Some("zzzzzzzzzzzzzzzzzzzzzzzzzzy"), None, "zzzzzzzzzzzzzzzzzzzzzzzzzzz"),
        (
            Some("zzzzzzzzzzzzzzzzzzzzzzzzzzz"),
            None,
            "zzzzzzzzzzzzzzzzzzzzzzzzzzzV",
        ),
    ];
    for (left, right, expected) in cases {
        assert_eq!(between(left, right).as_deref(), Some(expected), "{left:?} {right:?}");
    }
    // Here the reference gives its smallest integer, which it then refuses itself.
    let first = between(None, Some("A00000000000000000000000001")).unwrap();
    assert_eq!(first, "A00000000000000000000000000V");
}

#[test]
fn c4_four_thousand_keys_in_one_gap_are_different_and_in_order() {
    let (left, mut right) = (key("a0"), key("a1"));
    let mut all = vec![right.clone()];
    for _ in 0..4_000 {
        right = OrderKey::between(Some(&left), Some(&right)).unwrap();
        all.push(right.clone());
    }
    assert!(all.windows(2).all(|pair| pair[1] < pair[0] && left < pair[1]));
    assert!(all.iter().all(|key| key.as_str().len() <= ORDER_KEY_MAX_BYTES));
    assert!(all.last().unwrap().as_str().len() > ORDER_KEY_REBALANCE_BYTES);
    let spread = OrderKey::spread(Some(&left), Some(&key("a1")), 4_000).unwrap();
    assert!(
        spread.iter().all(|key| key.as_str().len() <= 5),
        "evenly spaced keys stay short"
    );
}

#[test]
fn a_gap_without_room_has_no_key() {
    let left = key(&format!("a0{}1", "0".repeat(ORDER_KEY_MAX_BYTES - 3)));
    let right = key(&format!("a0{}2", "0".repeat(ORDER_KEY_MAX_BYTES - 3)));
    assert!(OrderKey::between(Some(&left), Some(&right)).is_none());
    assert!(OrderKey::parse(&format!("a0{}1", "0".repeat(ORDER_KEY_MAX_BYTES))).is_err());
}

#[test]
fn c5_bad_keys_are_refused() {
    let long = "a".repeat(10_000);
    for bad in [
        "",
        "a00",
        "Z",
        "r00000000",
        "z",
        "a",
        "é0",
        "a0é",
        "a-",
        "😀",
        "\u{661}0",
        "a 1",
        " a0",
        "a0\n",
        &long,
    ] {
        assert!(OrderKey::parse(bad).is_err(), "{bad:?}");
        assert!(!reference_accepts(bad) || bad.len() > ORDER_KEY_MAX_BYTES, "{bad:?}");
    }
}

proptest! {
    #![proptest_config(config(2_000))]

    /// Keys are ASCII: bytes, UTF-16 units and code points order them alike, so Rust, SQL's binary collation and
    /// JavaScript agree.
    #[test]
    fn c7_keys_have_one_order_everywhere(a in keys(), b in keys()) {
        prop_assert!(a.as_str().is_ascii() && b.as_str().is_ascii());
        let units = a.as_str().encode_utf16().cmp(b.as_str().encode_utf16());
        prop_assert_eq!(a.cmp(&b), units);
        prop_assert_eq!(a.cmp(&b), a.as_str().as_bytes().cmp(b.as_str().as_bytes()));
    }
}

/// Asks the real library, where `node` and the package are there: `RECTO_FRACTIONAL_INDEXING` names the package's folder.
#[test]
fn c7_the_reference_library_accepts_our_keys_and_gives_the_same() {
    let Some(package) = std::env::var_os("RECTO_FRACTIONAL_INDEXING") else {
        eprintln!("passed over: RECTO_FRACTIONAL_INDEXING names no folder of the npm package fractional-indexing");
        return;
    };
    let mut pairs: Vec<(Option<OrderKey>, Option<OrderKey>)> = vec![(None, None)];
    let mut all = vec![
        key("a0"),
        key("Zz"),
        key("b00V"),
        key("A000000000000000000000000001"),
        key("bzz"),
        key("Y00"),
    ];
    for round in 0..400 {
        all.sort();
        all.dedup();
        let at = (round * 7_919) % all.len();
        let (left, right) = (all.get(at).cloned(), all.get(at + 1).cloned());
        all.extend(OrderKey::between(left.as_ref(), right.as_ref()));
        pairs.push((left, right));
    }
    let cases: Vec<_> = pairs
        .iter()
        .map(|(left, right)| {
            let ours = OrderKey::between(left.as_ref(), right.as_ref()).map(|key| key.to_string());
            (
                left.as_ref().map(OrderKey::as_str),
                right.as_ref().map(OrderKey::as_str),
                ours,
            )
        })
        .collect();
    let script = "const { generateKeyBetween } = await import(process.argv[1] + '/src/index.js');\
        const cases = JSON.parse(process.argv[2]); let bad = 0;\
        for (const [a, b, ours] of cases) { const theirs = generateKeyBetween(a, b);\
        if (theirs !== ours) { bad++; console.log(a, b, ours, theirs); } generateKeyBetween(ours, null); }\
        console.log('checked', cases.length, 'bad', bad); process.exit(bad ? 1 : 0);";
    let mut node = Command::new("node");
    node.args(["--input-type=module", "-e", script])
        .arg(package)
        .arg(serde_json::to_string(&cases).unwrap());
    match node.output() {
        Ok(output) => assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout)),
        Err(error) => eprintln!("passed over: node does not run: {error}"),
    }
}
