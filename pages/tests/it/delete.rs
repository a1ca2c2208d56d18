//! Hiding pages and bringing them back.

use recto_pages::{At, EventKind, ReadError, WriteError};

use crate::house::{House, code, id, insert, text_of};

#[tokio::test]
async fn a_deleted_page_keeps_its_history_and_its_id() {
    let house = House::new().await;
    house.create("p", code("one"), "c1").await.unwrap();
    let deleted = house.set_deleted("p", 1, true, "c2").await.unwrap();
    assert_eq!(deleted.version, 2);
    assert_eq!(deleted.events[0].kind().unwrap(), EventKind::Delete);

    for service in [&house, &house.again().await] {
        let (scope, page) = (id("acme"), id("p"));
        let head = service.pages.read(&scope, &page, At::Head).await;
        assert!(matches!(head, Err(ReadError::PageDeleted { head, .. }) if head.version == 2));
        let before = service.pages.read(&scope, &page, At::Version(1)).await.unwrap();
        assert_eq!(text_of(&before.value), "one");
        let edit = service.submit("p", 2, &[insert(0, "x")], "c3").await;
        assert!(matches!(edit, Err(WriteError::PageDeleted { .. })));
        let stale = service.submit("p", 1, &[insert(0, "x")], "c4").await;
        assert!(matches!(
            stale,
            Err(WriteError::PageDeleted { .. } | WriteError::Stale(_))
        ));
        let again = service.create("p", code("one"), "c5").await;
        assert!(matches!(again, Err(WriteError::PageDeleted { .. })));
    }

    let back = house.set_deleted("p", 2, false, "c6").await.unwrap();
    assert_eq!(back.version, 3);
    assert_eq!(house.submit("p", 3, &[insert(0, "x")], "c7").await.unwrap().version, 4);
}

#[tokio::test]
async fn deleting_twice_changes_nothing() {
    let house = House::new().await;
    house.create("p", code("one"), "c1").await.unwrap();
    house.set_deleted("p", 1, true, "c2").await.unwrap();
    let again = house.set_deleted("p", 2, true, "c3").await.unwrap();
    assert_eq!((again.version, again.events.len()), (2, 0));
    let retried = house.set_deleted("p", 1, true, "c2").await.unwrap();
    assert_eq!((retried.version, retried.replayed), (2, true));
}
