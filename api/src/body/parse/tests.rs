//! Reading JSON strictly, against examples and against `serde_json`.

use proptest::prelude::*;

use super::*;

#[test]
fn what_is_json_reads_as_serde_json_reads_it() {
    for text in [
        "null",
        " [ ] ",
        "{}",
        "[1,-0,0.5,1e5,1E-7,-12.50e+3]",
        r#"{"a":{"b":[true,false,null]},"":""}"#,
        r#""a\"\\\/\b\f\n\r\té😀ü""#,
        "123456789012345678901234567890",
        "\t\"x\"\r\n",
    ] {
        let ours = parse(text).map(|json| json.to_string());
        let theirs = serde_json::from_str::<Json>(text).map(|json| json.to_string());
        assert_eq!(ours.ok(), theirs.ok(), "{text}");
    }
}

#[test]
fn a_fault_is_told_with_its_byte_and_its_pointer() {
    let check = |text: &str, offset: usize, pointer: &str| {
        let fault = parse(text).err().map(|fault| (fault.offset, fault.pointer));
        assert_eq!(fault, Some((offset, pointer.to_owned())), "{text}");
    };
    check("", 0, "");
    check("{\"a\":[1,{\"b/c\":tru}]}", 15, "/a/1/b~1c");
    check("{\"a\":1,\"b\":2,\"a\":3}", 13, "/a");
    check("[1,2", 4, "");
    check("[1] 2", 4, "");
    check("[01]", 2, "");
    check("[\"a\u{1}\"]", 3, "/0");
    check(r#"{"x":"\ud800"}"#, 6, "/x");
    check(r#"{"x":"\ud800A"}"#, 6, "/x");
    check(r#"["\u12g4"]"#, 2, "/0");
    check("[1.]", 3, "/0");
    check("[-]", 2, "/0");
    check("\u{feff}[]", 0, "");
}

#[test]
fn depth_is_bounded_and_the_deepest_allowed_passes() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(parse(&nested(DEPTH_MAX)).is_ok());
    assert!(parse(&nested(DEPTH_MAX + 1)).is_err());
    assert!(parse(&"[".repeat(100_000)).is_err());
    assert!(parse(&"{\"a\":".repeat(100_000)).is_err());
}

#[test]
fn a_private_key_of_the_number_reader_stays_an_object() {
    let text = r#"{"$serde_json::private::Number":"12"}"#;
    assert!(parse(text).is_ok_and(|json| json.is_object()));
}

#[test]
fn lines_and_columns_count_from_one_in_characters() {
    assert_eq!(line_and_column("abc", 0), (1, 1));
    assert_eq!(line_and_column("ä\nöü!", 7), (2, 3));
}

/// Texts of pieces that JSON is made of, right and wrong.
fn texts() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"a\"",
        "\"b\"",
        "\"\\u00e9\"",
        "\"\\ud83d\\ude00\"",
        "\"\\ud800\"",
        "1",
        "-0",
        "1.5",
        "2e3",
        "01",
        ".",
        "true",
        "false",
        "null",
        "nul",
        " ",
        "\n",
        "\t",
        "\"",
        "\\",
        "\u{1}",
        "ü",
    ]);
    proptest::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.concat())
}

/// Values in which no key stands twice, and which `serde_json` reads back the same.
fn values() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        any::<f64>().prop_map(Json::from),
        any::<String>().prop_map(Json::from),
    ];
    leaf.prop_recursive(6, 60, 8, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..8).prop_map(Json::from),
            proptest::collection::btree_map(any::<String>(), inner, 0..8)
                .prop_map(|map| Json::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_taken_is_what_serde_json_takes(text in texts()) {
        let theirs = serde_json::from_str::<Json>(&text);
        match parse(&text) {
            Ok(ours) => prop_assert_eq!(theirs.map(|json| json.to_string()).ok(), Some(ours.to_string())),
            Err(fault) => prop_assert!(theirs.is_err() || fault.what.starts_with("a key stands twice"), "{:?}", fault),
        }
    }

    #[test]
    fn every_value_reads_back(value in values()) {
        prop_assert_eq!(parse(&value.to_string()).map(|json| json.to_string()), Ok(value.to_string()));
        let spacious = format!("{value:#}");
        prop_assert_eq!(parse(&spacious).map(|json| json.to_string()), Ok(value.to_string()));
    }
}
