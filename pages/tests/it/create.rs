//! Making pages.

use recto_pages::projections::{Kind, Value};
use recto_pages::{CreatePage, ListPages, WriteError};
use serde_json::json;

use crate::house::{House, caller, code, id};

#[tokio::test]
async fn d16_a_page_made_twice_is_made_once() {
    let house = House::new().await;
    let first = house.create("p", code("hello"), "c1").await.unwrap();
    assert_eq!((first.version, first.events.len(), first.replayed), (1, 1, false));

    let opened_again = house.create("p", code("hello"), "c2").await.unwrap();
    assert_eq!((opened_again.version, opened_again.replayed), (1, true));
    assert_eq!(opened_again.hash, first.hash);

    let other = house.create("p", code("other"), "c3").await;
    assert!(matches!(other, Err(WriteError::PageExists { head, .. }) if head.version == 1));
}

#[tokio::test]
async fn an_empty_page_has_a_first_version() {
    let house = House::new().await;
    for kind in Kind::ALL {
        let written = house
            .create(kind.as_str(), Value::empty(kind), kind.as_str())
            .await
            .unwrap();
        assert_eq!(written.version, 1, "{kind}");
        let again = house.again().await;
        let state = again
            .pages
            .read(&id("acme"), &id(kind.as_str()), recto_pages::At::Head)
            .await
            .unwrap();
        assert_eq!(state.value, Value::empty(kind));
    }
}

#[tokio::test]
async fn racing_creations_of_one_page_are_one() {
    let house = House::new().await;
    let tries: Vec<_> = (0..16)
        .map(|number| {
            let pages = house.pages.clone();
            let create = CreatePage {
                caller: caller("user:ada"),
                page: id("p"),
                kind: Kind::Code,
                file: Some(id("f")),
                value: code("x"),
                command: id(&format!("c{number}")),
            };
            tokio::spawn(async move { pages.create(create).await })
        })
        .collect();
    let mut made = 0;
    for answer in tries {
        let written = answer.await.unwrap().unwrap();
        assert_eq!(written.version, 1);
        made += usize::from(!written.replayed);
    }
    assert_eq!(made, 1);
}

#[tokio::test]
async fn an_agent_makes_no_sheet() {
    let house = House::new().await;
    let create = CreatePage {
        caller: caller("agent:x"),
        page: id("p"),
        kind: Kind::Sheet,
        file: None,
        value: Value::from_json(Kind::Sheet, &json!({"cells": []})).unwrap(),
        command: id("c"),
    };
    assert!(matches!(
        house.pages.create(create).await,
        Err(WriteError::NotForAgents { kind: Kind::Sheet })
    ));
}

#[tokio::test]
async fn pages_are_listed_by_file_and_by_workspace() {
    let house = House::new().await;
    for (page, file) in [
        ("a", Some("f")),
        ("b", None),
        ("c", Some("f")),
        ("d", Some("f2")),
        ("e", Some("f")),
    ] {
        let create = CreatePage {
            caller: caller("user:ada"),
            page: id(page),
            kind: Kind::Code,
            file: file.map(id),
            value: code(page),
            command: id(page),
        };
        house.pages.create(create).await.unwrap();
    }
    let list = async |file: Option<&str>, after: Option<&str>, limit| {
        let list = ListPages {
            scope: id("acme"),
            file: file.map(id),
            after: after.map(id),
            limit,
            deleted: false,
        };
        let found = house.pages.list(list).await.unwrap();
        let names: Vec<_> = found
            .pages
            .iter()
            .map(|summary| summary.page.page.to_string())
            .collect();
        (names.join(""), found.next.map(|next| next.to_string()))
    };
    assert_eq!(list(None, None, 10).await, ("abcde".to_owned(), None));
    assert_eq!(list(Some("f"), None, 10).await, ("ace".to_owned(), None));
    assert_eq!(list(Some("f"), None, 2).await, ("ac".to_owned(), Some("c".to_owned())));
    assert_eq!(list(Some("f"), Some("c"), 2).await, ("e".to_owned(), None));
    assert_eq!(list(Some("none"), None, 2).await, (String::new(), None));

    house.set_deleted("c", 1, true, "del").await.unwrap();
    assert_eq!(list(Some("f"), None, 10).await, ("ae".to_owned(), None));
}
