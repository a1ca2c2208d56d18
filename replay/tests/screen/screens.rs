//! Screens over the story, as text.

use recto_replay::screen::Key;

use crate::desk::Desk;
use crate::story::Folder;

const WIDE: (u16, u16) = (120, 30);
const USUAL: (u16, u16) = (80, 24);
const SMALLEST: (u16, u16) = (40, 12);

#[tokio::test]
async fn every_pane_of_a_design_page() {
    let folder = Folder::with_story().await;
    let mut desk = Desk::open(&folder.data(), "poster", 4, WIDE).await;
    insta::assert_snapshot!("poster_4_tree", desk.screen());
    desk.type_keys("v").await;
    insta::assert_snapshot!("poster_4_text", desk.screen());
    desk.type_keys("v").await;
    insta::assert_snapshot!("poster_4_drawn", desk.screen());
    desk.type_keys("2").await;
    insta::assert_snapshot!("poster_4_delta", desk.screen());
    desk.type_keys("3").await;
    insta::assert_snapshot!("poster_4_stacks", desk.screen());
    desk.type_keys("4").await;
    insta::assert_snapshot!("poster_4_undo_how", desk.screen());
    desk.type_keys("5").await;
    insta::assert_snapshot!("poster_4_stored", desk.screen());
}

#[tokio::test]
async fn what_undoes_what_is_marked_as_it_was_at_the_version() {
    let folder = Folder::with_story().await;
    let mut desk = Desk::open(&folder.data(), "poster", 5, WIDE).await;
    insta::assert_snapshot!("poster_5_undone", desk.screen());
    desk.type_keys("c").await;
    assert_eq!(desk.app.version(), 3, "5 undoes 3");
    desk.press(Key::Backspace).await;
    assert_eq!(desk.app.version(), 5);
    desk.press(Key::End).await;
    desk.type_keys("3").await;
    insta::assert_snapshot!("poster_head_stacks", desk.screen());
}

#[tokio::test]
async fn an_undo_is_tried_with_its_conflicts() {
    let folder = Folder::with_story().await;
    let mut desk = Desk::open(&folder.data(), "poster", 4, WIDE).await;
    // The agent's newest turn: ben has retyped its title.
    desk.type_keys("aU").await;
    insta::assert_snapshot!("poster_4_conflict", desk.screen());
    desk.press(Key::Home).await;
    desk.type_keys("u").await;
    insta::assert_snapshot!("poster_1_refused", desk.screen());
    desk.type_keys("jmjju").await;
    insta::assert_snapshot!("poster_mark_2", desk.screen());
}

#[tokio::test]
async fn text_pages_and_sheets_are_shown_too() {
    let folder = Folder::with_story().await;
    for (page, version) in [("notes", 2), ("app", 2), ("table", 2)] {
        let mut desk = Desk::open(&folder.data(), page, version, USUAL).await;
        insta::assert_snapshot!(format!("{page}_page"), desk.screen());
        desk.type_keys("2").await;
        insta::assert_snapshot!(format!("{page}_delta"), desk.screen());
    }
}

#[tokio::test]
async fn help_and_what_is_typed() {
    let folder = Folder::with_story().await;
    let mut desk = Desk::open(&folder.data(), "poster", 1, USUAL).await;
    desk.type_keys("?").await;
    insta::assert_snapshot!("help", desk.screen());
    desk.type_keys("jjjj").await;
    assert!(desk.screen().contains("changed by this event"), "{}", desk.screen());
    desk.press(Key::Esc).await;
    desk.type_keys("g12").await;
    insta::assert_snapshot!("go_to", desk.screen());
    desk.press(Key::Enter).await;
    insta::assert_snapshot!("go_to_nowhere", desk.screen());
    desk.type_keys("/badge").await;
    insta::assert_snapshot!("search", desk.screen());
    desk.press(Key::Enter).await;
    insta::assert_snapshot!("search_found", desk.screen());
}

#[tokio::test]
async fn a_search_goes_on_and_back_and_around() {
    let folder = Folder::with_story().await;
    let mut desk = Desk::open(&folder.data(), "poster", 1, USUAL).await;
    for (query, hits) in [
        ("@BEN", &[4_u64, 4][..]),
        ("#star", &[3, 5, 6, 3]),
        ("t1", &[2, 3, 2]),
        ("summer SALE", &[2, 4, 2]),
    ] {
        desk.press(Key::Home).await;
        desk.type_keys(&format!("/{query}")).await;
        desk.press(Key::Enter).await;
        let mut found = vec![desk.app.version()];
        for _ in 1..hits.len() {
            desk.type_keys("n").await;
            found.push(desk.app.version());
        }
        assert_eq!(found, hits, "{query}");
        for hit in hits.iter().rev().skip(1) {
            desk.type_keys("N").await;
            assert_eq!(desk.app.version(), *hit, "back, {query}");
        }
    }
    desk.type_keys("/no such thing").await;
    desk.press(Key::Enter).await;
    assert!(desk.screen().contains("nowhere in this history"), "{}", desk.screen());
}

#[tokio::test]
async fn small_screens() {
    let folder = Folder::with_story().await;
    let mut desk = Desk::open(&folder.data(), "poster", 3, SMALLEST).await;
    insta::assert_snapshot!("smallest_tree", desk.screen());
    desk.type_keys("vv").await;
    insta::assert_snapshot!("smallest_drawn", desk.screen());
    desk.type_keys("3").await;
    insta::assert_snapshot!("smallest_stacks", desk.screen());
    desk.resize(39, 12);
    insta::assert_snapshot!("too_narrow", desk.screen());
    desk.resize(40, 11);
    assert!(desk.screen().contains("40×11"), "{}", desk.screen());
}
