//! Random interleavings of users' edits and of agents that read, think and write: no edit of somebody else is ever lost
//! without a reported conflict, and no refusal is without a reason.
//!
//! The model knows of each agent what it has seen of each node: in a read, and in the answers to its own writes. A write
//! may land only on nodes that still are what the agent saw.

use std::collections::{BTreeMap, BTreeSet};

use recto_tests::Json;
use recto_tests::api::{Write, number, page_path, text};
use recto_tests::seed::Random;
use serde_json::json;

use crate::contract_agent::{board, delete_nodes, ids, node, read, read_html, replace, text_at, update};
use crate::story::{PAGE, Story, add, move_to, remove, set};

/// How many steps a run has.
const STEPS: usize = 250;
const AGENTS: usize = 3;

/// An agent: the token it would present, and what it knows.
#[derive(Default)]
struct Agent {
    token: Json,
    known: BTreeMap<String, Json>,
    last: Option<(Write, Json)>,
}

struct World {
    story: Story,
    random: Random,
    agents: Vec<Agent>,
    made: usize,
    landed: usize,
    refused: BTreeMap<String, usize>,
}

#[test]
fn no_edit_of_others_is_lost_on_a_whiteboard() {
    let mut random = Random::of_test("no_edit_of_others_is_lost_on_a_whiteboard", 11);
    let story = board(&json!({
        "a": text_at(0, 0, "a"), "b": text_at(200, 0, "b"), "c": text_at(400, 0, "c"),
        "g": node("group", None, 0, 300, &json!({})),
        "h": node("group", Some("g"), 0, 0, &json!({})),
        "d": node("text", Some("g"), 200, 0, &json!({ "text": "d" })),
        "e": node("text", Some("h"), 0, 0, &json!({ "text": "e" })),
    }));
    let mut world = World {
        agents: (0..AGENTS).map(|_| Agent::default()).collect(),
        random: random.fork(),
        story,
        made: 0,
        landed: 0,
        refused: BTreeMap::new(),
    };
    for _ in 0..STEPS {
        let agent = world.random.below(AGENTS);
        match world.random.below(10) {
            0..=2 => world.user_edits(),
            3..=4 => world.agent_reads(agent),
            5 => world.agent_retries(agent),
            _ => world.agent_writes(agent),
        }
    }
    // The run shows something only where both happened.
    assert!(world.landed > STEPS / 20, "{} writes landed", world.landed);
    assert!(
        world.refused.get("node_changed").is_some_and(|times| *times > 2),
        "{:?}",
        world.refused
    );
    world.story.expect_way_back();
}

impl World {
    fn nodes(&self) -> BTreeMap<String, Json> {
        contents(&self.story.value())
    }

    fn pick(&mut self, ids: &BTreeMap<String, Json>, wanted: impl Fn(&Json) -> bool) -> Option<String> {
        let found: Vec<&String> = ids.iter().filter(|(_, node)| wanted(node)).map(|(id, _)| id).collect();
        (!found.is_empty()).then(|| (*self.random.pick(&found)).clone())
    }

    fn fresh(&mut self, lead: &str) -> String {
        self.made += 1;
        format!("{lead}{}", self.made)
    }

    fn user_edits(&mut self) {
        let nodes = self.nodes();
        let Some(id) = self.pick(&nodes, |_| true) else { return };
        let word = self.fresh("word");
        let number = self.random.next() % 500;
        let op = match self.random.below(8) {
            0..=2 => set(&id, "text", word),
            3 => set(&id, "fill", word),
            4..=5 => move_to(&id, number),
            6 if nodes.values().all(|node| node["parentId"] != id.as_str()) && nodes.len() > 4 => remove(&id),
            _ => {
                let mut op = add(&word, &json!({ "text": "new" }));
                let group = self.pick(&nodes, |node| node["type"] == "group");
                op["node"]["parentId"] = json!(group);
                op["node"]["type"] = json!("text");
                op
            }
        };
        let user = ["user:ann", "user:ben"][self.random.below(2)];
        let write = recto_tests::api::deltas(PAGE, 1, &json!([[op]]));
        self.story.send(user, write).expect(200);
    }

    fn agent_reads(&mut self, agent: usize) {
        let nodes = self.nodes();
        let query = match self.random.below(3) {
            0 => "format=html".to_owned(),
            1 => format!("viewport={},-10,300,500", self.random.below(400)),
            _ => match self.pick(&nodes, |_| true) {
                Some(id) => format!("nodes={id}"),
                None => return,
            },
        };
        let envelope = read(&self.story.api, &query);
        let content = text(&envelope["content"]).to_owned();
        let shown = nodes
            .into_iter()
            .filter(|(id, _)| content.contains(&format!("data-node-id=\"{id}\"")));
        self.agents[agent] = Agent {
            token: envelope.clone(),
            known: shown.collect(),
            last: None,
        };
    }

    /// A write to nodes that the agent knows, or may not know any more.
    fn agent_writes(&mut self, agent: usize) {
        let known = self.agents[agent].known.clone();
        if self.agents[agent].token["readToken"].is_null() || known.is_empty() {
            return self.agent_reads(agent);
        }
        let mut content = String::new();
        for _ in 0..self.random.within(1, 2) {
            let word = self.fresh("said");
            let Some(id) = self.pick(&known, |node| node["type"] == "text") else {
                continue;
            };
            match self.random.below(4) {
                0 => content.push_str(&format!(
                    "<div data-node-type=\"text\" style=\"left:0px;top:0px;width:9px;height:9px\">{word}</div>"
                )),
                1 => content.push_str(&format!(
                    "<div data-node-id=\"{id}\" style=\"left:{}px\"></div>",
                    word.len() + self.made
                )),
                _ => content.push_str(&format!("<div data-node-id=\"{id}\">{word}</div>")),
            }
        }
        let token = self.agents[agent].token.clone();
        let write = match (self.random.below(4), self.pick(&known, |_| true)) {
            (0, Some(id)) if self.nodes().len() > 4 => delete_nodes(&token, &[&id]),
            _ if content.is_empty() => return,
            _ => update(&json!({ "mode": "merge", "readToken": token["readToken"], "content": content })),
        };
        let write = write.by(&format!("agent:{agent}")).in_turn(&format!("session-{agent}"));
        self.send(agent, write);
    }

    fn send(&mut self, agent: usize, write: Write) {
        let (before, head) = (self.nodes(), self.story.head());
        let answer = self.story.api.send(&write);
        if answer.status == 200 {
            return self.landed(agent, write, answer.json(), &before);
        }
        assert_eq!((self.story.head(), self.nodes()), (head, before.clone()), "{answer}");
        let problem = answer.json();
        *self.refused.entry(text(&problem["code"]).to_owned()).or_default() += 1;
        if problem["code"] == "node_changed" {
            let known = &self.agents[agent].known;
            for id in ids(&problem["nodes"]) {
                assert_ne!(known.get(&id), before.get(&id), "{id} is as it was read: {problem}");
            }
        }
        if problem["retry"] == true {
            self.agent_reads(agent);
        }
    }

    /// What landed is about nodes that are as the agent knew them, and changed no other.
    fn landed(&mut self, agent: usize, write: Write, answer: Json, before: &BTreeMap<String, Json>) {
        let after = contents(&self.story.api.page_at(PAGE, number(&answer["version"]))["value"]);
        let touched = touched(&answer["delta"]);
        let known = &mut self.agents[agent].known;
        let created: BTreeSet<String> = ids(&answer["createdNodeIds"]).into_iter().collect();
        assert!(
            created.iter().all(|id| !known.contains_key(id)),
            "a node came back: {answer}"
        );
        for id in touched.iter().filter(|id| !created.contains(*id)) {
            assert_eq!(
                known.get(id),
                before.get(id),
                "{id} was changed by somebody else: {answer}"
            );
        }
        let all: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        for id in all.into_iter().filter(|id| !touched.contains(*id)) {
            assert_eq!(before.get(id), after.get(id), "{id} is not in the delta: {answer}");
        }
        for id in &touched {
            match after.get(id) {
                Some(node) => drop(known.insert(id.clone(), node.clone())),
                None => drop(known.remove(id)),
            }
        }
        self.landed += usize::from(answer["applied"] == true);
        self.agents[agent].last = Some((write, answer.clone()));
        // Going on from the answer, or once more from the old token.
        if self.random.chance(2, 3) {
            self.agents[agent].token = answer;
        }
    }

    fn agent_retries(&mut self, agent: usize) {
        let Some((write, answer)) = self.agents[agent].last.clone() else {
            return;
        };
        let head = self.story.head();
        let again = self.story.api.send(&write).expect(200);
        assert_eq!(
            (again.header("idempotency-replayed"), again.json()),
            (Some("true"), answer)
        );
        assert_eq!(self.story.head(), head);
    }
}

/// The nodes of a value, without their places among their siblings.
fn contents(value: &Json) -> BTreeMap<String, Json> {
    let nodes = value["nodes"].as_object().expect("nodes").iter();
    let bare = |node: &Json| {
        let mut node = node.clone();
        node.as_object_mut().expect("a node").shift_remove("order");
        node
    };
    nodes.map(|(id, node)| (id.clone(), bare(node))).collect()
}

fn touched(delta: &Json) -> BTreeSet<String> {
    let ops = delta.as_array().into_iter().flatten();
    let id = |op: &Json| op["id"].as_str().or(op["node"]["id"].as_str()).map(str::to_owned);
    ops.filter_map(id).collect()
}

#[test]
fn a_replace_lands_only_on_what_was_read() {
    let mut random = Random::of_test("a_replace_lands_only_on_what_was_read", 12);
    for value in [
        json!([{ "insert": "one two three\n" }]),
        json!({ "files": { "f": "one two three\n" } }),
    ] {
        let kind = if value.is_array() { "DOC" } else { "CODE" };
        let story = Story::new(kind, &value);
        let mut tokens: Vec<Json> = (0..AGENTS).map(|_| read_html(&story.api)).collect();
        let (mut landed, mut stale) = (0, 0);
        for step in 0..STEPS / 5 {
            let agent = random.below(AGENTS);
            let head = story.head();
            match random.below(4) {
                0 => {
                    let insert = json!([{ "insert": format!("u{step} ") }]);
                    let delta = match kind {
                        "DOC" => insert,
                        _ => json!([{ "op": "editFile", "path": "f", "delta": insert }]),
                    };
                    story.edit("user:ann", delta);
                }
                1 => tokens[agent] = read_html(&story.api),
                _ => {
                    let content = if kind == "DOC" {
                        format!("<p>step {step}</p>")
                    } else {
                        format!("step {step}\n")
                    };
                    let write = replace(&tokens[agent], content).by(&format!("agent:{agent}"));
                    let answer = story.api.send(&write);
                    if number(&tokens[agent]["version"]) == head {
                        tokens[agent] = answer.expect(200).json();
                        assert_eq!(story.text(), format!("step {step}\n"));
                        landed += 1;
                    } else {
                        let problem = answer.expect_problem(409, "read_stale").json();
                        assert_eq!(number(&problem["actual"]), head);
                        assert_eq!(story.head(), head);
                        stale += 1;
                        tokens[agent] = read_html(&story.api);
                    }
                }
            }
        }
        assert!(landed > 2 && stale > 2, "{landed} landed, {stale} were stale");
        let paths = story.api.read(&page_path(PAGE));
        assert_eq!(number(&paths["version"]), story.head());
        story.expect_way_back();
    }
}
