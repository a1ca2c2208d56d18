//! Places among siblings, over what became of the siblings.
//!
//! A place beside a sibling that is gone becomes the place beside the nearest one that is left. A key that the base gave
//! is kept where nobody put anything into its gap; else the node goes to the end of the gap, so that whoever was
//! committed first comes first, and nodes put there together stay together.

use super::design::Run;
use super::outcome::NoteKind;
use super::siblings::{Around, child_of};
use super::subject::Subject;
use crate::design::{Id, Node, Placement, Position, Siblings};
use crate::order::OrderKey;

impl Run<'_> {
    /// Gives the place for a node, among the children of its parent at the head.
    pub(super) fn position(
        &mut self,
        id: &Id,
        parent: Option<&Id>,
        position: &Position,
        siblings: Option<&Siblings>,
    ) -> Position {
        match position {
            Position::Placed(placement) => Position::Placed(self.placement(id, parent, placement)),
            Position::Keyed(key) => self.keyed(id, parent, key, siblings),
        }
    }

    fn placement(&mut self, id: &Id, parent: Option<&Id>, placement: &Placement) -> Placement {
        let (Placement::After(beside) | Placement::Before(beside)) = placement else {
            return placement.clone();
        };
        if child_of(&self.work, parent, beside).is_some() {
            return placement.clone();
        }
        let Some(stood) = self.trail.stood(beside).filter(|stood| stood.parent.as_ref() == parent) else {
            return placement.clone();
        };
        let around = Around::find(&self.work, parent, &stood.order, id);
        let found = match placement {
            Placement::Before(_) => around.at_or_right().map_or(Placement::Last, before),
            _ => around.at_or_left().map_or(Placement::First, after),
        };
        self.findings
            .note(NoteKind::PlacedBeside, &Subject::Node(id.clone()), "/placement");
        found
    }

    fn keyed(&mut self, id: &Id, parent: Option<&Id>, key: &OrderKey, siblings: Option<&Siblings>) -> Position {
        let placed = match self.placed.take() {
            Some(placed) => placed,
            None => self.trail.placed(),
        };
        let around = Around::find(&self.work, parent, key, id);
        let is_new = |node: &&Node| placed.contains(node.id());
        let noted = |noted: &Option<Id>| noted.as_ref().and_then(|noted| child_of(&self.work, parent, noted));
        let Siblings { left, right } = siblings.cloned().unwrap_or_default();
        let (left_node, right_node) = (noted(&left), noted(&right));
        let beside = siblings.is_some();
        let free = !around.equal.iter().any(is_new)
            && left_node.is_none_or(|node| node.order() <= key)
            && right_node.is_none_or(|node| node.order() >= key)
            && !around
                .left
                .filter(|node| beside && Some(node.id()) != left.as_ref())
                .is_some_and(|node| is_new(&node))
            && !around
                .right
                .filter(|node| beside && Some(node.id()) != right.as_ref())
                .is_some_and(|node| is_new(&node));
        let position = match (left_node, right_node) {
            _ if free => Position::Keyed(key.clone()),
            (_, Some(right)) => Position::Placed(before(right)),
            _ if beside && right.is_none() => Position::Placed(Placement::Last),
            (Some(left), None) => {
                // The end of the gap: behind whatever was put there since.
                let since = self
                    .work
                    .siblings_after(left)
                    .filter(|node| node.id() != id)
                    .take_while(is_new);
                Position::Placed(after(since.last().unwrap_or(left)))
            }
            (None, None) => Position::Placed(around.at_or_left().map_or(Placement::First, after)),
        };
        self.placed = Some(placed);
        position
    }
}

fn after(node: &Node) -> Placement {
    Placement::After(node.id().clone())
}

fn before(node: &Node) -> Placement {
    Placement::Before(node.id().clone())
}
