//! What always holds of a rope's tree, after any history of cuts and changes.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::node::{Body, Node};
use super::{BRANCH_MAX, BRANCH_MIN, Builder, LEAF_MAX, LEAF_MIN, Piece};
use crate::text::attributes::Attributes;
use crate::text::embed::Embed;
use crate::text::op::Content;

/// One step of a history; places and lengths are shares of what there is.
#[derive(Debug, Clone)]
enum Step {
    Insert(f64, usize, usize),
    Remove(f64, f64),
    Format(f64, f64, usize),
    SplitAndJoin(f64),
}

fn step() -> impl Strategy<Value = Step> {
    let share = || 0.0_f64..=1.0;
    let length = prop_oneof![5 => 1_usize..4, 3 => 1_usize..300, 1 => 1_usize..20_000];
    prop_oneof![
        4 => (share(), length, 0_usize..4).prop_map(|(at, len, kind)| Step::Insert(at, len, kind)),
        3 => (share(), share()).prop_map(|(at, to)| Step::Remove(at, to)),
        2 => (share(), share(), 0_usize..3).prop_map(|(at, to, kind)| Step::Format(at, to, kind)),
        1 => share().prop_map(Step::SplitAndJoin),
    ]
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_tree_is_in_order(
        start in prop_oneof![Just(0), 1_usize..5_000, 1_usize..120_000],
        steps in vec(step(), 1..60),
        held in any::<bool>(),
    ) {
        let mut root = Node::empty();
        take(&mut root, &Step::Insert(0.0, start, 1));
        let mut versions = Vec::new();
        for step in &steps {
            take(&mut root, step);
            check(&root);
            if held {
                versions.push((root.clone(), root.summary().poly));
            }
        }
        for (version, poly) in versions {
            prop_assert_eq!(version.summary().poly, poly);
            check(&version);
        }
    }
}

/// A hundred cases, or as many as the variable `PROPTEST_CASES` says.
fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 100,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn take(root: &mut Node, step: &Step) {
    match *step {
        Step::Insert(at, len, kind) => {
            let at = place(root, at);
            let (content, attributes) = content(len, kind);
            root.insert(at, Piece::new(&content, attributes.as_ref()));
        }
        Step::Remove(at, to) => {
            // Short ranges mostly, or nothing would grow.
            let start = place(root, at);
            let end = place(root, at + (1.0 - at) * to.powi(9));
            root.remove(start, end.max(start), None);
        }
        Step::Format(at, to, kind) => {
            let (start, end) = (place(root, at.min(to)), place(root, at.max(to)));
            let value = [json!(true), json!({"u": 1}), Json::Null][kind].clone();
            let patch = Attributes::new(BTreeMap::from([("a".to_owned(), value)]))
                .unwrap()
                .unwrap();
            root.format(start, end, &patch, None);
        }
        Step::SplitAndJoin(at) => {
            let at = place(root, at);
            let (left, right) = std::mem::replace(root, Node::empty()).split(at);
            check(&left);
            check(&right);
            *root = left.concat(right);
        }
    }
}

fn content(len: usize, kind: usize) -> (Content, Option<Attributes>) {
    let bold = BTreeMap::from([("a".to_owned(), json!(true))]);
    match kind {
        0 => (Content::Text("x".repeat(len)), None),
        1 => (Content::Text("aé😀中".repeat(len.div_ceil(5))), None),
        2 => (
            Content::Text("😀".repeat(len.div_ceil(2))),
            Attributes::new(bold).unwrap(),
        ),
        _ => (Content::Embed(Embed::new(json!({"image": len})).unwrap()), None),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of a length is one"
)]
fn place(root: &Node, share: f64) -> usize {
    let at = (share * root.units() as f64) as usize;
    if root.is_boundary(at) { at } else { at - 1 }
}

fn check(root: &Node) {
    check_node(root, true);
    // Built anew from its pieces, the text has the same hash.
    let mut builder = Builder::default();
    root.pieces(0, root.units()).for_each(|piece| builder.push(piece));
    let built = builder.finish();
    check_node(&built, true);
    assert_eq!(built.summary().poly, root.summary().poly);
    assert_eq!(built.units(), root.units());
    assert_eq!(built.summary().pairs, root.summary().pairs);
}

/// Checks the limits of a node, and that what it knows is what lies below it.
fn check_node(node: &Node, root: bool) {
    match &node.body {
        Body::Leaf(leaf) => {
            assert!(root || leaf.units() >= LEAF_MIN);
            assert!(leaf.units() <= LEAF_MAX);
            assert_eq!(leaf.text().encode_utf16().count(), leaf.units());
            let spans: usize = leaf.pieces(0, leaf.units()).map(|piece| piece.units).sum();
            assert_eq!(spans, leaf.units());
            assert_eq!(node.summary.poly, leaf.summary().poly);
        }
        Body::Branch(branch) => {
            let fewest = if root { 2 } else { BRANCH_MIN };
            assert!((fewest..=BRANCH_MAX).contains(&branch.children.len()));
            for child in branch.children.iter() {
                assert_eq!(child.height() + 1, branch.height);
                check_node(child, false);
            }
            let sum = branch.summary();
            assert_eq!(node.summary.units, sum.units);
            assert_eq!(node.summary.pairs, sum.pairs);
            assert_eq!(node.summary.weight, sum.weight);
            assert_eq!(node.summary.poly, sum.poly);
        }
    }
}
