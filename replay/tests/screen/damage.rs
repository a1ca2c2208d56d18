//! Pages with damage: what cannot be read is shown raw, and what follows from it is marked.

use recto_replay::screen::Key;
use recto_store::{Guard, Id, Key as StoreKey, KeyPrefix, Limit, PageKey, Put};

use crate::desk::Desk;
use crate::story::{Folder, id};

const WIDE: (u16, u16) = (120, 30);
/// All pages are in one partition.
const PARTITION: u16 = 0;

/// A copy of a page of a folder, in which one event has other bytes.
async fn with_other_bytes(folder: &Folder, page: &str, version: u64, edit: impl Fn(&mut Vec<u8>)) -> Folder {
    let copy = Folder::new();
    let (from, to) = (folder.writer().await, copy.writer().await);
    let scope: Id = id("default");
    let key = StoreKey::event(&PageKey::new(scope.clone(), id(page)));
    let mut puts = Vec::new();
    for (record, entry) in from
        .engine()
        .latest(&KeyPrefix::RecordsOf(scope), None, 100)
        .await
        .unwrap()
    {
        puts.push((record, 1, entry.value.to_vec()));
    }
    for entry in from.engine().history(&key, 0, Limit::entries(100)).await.unwrap() {
        let mut value = entry.value.to_vec();
        if entry.revision == version {
            edit(&mut value);
        }
        puts.push((key.clone(), entry.revision, value));
    }
    for (key, revision, value) in puts {
        let guard = Guard {
            key: key.clone(),
            revision: revision - 1,
        };
        let put = Put {
            key,
            value: value.into(),
        };
        to.engine().commit(PARTITION, vec![guard], vec![put]).await.unwrap();
    }
    from.close().await;
    to.close().await;
    copy
}

#[tokio::test]
async fn a_damaged_event_is_shown_raw_and_what_follows_is_uncertain() {
    let story = Folder::with_story().await;
    let folder = with_other_bytes(&story, "poster", 3, |bytes| *bytes.last_mut().unwrap() ^= 4).await;
    let mut desk = Desk::open(&folder.data(), "poster", 3, WIDE).await;
    insta::assert_snapshot!("damaged_page", desk.screen());
    desk.type_keys("2").await;
    insta::assert_snapshot!("damaged_raw", desk.screen());
    desk.type_keys("5j").await;
    insta::assert_snapshot!("damaged_after", desk.screen());
    desk.type_keys("3").await;
    assert!(desk.screen().contains("uncertain since 3"), "{}", desk.screen());
    // What needs the damaged event is refused with the reason; the rest goes on.
    desk.type_keys("u").await;
    assert!(desk.screen().contains("version 3"), "{}", desk.screen());
    desk.press(Key::Home).await;
    assert!(desk.screen().contains("digest fits"), "{}", desk.screen());
}

#[tokio::test]
async fn what_differs_is_red() {
    let story = Folder::with_story().await;
    let folder = with_other_bytes(&story, "poster", 3, |bytes| bytes.clear()).await;
    let desk = Desk::open(&folder.data(), "poster", 4, WIDE).await;
    let buffer = desk.buffer();
    let line = buffer.area.bottom() - 2;
    let at = (0..buffer.area.width)
        .find(|x| buffer[(*x, line)].symbol() == "d")
        .unwrap();
    assert!(desk.screen().contains("digest differs"), "{}", desk.screen());
    assert_eq!(buffer[(at, line)].fg, ratatui::style::Color::Red);
}

/// A snapshot as the page service keeps it.
fn packed(value: &recto_projections::Value) -> Vec<u8> {
    let plain = value.to_bytes().unwrap();
    let mut bytes = vec![1];
    bytes.extend_from_slice(&u32::try_from(plain.len()).unwrap().to_le_bytes());
    bytes.extend(zstd::bulk::compress(&plain, 1).unwrap());
    bytes
}

#[tokio::test]
async fn the_nearest_snapshot_is_compared_with_what_the_events_make() {
    let folder = Folder::with_story().await;
    let writer = folder.writer().await;
    let page = PageKey::new(id("default"), id("poster"));
    let state = |version| {
        writer
            .pages
            .read(&page.scope, &page.page, recto_pages::At::Version(version))
    };
    let (fourth, fifth) = (state(4).await.unwrap().value, state(5).await.unwrap().value);
    for (version, bytes) in [(4, packed(&fourth)), (6, packed(&fifth)), (7, b"garbage".to_vec())] {
        writer
            .pages
            .store()
            .put_snapshot(&page, version, bytes.into())
            .await
            .unwrap();
    }
    writer.close().await;
    let mut desk = Desk::open(&folder.data(), "poster", 5, WIDE).await;
    assert!(
        desk.screen().contains("digest fits · snapshot at 4 fits"),
        "{}",
        desk.screen()
    );
    desk.type_keys("j5").await;
    insta::assert_snapshot!("snapshot_differs", desk.screen());
    desk.type_keys("j").await;
    assert!(
        desk.screen().contains("snapshot at 7 differs: format"),
        "{}",
        desk.screen()
    );
}
