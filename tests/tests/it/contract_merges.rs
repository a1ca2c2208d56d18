//! Merges of whiteboards: only what is named changes, and what others do meanwhile stays.

use recto_tests::api::{number, text};
use serde_json::{Value as Json, json};

use crate::contract_agent::{delete_nodes, element, ids, merge, read, read_html, text_at, usual_board, with};
use crate::story::{ANN, BEN, BOT, Story, move_to, set};

#[track_caller]
fn texts(story: &Story, expected: &[(&str, &str)]) {
    for (id, expected) in expected {
        assert_eq!(story.props(id)["text"], *expected, "{id}");
    }
}

#[test]
fn only_what_is_named_changes() {
    let story = usual_board();
    let before = story.value();
    let all = read_html(&story.api);
    let written = story.api.write(&merge(&all, element("b", "Better")));
    assert_eq!(written["delta"], json!([set("b", "text", "Better")]));
    assert_eq!(
        (&written["version"], &written["applied"], &written["editorType"]),
        (&json!(2), &json!(true), &json!("design"))
    );
    let mut expected = before;
    expected["nodes"]["b"]["props"]["text"] = json!("Better");
    assert_eq!(story.value(), expected);
    story.expect_stream(&["create", "edit"]);
    story.expect_way_back();
}

#[test]
fn new_nodes_get_ids_and_groups_go_with_all_below_them() {
    let story = usual_board();
    let all = read_html(&story.api);
    let new = "<div data-node-type=\"text\" style=\"left:5px;top:6px;width:70px;height:8px\">New</div>";
    let written = story.api.write(&merge(&all, new));
    let created = ids(&written["createdNodeIds"]);
    assert_eq!(created.len(), 1, "{written}");
    let node = &story.value()["nodes"][&created[0]];
    assert_eq!(
        (
            &node["props"]["text"],
            &node["geometry"]["x"],
            &node["geometry"]["height"]
        ),
        (&json!("New"), &json!(5), &json!(8))
    );

    let written = story.api.write(&delete_nodes(&written, &["g1"]));
    assert_eq!(ids(&written["removedNodeIds"]), ["deep", "g1", "g2", "g3", "side"]);
    let left: Vec<String> = story.value()["nodes"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(left.len(), 4, "{left:?}");
    story.undo(BOT, json!({ "event": 3 }));
    assert_eq!(story.value()["nodes"]["deep"]["parentId"], "g3");
    story.expect_way_back();
}

#[test]
fn a_group_that_is_left_empty_goes_unless_somebody_uses_it() {
    let story = usual_board();
    let all = read_html(&story.api);
    let written = story.api.write(&delete_nodes(&all, &["deep"]));
    assert_eq!(ids(&written["removedNodeIds"]), ["deep", "g2", "g3"]);
    let story = usual_board();
    let all = read_html(&story.api);
    story.edit(ANN, json!([set("g2", "name", "Mine")]));
    let written = story.api.write(&delete_nodes(&all, &["deep"]));
    assert_eq!(ids(&written["removedNodeIds"]), ["deep", "g3"]);
    assert_eq!(story.props("g2")["name"], "Mine");
}

#[test]
fn a_write_that_repeats_what_was_read_changes_nothing() {
    let story = usual_board();
    let all = read_html(&story.api);
    let write = merge(&all, text(&all["content"]));
    let answer = story
        .expect_nothing_changes(|| story.api.send(&write))
        .expect(200)
        .json();
    assert_eq!(
        [
            &answer["applied"],
            &answer["version"],
            &answer["delta"],
            &answer["inverse"]
        ],
        [&json!(false), &json!(1), &Json::Null, &Json::Null]
    );
    assert_eq!(answer["warnings"], json!([]), "{answer}");
    let again = story.api.send(&write).expect(200);
    assert_eq!(
        (again.header("idempotency-replayed"), again.json()),
        (Some("true"), answer)
    );
}

#[test]
fn two_agents_merge_disjoint_parts_of_one_read() {
    let story = usual_board();
    let all = read_html(&story.api);
    let one = story.api.write(&merge(&all, element("a", "One")).by("agent:one"));
    let two = story.api.write(&merge(&all, element("b", "Two")).by("agent:two"));
    assert_eq!(
        (&one["rebase"], &two["rebase"]["base"], &two["rebase"]["over"]),
        (&Json::Null, &json!(1), &json!(2))
    );
    texts(&story, &[("a", "One"), ("b", "Two"), ("c", "Gamma")]);
    story.expect_stream(&["create", "edit", "edit"]);
    story.expect_way_back();
}

#[test]
fn two_agents_merge_the_same_node_and_one_learns_of_it() {
    let story = usual_board();
    let all = read_html(&story.api);
    story.api.write(&merge(&all, element("a", "One")).by("agent:one"));
    let two = merge(&all, element("a", "Two")).by("agent:two");
    let refused = story.expect_nothing_changes(|| story.api.send(&two));
    let refused = refused.expect_problem(409, "node_changed").json();
    assert_eq!(refused["changes"][0]["actor"], "agent:one");
    let again = read(&story.api, "nodes=a");
    story.api.write(&merge(&again, element("a", "Two")).by("agent:two"));
    texts(&story, &[("a", "Two")]);
}

#[test]
fn agents_at_once_each_land_or_learn_why_not() {
    let story = usual_board();
    let all = read_html(&story.api);
    let answers: Vec<_> = std::thread::scope(|scope| {
        let write = |agent: usize| {
            let node = ["a", "b", "c", "a"][agent];
            let write = merge(&all, element(node, &format!("by {agent}"))).by(&format!("agent:{agent}"));
            story.api.send(&write)
        };
        let threads: Vec<_> = (0..4).map(|agent| scope.spawn(move || write(agent))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    assert_eq!((statuses[1], statuses[2]), (200, 200), "{statuses:?}");
    let mut both = [statuses[0], statuses[3]];
    both.sort_unstable();
    assert_eq!(both, [200, 409], "{statuses:?}");
    assert_eq!(story.head(), 4);
    let winner = if statuses[0] == 200 { "by 0" } else { "by 3" };
    texts(&story, &[("a", winner), ("b", "by 1"), ("c", "by 2")]);
}

#[test]
fn a_user_edits_while_an_agent_thinks_for_twenty_turns() {
    let story = usual_board();
    let mut token = read_html(&story.api);
    for turn in 1..=20 {
        story.edit(ANN, json!([set("b", "turn", turn), move_to("b", 200 + turn)]));
        story.edit(BEN, json!([set("g1", "name", format!("group {turn}"))]));
        let write = merge(&token, element("a", &format!("turn {turn}"))).in_turn(&format!("t{turn}"));
        token = story.api.write(&write);
        assert_eq!(token["version"], 1 + 3 * turn, "{token}");
    }
    texts(&story, &[("a", "turn 20"), ("b", "Beta")]);
    assert_eq!(story.props("b")["turn"], 20);
    // What the users changed was not read: the token says so.
    let stale = story.expect_nothing_changes(|| story.api.send(&merge(&token, element("b", "x"))));
    assert_eq!(stale.expect_problem(422, "node_not_read").json()["nodes"], json!(["b"]));
    // So does the first one.
    story.expect_way_back();
}

#[test]
fn the_token_of_an_answer_is_good_for_what_the_agent_knows() {
    let story = usual_board();
    let all = read_html(&story.api);
    let new = "<div data-node-type=\"text\" style=\"left:0px;top:0px;width:10px;height:10px\">New</div>";
    let first = story.api.write(&merge(&all, format!("{}{new}", element("a", "One"))));
    let id = ids(&first["createdNodeIds"])[0].clone();
    let second = story.api.write(&merge(
        &first,
        format!("{}{}", element("a", "Two"), element(&id, "Newer")),
    ));
    texts(&story, &[("a", "Two"), (&id, "Newer")]);
    let third = story.api.write(&delete_nodes(&second, &[&id, "a"]));
    assert_eq!(number(&third["version"]), 4);
    // What it deleted it does not know any more.
    let gone = story
        .api
        .send(&merge(&third, element("b", "Beta 2")).by("agent:other"))
        .expect(200)
        .json();
    story.edit(ANN, json!([{ "op": "addNode", "node": { "id": "a", "type": "text", "parentId": null, "props": { "text": "Mine" } } }]));
    let refused = story.expect_nothing_changes(|| story.api.send(&merge(&gone, element("a", "x"))));
    refused.expect_problem(422, "node_unknown");
    texts(&story, &[("a", "Mine"), ("b", "Beta 2")]);
}

#[test]
fn a_retry_gets_the_first_answer_whatever_came_since() {
    let story = usual_board();
    let all = read_html(&story.api);
    story.edit(ANN, json!([set("b", "fill", "red")]));
    let write = merge(&all, element("a", "One")).key("k");
    let first = story.api.send(&write).expect(200);
    story.edit(ANN, json!([set("a", "fill", "blue")]));
    let again = story.expect_nothing_changes(|| story.api.send(&write)).expect(200);
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(again.json(), first.json());
    let other = merge(&all, element("a", "Two")).key("k");
    story
        .expect_nothing_changes(|| story.api.send(&other))
        .expect_problem(422, "idempotency_key_reused");
    // The answer is also found by its key.
    let told = story.api.read("/v1/commands/k");
    assert_eq!(
        (&told["operation"], &told["version"], &told["editorType"]),
        (&json!("update"), &json!(3), &json!("design"))
    );
}

#[test]
fn a_turn_of_an_agent_is_undone_as_one() {
    let story = usual_board();
    let before = story.api.page("p")["digest"].clone();
    let all = read_html(&story.api);
    let first = story.api.write(&merge(&all, element("a", "One")).in_turn("t"));
    story.api.write(&merge(&first, element("b", "Two")).in_turn("t"));
    story.undo(ANN, json!({ "turn": "t" }));
    assert_eq!(story.api.page("p")["digest"], before);
    story.expect_stream(&["create", "edit", "edit", "undo 3", "undo 2"]);
}

#[test]
fn a_window_of_thousands_of_nodes_is_read_and_merged() {
    let nodes: serde_json::Map<String, Json> = (0..1_500)
        .map(|index| (format!("n{index}"), text_at(index * 10, 0, "x")))
        .collect();
    let story = crate::contract_agent::board(&Json::Object(nodes));
    let all = read_html(&story.api);
    let shown = text(&all["content"]).matches("data-node-id").count();
    assert!(shown > 1_000, "{shown}");
    let written = story.api.write(&merge(&all, with(&all, ">x</div>", ">y</div>")));
    assert_eq!(written["delta"].as_array().unwrap().len(), shown);
    assert!(text(&written["readToken"]).len() > shown * 8);
    story.api.write(&merge(&written, element("n0", "z")));
    texts(&story, &[("n0", "z"), ("n1", "y")]);
}
