//! What keys do, without anything that is read.

use std::sync::LazyLock;

use proptest::prelude::*;
use ratatui::layout::Size;
use recto_projections::Kind;
use recto_replay::screen::news::{News, Question, Tried};
use recto_replay::screen::{App, Effect, Key, Subject};

use crate::desk::{Desk, drawn};
use crate::story::Folder;

const SIZE: Size = Size { width: 80, height: 24 };

fn app(head: u64) -> App {
    let subject = Subject {
        page: "poster".to_owned(),
        kind: Kind::Design,
        head,
        opened: "DATA".to_owned(),
    };
    App::new(subject, head, SIZE)
}

fn press(app: &mut App, keys: &[Key]) -> u64 {
    for key in keys {
        assert_eq!(app.handle(*key), Effect::Stay, "{key:?}");
    }
    app.version()
}

fn typed(text: &str) -> Vec<Key> {
    text.chars().map(Key::Char).collect()
}

#[test]
fn steps_and_jumps_stay_within_the_history() {
    let mut app = app(1000);
    assert_eq!(press(&mut app, &[Key::Down]), 1000);
    assert_eq!(press(&mut app, &[Key::Up, Key::Char('k')]), 998);
    assert_eq!(press(&mut app, &[Key::Home, Key::Up]), 1);
    assert_eq!(press(&mut app, &[Key::Char('j')]), 2);
    let page = press(&mut app, &[Key::PageDown]) - 2;
    assert!((2..20).contains(&page), "{page}");
    assert_eq!(press(&mut app, &[Key::PageUp]), 2);
    assert_eq!(press(&mut app, &[Key::End]), 1000);
    assert_eq!(press(&mut app, &typed("g500")), 1000, "not before Enter");
    assert_eq!(press(&mut app, &[Key::Enter]), 500);
    assert_eq!(press(&mut app, &[Key::Backspace]), 1000, "back");
    for wrong in ["g0", "g1001", "gx", "g", "g99999999999999999999"] {
        assert_eq!(press(&mut app, &typed(wrong)), 1000);
        assert_eq!(press(&mut app, &[Key::Enter]), 1000, "{wrong}");
    }
}

#[test]
fn what_is_wanted_is_what_is_seen_and_little_more() {
    let mut app = app(260_000);
    press(&mut app, &typed("g100000"));
    press(&mut app, &[Key::Enter]);
    let want = app.want();
    let rows = want.rows.unwrap();
    assert!(want.state && want.version == 100_000);
    assert!(
        rows.contains(&100_000) && rows.end() - rows.start() < 3 * 24,
        "{rows:?}"
    );
}

#[test]
fn quitting_works_everywhere() {
    for keys in ["", "?", "g12", "/abc", "4"] {
        let mut app = app(10);
        press(&mut app, &typed(keys));
        assert_eq!(app.handle(Key::Ctrl('c')), Effect::Quit, "{keys}");
    }
    assert_eq!(app(10).handle(Key::Char('q')), Effect::Quit);
    let mut typing = app(10);
    press(&mut typing, &typed("/q"));
    assert_eq!(typing.handle(Key::Esc), Effect::Stay, "q was typed");
}

#[test]
fn a_search_is_asked_and_stopped_and_an_old_answer_is_not_taken() {
    let mut app = app(10);
    press(&mut app, &[Key::Home, Key::Char('n')]);
    press(&mut app, &typed("/star"));
    let Effect::Ask(Question::Search(first)) = app.handle(Key::Enter) else {
        panic!("nothing was asked");
    };
    assert_eq!((first.query.as_str(), first.from, first.forward), ("star", 1, true));
    let Effect::Ask(Question::Search(second)) = app.handle(Key::Char('N')) else {
        panic!("nothing was asked");
    };
    assert!(!second.forward);
    let answer = |number, found| News::Searched {
        number,
        found: Some(found),
    };
    app.take(answer(first.number, 7));
    assert_eq!(app.version(), 1);
    app.take(answer(second.number, 9));
    assert_eq!(app.version(), 9);
    assert_eq!(app.handle(Key::Esc), Effect::Ask(Question::StopSearch));
    assert_eq!(app.handle(Key::Esc), Effect::Stay);
}

#[tokio::test]
async fn playing_waits_for_each_state_and_ends_at_the_newest() {
    let folder = Folder::with_story().await;
    let mut desk = Desk::open(&folder.data(), "poster", 6, (80, 24)).await;
    assert_eq!(desk.app.pace(), None);
    desk.type_keys(" ").await;
    let slow = desk.app.pace().unwrap();
    desk.type_keys("++").await;
    assert!(desk.app.pace().unwrap() < slow);
    desk.app.tick();
    assert_eq!(desk.app.version(), 7);
    desk.app.tick();
    assert_eq!(desk.app.version(), 7, "its state is not there yet");
    desk.settle().await;
    desk.app.tick();
    assert_eq!((desk.app.version(), desk.app.pace()), (8, None));
    desk.type_keys(" ").await;
    assert_eq!(desk.app.pace(), None, "there is nothing to play");
}

/// An app in which everything was read.
static FULL: LazyLock<App> = LazyLock::new(|| {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let folder = Folder::with_story().await;
        Desk::open(&folder.data(), "poster", 5, (80, 24)).await.app
    })
});

fn any_key() -> impl Strategy<Value = Key> {
    let named = [
        Key::Up,
        Key::Down,
        Key::Left,
        Key::Right,
        Key::PageUp,
        Key::PageDown,
        Key::Home,
        Key::End,
        Key::Tab,
        Key::BackTab,
        Key::Enter,
        Key::Esc,
        Key::Backspace,
        Key::Ctrl('d'),
        Key::Ctrl('u'),
    ];
    prop_oneof![
        4 => prop::sample::select(named.to_vec()),
        8 => prop::sample::select("12345jkgGnNvJKhlaAuURmc?/ +-".chars().collect::<Vec<_>>()).prop_map(Key::Char),
        1 => any::<char>().prop_map(Key::Char),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn no_key_in_any_mode_on_any_screen_panics(
        is_full in any::<bool>(),
        steps in prop::collection::vec((any_key(), 0_u16..160, 0_u16..50, any::<bool>()), 1..40),
    ) {
        let mut app = if is_full { FULL.clone() } else { app(8) };
        for (key, width, height, is_drawn) in steps {
            match app.handle(key) {
                Effect::Ask(Question::Search(asked)) => {
                    let found = (width > 20).then_some(u64::from(height));
                    app.take(News::Searching { number: asked.number, at: 3 });
                    app.take(News::Searched { number: asked.number, found });
                }
                Effect::Ask(Question::Try(asked)) => {
                    let would = Err("there is nothing to undo".to_owned());
                    app.take(News::Tried(asked, Tried { at: 4, would }));
                }
                _ => {}
            }
            app.tick();
            prop_assert!((1..=8).contains(&app.version()));
            let size = Size::new(width, height);
            if is_drawn {
                app.resize(size);
                drawn(&app, size);
            }
        }
    }
}
