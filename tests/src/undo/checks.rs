//! What is checked at every step.

use recto_pages::projections::Value;
use recto_pages::{At, PageEvent, Preview, UndoStacks, Way, WriteError, Written};

use super::{PAGE, Request, Scene};

/// Up to this version everything is checked at every step.
const SHORT_VERSIONS: u64 = 48;
/// Beyond it, what costs as much as the history is long is checked at every so many steps.
const SELDOM_STEPS: u64 = 16;
/// The service forgets what it cached at every so many steps: a warm and a cold one must agree.
const FORGET_STEPS: u64 = 3;

impl Scene {
    /// Sends a request, and checks all that must always hold.
    ///
    /// # Errors
    /// Those of the service.
    ///
    /// # Panics
    /// Where something does not hold.
    #[track_caller]
    pub fn send(&mut self, request: Request) -> Result<Written, WriteError> {
        self.actors.insert(request.actor());
        let thorough = self.is_thorough();
        let before = thorough.then(|| self.wait(self.service.bytes()));
        let preview = self.wait(request.clone().preview(&self.service.pages));
        let answer = self.wait(request.clone().send(&self.service.pages));
        if let Some(preview) = preview {
            expect_previewed(&preview, &answer);
        }
        match &answer {
            Ok(written) => {
                self.take(written);
                self.expect_replayed(request, written);
            }
            Err(fault) => {
                self.expect_refused_again(request, fault);
                self.expect_head(thorough);
                if let Some(before) = before {
                    assert_eq!(
                        self.wait(self.service.bytes()),
                        before,
                        "a refusal changed bytes: {fault}"
                    );
                }
            }
        }
        answer
    }

    /// Takes the events of an answer in.
    #[track_caller]
    pub(super) fn take(&mut self, written: &Written) {
        for event in &written.events {
            self.take_event(event);
        }
        assert_eq!(written.version, self.version());
        let thorough = self.is_thorough();
        self.expect_head(thorough);
        if thorough {
            self.expect_same_stacks();
        }
    }

    fn is_thorough(&self) -> bool {
        self.version() < SHORT_VERSIONS || self.commands.is_multiple_of(SELDOM_STEPS)
    }

    #[track_caller]
    fn take_event(&mut self, event: &PageEvent) {
        assert_eq!(event.version(), self.version() + 1);
        let before = self.value().clone();
        let mut after = before.clone();
        if let Some(delta) = event.delta().expect("readable") {
            let applied = after.replay(&delta);
            applied.unwrap_or_else(|fault| panic!("event {} does not apply: {fault}", event.version()));
        }
        let mut back = after.clone();
        if let Some(inverse) = event.inverse().expect("readable") {
            let applied = back.replay(&inverse);
            applied.unwrap_or_else(|fault| panic!("the inverse of {} does not apply: {fault}", event.version()));
        }
        expect_same(&back, &before, "the inverse leads back");
        assert_eq!(
            after.digest(),
            event.digest(),
            "the digest of event {}",
            event.version()
        );
        let sound = after.check_invariants();
        sound.unwrap_or_else(|fault| panic!("after event {}: {fault}", event.version()));
        self.states.push(after);
        self.epochs.push(event.event.epoch);
    }

    /// The service holds the page that its events make.
    #[track_caller]
    fn expect_head(&self, thorough: bool) {
        if self.commands.is_multiple_of(FORGET_STEPS) {
            self.service.pages.forget_cached();
        }
        // What is hidden is still there, at its version.
        let at = At::Version(self.version());
        let ways = if thorough {
            &[Way::Nearest, Way::FromStart, Way::Backwards][..]
        } else {
            &[Way::Nearest][..]
        };
        for way in ways {
            let state = self
                .wait(self.service.read_by(PAGE, at, *way))
                .expect("the page is read");
            assert_eq!(state.head_version, self.version());
            expect_same(&state.value, self.value(), "the page is what its events make");
        }
    }

    /// The stream gives the stacks of an earlier version as they were kept in memory then.
    #[track_caller]
    fn expect_same_stacks(&mut self) {
        if let Some((version, kept)) = self.stacks.take().filter(|(version, _)| *version < self.version()) {
            let of = |(actor, _): &(String, _)| (actor.clone(), entries(self.stacks_at(actor, Some(version))));
            let by_stream: Vec<_> = kept.iter().map(of).collect();
            assert_eq!(
                kept, by_stream,
                "the stacks at version {version} are those of the stream"
            );
        }
        let now = self
            .actors
            .iter()
            .map(|actor| (actor.clone(), entries(self.stacks(actor))));
        self.stacks = Some((self.version(), now.collect()));
    }

    #[track_caller]
    fn expect_replayed(&self, request: Request, first: &Written) {
        let again = self.wait(request.clone().send(&self.service.pages));
        let again = again.unwrap_or_else(|fault| panic!("the retry of {request:?} was refused: {fault}"));
        assert!(again.replayed && !first.replayed, "{request:?}");
        let told = |written: &Written| {
            let versions: Vec<_> = written.events.iter().map(PageEvent::version).collect();
            (
                written.version,
                written.epoch,
                written.time_ms,
                written.hash,
                versions,
                written.report.clone(),
            )
        };
        assert_eq!(told(&again), told(first), "a retry has the same answer");
    }

    #[track_caller]
    fn expect_refused_again(&self, request: Request, first: &WriteError) {
        match self.wait(request.send(&self.service.pages)) {
            Err(again) => assert_eq!(again.to_string(), first.to_string()),
            Ok(written) => panic!("first {first}, then {written:?}"),
        }
    }
}

#[track_caller]
fn expect_same(got: &Value, wanted: &Value, what: &str) {
    assert_eq!(
        got.digest(),
        wanted.digest(),
        "{what}: {} {}",
        got.to_json(),
        wanted.to_json()
    );
    assert_eq!(got.to_json().to_string(), wanted.to_json().to_string(), "{what}");
}

#[track_caller]
fn expect_previewed(preview: &Result<Preview, WriteError>, answer: &Result<Written, WriteError>) {
    match (preview, answer) {
        (Ok(preview), Ok(written)) => {
            let told: Vec<_> = preview
                .events
                .iter()
                .map(|event| (event.kind, event.delta.to_json()))
                .collect();
            let delta = |event: &PageEvent| event.delta().expect("readable").map(|delta| delta.to_json());
            let came = written
                .events
                .iter()
                .map(|event| (event.kind().expect("a kind"), delta(event)));
            let came: Vec<_> = came.map(|(kind, delta)| (kind, delta.unwrap_or_default())).collect();
            assert_eq!(told, came, "the preview is what comes");
            assert_eq!(preview.report, written.report, "the preview is what comes");
        }
        (Err(told), Err(came)) => assert_eq!(told.to_string(), came.to_string()),
        (told, came) => panic!("the preview said {told:?}, and this came: {came:?}"),
    }
}

/// A version, and the stacks of the actors then.
pub(super) type Noted = (u64, Vec<(String, (Listed, Listed))>);
/// Entries: turn, edits, targets.
type Listed = Vec<(Option<String>, Vec<u64>, Vec<u64>)>;

fn entries(stacks: UndoStacks) -> (Listed, Listed) {
    let list = |entries: Vec<recto_pages::StackEntry>| {
        let entries = entries.into_iter();
        entries
            .map(|entry| (entry.turn.map(|turn| turn.to_string()), entry.edits, entry.targets))
            .collect()
    };
    (list(stacks.undo), list(stacks.redo))
}
