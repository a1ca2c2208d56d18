//! Records: written with an append, read by key and by part.

use recto_store::{AppendError, Id, RecordKey};

use crate::support::{House, append, id, on_every_engine, write};

on_every_engine![records_agree_with_their_append, records_are_listed_by_their_parts,];

async fn records_agree_with_their_append(House { store, .. }: House) {
    let with = |base, command: &str, records| {
        let mut append = append("page", base, command, &["x"]);
        append.records = records;
        append
    };
    store
        .append(with(0, "c1", vec![write("t", "a", 0, "a1"), write("t", "b", 0, "b1")]))
        .await
        .unwrap();
    let stale = store
        .append(with(1, "c2", vec![write("t", "a", 1, "a2"), write("t", "b", 0, "b2")]))
        .await;
    let key = RecordKey::new("b").unwrap();
    let conflict = AppendError::RecordConflict {
        table: id("t"),
        key: key.clone(),
        expected: 0,
        actual: 1,
    };
    assert_eq!(stale.unwrap_err(), conflict);
    let read = async |key: &RecordKey| store.record(&id("studio"), &id("t"), key).await.unwrap().unwrap();
    let first = read(&RecordKey::new("a").unwrap()).await;
    assert_eq!((first.revision, first.value), (1, "a1".into()));
    store
        .append(with(1, "c2", vec![write("t", "b", 1, "b2")]))
        .await
        .unwrap();
    let second = read(&key).await;
    assert_eq!((second.revision, second.value), (2, "b2".into()));
    let twice = store
        .append(with(2, "c3", vec![write("t", "z", 0, "1"), write("t", "z", 0, "2")]))
        .await;
    assert!(matches!(twice, Err(AppendError::Rejected(_))));
    // A page that has only records: its commands are remembered too.
    let mut lone = append("chat", 0, "c1", &[]);
    lone.records = vec![write("mode", "chat", 0, "plan")];
    let done = store.append(lone.clone()).await.unwrap().receipt;
    assert_eq!((done.versions, done.head_version, done.head_hash), (None, 0, [0; 32]));
    assert_eq!(
        store.append(lone).await.unwrap_err(),
        AppendError::AlreadyDone(Box::new(done))
    );
}

async fn records_are_listed_by_their_parts(House { store, .. }: House) {
    let key = |parts: &[&str]| {
        let ids: Vec<Id> = parts.iter().map(|part| id(part)).collect();
        RecordKey::join(&ids.iter().collect::<Vec<_>>()).unwrap()
    };
    let keys = [key(&["f", "2"]), key(&["f", "1"]), key(&["f2", "1"]), key(&["e", "9"])];
    let mut append = append("page", 0, "c", &["x"]);
    append.records = keys.iter().map(|key| write("files", key.as_str(), 0, "v")).collect();
    store.append(append).await.unwrap();
    let list = async |prefix: &str, after: Option<&RecordKey>, limit| {
        let found = store
            .records(&id("studio"), &id("files"), prefix, after, limit)
            .await
            .unwrap();
        found.into_iter().map(|record| record.key).collect::<Vec<_>>()
    };
    assert_eq!(
        list("", None, 9).await,
        [keys[3].clone(), keys[1].clone(), keys[0].clone(), keys[2].clone()]
    );
    assert_eq!(list("f\u{1f}", None, 9).await, [keys[1].clone(), keys[0].clone()]);
    assert_eq!(list("f\u{1f}", Some(&keys[1]), 9).await, [keys[0].clone()]);
    assert_eq!(list("", None, 2).await.len(), 2);
    assert_eq!(keys[0].parts().collect::<Vec<_>>(), ["f", "2"]);
}
