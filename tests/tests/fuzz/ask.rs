//! Sending a command, and what has to hold after every answer.

use std::collections::BTreeSet;

use recto_pages::projections::undo::{Outcome, Policy};
use recto_pages::projections::{Json, Kind};
use recto_pages::{
    ActorKind, At, EventKind, OnStale, PageEvent, Preview, ReadError, SubmitDeltas, UndoPage, UndoTarget, Way,
    WriteError, Written,
};
use recto_tests::service::{SCOPE, id, key};

use crate::fault::{Checked, Fault, equal, holds};
use crate::owners::Change;
use crate::page::fault_of;
use crate::request::{Answer, Request};
use crate::world::{PAGE, World};

/// What a preview says of an event: kind, cause, delta, inverse.
type Foreseen = (u8, Option<u64>, Json, Json);

impl World {
    /// Sends a command and checks all that its answer, and the page after it, must be. `None`: it was refused.
    pub(crate) async fn ask(&mut self, request: Request) -> Checked<Option<Written>> {
        self.trace.push(format!("v{} {}", self.page.head(), request.line()));
        let preview = if self.random.chance(1, 3) {
            request.preview(&self.service.pages).await
        } else {
            None
        };
        if preview.is_some() {
            self.expect_untouched("dry_run_appends").await?;
        }
        let outcome = request.send(&self.service.pages).await;
        self.expect_mirrored(&request, &outcome).await?;
        match outcome {
            Ok(written) => {
                self.expect_foreseen(preview.as_ref(), &written)?;
                self.note(request, &written).await?;
                self.count("done");
                Ok(Some(written))
            }
            Err(refusal) => {
                let foreseen = preview.as_ref().is_none_or(|preview| match preview {
                    Ok(_) => false,
                    Err(foreseen) => foreseen.to_string() == refusal.to_string(),
                });
                holds("dry_run", foreseen, || {
                    format!("refused: {refusal}; foreseen {preview:?}")
                })?;
                self.check_refusal(&request, &refusal)?;
                self.count_refusal(&refusal);
                self.expect_untouched("refusal_appends").await?;
                Ok(None)
            }
        }
    }

    /// Nothing was appended.
    pub(crate) async fn expect_untouched(&self, law: &'static str) -> Checked {
        let head = self
            .service
            .pages
            .store()
            .head(&key(PAGE))
            .await
            .map_err(|fault| fault_of("store", &fault))?;
        let head = head.map(|head| (head.version, head.hash));
        let known = self.page.events.last().map(|event| (event.version(), event.event.hash));
        equal(law, &head, &known, || "the head".to_owned())
    }

    /// A command sent again gets its first answer.
    pub(crate) async fn expect_again(&mut self, request: &Request, answer: &Answer) -> Checked {
        self.trace
            .push(format!("retry of the command that led to {}", answer.version));
        let again = request.send(&self.service.pages).await;
        let again = again.map_err(|refusal| fault_of("retry", &refusal))?;
        holds("retry", again.replayed, || format!("not known as a retry: {request:?}"))?;
        equal("retry", &Answer::of(&again), answer, || request.line())?;
        self.expect_untouched("retry").await
    }

    /// A service that remembers nothing does the same.
    async fn expect_mirrored(&self, request: &Request, outcome: &Result<Written, WriteError>) -> Checked {
        let Some(mirror) = &self.mirror else { return Ok(()) };
        mirror.pages.forget_cached();
        let other = request.send(&mirror.pages).await;
        let bare = |outcome: &Result<Written, WriteError>| match outcome {
            Ok(written) => {
                let answer = Answer::of(written);
                Ok((answer.version, answer.epoch, answer.events, answer.report))
            }
            Err(refusal) => Err(refusal.to_string()),
        };
        equal("caches", &bare(outcome), &bare(&other), || {
            format!("with and without caches: {}", request.line())
        })
    }

    fn expect_foreseen(&self, preview: Option<&Result<Preview, WriteError>>, written: &Written) -> Checked {
        let preview = match preview {
            None => return Ok(()),
            Some(Ok(preview)) => preview,
            Some(Err(refusal)) => {
                let text = format!("foreseen {refusal}, came {written:?}");
                return Err(Fault { law: "dry_run", text });
            }
        };
        let foreseen: Vec<Foreseen> = preview
            .events
            .iter()
            .map(|event| {
                (
                    event.kind.code(),
                    event.cause,
                    event.delta.to_json(),
                    event.inverse.to_json(),
                )
            })
            .collect();
        let json = |delta: Result<Option<recto_pages::projections::Delta>, ReadError>| {
            delta.ok().flatten().map(|delta| delta.to_json()).unwrap_or_default()
        };
        let came: Vec<Foreseen> = written
            .events
            .iter()
            .map(|event| {
                (
                    event.event.kind,
                    event.cause(),
                    json(event.delta()),
                    json(event.inverse()),
                )
            })
            .collect();
        equal("dry_run", &came, &foreseen, || "events".to_owned())?;
        equal("dry_run", &written.report, &preview.report, || "report".to_owned())?;
        match Answer::of(written).digest() {
            Some(digest) => equal("dry_run", &digest, &preview.digest, || "digest".to_owned()),
            None => equal("dry_run", &self.page.now().digest(), &preview.digest, || {
                "digest".to_owned()
            }),
        }
    }

    /// Takes the events in, with all checks.
    async fn note(&mut self, request: Request, written: &Written) -> Checked {
        holds("new", !written.replayed, || format!("{} is new", written.command))?;
        let before = self.page.head();
        let legal = self.legal_after(&request);
        if let (Request::Undo(_), Some(report)) = (&request, &written.report.undo) {
            self.page.pass_over(report);
        }
        let mut changes = Vec::new();
        for event in &written.events {
            self.trace.push(told(event));
            let taken = self.page.take(event)?;
            if matches!(event.kind(), Ok(EventKind::Undo | EventKind::Redo)) {
                changes.extend(taken);
            }
        }
        equal("answer", &written.version, &self.page.head(), || {
            "the version".to_owned()
        })?;
        let hash = self.page.events.last().map(|event| event.event.hash);
        equal("answer", &Some(written.hash), &hash, || "the hash".to_owned())?;
        self.page.check_model()?;
        if let (Some(legal), Some(last)) = (legal, written.events.last()) {
            let rebalanced = matches!(last.kind(), Ok(EventKind::Rebalance));
            holds("submit", rebalanced || legal == last.digest(), || {
                "the deltas do something else".to_owned()
            })?;
        }
        self.check_undo(&request, written, &changes)?;
        self.check_restore(&request)?;
        self.page.done.push((request, Answer::of(written)));
        self.expect_state().await?;
        let all = (before / 10) != (self.page.head() / 10);
        self.check_stacks(all).await
    }

    /// The digest after deltas made from the head, where all are legal.
    fn legal_after(&self, request: &Request) -> Option<recto_pages::projections::Digest> {
        let Request::Submit(submit) = request else { return None };
        (submit.base.version == self.page.head()).then_some(())?;
        self.applied(submit)
    }

    fn applied(&self, submit: &SubmitDeltas) -> Option<recto_pages::projections::Digest> {
        let mut state = self.page.state(submit.base.version).clone();
        let legal = submit.deltas.iter().all(|delta| state.apply(delta).is_ok());
        legal.then(|| state.digest())
    }

    /// What the service shows at the head.
    async fn expect_state(&self) -> Checked {
        match self.service.pages.read(&id(SCOPE), &id(PAGE), At::Head).await {
            Ok(state) => {
                holds("deleted", !self.page.deleted, || "a deleted page is read".to_owned())?;
                let got = (state.at.version, state.value.digest());
                equal("head", &got, &(self.page.head(), self.page.now().digest()), || {
                    "the head".to_owned()
                })
            }
            Err(ReadError::PageDeleted { .. }) if self.page.deleted => Ok(()),
            Err(fault) => Err(fault_of("head", &fault)),
        }
    }

    /// A version is there, by a way.
    pub(crate) async fn expect_version(&self, version: u64, way: Way) -> Checked {
        let state = self
            .service
            .pages
            .read_by(&id(SCOPE), &id(PAGE), At::Version(version), way)
            .await;
        let state = state.map_err(|fault| fault_of("versions", &format!("{version} {way:?}: {fault}")))?;
        let wanted = self.page.event(version).digest();
        equal("versions", &state.value.digest(), &wanted, || {
            format!("{version} {way:?}")
        })
    }

    /// Refusals that no command can bring about from outside are faults.
    fn check_refusal(&self, request: &Request, refusal: &WriteError) -> Checked {
        let text = || format!("{} is refused: {refusal}", request.line());
        let (head, deleted) = (self.page.head(), self.page.deleted);
        let never = match (request, refusal) {
            (
                _,
                WriteError::InverseBroken { .. } | WriteError::OutcomeUnknown { .. } | WriteError::Unavailable { .. },
            )
            | (
                _,
                WriteError::BaseUnknown { .. } | WriteError::CommandIdReused { .. } | WriteError::PageNotFound { .. },
            )
            | (_, WriteError::Read(_) | WriteError::Unencodable { .. })
            | (
                Request::Undo(_) | Request::Restore(_) | Request::Replace(_) | Request::SetDeleted(_),
                WriteError::Illegal { .. },
            )
            | (Request::Undo(_) | Request::Restore(_), WriteError::Invalid(_) | WriteError::NoDiff(_)) => true,
            (Request::Submit(submit), WriteError::Illegal { .. }) => self.applied(submit).is_some(),
            (_, WriteError::Stale(stale)) => stale.base.version == head,
            (_, WriteError::PageDeleted { .. }) => !deleted,
            _ => false,
        };
        let law = match refusal {
            WriteError::Illegal { .. } => "refused_illegal",
            WriteError::Read(_) => "refused_read",
            WriteError::InverseBroken { .. } => "refused_inverse",
            _ => "refused",
        };
        holds(law, !never, text)
    }

    /// What holds for an undo and its report.
    fn check_undo(&mut self, request: &Request, written: &Written, changes: &[Change]) -> Checked {
        if let Request::Submit(submit) = request {
            let stale = submit.base.version + (written.events.len() as u64) < self.page.head();
            let rejects = submit.options.on_stale == OnStale::Reject && stale;
            return holds("reject", !rejects, || {
                "a stale write passed that asked for a refusal".to_owned()
            });
        }
        let (Request::Undo(undo), Some(report)) = (request, &written.report.undo) else {
            return Ok(());
        };
        self.trace.push(format!("    {report:?}"));
        let empty = |event: &PageEvent| {
            event
                .delta()
                .is_ok_and(|delta| delta.is_some_and(|delta| delta.is_empty()))
        };
        let changed = written.events.iter().any(|event| !empty(event));
        equal("outcome", &(report.outcome != Outcome::Noop), &changed, || {
            format!("{report:?}")
        })?;
        let applied = report.outcome == Outcome::Applied && !report.conflicts.listed.is_empty();
        holds("outcome", !applied, || format!("applied, with conflicts: {report:?}"))?;
        let newest = matches!(undo.target, UndoTarget::Newest { .. });
        holds("newest", !newest || !written.events.is_empty(), || {
            format!("an undo without an event: {report:?}")
        })?;
        let abort = undo.policy == Some(Policy::Abort) && !report.conflicts.listed.is_empty();
        holds("abort", !abort, || format!("{report:?}"))?;
        self.count(report.outcome.as_str());
        if policy_of(undo) == Policy::Restore || undo.force {
            return Ok(());
        }
        self.check_nothing_lost(written, changes)
    }

    /// No field that another edit had written last is changed unseen.
    fn check_nothing_lost(&self, written: &Written, changes: &[Change]) -> Checked {
        let Some(report) = &written.report.undo else {
            return Ok(());
        };
        if self.page.flavour.kind() != Kind::Design || report.conflicts.omitted + report.notes.omitted > 0 {
            return Ok(());
        }
        let own: BTreeSet<u64> = report
            .of
            .iter()
            .map(|version| self.page.stacks.root(*version))
            .collect();
        let told = report.conflicts.listed.iter().chain(&report.notes.listed);
        let told: Vec<&Json> = told.chain(self.page.passed_over()).collect();
        for change in changes {
            let text = |value: &Option<String>| value.as_ref().is_some_and(|value| value.starts_with('"'));
            let merged = text(&change.before) && text(&change.after) && change.field.contains("/props/");
            // An edit that is redone stands over those that are older.
            let newest_own = own
                .iter()
                .rev()
                .find(|edit| !self.page.is_undone(**edit))
                .copied()
                .unwrap_or(0);
            let foreign = change
                .writer
                .is_some_and(|writer| !own.contains(&writer) && !self.page.is_undone(writer) && writer > newest_own);
            let since = !own.contains(&self.page.stacks.root(change.changed));
            let reported = told.iter().any(|entry| is_about(entry, &change.field));
            // What others changed and changed back is as it was: one of the edits gave the field its value or, where the
            // undo or redo of one is taken back, that left it so. Nobody's change since is to be seen then.
            let same = self.page.gave(&own, change) || self.page.was_made_anew(&change.field);
            let as_left = || {
                report
                    .of
                    .iter()
                    .max()
                    .is_some_and(|of| self.page.is_as_left(*of, change))
            };
            holds(
                "lost",
                merged || same || !foreign || !since || reported || as_left(),
                || format!("{change:?}\n  undone: {own:?}\n  report: {report:?}"),
            )?;
        }
        Ok(())
    }

    /// A restore leads to the state of its version.
    fn check_restore(&self, request: &Request) -> Checked {
        let Request::Restore(restore) = request else {
            return Ok(());
        };
        let wanted = self.page.state(restore.version).digest();
        equal("restore", &self.page.now().digest(), &wanted, || {
            format!("back to {}", restore.version)
        })
    }
}

/// An event in one line.
fn told(event: &PageEvent) -> String {
    let kind = event.kind().map_or("unknown", EventKind::as_str);
    let delta = event
        .delta()
        .ok()
        .flatten()
        .map(|delta| delta.to_json())
        .unwrap_or_default();
    format!("    {} {kind} {:?} {delta}", event.version(), event.cause())
}

/// The policy that an undo goes by.
fn policy_of(undo: &UndoPage) -> Policy {
    let own = match &undo.target {
        UndoTarget::Newest { actor } => actor.as_ref().is_none_or(|actor| *actor == undo.caller.actor),
        UndoTarget::Event(_) | UndoTarget::Turn(_) => false,
    };
    let by_user = undo.caller.actor.kind() == ActorKind::User;
    undo.policy
        .unwrap_or(if own && by_user { Policy::Restore } else { Policy::Keep })
}

/// Whether an entry of a report is about what a field belongs to.
fn is_about(entry: &Json, field: &str) -> bool {
    let mut parts = field.splitn(3, '/');
    let (what, whose) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    match what {
        "attributes" => entry.get("attributes").is_some(),
        what => entry.get(what).and_then(Json::as_str) == Some(whose),
    }
}
