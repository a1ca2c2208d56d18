//! What differs between two versions of a DESIGN page, node by node, to be outlined in pictures of both.

use std::collections::BTreeMap;

use recto_projections::design::{DesignOp, Id};

/// What became of a node or of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mark {
    Added,
    Removed,
    Changed,
    Moved,
}

/// The marks of a picture.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    nodes: BTreeMap<Id, Vec<Mark>>,
    /// Whether the page's attributes or backgrounds differ.
    pub(super) page: bool,
}

impl Mark {
    /// All of them, in the order of a legend.
    pub(super) const ALL: [Self; 4] = [Self::Added, Self::Removed, Self::Changed, Self::Moved];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
            Self::Moved => "moved",
        }
    }

    /// The colour of its outline.
    pub(super) fn colour(self) -> &'static str {
        match self {
            Self::Added => "#1a7f37",
            Self::Removed => "#cf222e",
            Self::Changed => "#d97706",
            Self::Moved => "#0969da",
        }
    }
}

impl Marks {
    /// The marks of what a delta does.
    pub(super) fn of(ops: &[DesignOp]) -> Self {
        let mut marks = Self::default();
        for op in ops {
            match op {
                DesignOp::AddNode { node, .. } => marks.put(&node.id, Mark::Added),
                DesignOp::RemoveNode { id } => marks.put(id, Mark::Removed),
                DesignOp::MoveNode { id, .. } => marks.put(id, Mark::Moved),
                DesignOp::SetNode { id, .. }
                | DesignOp::EditText { id, .. }
                | DesignOp::AddToSet { id, .. }
                | DesignOp::RemoveFromSet { id, .. } => marks.put(id, Mark::Changed),
                DesignOp::SetAttributes { .. }
                | DesignOp::AddBackground { .. }
                | DesignOp::RemoveBackground { .. }
                | DesignOp::SetBackground { .. }
                | DesignOp::MoveBackground { .. } => marks.page = true,
            }
        }
        marks
    }

    /// What became of a node; nothing where it stayed as it was.
    pub(super) fn of_node(&self, id: &str) -> &[Mark] {
        self.nodes.get(id).map_or(&[], Vec::as_slice)
    }

    /// How many nodes have a mark.
    pub(super) fn count(&self, mark: Mark) -> usize {
        self.nodes.values().filter(|marks| marks.contains(&mark)).count()
    }

    fn put(&mut self, id: &Id, mark: Mark) {
        let marks = self.nodes.entry(id.clone()).or_default();
        if !marks.contains(&mark) {
            marks.push(mark);
        }
    }
}
