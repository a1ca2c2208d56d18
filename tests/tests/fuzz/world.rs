//! A run: one page, whose commands come from a list of numbers, so that it can be shrunk by leaving some out.

use std::collections::BTreeMap;

use recto_pages::projections::{Json, Value};
use recto_pages::{Actor, Base, Caller, CreatePage, Id, Settings, WriteError};
use recto_tests::seed::Random;
use recto_tests::service::{Ground, SCOPE, Service, id, tight};

use crate::fault::{Checked, Fault, holds};
use crate::flavour::Flavour;
use crate::page::Page;
use crate::request::Request;

/// The page.
pub(crate) const PAGE: &str = "page";
/// Who acts.
pub(crate) const ACTORS: [&str; 5] = ["user:ada", "user:ben", "user:cy", "agent:layout", "agent:copy"];
/// How far behind the head a base is at the most.
const BEHIND_MAX: usize = 12;
/// How many events back undo reaches in a run with a small window.
const SMALL_WINDOW: u64 = 24;

/// A run to be.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub flavour: Flavour,
    /// What the run begins with is made from it.
    pub seed: u64,
    /// One number for each step.
    pub steps: Vec<u64>,
    /// Whether a second service, that remembers nothing, is asked the same.
    pub mirrored: bool,
    /// Whether undo reaches back only a little.
    pub small_window: bool,
    /// Whether undos may be asked to set fields back over what others wrote.
    pub restores_fields: bool,
    /// Whether the end of the run takes back everything of an actor, and reads every version.
    pub ends: bool,
}

/// A run going on.
pub(crate) struct World {
    pub service: Service,
    pub mirror: Option<Service>,
    pub page: Page,
    pub random: Random,
    pub script: Script,
    /// What was asked, one line each.
    pub trace: Vec<String>,
    /// How often each thing happened.
    pub tally: BTreeMap<&'static str, usize>,
    turns: [Option<(u64, usize)>; ACTORS.len()],
    commands: u64,
    turns_made: u64,
}

/// What a run leaves.
pub(crate) struct Ended {
    pub events: u64,
    pub steps: usize,
    pub trace: Vec<String>,
    pub tally: BTreeMap<&'static str, usize>,
    pub fault: Option<(usize, Fault)>,
}

/// Plays a script.
pub(crate) async fn play(script: &Script, ground: &Ground) -> Ended {
    let settings = settings_of(script);
    let service = ground.open(settings.clone()).await;
    let mirror = if script.mirrored {
        Some(Ground::memory().open(settings).await)
    } else {
        None
    };
    let mut world = World {
        service,
        mirror,
        page: Page::new(script.flavour),
        random: Random::new(script.seed),
        script: script.clone(),
        trace: Vec::new(),
        tally: BTreeMap::new(),
        turns: [None; ACTORS.len()],
        commands: 0,
        turns_made: 0,
    };
    let mut fault = world.create().await.err().map(|fault| (0, fault));
    for (number, seed) in script.steps.iter().enumerate() {
        if fault.is_some() {
            break;
        }
        world.random = Random::new(*seed);
        fault = world.step().await.err().map(|fault| (number, fault));
    }
    if fault.is_none() && script.ends {
        world.random = Random::new(script.seed ^ 1);
        fault = world.end().await.err().map(|fault| (script.steps.len(), fault));
    }
    let closed = world.service.pages.close().await;
    if let Some(mirror) = &world.mirror {
        drop(mirror.pages.close().await);
    }
    if let (None, Err(refused)) = (&fault, closed) {
        let text = refused.to_string();
        fault = Some((script.steps.len(), Fault { law: "close", text }));
    }
    Ended {
        events: world.page.head(),
        steps: script.steps.len(),
        trace: world.trace,
        tally: world.tally,
        fault,
    }
}

fn settings_of(script: &Script) -> Settings {
    let usual = tight();
    Settings {
        undo_events_max: if script.small_window {
            SMALL_WINDOW
        } else {
            usual.undo_events_max
        },
        ..usual
    }
}

impl World {
    async fn create(&mut self) -> Checked {
        let value = self.script.flavour.value(&mut self.random);
        let create = CreatePage {
            caller: self.caller(0),
            page: id(PAGE),
            kind: self.script.flavour.kind(),
            file: None,
            value: Value::from_json(self.script.flavour.kind(), &value).expect("a legal value"),
            command: self.command(),
        };
        let written = self.ask(Request::Create(create)).await?;
        holds("create", written.is_some(), || {
            format!("the page is not created: {value}")
        })
    }

    async fn step(&mut self) -> Checked {
        if self.page.deleted && self.random.chance(2, 3) {
            return self.set_deleted(false).await;
        }
        match self.random.below(100) {
            0..=44 => self.submit().await,
            45..=62 => self.undo(false).await,
            63..=70 => self.undo(true).await,
            71..=73 if self.script.flavour.takes_wholes() => self.replace().await,
            74..=75 if self.script.flavour.takes_wholes() => self.restore().await,
            76 => self.set_deleted(true).await,
            77..=82 => self.retry().await,
            83..=85 => self.there_and_back().await,
            86..=87 => self.alone().await,
            88..=90 => self.look_back().await,
            91..=93 => {
                self.service.pages.forget_cached();
                self.check_stacks(true).await
            }
            94 => self.create_again().await,
            95 => {
                self.service.reopen().await;
                Ok(())
            }
            _ => self.submit().await,
        }
    }

    /// Somebody.
    pub(crate) fn someone(&mut self) -> usize {
        let users = if self.script.flavour == Flavour::Sheet {
            3
        } else {
            ACTORS.len()
        };
        if self.random.chance(1, 40) {
            self.random.below(ACTORS.len())
        } else {
            self.random.below(users)
        }
    }

    /// A caller, who begins turns, goes on with them and ends them.
    pub(crate) fn caller(&mut self, number: usize) -> Caller {
        let turn = match self.turns[number] {
            Some((turn, left)) if left > 0 => {
                self.turns[number] = Some((turn, left - 1));
                Some(turn)
            }
            _ if self.random.chance(2, 5) => {
                self.turns_made += 1;
                self.turns[number] = Some((self.turns_made, self.random.below(4)));
                Some(self.turns_made)
            }
            _ => None,
        };
        Caller {
            scope: id(SCOPE),
            actor: actor(number),
            turn: turn.map(|turn| id(&format!("turn-{turn}"))),
        }
    }

    /// A caller without a turn.
    pub(crate) fn plain_caller(&self, number: usize) -> Caller {
        Caller {
            scope: id(SCOPE),
            actor: actor(number),
            turn: None,
        }
    }

    /// A turn that may have been.
    pub(crate) fn some_turn(&mut self) -> Id {
        let back = self.random.below(6) as u64;
        id(&format!("turn-{}", self.turns_made.saturating_sub(back).max(1)))
    }

    pub(crate) fn command(&mut self) -> Id {
        self.commands += 1;
        id(&format!("command-{}", self.commands))
    }

    /// The head, or a version a little behind.
    pub(crate) fn some_base(&mut self) -> u64 {
        let head = self.page.head();
        if self.random.chance(3, 5) {
            return head;
        }
        head.saturating_sub(self.random.within(1, BEHIND_MAX) as u64).max(1)
    }

    pub(crate) fn head_base(&self) -> Base {
        self.page.base(self.page.head())
    }

    /// A state as JSON.
    pub(crate) fn json_at(&self, version: u64) -> Json {
        self.page.state(version).to_json()
    }

    pub(crate) fn count(&mut self, what: &'static str) {
        *self.tally.entry(what).or_default() += 1;
    }

    pub(crate) fn count_refusal(&mut self, refusal: &WriteError) {
        self.count(match refusal {
            WriteError::Stale(_) => "stale",
            WriteError::Illegal { .. } => "illegal",
            WriteError::Undo(_) => "not undoable",
            WriteError::PageDeleted { .. } => "deleted",
            _ => "other refusal",
        });
    }
}

fn actor(number: usize) -> Actor {
    ACTORS[number].parse().expect("an actor")
}
