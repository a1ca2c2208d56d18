//! Reading checks: they read back as written, and what is none says what was expected.

use proptest::prelude::*;
use recto_projections::pointer::Pointer;
use recto_projections::{Kind, Value};
use recto_replay::probe::{Asked, Op, Probe, Verdict};
use serde_json::{Value as Json, json};

fn op() -> impl Strategy<Value = Op> {
    prop::sample::select(vec!["=", "!=", "<", "<=", ">", ">="]).prop_map(|sign| sign.parse().unwrap())
}

fn pointer() -> impl Strategy<Value = Pointer> {
    prop::collection::vec("([a-z \"=é]|~0|~1){0,5}", 1..4)
        .prop_map(|keys| Pointer::parse(&format!("/{}", keys.join("/"))).unwrap())
        // A pointer alone that begins as a program's path does is still a pointer.
        .prop_filter("not the empty one", |pointer| !pointer.as_str().is_empty())
}

fn scalar() -> impl Strategy<Value = Json> {
    prop_oneof![any::<i64>().prop_map(Json::from), ".{0,6}".prop_map(Json::from)]
}

fn leaf() -> impl Strategy<Value = Probe> {
    prop_oneof![
        ".{1,8}".prop_map(Probe::Node),
        ".{1,8}".prop_map(Probe::File),
        ".{1,8}".prop_map(Probe::Contains),
        pointer().prop_map(Probe::Exists),
        (pointer(), op(), scalar()).prop_map(|(pointer, op, json)| Probe::Compare(pointer, op, json)),
        "(grep|test|python3) [-a-z!/\"' ]{0,12}x".prop_map(Probe::Command),
    ]
}

fn probe() -> impl Strategy<Value = Probe> {
    leaf().prop_recursive(3, 4, 1, |inner| inner.prop_map(|inner| Probe::Not(Box::new(inner))))
}

proptest! {
    #[test]
    fn a_check_reads_back_as_written(probe in probe()) {
        prop_assert_eq!(probe.to_string().parse::<Probe>(), Ok(probe));
    }

    #[test]
    fn no_text_panics(text in "[ -~/\"!=<>é]{0,24}") {
        if let Ok(probe) = text.parse::<Probe>() {
            prop_assert_eq!(probe.to_string().parse::<Probe>(), Ok(probe));
        }
    }
}

#[test]
fn what_is_no_check_says_what_was_expected() {
    let texts = [
        "",
        "  !",
        "node",
        "node a b",
        "file",
        "file \"open",
        "contains",
        "/a = red",
        "/a =",
        "/a=3",
        "/a ~ 3",
        "/a~2",
        "/a < true",
        "/usr/bin/grep -q x",
        "! ! ! ! ! ! ! ! ! node a",
    ];
    let told: Vec<_> = texts
        .iter()
        .map(|text| format!("{text:?}\n    {}", text.parse::<Probe>().unwrap_err()))
        .collect();
    insta::assert_snapshot!(told.join("\n"));
}

async fn ask(value: &Value, check: &str) -> Result<Verdict, String> {
    let probe: Probe = check.parse().unwrap();
    let page = "p";
    probe.check_kind(value.kind()).map_err(|fault| fault.to_string())?;
    let asked = Asked {
        page,
        version: 7,
        value,
    };
    probe.ask(&asked).await.map_err(|fault| fault.to_string())
}

#[tokio::test]
async fn checks_of_a_design_page() {
    let node = json!({ "type": "text", "parentId": null, "geometry": { "x": 1, "y": 2.5, "width": 3, "height": 4 },
        "props": { "text": "Summer sale", "tags": ["a", { "deep": "needle" }] } });
    let page = json!({ "attributes": { "presetId": "poster", "steps": 10 }, "nodes": { "a b": node } });
    let page = Value::from_json(Kind::Design, &page).unwrap();
    let holds = [
        "node \"a b\"",
        "! node b",
        "contains mmer sa",
        "contains needle",
        "! contains poster",
        "/attributes",
        "! /attributes/none",
        "/attributes/steps = 10.0",
        "/attributes/steps >= 10",
        "/attributes/steps != \"10\"",
        "/attributes/none != 3",
        "! /attributes/none < 3",
        "! /attributes/presetId < 3",
        "/attributes/presetId < \"q\"",
        "\"/nodes/a b/geometry/y\" > 2.4",
        "\"/nodes/a b/geometry\" = {\"height\":4,\"width\":3,\"y\":2.50,\"x\":1,\"rotation\":0}",
        "grep -q Summer && [ $RECTO_VERSION = 7 ]",
        "! grep -q Winter",
        // It reads nothing at all.
        "true",
    ];
    for check in holds {
        assert_eq!(ask(&page, check).await, Ok(Verdict::Pass), "{check}");
        let fails = format!("! {check}");
        assert_eq!(ask(&page, &fails).await, Ok(Verdict::Fail), "{fails}");
    }
    assert_eq!(ask(&page, "exit 125").await, Ok(Verdict::Skip));
    assert_eq!(ask(&page, "! exit 125").await, Ok(Verdict::Skip));
}

#[tokio::test]
async fn a_command_that_does_not_answer_is_no_verdict() {
    let page = Value::from_json(Kind::Doc, &json!({ "ops": [{ "insert": "needle\n" }] })).unwrap();
    for (check, why) in [
        ("no-such-program-here", "it was not found"),
        ("/ 2>/dev/null; exit 126", "cannot be executed"),
        ("kill -9 $$", "signal"),
        ("exit 139", "signal 11"),
        ("node a", "for DESIGN pages"),
        ("! file a", "for CODE pages"),
    ] {
        let check = check.replacen("/ ", "true ", 1);
        let told = ask(&page, &check).await.unwrap_err();
        assert!(told.contains(why), "{check}: {told}");
    }
    assert_eq!(ask(&page, "contains needle").await, Ok(Verdict::Pass));
}
