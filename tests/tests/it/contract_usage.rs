//! Usage and tools: what commands are billed as, and what they were called.

use recto_tests::Json;
use recto_tests::api::{self, Api, Write, number, text};
use serde_json::json;

use crate::contract_agent::{element, merge, page, read_html, replace, text_at, usual_board, with};
use crate::story::{ANN, BOT, PAGE, Story, set};

const DAYS: &str = "/v1/usage?from=2026-01-01&to=2027-02-01";

/// The sums by class, kind and actor: commands and units.
fn usage(api: &Api) -> Vec<(String, u64, u64)> {
    let today = api.read("/v1/pages/p")["createdAt"].clone();
    let today = &text(&today)[..10];
    let usage = api.read(&format!("/v1/usage?from={today}&to={today}"));
    let days = usage["days"].as_array().unwrap();
    let row = |day: &Json| {
        assert_eq!(day["day"], today);
        let name = ["class", "kind", "actor"]
            .map(|name| text(&day[name]).to_owned())
            .join(" ");
        (name, number(&day["commands"]), number(&day["units"]))
    };
    let rows: Vec<(String, u64, u64)> = days.iter().map(row).collect();
    assert_eq!(
        number(&usage["units"]),
        rows.iter().map(|(_, _, units)| units).sum::<u64>()
    );
    rows
}

fn row(name: &str, commands: u64, units: u64) -> (String, u64, u64) {
    (name.to_owned(), commands, units)
}

#[test]
fn a_command_counts_once_and_what_changes_nothing_costs_nothing() {
    let story = page(&json!({ "t": text_at(0, 0, "Hello") }));
    let first = row("create DESIGN user", 1, 100);
    assert_eq!(usage(&story.api)[..], *std::slice::from_ref(&first));
    let read = read_html(&story.api);
    let write = replace(&read, with(&read, "Hello", "Hallo"));
    let written = story.api.write(&write);
    let edits = |commands| row("edit DESIGN agent", commands, 100 * commands);
    assert_eq!(usage(&story.api), [edits(1), first.clone()]);
    // Replayed, refused, without effect, undone, and by other ways: nothing.
    story.api.send(&write).expect(200);
    story
        .api
        .send(&replace(&read, "<p>x</p>"))
        .expect_problem(409, "read_stale");
    let again = with(&read, "Hello", "Hallo");
    story.api.send(&replace(&written, again)).expect(200);
    story.edit(ANN, json!([set("t", "fill", "red")]));
    story.undo(BOT, json!({ "event": 2 }));
    assert_eq!(usage(&story.api), [edits(1), first.clone()]);
    let image = |body: &Json| Write::new("POST", "/v1/pages/p/images".to_owned(), body).by(BOT);
    story
        .api
        .send(&image(&json!({ "assetId": "a", "nodeId": "i" })))
        .expect(201);
    story
        .api
        .send(&image(&json!({ "assetId": "a", "nodeId": "i" })))
        .expect_problem(409, "node_exists");
    let change = Write::new(
        "PATCH",
        "/v1/pages/p/images/i".to_owned(),
        &json!({ "geometry": { "x": 9 } }),
    );
    story.send(BOT, change.clone()).expect(200);
    story.send(BOT, change.key("another")).expect(200);
    assert_eq!(usage(&story.api), [edits(3), first]);
}

#[test]
fn the_floor_is_by_kind_and_can_be_set() {
    let place = recto_tests::server::Place::new();
    let server = place.start(&["--floor-design", "7", "--floor-doc", "2"]).unwrap();
    let api = Api::of(&server);
    let create = |id: &str, kind: &str, value: Json| api.write(&api::create(id, kind, &value).by(BOT));
    create("p", "DESIGN", json!({}));
    create("d", "DOC", json!([{ "insert": "\n" }]));
    create("c", "CODE", json!({}));
    api.write(&api::create("s", "SHEET", &json!(1)));
    assert_eq!(
        usage(&api),
        [
            row("create DESIGN agent", 1, 7),
            row("create DOC agent", 1, 2),
            row("create CODE agent", 1, 5),
            row("create SHEET user", 1, 0)
        ]
    );
}

#[test]
fn races_and_retries_are_billed_once_each() {
    let story = usual_board();
    let all = read_html(&story.api);
    let writes: Vec<Write> = (0..6)
        .map(|index| {
            let id = ["a", "b", "c"][index % 3];
            merge(&all, element(id, &format!("by {index}"))).by(&format!("agent:{index}"))
        })
        .collect();
    std::thread::scope(|scope| {
        for write in writes.iter().chain(&writes).chain(&writes) {
            let story = &story;
            scope.spawn(move || drop(story.api.send(write)));
        }
    });
    let events = story.api.events(PAGE).len() as u64 - 1;
    assert_eq!(events, 3);
    assert_eq!(usage(&story.api)[0], row("edit DESIGN agent", events, 100 * events));
}

#[test]
fn days_are_days_in_their_order() {
    let story = Story::new("DOC", &json!([{ "insert": "\n" }]));
    for query in [
        "",
        "?from=2026-11-30",
        "?from=2026-11-30&to=2026-11-29",
        "?from=2020-01-01&to=2026-01-01",
        "?from=x&to=y",
        "?from=2026-11-30&to=2026-11-30&day=1",
    ] {
        story
            .api
            .get(&format!("/v1/usage{query}"))
            .expect_problem(400, "invalid_parameter");
    }
    assert_eq!(
        story.api.read("/v1/usage?from=2001-01-01&to=2001-12-31"),
        json!({ "days": [], "units": 0 })
    );
    story.api.get(DAYS).expect(200);
}

#[test]
fn older_names_lead_to_the_tool_of_today() {
    let story = Story::new("DOC", &json!([{ "insert": "\n" }]));
    let tools = story.api.read("/v1/tools")["tools"].clone();
    let find = |name: &str| {
        tools
            .as_array()
            .unwrap()
            .iter()
            .find(|tool| tool["name"] == name)
            .unwrap()
    };
    for (name, editor) in [
        ("update_design", "design"),
        ("update_html", "design"),
        ("update_elements", "design"),
        ("update_code", "page"),
        ("update_doc", "document"),
    ] {
        let tool = find(name);
        assert_eq!(
            [&tool["now"], &tool["former"], &tool["editorType"], &tool["billing"]],
            [&json!("update_page"), &json!(true), &json!(editor), &json!("edit")],
            "{tool}"
        );
        assert!(!text(&tool["title"]).is_empty());
    }
    let paths = story.api.read("/openapi.json")["paths"].clone();
    for tool in tools.as_array().unwrap() {
        let path = text(&tool["path"]).split('?').next().unwrap();
        let method = text(&tool["method"]).to_lowercase();
        assert!(paths[path][&method].is_object(), "{tool}");
    }
}
