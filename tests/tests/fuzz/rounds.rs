//! Stacks, and rounds of undo and redo that must end where they began.

use recto_pages::projections::undo::Policy;
use recto_pages::projections::{Json, Value};
use recto_pages::{EventKind, SubmitDeltas, SubmitOptions, UndoPage, UndoTarget, Way, Written};
use recto_tests::service::{SCOPE, id};

use crate::fault::{Checked, Fault, equal, holds};
use crate::page::fault_of;
use crate::request::Request;
use crate::stacks::Stacks;
use crate::world::{ACTORS, PAGE, World};

/// The most undos in a row.
const ROUND_MAX: usize = 8;
/// The most undos that take back everything of an actor.
const ALL_MAX: usize = 600;
/// How many versions are read at the end of a long run.
const VERSIONS_READ: usize = 12;

impl World {
    /// The stacks of somebody, or of all, are those of the lists; also when they are made from the stream anew.
    pub(crate) async fn check_stacks(&mut self, all: bool) -> Checked {
        let one = self.random.below(ACTORS.len());
        let fresh = all && self.random.chance(1, 3);
        for (number, name) in ACTORS.iter().enumerate() {
            if !all && number != one {
                continue;
            }
            let kept = self.stacks(name, None).await?;
            if fresh {
                self.service.pages.forget_cached();
                equal("stacks_afresh", &kept, &self.stacks(name, None).await?, || {
                    format!("of {name}, kept and afresh")
                })?;
            }
            if !self.script.small_window {
                let wanted = format!("{:?}", self.page.stacks.of(name));
                equal("stacks", &kept, &wanted, || {
                    format!("of {name} at {}", self.page.head())
                })?;
            }
        }
        Ok(())
    }

    async fn stacks(&self, name: &str, at: Option<u64>) -> Checked<String> {
        let actor = name.parse().expect("an actor");
        let stacks = self
            .service
            .pages
            .undo_stacks(&id(SCOPE), &id(PAGE), &actor, at, usize::MAX)
            .await;
        stacks
            .map(|stacks| format!("{stacks:?}"))
            .map_err(|fault| fault_of("stacks", &fault))
    }

    /// An earlier version: its state by some way, and somebody's stacks.
    pub(crate) async fn look_back(&mut self) -> Checked {
        let version = self.some_version();
        let way = *self
            .random
            .pick(&[Way::Nearest, Way::FromStart, Way::FromSnapshot, Way::Backwards]);
        self.expect_version(version, way).await?;
        if self.script.small_window {
            return Ok(());
        }
        let name = self.random.word(&ACTORS);
        let mut stacks = Stacks::default();
        for event in self
            .page
            .events
            .iter()
            .take(usize::try_from(version).expect("a version"))
        {
            stacks.take(&event.header());
        }
        let wanted = format!("{:?}", stacks.of(name));
        equal("stacks_at", &self.stacks(name, Some(version)).await?, &wanted, || {
            format!("of {name} at {version}")
        })
    }

    /// Some undos by one actor and as many redos lead back, where nobody else edits.
    pub(crate) async fn there_and_back(&mut self) -> Checked {
        let number = self.someone();
        let count = self.random.within(1, ROUND_MAX);
        self.back_and_forth(number, count, Policy::Restore).await
    }

    async fn back_and_forth(&mut self, number: usize, count: usize, policy: Policy) -> Checked {
        let start = self.page.head();
        let mut undone = 0;
        while undone < count && self.newest(number, false, policy).await?.is_some() {
            undone += 1;
        }
        for redone in 0..undone {
            let redo = self.newest(number, true, policy).await?;
            if redo.is_none() && self.script.small_window {
                return Ok(());
            }
            holds("redo", redo.is_some(), || {
                format!("{undone} undos, but only {redone} redos")
            })?;
        }
        let since = self.page.events.iter().skip(usize::try_from(start).expect("a version"));
        if since
            .into_iter()
            .any(|event| matches!(event.kind(), Ok(EventKind::Rebalance)))
        {
            return Ok(());
        }
        let law = if policy == Policy::Keep {
            "identity_keep"
        } else {
            "identity"
        };
        holds(law, self.is_as_at(start), || {
            let (now, then) = (self.page.now().to_json(), self.json_at(start));
            format!("{undone} undos and redos from version {start} on\n  came:   {now}\n  wanted: {then}")
        })
    }

    /// Whether the page is as it was at a version. A thing that was made twice under one id is left out: which of the
    /// two an undo brings back is told by the events, but its fields are not held to be those of that version.
    fn is_as_at(&self, version: u64) -> bool {
        let (now, then) = (self.page.now(), self.page.state(version));
        now.digest() == then.digest() || self.made_once(now) == self.made_once(then)
    }

    /// The page's JSON text without the nodes that were made twice.
    fn made_once(&self, value: &Value) -> String {
        let mut json = value.to_json();
        if let Some(nodes) = json.get_mut("nodes").and_then(Json::as_object_mut) {
            nodes.retain(|id, _| !self.page.lived_twice(&format!("node/{id}")));
        }
        json.to_string()
    }

    /// Undoes or redoes the newest of an actor's own.
    async fn newest(&mut self, number: usize, redo: bool, policy: Policy) -> Checked<Option<Written>> {
        let undo = UndoPage {
            caller: self.plain_caller(number),
            page: id(PAGE),
            base: self.head_base(),
            redo,
            target: UndoTarget::Newest { actor: None },
            policy: Some(policy),
            force: false,
            command: self.command(),
        };
        let written = self.ask(Request::Undo(undo)).await?;
        Ok(written.filter(|written| !written.events.is_empty()))
    }

    /// Somebody edits alone, and takes all of that back.
    pub(crate) async fn alone(&mut self) -> Checked {
        if self.page.deleted {
            return Ok(());
        }
        let number = self.random.below(3);
        let start = self.page.head();
        // The edits of a turn stand together: what lay between two of them would be taken back after both.
        let in_turn = if self.random.chance(1, 2) {
            self.random.below(ROUND_MAX)
        } else {
            0
        };
        for made in 0..self.random.within(1, ROUND_MAX) {
            let deltas = self.deltas(self.page.head());
            if deltas.is_empty() {
                continue;
            }
            let mut caller = self.plain_caller(number);
            caller.turn = (made < in_turn).then(|| id(&format!("alone-{start}")));
            let submit = SubmitDeltas {
                caller,
                page: id(PAGE),
                base: self.head_base(),
                deltas,
                command: self.command(),
                options: SubmitOptions::default(),
            };
            self.ask(Request::Submit(submit)).await?;
        }
        let rebalanced = |event: &recto_pages::PageEvent| matches!(event.kind(), Ok(EventKind::Rebalance));
        if self
            .page
            .events
            .iter()
            .skip(usize::try_from(start).expect("a version"))
            .any(rebalanced)
        {
            return Ok(());
        }
        let name = ACTORS[number];
        loop {
            let top = self
                .page
                .stacks
                .of(name)
                .undo
                .first()
                .and_then(|entry| entry.edits.first().copied());
            if top.is_none_or(|edit| edit <= start) {
                break;
            }
            // What would change nothing is stepped over, down to what was made before.
            if self.page.now().digest() == self.page.state(start).digest() {
                return Ok(());
            }
            if self.newest(number, false, Policy::Restore).await?.is_none() {
                if self.script.small_window {
                    return Ok(());
                }
                let text = format!("{name} made {top:?} alone after {start}, and cannot take it back");
                return Err(Fault { law: "alone", text });
            }
        }
        holds("alone", self.is_as_at(start), || {
            let (now, then) = (self.page.now().to_json(), self.json_at(start));
            format!("{name} edited alone after {start} and took all back\n  came:   {now}\n  wanted: {then}")
        })
    }

    /// Takes back everything of an actor and redoes it; reads versions; lets the store verify itself.
    pub(crate) async fn end(&mut self) -> Checked {
        if self.page.deleted {
            self.set_deleted_for_good(false).await?;
        }
        let number = self.random.below(ACTORS.len());
        self.all_of(number).await?;
        self.service.pages.forget_cached();
        let head = usize::try_from(self.page.head()).expect("a small number");
        let few = head <= 4 * VERSIONS_READ;
        let versions: Vec<u64> = if few {
            (1..=self.page.head()).collect()
        } else {
            (0..VERSIONS_READ).map(|_| self.random.within(1, head) as u64).collect()
        };
        for version in versions {
            for way in [Way::Nearest, Way::FromStart, Way::FromSnapshot, Way::Backwards] {
                self.expect_version(version, way).await?;
            }
        }
        let verified = self.service.verify(PAGE).await;
        equal(
            "verify",
            &(verified.damage, verified.events),
            &(None, self.page.head()),
            || "the store".to_owned(),
        )
    }

    /// Undoes everything of an actor: what the others wrote stands, as the models say; then redoes it.
    async fn all_of(&mut self, number: usize) -> Checked {
        let start = self.page.head();
        let mut undone = 0;
        while undone < ALL_MAX && self.newest(number, false, Policy::Keep).await?.is_some() {
            undone += 1;
        }
        if !self.script.small_window {
            undone += self.the_unseen_of(number).await?;
            self.page.check_without(ACTORS[number])?;
        }
        for redone in 0..undone {
            let redo = self.newest(number, true, Policy::Keep).await?;
            if redo.is_none() && self.script.small_window {
                return Ok(());
            }
            holds("redo", redo.is_some(), || {
                format!("{undone} undos, but only {redone} redos")
            })?;
        }
        let since = self.page.events.iter().skip(usize::try_from(start).expect("a version"));
        let rebalanced = since
            .into_iter()
            .any(|event| matches!(event.kind(), Ok(EventKind::Rebalance)));
        holds("identity_all", rebalanced || self.is_as_at(start), || {
            let (now, then) = (self.page.now().to_json(), self.json_at(start));
            format!("{undone} undos and redos from version {start} on\n  came:   {now}\n  wanted: {then}")
        })
    }

    /// Takes back one by one what the newest undo steps over, because by itself it changes nothing that shows.
    async fn the_unseen_of(&mut self, number: usize) -> Checked<usize> {
        let stack = self.page.stacks.of(ACTORS[number]).undo;
        let mut undone = 0;
        for target in stack.into_iter().flat_map(|entry| entry.targets) {
            let undo = UndoPage {
                caller: self.plain_caller(number),
                page: id(PAGE),
                base: self.head_base(),
                redo: false,
                target: UndoTarget::Event(target),
                policy: Some(Policy::Keep),
                force: false,
                command: self.command(),
            };
            let written = self.ask(Request::Undo(undo)).await?;
            undone += usize::from(written.is_some_and(|written| !written.events.is_empty()));
        }
        Ok(undone)
    }

    async fn set_deleted_for_good(&mut self, deleted: bool) -> Checked {
        let set = recto_pages::SetDeleted {
            caller: self.plain_caller(0),
            page: id(PAGE),
            base: self.head_base(),
            deleted,
            command: self.command(),
        };
        self.ask(Request::SetDeleted(set)).await.map(drop)
    }
}
