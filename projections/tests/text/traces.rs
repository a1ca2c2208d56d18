//! Real typing: every keystroke applied with its inverse, the states in between compared, and all of it taken back.

use recto_projections::text::{RichText, TextDelta};
use serde_json::Value as Json;

use crate::support::{corpus, sha256};

#[test]
fn automerge_paper_replays_both_ways() {
    replay("automerge-paper");
}

#[test]
fn rustcode_replays_both_ways() {
    replay("rustcode");
}

#[test]
fn sveltecomponent_replays_both_ways() {
    replay("sveltecomponent");
}

#[test]
fn seph_blog1_replays_both_ways() {
    replay("seph-blog1");
}

#[test]
fn friendsforever_flat_replays_both_ways() {
    replay("friendsforever_flat");
}

#[test]
fn clownschool_flat_replays_both_ways() {
    replay("clownschool_flat");
}

fn replay(name: &str) {
    let Some(trace) = corpus(&format!("traces/{name}.json.gz")) else {
        return;
    };
    let marks: Json = serde_json::from_str(&corpus("traces/checkpoints.json").unwrap()).unwrap();
    let mut marks = marks[format!("{name}.json.gz")]["checkpoints"]
        .as_array()
        .unwrap()
        .iter()
        .peekable();
    let trace: Json = serde_json::from_str(&trace).unwrap();
    let start = RichText::from_plain(trace["startContent"].as_str().unwrap());
    let mut text = start.clone();
    let mut history = Vec::new();
    let mut compared = 0;
    for (index, transaction) in trace["txns"].as_array().unwrap().iter().enumerate() {
        for patch in transaction["patches"].as_array().unwrap() {
            let digest = text.digest();
            history.push((digest, text.apply(&delta(patch)).unwrap()));
        }
        if let Some(mark) = marks.next_if(|mark| mark[0] == index + 1) {
            assert_eq!(
                Json::from(text.len()),
                mark[1],
                "length after transaction {}",
                index + 1
            );
            let plain = text.to_plain();
            assert_eq!(
                Json::from(sha256(plain.as_bytes())),
                mark[2],
                "text after transaction {}",
                index + 1
            );
            assert_eq!(RichText::from_plain(&plain).digest(), text.digest());
            compared += 1;
        }
    }
    assert_eq!((compared, marks.next()), (101, None));
    assert_eq!(Json::from(text.to_plain()), trace["endContent"]);
    for (digest, inverse) in history.iter().rev() {
        text.replay(inverse).unwrap();
        assert_eq!(text.digest(), *digest);
    }
    assert_eq!(text, start);
}

/// A patch is a place, how many units go, and what comes. The traces hold no character outside the basic plane.
fn delta(patch: &Json) -> TextDelta {
    let number = |index: usize| usize::try_from(patch[index].as_u64().unwrap()).unwrap();
    let insert = patch[2].as_str().unwrap();
    TextDelta::new()
        .retain(number(0), None)
        .insert(insert, None)
        .delete(number(1))
}
