//! Random commands through the page service, on both engines, against the naive model. After
//! every event: the answer, the state, the laws. At the end: every version by every way, the
//! feed, and a verification of the store.

mod checks;

use std::collections::BTreeMap;

use recto_pages::projections::{Kind, Value};
use recto_pages::{Way, WriteError, Written};
use recto_tests::model::Model;
use recto_tests::seed::Random;
use recto_tests::service::{Ground, Service, tight};
use recto_tests::{Json, generate};

const STEPS: usize = 400;

/// What was asked, so that it can be asked again.
#[derive(Clone, Debug)]
enum Request {
    Create { kind: Kind, value: Json },
    Deltas { deltas: Vec<Json> },
    Replace { value: Json },
    SetDeleted { deleted: bool },
}

/// A command that passed, and its answer.
#[derive(Clone, Debug)]
struct Done {
    command: String,
    request: Request,
    version: u64,
    hash: [u8; 32],
    versions: Vec<u64>,
}

/// What is known of a page: its state at every version, and whether it was deleted then.
struct Known {
    kind: Kind,
    states: Vec<(Model, Value, bool)>,
    done: Vec<Done>,
}

struct World {
    service: Service,
    random: Random,
    pages: BTreeMap<String, Known>,
    commands: u64,
    /// How often a command on the head of a page of a kind passed, and was refused.
    outcomes: BTreeMap<(Kind, bool), usize>,
}

#[tokio::test]
async fn random_commands_agree_with_the_model_in_memory() {
    run(Ground::memory(), Random::of_test("model in memory", 1), STEPS * 4).await;
}

#[tokio::test]
async fn random_commands_agree_with_the_model_on_rocksdb() {
    run(Ground::rocks(), Random::of_test("model on RocksDB", 2), STEPS).await;
}

async fn run(ground: Ground, random: Random, steps: usize) {
    let service = ground.open(tight()).await;
    let mut world = World {
        service,
        random,
        pages: BTreeMap::new(),
        commands: 0,
        outcomes: BTreeMap::new(),
    };
    for _ in 0..steps {
        world.step().await;
    }
    world.check_everything().await;
    world.service.reopen().await;
    world.check_everything().await;
    let count = |passed| {
        world
            .outcomes
            .iter()
            .filter(|((_, found), _)| *found == passed)
            .map(|(_, count)| count)
            .sum::<usize>()
    };
    let (passed, refused) = (count(true), count(false));
    assert!(
        passed > steps / 8 && refused > steps / 100,
        "{passed} passed, {refused} did not, of {steps}"
    );
    assert!(
        Kind::ALL.iter().all(|kind| world.outcomes.contains_key(&(*kind, true))),
        "a kind was left out"
    );
}

impl World {
    async fn step(&mut self) {
        match self.random.below(40) {
            0 => self.service.reopen().await,
            1..=2 => self.service.pages.forget_cached(),
            3..=5 => self.create().await,
            6..=8 => self.retry().await,
            9..=12 => self.read_somewhere().await,
            13 => self.write(Request::SetDeleted { deleted: true }).await,
            14..=16 => self.write(Request::SetDeleted { deleted: false }).await,
            17..=20 => self.replace().await,
            _ => self.submit().await,
        }
    }

    async fn create(&mut self) {
        let page = format!("page-{}", self.random.below(12));
        let kind = *self.random.pick(&Kind::ALL);
        let value = generate::value(&mut self.random, kind);
        let command = self.new_command();
        let request = Request::Create {
            kind,
            value: value.clone(),
        };
        let answer = self.ask(&page, &command, None, &request).await;
        if self.pages.contains_key(&page) {
            let refused = matches!(
                answer,
                Err(WriteError::PageExists { .. } | WriteError::PageDeleted { .. })
            );
            let same = matches!(&answer, Ok(written) if written.replayed && written.version == 1);
            assert!(refused || same, "{page} exists: {answer:?}");
            return;
        }
        let written = answer.unwrap_or_else(|fault| panic!("{page} is not created: {fault}: {value}"));
        let known = Known {
            kind,
            states: Vec::new(),
            done: Vec::new(),
        };
        self.pages.insert(page.clone(), known);
        self.note(&page, &command, request, &written, Model::from_json(kind, &value))
            .await;
        assert_eq!(written.version, 1);
    }

    async fn submit(&mut self) {
        let Some((page, model)) = self.some_page() else {
            return;
        };
        let mut state = model;
        let deltas = (0..self.random.within(1, 3)).map(|_| {
            let delta = generate::delta(&mut self.random, &state);
            let _ = state.apply(&delta);
            delta
        });
        let deltas = deltas.collect();
        self.write_to(&page, Request::Deltas { deltas }).await;
    }

    async fn replace(&mut self) {
        let Some((page, _)) = self.some_page() else {
            return;
        };
        let kind = self.pages[&page].kind;
        let value = generate::value(&mut self.random, kind);
        self.write_to(&page, Request::Replace { value }).await;
    }

    async fn write(&mut self, request: Request) {
        if let Some((page, _)) = self.some_page() {
            self.write_to(&page, request).await;
        }
    }

    /// Sends a command with the head as its base, or a stale base, or one that never was.
    async fn write_to(&mut self, page: &str, request: Request) {
        let head = self.pages[page].head();
        let command = self.new_command();
        let base = match self.random.below(8) {
            0 => self.random.within(1, usize::try_from(head).unwrap()) as u64,
            1 => head + self.random.within(1, 3) as u64,
            _ => head,
        };
        let answer = self.ask(page, &command, Some(base), &request).await;
        // To whoever writes content it matters more that the page is deleted than from which version they did.
        let hidden = self.pages[page].states.last().unwrap().2;
        let late_for_good = match request {
            Request::Deltas { .. } => hidden && base <= head,
            Request::Replace { .. } => hidden,
            Request::SetDeleted { .. } | Request::Create { .. } => false,
        };
        match base.cmp(&head) {
            std::cmp::Ordering::Less | std::cmp::Ordering::Greater if late_for_good => {
                assert!(
                    matches!(answer, Err(WriteError::PageDeleted { .. })),
                    "base {base} of {head}: {answer:?}"
                );
            }
            std::cmp::Ordering::Less => self.expect_stale(page, base, answer).await,
            std::cmp::Ordering::Greater => {
                assert!(
                    matches!(answer, Err(WriteError::BaseUnknown { .. })),
                    "base {base} of {head}: {answer:?}"
                );
            }
            std::cmp::Ordering::Equal => self.expect_done(page, &command, request, answer).await,
        }
        self.expect_head(page).await;
    }

    async fn expect_stale(&mut self, page: &str, base: u64, answer: Result<Written, WriteError>) {
        let Err(WriteError::Stale(stale)) = answer else {
            panic!("base {base} is not stale: {answer:?}")
        };
        let head = self.pages[page].head();
        assert_eq!((stale.base.version, stale.head.version), (base, head));
        let missed: Vec<_> = stale.missed.events.iter().map(|event| event.version()).collect();
        let upto = stale.missed.more_after.unwrap_or(head);
        assert_eq!(missed, (base + 1..=upto).collect::<Vec<_>>());
    }

    /// A command on the head passes if the model takes it, and only then.
    async fn expect_done(&mut self, page: &str, command: &str, request: Request, answer: Result<Written, WriteError>) {
        let known = &self.pages[page];
        let (mut model, _, deleted) = known.states.last().unwrap().clone();
        let refused = match &request {
            Request::Deltas { .. } | Request::Replace { .. } if deleted => Some("page_deleted"),
            Request::Deltas { deltas } => deltas.iter().find_map(|delta| model.apply(delta).err()),
            Request::Replace { value } => {
                model = Model::from_json(known.kind, value);
                None
            }
            Request::SetDeleted { .. } | Request::Create { .. } => None,
        };
        *self.outcomes.entry((known.kind, answer.is_ok())).or_default() += 1;
        match (refused, answer) {
            (None, Ok(written)) => self.note(page, command, request, &written, model).await,
            (Some(_), Err(WriteError::Illegal { .. } | WriteError::Invalid(_) | WriteError::PageDeleted { .. })) => {}
            (refused, answer) => {
                panic!("the model says {refused:?} to {request:?}, the answer is {answer:?}")
            }
        }
    }

    /// Writes down what a command did, and checks its events one by one.
    async fn note(&mut self, page: &str, command: &str, request: Request, written: &Written, model: Model) {
        assert!(!written.replayed, "{command} is new");
        let known = self.pages.get_mut(page).unwrap();
        let before = known.head();
        let versions: Vec<_> = written.events.iter().map(|event| event.version()).collect();
        assert_eq!(
            versions,
            (before + 1..=written.version).collect::<Vec<_>>(),
            "{request:?}"
        );
        for event in &written.events {
            known.check_event(event);
        }
        let done = Done {
            command: command.to_owned(),
            request,
            version: written.version,
            hash: written.hash,
            versions,
        };
        assert_eq!(known.states.last().unwrap().0, model, "{done:?}");
        known.done.push(done);
    }

    /// A command sent again gets its answer, whatever base it comes with; another request
    /// under its id is refused.
    async fn retry(&mut self) {
        let Some((page, _)) = self.some_page() else {
            return;
        };
        let done = self.random.pick(&self.pages[&page].done).clone();
        let head = self.pages[&page].head();
        let base = *self.random.pick(&[1, head, head + 7]);
        let written = self.ask(&page, &done.command, Some(base), &done.request).await;
        let written = written.unwrap_or_else(|fault| panic!("{done:?} sent again: {fault}"));
        assert!(written.replayed);
        let versions: Vec<_> = written.events.iter().map(|event| event.version()).collect();
        assert_eq!(
            (written.version, written.hash, versions),
            (done.version, done.hash, done.versions.clone())
        );
        let other = Request::Deltas {
            deltas: vec![generate::delta(&mut self.random, &self.pages[&page].states[0].0)],
        };
        let reused = self.ask(&page, &done.command, Some(base), &other).await;
        let reused_or_bad = matches!(reused, Err(WriteError::CommandIdReused { .. } | WriteError::Invalid(_)));
        let by_chance_the_same =
            matches!((&reused, &done.request), (Ok(again), Request::Deltas { .. }) if again.replayed);
        assert!(
            reused_or_bad || by_chance_the_same,
            "{done:?} with another body: {reused:?}"
        );
        self.expect_head(&page).await;
    }

    async fn read_somewhere(&mut self) {
        let Some((page, _)) = self.some_page() else {
            return;
        };
        let head = self.pages[&page].head();
        let version = self.random.within(1, usize::try_from(head).unwrap()) as u64;
        let way = *self
            .random
            .pick(&[Way::Nearest, Way::FromStart, Way::FromSnapshot, Way::Backwards]);
        self.expect_state(&page, version, way).await;
    }

    fn some_page(&mut self) -> Option<(String, Model)> {
        let pages: Vec<_> = self.pages.keys().cloned().collect();
        if pages.is_empty() {
            return None;
        }
        let page = self.random.pick(&pages).clone();
        let model = self.pages[&page].states.last().unwrap().0.clone();
        Some((page, model))
    }

    fn new_command(&mut self) -> String {
        self.commands += 1;
        format!("command-{}", self.commands)
    }
}
