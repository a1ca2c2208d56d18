//! Bytes that no encoder made, at every decoder: an error or another sound value, never a
//! panic, never more memory than the bytes are worth.

use bytes::Bytes;
use recto_pages::projections::{Delta, Digest, Kind, Value};
use recto_pages::{At, Base, ReadError};
use recto_store::{DerivedKey, Key, KeyPrefix};
use recto_tests::model::Model;
use recto_tests::seed::Random;
use recto_tests::service::{Ground, SCOPE, Service, id, key};
use recto_tests::{corpora, generate};
use std::str::FromStr;

const ROUNDS: usize = 4_000;

#[test]
fn random_bytes_are_no_value_and_no_delta() {
    let mut random = Random::of_test("random bytes", 3);
    for _ in 0..ROUNDS * 10 {
        let len = random.below(200);
        check(&random.bytes(len));
    }
}

#[test]
fn changed_bytes_of_values_and_deltas_never_panic() {
    let mut random = Random::of_test("changed bytes", 4);
    for _ in 0..ROUNDS {
        let kind = *random.pick(&Kind::ALL);
        let json = generate::value(&mut random, kind);
        let value = Value::from_json(kind, &json).expect("a legal value");
        let bytes = value.to_bytes().unwrap();
        assert_eq!(Value::from_bytes(&bytes).expect("a value's bytes"), value);
        for _ in 0..4 {
            check(&changed(&mut random, &bytes));
        }
        let wire = generate::delta(&mut random, &Model::from_json(kind, &json));
        if let Ok(delta) = Delta::from_json(kind, &wire) {
            let bytes = delta.to_bytes().unwrap();
            assert_eq!(Delta::from_bytes(&bytes).expect("a delta's bytes"), delta);
            for _ in 0..4 {
                check(&changed(&mut random, &bytes));
            }
        }
    }
}

#[test]
fn naughty_strings_are_no_bytes_of_ours() {
    let Some(naughty) = corpora::naughty() else {
        return;
    };
    for bytes in naughty {
        check(&bytes);
        let text = String::from_utf8_lossy(&bytes);
        assert!(
            Digest::from_str(&text).is_err() || text.len() == 64,
            "{text:?} is a digest"
        );
    }
}

/// Decodes bytes as everything; what decodes is sound, and reads back from its own bytes.
fn check(bytes: &[u8]) {
    if let Ok(value) = Value::from_bytes(bytes) {
        value
            .check_invariants()
            .unwrap_or_else(|fault| panic!("{fault}: {bytes:?}"));
        let again = Value::from_bytes(&value.to_bytes().unwrap()).expect("its own bytes");
        assert_eq!((again.digest(), &again), (value.digest(), &value));
        let json = value.to_json();
        assert_eq!(Value::from_json(value.kind(), &json).as_ref(), Ok(&value), "{json}");
    }
    if let Ok(delta) = Delta::from_bytes(bytes) {
        let again = Delta::from_bytes(&delta.to_bytes().unwrap()).expect("its own bytes");
        assert_eq!(again, delta);
        let mut value = Value::empty(delta.kind());
        let before = value.clone();
        match value.apply(&delta) {
            Err(_) => assert_eq!((value.digest(), &value), (before.digest(), &before)),
            Ok(applied) => {
                value
                    .check_invariants()
                    .unwrap_or_else(|fault| panic!("{fault}: {delta:?}"));
                value.replay(&applied.inverse).expect("an inverse applies");
                assert_eq!((value.digest(), &value), (before.digest(), &before), "{delta:?}");
            }
        }
    }
}

/// The same bytes with a few flips, a piece left out, a piece doubled, or an end cut off.
fn changed(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let mut changed = bytes.to_vec();
    for _ in 0..random.within(1, 3) {
        if changed.is_empty() {
            return changed;
        }
        let at = random.below(changed.len());
        match random.below(6) {
            0 => changed.truncate(at),
            1 => drop(changed.remove(at)),
            2 => changed.insert(at, random.bytes(1)[0]),
            3 => {
                let end = random.within(at, changed.len().min(at + 16));
                let piece = changed[at..end].to_vec();
                changed.splice(at..at, piece);
            }
            _ => changed[at] ^= 1 << random.below(8),
        }
    }
    changed
}

/// Every entry of a small store, every byte of it changed, and every length of it: the reads
/// that meet it fail with what is damaged, and nothing panics.
#[tokio::test]
async fn every_changed_byte_of_every_stored_entry_is_an_error() {
    let service = small_store().await;
    for (stored, entries) in service.bytes().await {
        for entry in entries {
            for at in 0..entry.value.len() {
                let flip = 1 << (at % 8);
                service
                    .memory()
                    .corrupt(&stored, entry.revision, |bytes| bytes[at] ^= flip);
                expect_damage(&service, &stored, &format!("byte {at} of {stored} {}", entry.revision)).await;
                service
                    .memory()
                    .corrupt(&stored, entry.revision, |bytes| bytes[at] ^= flip);
            }
            for length in 0..entry.value.len() {
                service
                    .memory()
                    .corrupt(&stored, entry.revision, |bytes| bytes.truncate(length));
                expect_damage(
                    &service,
                    &stored,
                    &format!("{length} bytes of {stored} {}", entry.revision),
                )
                .await;
                service
                    .memory()
                    .corrupt(&stored, entry.revision, |bytes| *bytes = entry.value.to_vec());
            }
        }
    }
    assert!(service.verify("page").await.damage.is_none(), "everything was put back");
}

#[tokio::test]
async fn random_bytes_in_place_of_stored_entries_are_errors() {
    let mut random = Random::of_test("random entries", 5);
    let service = small_store().await;
    for (stored, entries) in service.bytes().await {
        for entry in entries {
            for _ in 0..200 {
                let len = random.below(entry.value.len() * 2);
                let garbage = random.bytes(len);
                service
                    .memory()
                    .corrupt(&stored, entry.revision, |bytes| *bytes = garbage);
                expect_damage(&service, &stored, &format!("garbage in {stored}")).await;
            }
            service
                .memory()
                .corrupt(&stored, entry.revision, |bytes| *bytes = entry.value.to_vec());
        }
    }
}

/// A snapshot is only a cache: whatever its bytes are, the answer is the same.
#[tokio::test]
async fn any_bytes_as_a_snapshot_change_no_answer() {
    let mut random = Random::of_test("random snapshots", 6);
    let service = small_store().await;
    let store = service.pages.store();
    let state = service.read("page", At::Head).await.expect("the page");
    for round in 0..2_000_usize {
        let len = random.below(60);
        let garbage = match round % 3 {
            0 => random.bytes(len),
            1 => [&[1, 9, 0, 0, 0][..], &random.bytes(len)].concat(),
            _ => changed(&mut random, &state.value.to_bytes().unwrap()),
        };
        if round % 2 == 0 {
            store
                .put_snapshot(&key("page"), 2, Bytes::from(garbage))
                .await
                .expect("it is put");
        } else {
            let engine = service.memory();
            store
                .put_snapshot(&key("page"), 2, Bytes::from_static(b"x"))
                .await
                .expect("it is put");
            assert!(engine.corrupt_derived(&DerivedKey::new(&key("page"), 2), |bytes| *bytes = garbage));
        }
        service.pages.forget_cached();
        let again = service
            .read("page", At::Head)
            .await
            .expect("the page without its snapshot");
        assert_eq!((again.at, again.value.digest()), (state.at, state.value.digest()));
    }
}

/// The damage shows in what reads the entry, and in a verification.
async fn expect_damage(service: &Service, stored: &Key, what: &str) {
    service.pages.forget_cached();
    let store = service.pages.store();
    let read = service.read("page", At::Head).await;
    match stored {
        Key::Event(_) => assert!(matches!(read, Err(ReadError::Corrupt { .. })), "{what}: {read:?}"),
        Key::Command { command, .. } => {
            assert!(store.receipt(&key("page"), command).await.is_err(), "{what}");
            assert!(
                service.pages.command(&id(SCOPE), command, None).await.is_err(),
                "{what}"
            );
        }
        Key::Record { .. } => assert!(read.is_err(), "{what}"),
        Key::Meta => {}
    }
    let verified = store.verify_scope(&id(SCOPE)).await.expect("the store answers");
    assert!(!verified.damage.is_empty(), "verify sees nothing of {what}");
}

async fn small_store() -> Service {
    let service = Ground::memory().open(recto_pages::Settings::default()).await;
    let value = Value::from_json(Kind::Sheet, &serde_json::json!({ "a": 1 })).unwrap();
    service.create("page", value, "first").await.expect("the page is made");
    let replaced = service
        .replace(
            "page",
            Base { version: 1, epoch: 0 },
            serde_json::json!("two"),
            "second",
        )
        .await;
    replaced.expect("the page is replaced");
    let prefix = KeyPrefix::EventsOf(id(SCOPE));
    let pages = service.pages.store().engine().keys(&prefix, None, 9).await.unwrap();
    assert_eq!(pages, [Key::Event(key("page"))]);
    service
}
