//! Both engines keep all promises.

use std::sync::Arc;

use recto_store::MemoryEngine;
use recto_store::conformance::{PROMISES, run};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_engine_in_memory_keeps_all_promises() {
    run(|| Arc::new(MemoryEngine::new())).await;
}

#[cfg(feature = "rocksdb")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_engine_on_disk_keeps_all_promises() {
    use recto_store::{Engine, RocksEngine, RocksOptions};

    for options in [crate::support::small(), RocksOptions::relaxed()] {
        let folder = tempfile::tempdir().unwrap();
        let mut count = 0..;
        let made = std::cell::RefCell::new(&mut count);
        run(|| -> Arc<dyn Engine> {
            let name = made.borrow_mut().next().unwrap().to_string();
            Arc::new(RocksEngine::open(&folder.path().join(name), &options).unwrap())
        })
        .await;
    }
}

#[test]
fn every_promise_has_a_name_of_its_own() {
    let mut names: Vec<_> = PROMISES.iter().map(|promise| promise.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), PROMISES.len());
}
