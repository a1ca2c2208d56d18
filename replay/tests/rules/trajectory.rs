//! Reading trajectories: unknown fields and types do no harm, faults are named by their lines, nothing panics.

use proptest::prelude::*;
use recto_replay::rules::Trajectory;
use recto_replay::rules::trajectory::Entry;

const HEADER: &str = r#"{"type":"trajectory","schema":1,"chat":"c","actor":"agent:a","more":1}"#;

#[test]
fn what_is_known_is_read_and_what_is_not_is_kept_or_told() {
    let text = [
        HEADER,
        "",
        r#"{"type":"call","id":"1","tool":"read_page","turn":"t","arguments":{"pageId":"p"},"tokens":31.5,"note":null}"#,
        r#"{"type":"result","call":"1","ok":true,"version":3,"epoch":0,"readToken":"r"}"#,
        r#"{"type":"thought","text":"hm"}"#,
        r#"{"type":"call","id":"2","#,
        r#"{"type":"call","id":3,"tool":"x"}"#,
        r#"{"type":"call","id":"1","tool":"x"}"#,
        r#"{"type":"result","call":"9","ok":false}"#,
        r#"{"type":"result","call":"1","ok":true}"#,
        r#"{"type":"result","call":"1"}"#,
        r#"{"type":"result","call":"1","ok":true,"version":-1}"#,
        r#"{"type":"result","call":"1","ok":true,"createdNodeIds":["a",1]}"#,
        r#"{"type":"task","task":"k","status":"lost"}"#,
        r#"{"type":"slot","slot":"s","status":"held","command":null}"#,
        r#"{"no":"type"}"#,
        "[]",
    ];
    let trajectory = Trajectory::read(&text.join("\r\n")).unwrap();
    assert_eq!(
        (trajectory.chat.as_deref(), trajectory.actor.as_str()),
        (Some("c"), "agent:a")
    );
    let Entry::Call(call) = &trajectory.entries[0].it else {
        panic!("no call")
    };
    assert_eq!((call.page.as_deref(), trajectory.entries[0].line), (Some("p"), 3));
    assert_eq!(call.raw["tokens"].to_string(), "31.5");
    let Entry::Slot(slot) = &trajectory.entries.last().unwrap().it else {
        panic!("no slot")
    };
    assert_eq!(slot.command, "s");
    // Of several results of a call the newest counts.
    assert_eq!(trajectory.result_of("1").unwrap().line, 10);
    assert!(trajectory.result_of("2").is_none());
    let told = |lines: &[recto_replay::rules::trajectory::Line<String>]| {
        lines
            .iter()
            .map(|line| format!("line {}: {}", line.line, line.it))
            .collect::<Vec<_>>()
            .join("\n")
    };
    insta::assert_snapshot!(format!(
        "{}\n---\n{}",
        told(&trajectory.faults),
        told(&trajectory.warnings)
    ));
}

#[test]
fn a_first_line_that_is_no_header_is_refused() {
    let texts = [
        "",
        "{}",
        "nonsense",
        r#"{"type":"call","id":"1","tool":"x"}"#,
        r#"{"type":"trajectory","schema":"1","actor":"a"}"#,
    ];
    for text in texts {
        let fault = Trajectory::read(text).unwrap_err();
        assert!(
            fault.what.contains("a trajectory begins with a line such as"),
            "{text}: {fault}"
        );
    }
    let newer = HEADER.replace("\"schema\":1", "\"schema\":2");
    let fault = Trajectory::read(&format!("\n{newer}")).unwrap_err();
    assert_eq!(
        (fault.line, fault.what.as_str()),
        (2, "schema 2 is not known to this version of Recto, which reads 1")
    );
    let nobody = Trajectory::read(r#"{"type":"trajectory","schema":1}"#).unwrap_err();
    assert_eq!(nobody.what, "the field `actor` is missing: a text");
}

proptest! {
    #[test]
    fn no_line_panics(lines in prop::collection::vec(r#"(\{"type":"(call|result|task|slot)",)?["a-z:,\{\}\[\]0-9]{0,30}"#, 0..5)) {
        let text = format!("{HEADER}\n{}", lines.join("\n"));
        let trajectory = Trajectory::read(&text).unwrap();
        let kept = trajectory.entries.len() + trajectory.warnings.len() + trajectory.faults.len();
        prop_assert!(kept >= lines.iter().filter(|line| !line.trim().is_empty()).count());
    }
}
