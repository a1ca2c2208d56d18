//! Stand-ins: no secret survives, and the history is of the same structure.

use proptest::prelude::*;
use recto_pages::{At, PageKey};
use recto_projections::Kind;
use recto_replay::args::Args;
use recto_replay::source::Source;

use crate::lines::{export, lines_of};
use crate::random::{self, SECRETS};
use crate::support::{Folder, id, recto};

const KINDS: [Kind; 4] = [Kind::Design, Kind::Doc, Kind::Code, Kind::Sheet];

async fn open(path: &std::path::Path) -> Source {
    let args = ["recto", "--data", path.to_str().unwrap(), "pages"];
    let args = <Args as clap::Parser>::parse_from(args);
    Source::open(&args.common).await.unwrap()
}

/// What must be alike: who did what when, the stacks, how many words there are to tell.
async fn structure(source: &Source, page: &str) -> Vec<String> {
    let key = PageKey::new(source.scope.clone(), id(page));
    let head = source.head(&key).await.unwrap();
    let mut told = Vec::new();
    let mut states = recto_replay::states::States::of(source, &key).await.unwrap();
    let mut actors: Vec<String> = Vec::new();
    for found in source.events(&key, 1..=head).await.unwrap() {
        let event = found.event().unwrap();
        let before = states.at(found.version() - 1).await.unwrap();
        let count = recto_replay::telling::words(&found, &before.value).len();
        let event = &event.event;
        if !actors.contains(&event.actor) {
            actors.push(event.actor.clone());
        }
        let actor = actors.iter().position(|known| *known == event.actor);
        let (kind, cause, turn, time) = (event.kind, event.cause, &event.turn, event.time_ms);
        let sizes = (event.delta.len(), event.inverse.len());
        told.push(format!("{kind} {cause:?} {turn:?} {time} {actor:?} {sizes:?} {count}"));
    }
    for actor in actors {
        let stacks = source
            .pages
            .undo_stacks(&source.scope, &id(page), &actor.parse().unwrap(), None, 100)
            .await
            .unwrap();
        let entries =
            |entries: &[recto_pages::StackEntry]| entries.iter().map(|entry| entry.targets.clone()).collect::<Vec<_>>();
        told.push(format!("{:?} {:?}", entries(&stacks.undo), entries(&stacks.redo)));
    }
    told
}

#[tokio::test]
async fn the_story_has_a_double() {
    let folder = Folder::with_story().await;
    for page in ["poster", "notes", "app", "table"] {
        let (file, again) = (folder.dir().join("file"), folder.dir().join("again"));
        export(&folder.data(), page, &file, &["--stand-ins"]);
        export(&folder.data(), page, &again, &["--stand-ins"]);
        assert_ne!(lines_of(&file), lines_of(&again), "the key is drawn anew");
        let text = String::from_utf8(lines_of(&file)).unwrap();
        for secret in [
            "Summer", "super", "Agenda", "Monday", "fn main", "math.rs", "anna", "summer", "Badge",
        ] {
            assert!(!text.contains(secret), "{secret} in {page}");
        }
        let ran = recto(&file, &["verify"]);
        assert_eq!(ran.code, 0, "{}", ran.out);
        let (real, double) = (open(&folder.data()).await, open(&file).await);
        assert_eq!(structure(&real, page).await, structure(&double, page).await);
    }
    let text = recto(&folder.data(), &["export", "notes", "--stand-ins"]).bytes;
    assert!(!text.is_empty());
}

#[tokio::test]
async fn letters_become_letters_of_their_class() {
    let folder = Folder::with_story().await;
    let file = folder.dir().join("file");
    export(&folder.data(), "poster", &file, &["--stand-ins"]);
    let double = open(&file).await;
    let at = At::Version(4);
    let value = double
        .pages
        .read(&double.scope, &id("poster"), at)
        .await
        .unwrap()
        .value
        .to_json();
    assert_eq!(value["nodes"]["title"]["props"]["text"], "Xxxxxx xxxxx xxxx");
    assert_eq!(value["nodes"]["star"]["props"]["fill"], "#f5c518");
    assert_eq!(value["attributes"]["presetId"], "poster");
    assert_eq!(value["nodes"]["back"]["geometry"]["width"], 800);
    let name = value["nodes"]["group"]["props"]["name"].as_str().unwrap();
    assert!(
        name.len() == 5 && name != "Badge" && name.starts_with(char::is_uppercase),
        "{name}"
    );
}

#[tokio::test]
async fn a_damaged_history_has_no_double() {
    let folder = Folder::with_story().await;
    let writer = folder.writer().await;
    crate::crafted::append(
        &writer,
        "app",
        |event| event.delta = b"\x01\x01\x09".as_slice().into(),
        |_| {},
    )
    .await;
    writer.close().await;
    let file = folder.dir().join("file");
    let ran = recto(
        &folder.data(),
        &["export", "app", "--stand-ins", "-o", file.to_str().unwrap()],
    );
    assert_eq!(ran.code, 5, "{}", ran.err);
    assert!(!file.exists());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_word_of_a_secret_text_survives(seed in any::<u64>()) {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let folder = Folder::new();
            let writer = folder.writer().await;
            for kind in KINDS {
                random::page(&writer, kind.as_str(), kind, seed, 25).await;
            }
            writer.close().await;
            let file = folder.dir().join("file");
            for kind in KINDS {
                export(&folder.data(), kind.as_str(), &file, &["--stand-ins"]);
                let text = String::from_utf8(lines_of(&file)).unwrap();
                for secret in SECRETS {
                    assert!(!text.contains(secret), "seed {seed}: {secret} in {kind}");
                }
                let ran = recto(&file, &["verify"]);
                assert_eq!(ran.code, 0, "seed {seed}: {}", ran.out);
                let (real, double) = (open(&folder.data()).await, open(&file).await);
                let (one, other) = (structure(&real, kind.as_str()).await, structure(&double, kind.as_str()).await);
                assert_eq!(one, other, "seed {seed}, {kind}");
            }
        });
    }
}
