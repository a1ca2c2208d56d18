//! Jumps on a long page: every one shows the right state, list and stacks.

use ratatui::layout::Size;
use recto_pages::{Base, Caller, SubmitDeltas, SubmitOptions};
use recto_projections::{Delta, Kind};
use recto_replay::screen::{Effect, Key};
use serde_json::json;

use crate::desk::{Desk, drawn};
use crate::story::{Folder, id};

const EVENTS: u64 = 5_000;
/// The events of one commit.
const AT_ONCE: u64 = 499;

/// A page in which every event after the first types one letter at the end.
async fn long_page() -> Folder {
    let folder = Folder::new();
    let writer = folder.writer().await;
    writer
        .create("user:anna", "long", Kind::Doc, &json!({ "ops": [{ "insert": "\n" }] }))
        .await;
    let mut version = 1;
    while version < EVENTS {
        let last = EVENTS.min(version + AT_ONCE);
        let typed = (version..last).map(|at| match at {
            1 => json!([{ "insert": "x" }]),
            _ => json!([{ "retain": at - 1 }, { "insert": "x" }]),
        });
        let submit = SubmitDeltas {
            caller: Caller {
                scope: id("default"),
                actor: "user:anna".parse().unwrap(),
                turn: None,
            },
            page: id("long"),
            base: Base { version, epoch: 0 },
            deltas: typed
                .map(|delta| Delta::from_json(Kind::Doc, &delta).unwrap())
                .collect(),
            options: SubmitOptions::default(),
            command: id(&format!("typed-{version}")),
        };
        writer.pages.submit(submit).await.unwrap();
        version = last;
    }
    writer.close().await;
    folder
}

#[tokio::test]
async fn a_jump_shows_the_state_the_events_and_the_stacks_of_its_version() {
    let folder = long_page().await;
    let mut desk = Desk::open(&folder.data(), "long", EVENTS, (120, 30)).await;
    for version in [4_321_u64, 2, 1_025, 1_024, 4_999, 1, 3_000, 5_000] {
        desk.type_keys(&format!("g{version}")).await;
        desk.press(Key::Enter).await;
        desk.type_keys("3").await;
        let screen = desk.screen();
        assert!(screen.contains(&format!("version {version} of 5000")), "{screen}");
        assert!(screen.contains("digest fits"), "{screen}");
        let entries = version - 1;
        let counted = if entries < 1020 {
            entries.to_string()
        } else {
            "1020+".to_owned()
        };
        let stack = format!("user:anna   {counted} to undo, 0 to redo");
        assert!(entries == 0 || screen.contains(&stack), "{screen}");
        let newest = format!("undo  1  {version}  +1 character");
        assert!(entries == 0 || screen.contains(&newest), "{screen}");
        desk.type_keys("2").await;
        let typed = format!("\"retain\": {}", version.saturating_sub(2));
        assert!(version < 3 || desk.screen().contains(&typed), "{}", desk.screen());
    }
}

#[tokio::test]
async fn the_tasks_read_what_is_wanted_last_and_answer_questions() {
    let folder = Folder::with_story().await;
    let mut desk = Desk::open(&folder.data(), "poster", 8, (120, 30)).await;
    let mut app = desk.app.clone();
    let mut work = desk.work(&app).await;
    for version in [1, 7, 2, 4] {
        desk.type_keys(&format!("g{version}")).await;
        desk.press(Key::Enter).await;
        for key in format!("g{version}").chars().map(Key::Char).chain([Key::Enter]) {
            app.handle(key);
        }
        work.want(app.want());
    }
    desk.type_keys("3U").await;
    app.handle(Key::Char('3'));
    let Effect::Ask(question) = app.handle(Key::Char('U')) else {
        panic!("nothing was asked");
    };
    work.ask(question);
    let size = Size::new(120, 30);
    while drawn(&app, size) != desk.buffer() {
        app.take(work.news().await.unwrap());
        work.want(app.want());
    }
}
