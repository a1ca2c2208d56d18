//! Appending: versions, receipts, records, retries.

use recto_store::{AppendError, CommitError, Durability, Expected, Guard, Key, PageKey, Put, Rejection, Span};

use crate::support::{House, append, claim, events, fill, id, on_every_engine, page, texts, version, write};

on_every_engine![
    an_append_is_read_back_as_it_was_told,
    s1_a_retry_gets_the_first_receipt,
    s2_a_command_id_twice_in_one_commit_is_refused_before_anything_is_written,
    s3_no_subset_of_a_batch_is_ever_stored,
    s4_a_command_is_claimed_with_its_events,
    s8_a_refused_append_uses_up_nothing,
    s9_the_receipt_tells_all_versions_and_positions,
    s5_a_conflict_carries_the_head,
    a_command_without_events_is_remembered,
    a_command_is_known_on_every_page_it_was_sent_to,
    the_chain_goes_from_event_to_event,
    scopes_do_not_see_each_other,
];

async fn an_append_is_read_back_as_it_was_told(House { store, .. }: House) {
    let first = store.append(append("page", 0, "c1", &["one", "two"])).await.unwrap();
    let second = store.append(append("page", 2, "c2", &["three"])).await.unwrap();
    let told = [first.events, second.events].concat();
    assert_eq!(told, events(&store, "page").await);
    assert_eq!(texts(&store, "page").await, ["one", "two", "three"]);
    let receipt = store.receipt(&page("page"), &id("c2")).await.unwrap();
    assert_eq!(receipt, Some(second.receipt));
    let head = store.head(&page("page")).await.unwrap().unwrap();
    assert_eq!(Some(head), told.last().map(recto_store::Event::head));
    let event = store.event(&page("page"), 2).await.unwrap().unwrap();
    assert_eq!(
        (event.actor.as_str(), event.turn.as_deref(), event.flags),
        ("anna", Some("turn-7"), 5)
    );
    assert_eq!(event.command, id("c1"));
}

async fn s1_a_retry_gets_the_first_receipt(House { store, .. }: House) {
    for (row, first_base) in [(0, 0), (1, 3)] {
        let name = format!("page-{row}");
        fill(&store, &name, first_base).await;
        let first = store
            .append(append(&name, first_base, "again", &["x"]))
            .await
            .unwrap()
            .receipt;
        fill(&store, &name, first_base + 3).await;
        let head = version(&store, &name).await;
        // Old, the one before, current, from the future; 0 is "absent".
        for base in [first_base, head - 1, head, head + 5, 0] {
            let mut retry = append(&name, base, "again", &["x"]);
            let answer = store.append(retry.clone()).await.unwrap_err();
            assert_eq!(answer, AppendError::AlreadyDone(Box::new(first.clone())));
            retry.command.fingerprint = [99; 32];
            let answer = store.append(retry).await.unwrap_err();
            assert_eq!(answer, AppendError::CommandIdReused { command: id("again") });
        }
        assert_eq!(version(&store, &name).await, head);
    }
}

/// An append has one command; below it, a commit could name two.
async fn s2_a_command_id_twice_in_one_commit_is_refused_before_anything_is_written(House { store, .. }: House) {
    fill(&store, "page", 1).await;
    let (event, receipt) = (Key::event(&page("page")), Key::command(&page("page"), &id("c")));
    let guard = |key: &Key, revision| Guard {
        key: key.clone(),
        revision,
    };
    let put = |key: &Key| Put {
        key: key.clone(),
        value: "v".into(),
    };
    let guards = vec![guard(&event, 1), guard(&receipt, 0)];
    let puts = vec![put(&event), put(&receipt), put(&event), put(&receipt)];
    let refused = store.engine().commit(0, guards, puts).await.unwrap_err();
    let twice = Rejection::PutTwice { key: receipt.clone() };
    assert_eq!(refused, CommitError::Rejected(twice));
    assert_eq!(store.engine().last(&receipt).await.unwrap(), None);
    assert_eq!((version(&store, "page").await, store.tip().await.unwrap()), (1, 1));
}

async fn s3_no_subset_of_a_batch_is_ever_stored(House { store, .. }: House) {
    let first = store
        .append(append("page", 0, "c", &["a", "b", "c"]))
        .await
        .unwrap()
        .receipt;
    // The fingerprint is that of the body: another body is another fingerprint.
    let others: [&[&str]; 4] = [&["a", "b"], &["a", "b", "c", "d"], &["c", "b", "a"], &["a", "b", "x"]];
    for (number, texts) in (1..).zip(others) {
        for base in [0, 3] {
            let mut other = append("page", base, "c", texts);
            other.command.fingerprint = [100 + number; 32];
            let answer = store.append(other).await.unwrap_err();
            assert_eq!(answer, AppendError::CommandIdReused { command: id("c") });
        }
    }
    let retry = store
        .append(append("page", 3, "c", &["a", "b", "c"]))
        .await
        .unwrap_err();
    assert_eq!(retry, AppendError::AlreadyDone(Box::new(first)));
    assert_eq!(texts(&store, "page").await, ["a", "b", "c"]);
}

async fn s4_a_command_is_claimed_with_its_events(House { store, .. }: House) {
    fill(&store, "page", 1).await;
    // Refused by a record: neither the events nor the claim are there.
    let mut refused = append("page", 1, "c", &["a", "b"]);
    refused.records = vec![write("table", "key", 4, "v")];
    assert!(store.append(refused.clone()).await.is_err());
    assert_eq!(version(&store, "page").await, 1);
    assert_eq!(store.receipt(&page("page"), &id("c")).await.unwrap(), None);
    refused.records = vec![write("table", "key", 0, "v")];
    store.append(refused).await.unwrap();
    assert_eq!(version(&store, "page").await, 3);
    assert!(store.receipt(&page("page"), &id("c")).await.unwrap().is_some());
}

async fn s8_a_refused_append_uses_up_nothing(House { store, .. }: House) {
    fill(&store, "page", 2).await;
    let tip = store.tip().await.unwrap();
    for (base, command) in [(0, "x"), (1, "y"), (5, "z")] {
        assert!(store.append(append("page", base, command, &["a"])).await.is_err());
    }
    assert_eq!(store.tip().await.unwrap(), tip);
    let next = store.append(append("page", 2, "x", &["a"])).await.unwrap().receipt;
    assert_eq!(next.versions, Some(Span { first: 3, last: 3 }));
    assert_eq!(
        next.positions,
        Some(Span {
            first: tip + 1,
            last: tip + 1
        })
    );
}

async fn s9_the_receipt_tells_all_versions_and_positions(House { store, .. }: House) {
    fill(&store, "other", 4).await;
    fill(&store, "page", 2).await;
    let appended = store.append(append("page", 2, "c", &["a", "b", "c"])).await.unwrap();
    let receipt = appended.receipt;
    assert_eq!(receipt.versions, Some(Span { first: 3, last: 5 }));
    assert_eq!(receipt.positions, Some(Span { first: 7, last: 9 }));
    assert_eq!((receipt.head_version, receipt.index), (5, 9));
    assert_eq!(receipt.head_hash, appended.events[2].hash);
    assert_eq!(receipt.outcome, "did c");
    assert_eq!(receipt.versions.unwrap().count(), 3);
    assert_eq!(store.health().durability, receipt.durability);
    assert_ne!(receipt.durability, Durability::Relaxed);
    for (version, position) in receipt
        .versions
        .unwrap()
        .range()
        .zip(receipt.positions.unwrap().range())
    {
        let event = store.event(&page("page"), version).await.unwrap().unwrap();
        assert_eq!(event.position, position);
    }
}

async fn s5_a_conflict_carries_the_head(House { store, .. }: House) {
    fill(&store, "page", 3).await;
    let head = store.head(&page("page")).await.unwrap();
    for base in [0, 1, 2, 4, 9] {
        let expected = if base == 0 {
            Expected::New
        } else {
            Expected::Exactly(base)
        };
        let error = store.append(append("page", base, "c", &["a"])).await.unwrap_err();
        assert_eq!(error, AppendError::Conflict { expected, actual: head });
    }
    let error = store.append(append("absent", 2, "c", &["a"])).await.unwrap_err();
    assert_eq!(
        error,
        AppendError::Conflict {
            expected: Expected::Exactly(2),
            actual: None
        }
    );
    assert_eq!(error.to_string(), "the page is at version 0, not at 2");
}

async fn a_command_without_events_is_remembered(House { store, .. }: House) {
    fill(&store, "page", 2).await;
    let done = store.append(append("page", 2, "noop", &[])).await.unwrap();
    assert_eq!(
        (done.receipt.versions, done.receipt.positions, done.receipt.head_version),
        (None, None, 2)
    );
    assert_eq!(done.receipt.head_hash, events(&store, "page").await[1].hash);
    fill(&store, "page", 4).await;
    let retry = store.append(append("page", 4, "noop", &[])).await.unwrap_err();
    assert_eq!(retry, AppendError::AlreadyDone(Box::new(done.receipt)));
    assert_eq!(version(&store, "page").await, 4);
    // Made from a stale read, it is as stale as any other.
    let stale = store.append(append("page", 3, "noop-2", &[])).await.unwrap_err();
    assert!(matches!(stale, AppendError::Conflict { .. }));
    let empty = store.append(append("absent", 0, "noop", &[])).await.unwrap_err();
    assert_eq!(empty, AppendError::Empty);
}

async fn a_command_is_known_on_every_page_it_was_sent_to(House { store, .. }: House) {
    for name in ["b", "a", "c"] {
        store.append(append(name, 0, "same", &["x"])).await.unwrap();
    }
    store.append(append("a", 1, "same-too", &["x"])).await.unwrap();
    let found = store.receipts_of(&id("studio"), &id("same")).await.unwrap();
    let pages: Vec<_> = found.iter().map(|(page, _)| page.page.as_str()).collect();
    assert_eq!(pages, ["a", "b", "c"]);
    assert!(
        found
            .iter()
            .all(|(_, receipt)| receipt.fingerprint == claim("same").fingerprint)
    );
}

async fn the_chain_goes_from_event_to_event(House { store, .. }: House) {
    store.append(append("page", 0, "c", &["a", "b"])).await.unwrap();
    fill(&store, "page", 5).await;
    let events = events(&store, "page").await;
    assert_eq!(events[0].prev_hash, [0; 32]);
    for pair in events.windows(2) {
        assert_eq!(pair[1].prev_hash, pair[0].hash);
    }
    // The same event elsewhere has another hash.
    store.append(append("twin", 0, "c", &["a", "b"])).await.unwrap();
    let twin = store.event(&page("twin"), 1).await.unwrap().unwrap();
    assert_eq!(twin.delta, events[0].delta);
    assert_ne!(twin.hash, events[0].hash);
}

async fn scopes_do_not_see_each_other(House { store, .. }: House) {
    let mut foreign = append("page", 0, "c", &["foreign"]);
    foreign.page = PageKey::parse("other", "page").unwrap();
    foreign.records = vec![write("t", "k", 0, "foreign")];
    store.append(foreign).await.unwrap();
    assert_eq!(store.head(&page("page")).await.unwrap(), None);
    assert_eq!(store.receipt(&page("page"), &id("c")).await.unwrap(), None);
    assert_eq!(store.pages(&id("studio"), None, 9).await.unwrap(), []);
    assert_eq!(store.receipts_of(&id("studio"), &id("c")).await.unwrap(), []);
    assert_eq!(store.records(&id("studio"), &id("t"), "", None, 9).await.unwrap(), []);
    store.append(append("page", 0, "c", &["own"])).await.unwrap();
    assert_eq!(texts(&store, "page").await, ["own"]);
}
