//! The laws of DESIGN values, over random values and histories.

use proptest::collection::vec;
use proptest::prelude::*;
use recto_projections::{Json, Kind, Value};

use crate::check::{check_diff, check_value, step, text};
use crate::random::{config, design, design_json};
use crate::random_steps::{self, resolve};

proptest! {
    #![proptest_config(config(400))]

    /// Laws 1, 4 and 5 along a history, and the diffs between its states.
    #[test]
    fn laws_1_2_4_5_along_random_histories(first in design(), steps in vec(random_steps::step(), 1..8)) {
        check_value(&first);
        let mut states = vec![first];
        for spec in &steps {
            let mut value = states.last().unwrap().clone();
            if let Some(delta) = resolve(&value, spec)
                && step(&mut value, &delta).is_some()
            {
                states.push(value);
            }
        }
        check_value(states.last().unwrap());
        check_diff(states.first().unwrap(), states.last().unwrap());
        check_diff(states.last().unwrap(), &states[states.len() / 2]);
    }

    /// Law 2 between values that have nothing to do with each other.
    #[test]
    fn law_2_diff_between_random_values(a in design(), b in design()) {
        check_diff(&a, &b);
        check_diff(&b, &a);
    }

    /// The inverses of a whole history, newest first, lead back to its first state.
    #[test]
    fn law_1_a_history_is_walked_back_by_its_inverses(first in design(), steps in vec(random_steps::step(), 1..10)) {
        let (mut value, mut walked) = (first.clone(), Vec::new());
        for spec in &steps {
            if let Some(delta) = resolve(&value, spec)
                && let Ok(applied) = value.apply(&delta)
            {
                walked.push((applied, text(&value)));
            }
        }
        let last = value.clone();
        for (applied, after) in walked.iter().rev() {
            prop_assert_eq!(&text(&value), after);
            value.replay(&applied.inverse).unwrap();
        }
        prop_assert_eq!(text(&value), text(&first));
        prop_assert_eq!(value.digest(), first.digest());
        for (applied, _) in &walked {
            value.replay(&applied.delta).unwrap();
        }
        prop_assert!(value == last);
        prop_assert_eq!(value.digest(), last.digest());
    }

    /// A replacement without order keys keeps its siblings in the order in which they appear.
    #[test]
    fn a_successor_has_the_order_of_its_text(old in design(), new in design_json()) {
        let bare = without_orders(&new);
        let successor = old.successor_from_json(&bare).unwrap();
        let fresh = Value::from_json(Kind::Design, &bare).unwrap();
        prop_assert_eq!(ids(&successor), ids(&fresh));
        check_diff(&old, &successor);
    }

    /// A value that replaces itself, its order keys left out, moves nothing: unless keys were equal.
    #[test]
    fn a_successor_of_itself_is_itself(value in design()) {
        let bare = without_orders(&value.to_json());
        let successor = value.successor_from_json(&bare).unwrap();
        let Value::Design(design) = &value else { unreachable!() };
        let different = design.tree().all(|node| {
            design.children_of(node.parent()).filter(|other| other.order() == node.order()).count() == 1
        });
        if different {
            prop_assert_eq!(text(&successor), text(&value));
        }
    }
}

fn without_orders(json: &Json) -> Json {
    let mut json = json.clone();
    let nodes = json["nodes"].clone();
    let bare = |mut node: Json| {
        node.as_object_mut().unwrap().shift_remove("order");
        node
    };
    json["nodes"] = match nodes {
        Json::Array(nodes) => nodes.into_iter().map(bare).collect(),
        Json::Object(nodes) => nodes.into_iter().map(|(id, node)| (id, bare(node))).collect(),
        other => other,
    };
    json
}

fn ids(value: &Value) -> Vec<String> {
    let Value::Design(design) = value else {
        return Vec::new();
    };
    design.tree().map(|node| node.id().to_string()).collect()
}
