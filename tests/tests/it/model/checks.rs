//! What is asked of the service, and what has to hold after it.

use recto_pages::projections::{Delta, Value};
use recto_pages::{
    At, Base, EventKind, EventRange, OnStale, PageEvent, ReadError, SubmitDeltas, SubmitOptions, Way, WriteError,
    Written,
};
use recto_tests::model::Model;
use recto_tests::service::{caller, id};

use super::{Known, Request, World};

impl World {
    pub(super) async fn ask(
        &mut self,
        page: &str,
        command: &str,
        base: Option<u64>,
        request: &Request,
    ) -> Result<Written, WriteError> {
        let base = Base {
            version: base.unwrap_or_default(),
            epoch: 0,
        };
        match request {
            Request::Create { kind, value } => {
                let value = Value::from_json(*kind, value).expect("a legal value");
                self.service.create(page, value, command).await
            }
            Request::Deltas { deltas } => {
                let kind = self.pages[page].kind;
                let deltas = deltas
                    .iter()
                    .map(|delta| Delta::from_json(kind, delta))
                    .collect::<Result<_, _>>();
                let submit = SubmitDeltas {
                    caller: caller(),
                    page: id(page),
                    base,
                    deltas: deltas.map_err(WriteError::Invalid)?,
                    command: id(command),
                    // The model does not rebase.
                    options: SubmitOptions {
                        on_stale: OnStale::Reject,
                        ..SubmitOptions::default()
                    },
                };
                self.service.pages.submit(submit).await
            }
            Request::Replace { value } => self.service.replace(page, base, value.clone(), command).await,
            Request::SetDeleted { deleted } => self.service.set_deleted(page, base, *deleted, command).await,
        }
    }

    pub(super) async fn expect_head(&self, page: &str) {
        let known = &self.pages[page];
        let (model, value, deleted) = known.states.last().unwrap();
        match self.service.read(page, At::Head).await {
            Ok(state) => {
                assert!(!deleted);
                assert_eq!((state.at.version, state.value.digest()), (known.head(), value.digest()));
                assert_eq!(&Model::from_json(known.kind, &state.value.to_json()), model);
            }
            Err(ReadError::PageDeleted { head, .. }) => {
                assert_eq!((head.version, *deleted), (known.head(), true))
            }
            Err(fault) => panic!("{page}: {fault}"),
        }
    }

    pub(super) async fn expect_state(&self, page: &str, version: u64, way: Way) {
        let known = &self.pages[page];
        let state = self.service.read_by(page, At::Version(version), way).await;
        let state = state.unwrap_or_else(|fault| panic!("{page} at {version} {way:?}: {fault}"));
        let (_, value, _) = &known.states[usize::try_from(version).unwrap() - 1];
        assert_eq!(state.value.digest(), value.digest(), "{page} at {version} {way:?}");
        assert_eq!(&state.value, value, "{page} at {version} {way:?}");
        assert_eq!(state.at.version, version);
    }

    pub(super) async fn check_everything(&self) {
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

    pub(super) async fn check_ranges(&self, page: &str, known: &Known) {
        let all: Vec<u64> = (1..=known.head()).collect();
        let forwards = EventRange::After {
            version: 0,
            limit: 10_000,
        };
        let (events, _) = self.service.events(page, forwards).await;
        assert_eq!(events.iter().map(|event| event.version()).collect::<Vec<_>>(), all);
        let backwards = EventRange::Before {
            version: u64::MAX,
            limit: 10_000,
        };
        let (events, _) = self.service.events(page, backwards).await;
        assert!(events.iter().map(|event| event.version()).eq(all.into_iter().rev()));
    }
}

impl Known {
    pub(super) fn head(&self) -> u64 {
        self.states.len() as u64
    }

    /// An event leads from the state before it to one with its digest, and back; it reads
    /// back from JSON and from bytes as it is.
    pub(super) fn check_event(&mut self, event: &PageEvent) {
        let before = self
            .states
            .last()
            .map_or_else(|| Value::empty(self.kind), |(_, value, _)| value.clone());
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
                assert_eq!(
                    &Delta::from_json(self.kind, &part.to_json()).expect("a delta's JSON"),
                    part
                );
                assert_eq!(
                    &Delta::from_bytes(&part.to_bytes().unwrap()).expect("a delta's bytes"),
                    part
                );
            }
        }
        after
            .check_invariants()
            .unwrap_or_else(|fault| panic!("{fault} after {delta:?}"));
        assert_eq!(after.digest(), event.digest());
        assert_eq!(
            Value::from_bytes(&after.to_bytes().unwrap()).expect("a value's bytes"),
            after
        );
        let model = Model::from_json(self.kind, &after.to_json());
        self.states.push((model, after, kind == EventKind::Delete));
    }
}
