//! Verifying finds what was changed, and where.

use recto_store::{Damage, DerivedKey, Engine, Fault, Key, MemoryEngine, Place, RecordKey, Store};

use crate::support::{House, append, claim, fill, id, memory_house, on_every_engine, page, write};

on_every_engine![what_is_sound_is_found_sound];

async fn what_is_sound_is_found_sound(House { store, .. }: House) {
    build(&store).await;
    let verified = store.verify(&page("page")).await.unwrap();
    assert_eq!((verified.events, verified.receipts, verified.snapshots), (6, 5, 2));
    assert_eq!(verified.head, store.head(&page("page")).await.unwrap());
    assert_eq!(verified.damage, None);
    let scope = store.verify_scope(&id("studio")).await.unwrap();
    assert_eq!((scope.pages, scope.events, scope.receipts), (2, 8, 8));
    assert_eq!((scope.records, scope.snapshots, scope.damage), (2, 2, vec![]));
    let absent = store.verify(&page("absent")).await.unwrap();
    assert_eq!((absent.events, absent.head, absent.damage), (0, None, None));
}

/// A page with a batch, a record of two revisions, snapshots and a command without events; and
/// another page.
async fn build(store: &Store) {
    fill(store, "page", 2).await;
    store.append(append("page", 2, "batch", &["a", "b"])).await.unwrap();
    for (base, revision) in [(4, 0), (5, 1)] {
        let mut append = append("page", base, &format!("record-{base}"), &["r"]);
        append.records = vec![write("table", "key", revision, "value")];
        store.append(append).await.unwrap();
    }
    store.append(append("page", 6, "noop", &[])).await.unwrap();
    fill(store, "other", 2).await;
    for version in [2, 5] {
        store
            .put_snapshot(&page("page"), version, "state".into())
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn s35_every_flipped_bit_is_found_and_located() {
    let (House { store, .. }, engine) = memory_house().await;
    build(&store).await;
    let name = page("page");
    let record = Key::record(&id("studio"), &id("table"), &RecordKey::new("key").unwrap());
    let mut keys = vec![(record.clone(), 1), (record, 2)];
    keys.extend((1..=6).map(|version| (Key::event(&name), version)));
    for command in ["fill-0", "batch", "record-5", "noop"] {
        keys.push((Key::command(&name, &id(command)), 1));
    }
    for (key, revision) in keys {
        let at = Place::of(&key, revision);
        let bits = engine.get(&key, revision).await.unwrap().unwrap().value.len() * 8;
        for bit in 0..bits {
            let flip = |bytes: &mut Vec<u8>| bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(engine.corrupt(&key, revision, flip));
            let found = store.verify_scope(&id("studio")).await.unwrap().damage;
            assert!(
                found.iter().any(|damage| damage.at == at),
                "bit {bit} of {at}: {found:?}"
            );
            assert!(engine.corrupt(&key, revision, flip));
        }
    }
    for version in [2, 5] {
        let key = DerivedKey::new(&name, version);
        for bit in 0..8 * 17 {
            let flip = |bytes: &mut Vec<u8>| bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(engine.corrupt_derived(&key, flip));
            let found = store.verify(&name).await.unwrap().damage.map(|damage| damage.at);
            assert_eq!(
                found,
                Some(Place::Snapshot {
                    page: name.clone(),
                    version
                }),
                "bit {bit}"
            );
            assert!(engine.corrupt_derived(&key, flip));
        }
    }
    assert_eq!(store.verify_scope(&id("studio")).await.unwrap().damage, []);
}

#[tokio::test]
async fn a_forged_event_breaks_the_chain_behind_it() {
    let (House { store, .. }, engine) = memory_house().await;
    build(&store).await;
    // The forger has a store of his own, and makes an event that is sound in itself.
    let (House { store: forged, .. }, forger) = memory_house().await;
    fill(&forged, "page", 1).await;
    let mut other = append("page", 1, "fill-1", &["forged"]);
    other.command = claim("fill-1");
    forged.append(other).await.unwrap();
    swap(&forger, &engine, &Key::event(&page("page")), 2).await;

    let found = store.verify(&page("page")).await.unwrap();
    assert_eq!(found.events, 2);
    let at = Place::Event {
        page: page("page"),
        version: 3,
    };
    assert_eq!(
        found.damage,
        Some(Damage {
            at: at.clone(),
            fault: Fault::BrokenChain
        })
    );
    let read = store.events(&page("page"), 0, crate::support::ALL).await.unwrap_err();
    assert_eq!(
        read,
        recto_store::ReadError::Corrupt {
            at,
            fault: Fault::BrokenChain
        }
    );
}

#[tokio::test]
async fn a_forged_head_disagrees_with_its_receipt() {
    let (House { store, .. }, engine) = memory_house().await;
    fill(&store, "page", 2).await;
    let (House { store: forged, .. }, forger) = memory_house().await;
    fill(&forged, "page", 1).await;
    forged.append(append("page", 1, "fill-1", &["forged"])).await.unwrap();
    swap(&forger, &engine, &Key::event(&page("page")), 2).await;
    let found = store.verify(&page("page")).await.unwrap().damage.unwrap();
    assert_eq!(
        found.at,
        Place::Receipt {
            page: page("page"),
            command: id("fill-1")
        }
    );
    assert_eq!(found.fault, Fault::Disagrees);
}

#[tokio::test]
async fn what_is_missing_is_located() {
    let receipt = Key::command(&page("page"), &id("batch"));
    for (key, revision) in [(Key::event(&page("page")), 3), (receipt, 1)] {
        let (House { store, .. }, engine) = memory_house().await;
        build(&store).await;
        assert!(engine.remove(&key, revision));
        let found = store.verify(&page("page")).await.unwrap().damage.unwrap();
        assert_eq!(
            found,
            Damage {
                at: Place::of(&key, revision),
                fault: Fault::Missing
            }
        );
    }
}

#[tokio::test]
async fn an_event_at_another_place_is_found() {
    let (House { store, .. }, engine) = memory_house().await;
    build(&store).await;
    let other = engine.get(&Key::event(&page("other")), 1).await.unwrap().unwrap();
    engine.insert(Key::event(&page("page")), 1, 1, other.value);
    let found = store.verify(&page("page")).await.unwrap().damage.unwrap();
    assert_eq!(
        found.at,
        Place::Event {
            page: page("page"),
            version: 1
        }
    );
}

/// Puts the forger's bytes in the place of the true ones.
async fn swap(from: &MemoryEngine, to: &MemoryEngine, key: &Key, revision: u64) {
    let forged = from.get(key, revision).await.unwrap().unwrap();
    let position = to.get(key, revision).await.unwrap().unwrap().position;
    to.insert(key.clone(), revision, position, forged.value);
}
