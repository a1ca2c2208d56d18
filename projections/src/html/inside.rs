//! What lies below each element, known before the walk comes to it.

use super::element::{CANVAS, Class, classify};
use super::tree::{At, Step, Tree, index};

/// What an item is, and what lies below it.
#[derive(Clone, Copy, Default)]
pub(super) struct Inside {
    /// Nothing for a text, and below what says nothing.
    pub(super) class: Option<Class>,
    /// Nodes by their attributes.
    pub(super) marked: bool,
    /// Nodes of any sort.
    pub(super) nodes: bool,
}

/// Looks at what lies below every item, from the inside out.
pub(super) fn look_inside(tree: &Tree) -> Vec<Inside> {
    let mut found = vec![Inside::default(); tree.items.len()];
    let mut steps = tree.walk(0);
    while let Some(step) = steps.next() {
        let (Step::Enter(at) | Step::Leave(at)) = step;
        if tree.text(at).is_some() {
            continue;
        }
        let place = index(at);
        if let Step::Enter(at) = step {
            let class = classify(tree, at);
            found[place].class = Some(class);
            match matches!(class, Class::Silent | Class::Dropped) || tree.is_foreign(at) {
                true => steps.pass_over(at),
                false => continue,
            }
        }
        let own = found[place];
        if let (Some(class), Some(parent)) = (own.class, tree.item(at).parent) {
            let above = &mut found[index(parent)];
            let marked = matches!(class, Class::Marked | Class::Background);
            above.marked |= own.marked || marked;
            above.nodes |= own.nodes || marked || class == Class::Block;
        }
    }
    found
}

/// Finds the canvas: the first element that says it is one.
pub(super) fn canvas_of(tree: &Tree) -> Option<At> {
    let is_canvas = |at: &At| CANVAS.iter().any(|name| tree.attribute(*at, name).is_some());
    let mut entered = tree.walk(0).filter_map(|step| match step {
        Step::Enter(at) => Some(at),
        Step::Leave(_) => None,
    });
    entered.find(is_canvas)
}
