//! Random commands through the page service, on both engines, against the naive model. After
//! every event: the answer, the state, the laws. At the end: every version by every way, the
//! feed, and a verification of the store.

use std::collections::BTreeMap;

use recto_pages::projections::{Delta, Kind, Value};
use recto_pages::{At, Base, EventKind, EventRange, ReadError, Way, WriteError, Written};
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
    let mut world = World { service, random, pages: BTreeMap::new(), commands: 0 };
    for _ in 0..steps {
        world.step().await;
    }
    world.check_everything().await;
    world.service.reopen().await;
    world.check_everything().await;
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
        let request = Request::Create { kind, value: value.clone() };
        let answer = self.ask(&page, &command, None, &request).await;
        if self.pages.contains_key(&page) {
            let refused = matches!(answer, Err(WriteError::PageExists { .. } | WriteError::PageDeleted { .. }));
            let same = matches!(&answer, Ok(written) if written.replayed && written.version == 1);
            assert!(refused || same, "{page} exists: {answer:?}");
            return;
        }
        let written = answer.unwrap_or_else(|fault| panic!("{page} is not created: {fault}: {value}"));
        let known = Known { kind, states: Vec::new(), done: Vec::new() };
        self.pages.insert(page.clone(), known);
        self.note(&page, &command, request, &written, Model::from_json(kind, &value)).await;
        assert_eq!(written.version, 1);
    }

    async fn submit(&mut self) {
        let Some((page, model)) = self.some_page() else { return };
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
        let Some((page, _)) = self.some_page() else { return };
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
        match base.cmp(&head) {
            std::cmp::Ordering::Less => self.expect_stale(page, base, answer).await,
            std::cmp::Ordering::Greater => {
                assert!(matches!(answer, Err(WriteError::BaseUnknown { .. })), "base {base} of {head}: {answer:?}");
            }
            std::cmp::Ordering::Equal => self.expect_done(page, &command, request, answer).await,
        }
        self.expect_head(page).await;
    }

    async fn expect_stale(&mut self, page: &str, base: u64, answer: Result<Written, WriteError>) {
        let Err(WriteError::Stale(stale)) = answer else { panic!("base {base} is not stale: {answer:?}") };
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
        match (refused, answer) {
            (None, Ok(written)) => self.note(page, command, request, &written, model).await,
            (Some(_), Err(WriteError::Illegal { .. } | WriteError::Invalid(_) | WriteError::PageDeleted { .. })) => {}
            (refused, answer) => panic!("the model says {refused:?} to {request:?}, the answer is {answer:?}"),
        }
    }

    /// Writes down what a command did, and checks its events one by one.
    async fn note(&mut self, page: &str, command: &str, request: Request, written: &Written, model: Model) {
        assert!(!written.replayed, "{command} is new");
        let known = self.pages.get_mut(page).unwrap();
        let before = known.head();
        let versions: Vec<_> = written.events.iter().map(|event| event.version()).collect();
        assert_eq!(versions, (before + 1..=written.version).collect::<Vec<_>>(), "{request:?}");
        for event in &written.events {
            known.check_event(event);
        }
        let done = Done { command: command.to_owned(), request, version: written.version, hash: written.hash, versions };
        assert_eq!(known.states.last().unwrap().0, model, "{done:?}");
        known.done.push(done);
    }

    /// A command sent again gets its answer, whatever base it comes with; another request
    /// under its id is refused.
    async fn retry(&mut self) {
        let Some((page, _)) = self.some_page() else { return };
        let done = self.random.pick(&self.pages[&page].done).clone();
        let head = self.pages[&page].head();
        let base = *self.random.pick(&[1, head, head + 7]);
        let written = self.ask(&page, &done.command, Some(base), &done.request).await;
        let written = written.unwrap_or_else(|fault| panic!("{done:?} sent again: {fault}"));
        assert!(written.replayed);
        let versions: Vec<_> = written.events.iter().map(|event| event.version()).collect();
        assert_eq!((written.version, written.hash, versions), (done.version, done.hash, done.versions.clone()));
        let other = Request::Deltas { deltas: vec![generate::delta(&mut self.random, &self.pages[&page].states[0].0)] };
        let reused = self.ask(&page, &done.command, Some(base), &other).await;
        let reused_or_bad = matches!(reused, Err(WriteError::CommandIdReused { .. } | WriteError::Invalid(_)));
        let by_chance_the_same = matches!((&reused, &done.request), (Ok(again), Request::Deltas { .. }) if again.replayed);
        assert!(reused_or_bad || by_chance_the_same, "{done:?} with another body: {reused:?}");
        self.expect_head(&page).await;
    }

    async fn read_somewhere(&mut self) {
        let Some((page, _)) = self.some_page() else { return };
        let head = self.pages[&page].head();
        let version = self.random.within(1, usize::try_from(head).unwrap()) as u64;
        let way = *self.random.pick(&[Way::Nearest, Way::FromStart, Way::FromSnapshot, Way::Backwards]);
        self.expect_state(&page, version, way).await;
    }

    async fn ask(
        &mut self,
        page: &str,
        command: &str,
        base: Option<u64>,
        request: &Request,
    ) -> Result<Written, WriteError> {
        let base = Base { version: base.unwrap_or_default(), epoch: 0 };
        match request {
            Request::Create { kind, value } => {
                let value = Value::from_json(*kind, value).expect("a legal value");
                self.service.create(page, value, command).await
            }
            Request::Deltas { deltas } => {
                let kind = self.pages[page].kind;
                let deltas = deltas.iter().map(|delta| Delta::from_json(kind, delta)).collect::<Result<_, _>>();
                self.service.submit(page, base, deltas.map_err(WriteError::Invalid)?, command).await
            }
            Request::Replace { value } => self.service.replace(page, base, value.clone(), command).await,
            Request::SetDeleted { deleted } => self.service.set_deleted(page, base, *deleted, command).await,
        }
    }

    async fn expect_head(&self, page: &str) {
        let known = &self.pages[page];
        let (model, value, deleted) = known.states.last().unwrap();
        match self.service.read(page, At::Head).await {
            Ok(state) => {
                assert!(!deleted);
                assert_eq!((state.at.version, state.value.digest()), (known.head(), value.digest()));
                assert_eq!(&Model::from_json(known.kind, &state.value.to_json()), model);
            }
            Err(ReadError::PageDeleted { head, .. }) => assert_eq!((head.version, *deleted), (known.head(), true)),
            Err(fault) => panic!("{page}: {fault}"),
        }
    }

    async fn expect_state(&self, page: &str, version: u64, way: Way) {
        let known = &self.pages[page];
        let state = self.service.read_by(page, At::Version(version), way).await;
        let state = state.unwrap_or_else(|fault| panic!("{page} at {version} {way:?}: {fault}"));
        let (_, value, _) = &known.states[usize::try_from(version).unwrap() - 1];
        assert_eq!(state.value.digest(), value.digest(), "{page} at {version} {way:?}");
        assert_eq!(&state.value, value, "{page} at {version} {way:?}");
        assert_eq!(state.at.version, version);
    }

    async fn check_everything(&self) {
        let mut events = 0;
        for (page, known) in &self.pages {
            for version in 1..=known.head() {
                for way in [Way::Nearest, Way::FromStart, Way::FromSnapshot, Way::Backwards] {
                    self.expect_state(page, version, way).await;
                }
            }
            self.expect_head(page).await;
            self.check_ranges(page, known).await;
            events += known.head();
            let verified = self.service.verify(page).await;
            assert_eq!((verified.damage, verified.events), (None, known.head()), "{page}");
        }
        let feed = self.service.whole_feed().await;
        assert_eq!(feed.len() as u64, events);
        assert!(feed.is_sorted_by(|one, next| one.0 < next.0), "positions rise");
    }

    async fn check_ranges(&self, page: &str, known: &Known) {
        let all: Vec<u64> = (1..=known.head()).collect();
        let forwards = EventRange::After { version: 0, limit: 10_000 };
        let (events, _) = self.service.events(page, forwards).await;
        assert_eq!(events.iter().map(|event| event.version()).collect::<Vec<_>>(), all);
        let backwards = EventRange::Before { version: u64::MAX, limit: 10_000 };
        let (events, _) = self.service.events(page, backwards).await;
        assert!(events.iter().map(|event| event.version()).eq(all.into_iter().rev()));
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

impl Known {
    fn head(&self) -> u64 {
        self.states.len() as u64
    }

    /// An event leads from the state before it to one with its digest, and back; it reads
    /// back from JSON and from bytes as it is.
    fn check_event(&mut self, event: &recto_pages::PageEvent) {
        let before = self.states.last().map_or_else(|| Value::empty(self.kind), |(_, value, _)| value.clone());
        let mut after = before.clone();
        let kind = event.kind().unwrap();
        let (delta, inverse) = (event.delta().unwrap(), event.inverse().unwrap());
        assert_eq!(delta.is_some(), kind.has_delta(), "{event:?}");
        if let (Some(delta), Some(inverse)) = (&delta, &inverse) {
            after.replay(delta).expect("a committed delta applies");
            let mut back = after.clone();
            back.replay(inverse).expect("an inverse applies");
            assert_eq!(back.digest(), before.digest(), "{delta:?} back by {inverse:?}");
            assert_eq!(back, before, "{delta:?} back by {inverse:?}");
            for part in [delta, inverse] {
                assert_eq!(&Delta::from_json(self.kind, &part.to_json()).expect("a delta's JSON"), part);
                assert_eq!(&Delta::from_bytes(&part.to_bytes().unwrap()).expect("a delta's bytes"), part);
            }
        }
        after.check_invariants().unwrap_or_else(|fault| panic!("{fault} after {delta:?}"));
        assert_eq!(after.digest(), event.digest());
        assert_eq!(Value::from_bytes(&after.to_bytes().unwrap()).expect("a value's bytes"), after);
        let model = Model::from_json(self.kind, &after.to_json());
        self.states.push((model, after, kind == EventKind::Delete));
    }
}
