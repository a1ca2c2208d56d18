//! Limits: what is at one passes, what is over it is told with both numbers.

use bytes::Bytes;
use recto_store::limits::{
    BATCH_MAX_EVENTS, BATCH_MAX_RECORDS, EVENT_MAX_BYTES, ID_MAX_BYTES, NAME_MAX_BYTES, OUTCOME_MAX_BYTES,
    RECORD_MAX_BYTES,
};
use recto_store::{Append, AppendError, Id, IdError, RecordKey, What};

use crate::support::{House, append, event, memory_house, on_every_engine, page, version, write};

on_every_engine![the_largest_append_is_taken];

async fn the_largest_append_is_taken(House { store, .. }: House) {
    let mut many = append("many", 0, "c", &vec!["x"; BATCH_MAX_EVENTS]);
    many.records = (0..BATCH_MAX_RECORDS)
        .map(|key| write("table", &key.to_string(), 0, "v"))
        .collect();
    assert_eq!(store.append(many).await.unwrap().receipt.head_version, 1_000);
    let mut large = append("large", 0, "c", &["x", "y"]);
    for event in &mut large.events {
        event.delta = vec![1; EVENT_MAX_BYTES - 1_000].into();
        event.inverse = Bytes::new();
    }
    store.append(large.clone()).await.unwrap();
    let read = store.event(&page("large"), 2).await.unwrap().unwrap();
    assert_eq!(read.delta, large.events[1].delta);
}

#[tokio::test]
async fn what_is_too_large_is_refused_with_both_numbers() {
    type Grow = fn(&mut Append, usize);
    let cases: [(What, usize, Grow); 6] = [
        (What::Events, BATCH_MAX_EVENTS, |append, over| {
            append.events = vec![event("x"); over]
        }),
        (What::Records, BATCH_MAX_RECORDS, |append, over| {
            append.records = vec![write("t", "k", 0, "v"); over]
        }),
        (What::OutcomeBytes, OUTCOME_MAX_BYTES, |append, over| {
            append.command.outcome = vec![0; over].into()
        }),
        (What::ActorBytes, NAME_MAX_BYTES, |append, over| {
            append.events[0].actor = "a".repeat(over)
        }),
        (What::TurnBytes, NAME_MAX_BYTES, |append, over| {
            append.events[0].turn = Some("t".repeat(over))
        }),
        (What::RecordBytes, RECORD_MAX_BYTES, |append, over| {
            append.records = vec![write("t", "k", 0, &"v".repeat(over))];
        }),
    ];
    let (House { store, .. }, _) = memory_house().await;
    for (what, limit, grow) in cases {
        let mut over = append("page", 0, "c", &["x"]);
        grow(&mut over, limit + 1);
        let error = store.append(over).await.unwrap_err();
        assert_eq!(
            error,
            AppendError::TooLarge {
                what,
                limit,
                got: limit + 1
            }
        );
    }
    assert_eq!(version(&store, "page").await, 0);
}

#[tokio::test]
async fn an_event_or_a_batch_over_its_bytes_is_refused() {
    let (House { store, .. }, _) = memory_house().await;
    let mut over = append("page", 0, "c", &["x"]);
    over.events[0].delta = vec![0; EVENT_MAX_BYTES].into();
    let error = store.append(over).await.unwrap_err();
    assert!(
        matches!(
            error,
            AppendError::TooLarge {
                what: What::EventBytes,
                ..
            }
        ),
        "{error}"
    );
    let mut over = append("page", 0, "c", &["x", "y", "z"]);
    for event in &mut over.events {
        event.inverse = vec![0; EVENT_MAX_BYTES - 1_000].into();
    }
    let error = store.append(over).await.unwrap_err();
    assert!(
        matches!(
            error,
            AppendError::TooLarge {
                what: What::BatchBytes,
                ..
            }
        ),
        "{error}"
    );
    assert_eq!(version(&store, "page").await, 0);
}

#[test]
fn identifiers_keep_to_their_rules() {
    assert!(Id::new(&"x".repeat(ID_MAX_BYTES)).is_ok());
    let long = IdError::TooLong {
        limit: ID_MAX_BYTES,
        got: ID_MAX_BYTES + 1,
    };
    assert_eq!(Id::new(&"x".repeat(ID_MAX_BYTES + 1)), Err(long));
    assert_eq!(Id::new("a\0"), Err(IdError::Control { at: 1 }));
    assert_eq!(Id::new("é\u{85}"), Err(IdError::Control { at: 2 }));
    assert_eq!(Id::new("a\u{1f}b"), Err(IdError::Control { at: 1 }));
    assert!(RecordKey::new("a\u{1f}b").is_ok());
    assert_eq!(RecordKey::join(&[]), Err(IdError::Empty));
}
