//! Whether a delta touches a thing: what a log asks that tells of one node only.

use crate::code::CodeOp;
use crate::delta::Delta;
use crate::design::DesignOp;

impl Delta {
    /// Tells whether an operation adds, removes, changes or moves the node, background or file of this name, or moves
    /// another into it.
    #[must_use]
    pub fn touches(&self, name: &str) -> bool {
        match self {
            Delta::Design(ops) => ops.iter().any(|op| design_op(op, name)),
            Delta::Code(ops) => ops.iter().any(|op| code_op(op, name)),
            Delta::Doc(_) | Delta::Sheet(_) => false,
        }
    }
}

fn design_op(op: &DesignOp, name: &str) -> bool {
    match op {
        DesignOp::AddNode { node, .. } => &*node.id == name || node.parent.as_deref() == Some(name),
        DesignOp::MoveNode { id, parent, .. } => &**id == name || parent.iter().flatten().any(|id| &**id == name),
        DesignOp::RemoveNode { id }
        | DesignOp::SetNode { id, .. }
        | DesignOp::EditText { id, .. }
        | DesignOp::AddToSet { id, .. }
        | DesignOp::RemoveFromSet { id, .. }
        | DesignOp::RemoveBackground { id }
        | DesignOp::SetBackground { id, .. }
        | DesignOp::MoveBackground { id, .. } => &**id == name,
        DesignOp::AddBackground { background, .. } => background.id() == name,
        DesignOp::SetAttributes { .. } => false,
    }
}

fn code_op(op: &CodeOp, name: &str) -> bool {
    match op {
        CodeOp::AddFile { path, .. } | CodeOp::RemoveFile { path } | CodeOp::EditFile { path, .. } => &**path == name,
        CodeOp::RenameFile { path, to } => &**path == name || &**to == name,
        CodeOp::SetEntry { path } => path.as_deref() == Some(name),
        CodeOp::SetAttributes { .. } => false,
    }
}
