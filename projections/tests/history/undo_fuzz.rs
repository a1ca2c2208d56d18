//! Random histories of several actors over DESIGN pages, with stale edits, undos, redos and turns.
//!
//! Every event is checked by the page itself: inverse law, replay, tree invariants, the digest, and that a longer history
//! gives the same undo. The seed of a failure is in its message, and `RECTO_SEED` goes through that one alone, and shows
//! it; `PROPTEST_CASES` says how many histories there are.

use std::collections::{BTreeMap, BTreeSet};

use recto_projections::rebase::{Options, Standing, Subject};
use recto_projections::undo::{Outcome, Policy, UndoError};
use recto_projections::{Delta, Json};
use serde_json::json;

use crate::page::{How, KEEP, Page};
use crate::random::{Random, Span, edit, first_page, histories, normal};

const ACTORS: [&str; 3] = ["A", "B", "C"];

/// A history in the making.
struct World {
    random: Random,
    page: Page,
    fresh: usize,
    /// The nodes about which an undo reported something.
    touched: BTreeSet<String>,
}

impl World {
    fn new(seed: u64) -> World {
        World {
            random: Random::new(seed),
            page: Page::design(&first_page()),
            fresh: 0,
            touched: BTreeSet::new(),
        }
    }

    fn actor(&mut self) -> &'static str {
        ACTORS[self.random.below(ACTORS.len())]
    }

    fn edit(&mut self, actor: &str, span: Span) -> Option<u64> {
        let ops = edit(&mut self.random, self.page.head(), actor, &mut self.fresh, span);
        let before = self.page.head().clone();
        let version = self.page.edit(actor, ops);
        if *self.page.head() == before {
            self.forget_last();
            return None;
        }
        Some(version)
    }

    /// An edit made from a version that is a few events old.
    fn stale_edit(&mut self, actor: &str, span: Span) {
        let back = self.random.below(4).min(self.page.events.len());
        let base = self.page.version() - u64::try_from(back).unwrap();
        let value = &self.page.states[usize::try_from(base).unwrap()];
        let ops = edit(&mut self.random, value, actor, &mut self.fresh, span);
        let Ok(rebased) = self.page.rebased(base, ops, &Options::default()) else {
            return;
        };
        let before = self.page.head().clone();
        self.page.append(actor, &rebased.delta, Default::default(), &[]);
        if *self.page.head() == before {
            self.forget_last();
        }
    }

    fn forget_last(&mut self) {
        self.page.events.pop();
        self.page.states.pop();
    }

    /// Gives the events of an actor that stand: edits, or compensations.
    fn standing(&self, actor: Option<&str>, compensations: bool) -> Vec<u64> {
        let versions = || self.page.events.iter().zip(1..);
        let standing = Standing::of(versions().map(|(event, version)| (version, event.undoes.as_slice())));
        let own = versions().filter(|(event, version)| {
            actor.is_none_or(|actor| event.actor == actor)
                && event.undoes.is_empty() != compensations
                && !standing.is_undone(*version)
        });
        own.map(|(_, version)| version).collect()
    }

    fn undo(&mut self, actor: &str, targets: &[u64], how: How) -> bool {
        match self.page.plan(targets, how) {
            Ok(_) => {}
            Err(UndoError::Aborted { conflicts }) => {
                assert!(!conflicts.is_empty());
                return false;
            }
            Err(fault) => panic!("{fault}"),
        }
        let plan = match self.page.version() % 2 {
            0 => self.page.undo_as(actor, targets, how),
            _ => self.page.undo_by_steps(actor, targets, how),
        };
        let subjects = plan.conflicts.iter().map(|conflict| &conflict.subject);
        let subjects = subjects.chain(plan.skipped.iter().map(|skipped| &skipped.subject));
        let named: Vec<String> = subjects
            .chain(plan.notes.iter().map(|note| &note.subject))
            .map(name)
            .collect();
        let clean = named.is_empty();
        self.touched.extend(named);
        if clean {
            assert!(plan.outcome != Outcome::Partial);
        }
        clean
    }

    fn random_undo(&mut self, compensations: bool, how: How) {
        let actor = self.actor();
        let own = self.standing(Some(actor), compensations);
        if let Some(target) = self.random.pick(&own).copied() {
            self.undo(actor, &[target], how);
        }
    }

    fn step(&mut self, span: Span, how: How) {
        let actor = self.actor();
        match self.random.below(20) {
            0..10 => drop(self.edit(actor, span)),
            10..13 => self.stale_edit(actor, span),
            13..16 => self.random_undo(false, how),
            16..18 => self.random_undo(true, how),
            _ => {
                let own = self.standing(Some(actor), false);
                let turn: Vec<u64> = own.into_iter().rev().take(3).collect();
                if !turn.is_empty() {
                    self.undo(actor, &turn, how);
                }
            }
        }
    }
}

/// A single history that fails is shown.
impl Drop for World {
    fn drop(&mut self) {
        if std::thread::panicking() && std::env::var_os("RECTO_SEED").is_some() {
            self.page.dump();
        }
    }
}

fn name(subject: &Subject) -> String {
    match subject {
        Subject::Node(id) => id.to_string(),
        other => format!("{other:?}"),
    }
}

fn how(random: &mut Random) -> How {
    let policies = [Policy::Keep, Policy::Keep, Policy::Restore, Policy::Abort];
    How {
        policy: policies[random.below(policies.len())],
        force: random.chance(20),
    }
}

/// Calls a check with seeds, and names those that fail; it ends after the first twenty of them.
fn each(default: u64, check: impl Fn(u64) + std::panic::RefUnwindSafe) {
    let only = std::env::var("RECTO_SEED").ok().and_then(|seed| seed.parse().ok());
    let seeds = only.map_or(0..histories(default), |seed: u64| seed..seed + 1);
    let fails = |seed: &u64| {
        let failed = std::panic::catch_unwind(|| check(*seed)).is_err();
        if failed {
            eprintln!("the seed is {seed}");
        }
        failed
    };
    let failed: Vec<u64> = seeds.filter(fails).take(20).collect();
    assert!(failed.is_empty(), "seeds {failed:?}");
}

#[test]
fn every_law_holds_at_every_event_of_random_histories() {
    each(150, |seed| {
        let mut world = World::new(seed);
        for _ in 0..40 {
            let how = how(&mut world.random);
            world.step(Span::All, how);
        }
    });
}

#[test]
fn undos_and_then_redos_are_the_identity_where_nobody_else_edits() {
    each(150, |seed| {
        let mut world = World::new(seed);
        for _ in 0..world.random.below(12) {
            world.step(Span::All, KEEP);
        }
        let edits: Vec<u64> = (0..1 + world.random.below(8))
            .filter_map(|_| world.edit("A", Span::All))
            .collect();
        let mut undos = Vec::new();
        for edit in edits.iter().rev() {
            undos.push(world.page.undo_clean(*edit));
            assert!(world.page.is_as_at(edit - 1), "undo of {edit}");
        }
        let mut redos = Vec::new();
        for (undo, edit) in undos.iter().rev().zip(&edits) {
            redos.push(world.page.undo_clean(*undo));
            assert!(world.page.is_as_at(*edit), "redo of {edit}");
        }
        for (redo, edit) in redos.iter().rev().zip(edits.iter().rev()) {
            world.page.undo_clean(*redo);
            assert!(world.page.is_as_at(edit - 1), "second undo of {edit}");
        }
    });
}

#[test]
fn a_turn_undone_as_one_is_its_events_undone_one_by_one() {
    each(150, |seed| {
        let mut world = World::new(seed);
        let mut turn = Vec::new();
        for _ in 0..12 {
            match world.random.chance(50) {
                true => turn.extend(world.edit("A", Span::All)),
                false => drop(world.edit("B", Span::All)),
            }
        }
        if turn.is_empty() {
            return;
        }
        let before = world.page.states.len();
        world.page.undo_as("A", &turn, KEEP);
        let at_once = world.page.json();
        world.page.states.truncate(before);
        world.page.events.truncate(before - 1);
        world.page.undo_by_steps("A", &turn, KEEP);
        assert_eq!(world.page.json(), at_once);
        world.page.states.truncate(before);
        world.page.events.truncate(before - 1);
        for event in turn.iter().rev() {
            world.page.undo_as("A", &[*event], KEEP);
        }
        assert_eq!(world.page.json(), at_once);
    });
}

#[test]
fn undoing_all_of_one_actor_leaves_what_the_others_wrote() {
    each(300, |seed| {
        let mut world = World::new(seed);
        for _ in 0..30 {
            world.step(Span::Fields, KEEP);
        }
        for event in world.standing(Some("A"), false).into_iter().rev() {
            world.undo("A", &[event], KEEP);
        }
        check_fields(&world);
        let left: Vec<u64> = world.standing(None, false).into_iter().rev().collect();
        for event in left {
            world.undo("B", &[event], KEEP);
        }
        check_fields(&world);
    });
}

#[test]
fn the_order_of_undos_does_not_matter_where_nothing_is_reported() {
    each(200, |seed| {
        let mut world = World::new(seed);
        for _ in 0..10 {
            let actor = world.actor();
            world.edit(actor, Span::All);
        }
        let all = world.standing(None, false);
        let mut chosen: Vec<u64> = all.into_iter().filter(|_| world.random.chance(40)).collect();
        let before = world.page.states.len();
        let mut ends = Vec::new();
        for _ in 0..3 {
            let clean = chosen.iter().all(|event| world.undo("A", &[*event], KEEP));
            ends.extend(clean.then(|| normal(&world.page.json())));
            world.page.states.truncate(before);
            world.page.events.truncate(before - 1);
            for place in (1..chosen.len()).rev() {
                let other = world.random.below(place + 1);
                chosen.swap(place, other);
            }
        }
        for end in ends.windows(2) {
            assert_eq!(end[0]["nodes"], end[1]["nodes"], "{chosen:?}");
        }
    });
}

/// Compares the page with a simple model: a field has the value of the newest edit that stands, else the first one.
/// Nodes about which an undo reported something are left out.
fn check_fields(world: &World) {
    let page = &world.page;
    let standing = Standing::of(
        page.events
            .iter()
            .zip(1..)
            .map(|(event, version)| (version, event.undoes.as_slice())),
    );
    let mut nodes: BTreeMap<String, BTreeMap<String, Json>> = BTreeMap::new();
    for (id, node) in first_page_nodes() {
        nodes.insert(id, node);
    }
    let mut removed = BTreeSet::new();
    let mut dead = BTreeSet::new();
    for (event, version) in page.events.iter().zip(1..) {
        if !event.undoes.is_empty() {
            continue;
        }
        let Delta::Design(_) = &event.delta else { panic!() };
        let stands = !standing.is_undone(version);
        for op in event.delta.to_json().as_array().unwrap() {
            let id = op["id"].as_str().or(op["node"]["id"].as_str()).unwrap().to_owned();
            match op["op"].as_str().unwrap() {
                "addNode" => {
                    if !stands {
                        dead.insert(id.clone());
                    }
                    nodes.insert(id, fields_of(&op["node"]));
                }
                "removeNode" if stands => drop(removed.insert(id)),
                _ if !stands => {}
                "setNode" => {
                    let fields = nodes.get_mut(&id).unwrap();
                    for (pointer, value) in op["set"].as_object().into_iter().flatten() {
                        fields.insert(pointer.clone(), value.clone());
                    }
                    for pointer in op["unset"].as_array().into_iter().flatten() {
                        fields.remove(pointer.as_str().unwrap());
                    }
                }
                "moveNode" => {
                    let fields = nodes.get_mut(&id).unwrap();
                    for (side, value) in op["geometry"].as_object().into_iter().flatten() {
                        fields.insert(format!("/geometry/{side}"), value.clone());
                    }
                }
                "addToSet" | "removeFromSet" => {
                    let fields = nodes.get_mut(&id).unwrap();
                    for value in op["values"].as_array().unwrap() {
                        match op["op"] == "addToSet" {
                            true => drop(fields.insert(format!("tag {value}"), Json::Bool(true))),
                            false => drop(fields.remove(&format!("tag {value}"))),
                        }
                    }
                }
                _ => {}
            }
        }
    }
    for (id, fields) in nodes.iter().filter(|(id, _)| !world.touched.contains(*id)) {
        let now = page.at(&format!("/nodes/{id}"));
        let alive = !removed.contains(id) && !dead.contains(id);
        assert_eq!(now.is_some(), alive, "whether {id} is there");
        if let Some(now) = now {
            let mut now = fields_of(&now);
            now.retain(|field, _| !field.starts_with("/props/tags"));
            let mut fields = fields.clone();
            fields.retain(|field, _| !field.starts_with("/props/tags"));
            assert_eq!(now, fields, "the fields of {id}");
        }
    }
}

fn first_page_nodes() -> Vec<(String, BTreeMap<String, Json>)> {
    let page = Page::design(&first_page()).json();
    page["nodes"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(id, node)| (id.clone(), fields_of(node)))
        .collect()
}

/// Gives the fields that the model follows.
fn fields_of(node: &Json) -> BTreeMap<String, Json> {
    let mut fields = BTreeMap::from([("/type".to_owned(), node["type"].clone())]);
    for (key, value) in node["props"].as_object().into_iter().flatten() {
        match key.as_str() {
            "text" => {}
            "tags" => fields.extend(
                value
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|tag| (format!("tag {tag}"), json!(true))),
            ),
            key => drop(fields.insert(format!("/props/{key}"), value.clone())),
        }
    }
    for (side, value) in node["geometry"].as_object().into_iter().flatten() {
        fields.insert(format!("/geometry/{side}"), value.clone());
    }
    fields
}
