//! Setting and taking away values of a JSON object by pointer, with the exact inverse, the order of keys included.

mod apply;
mod diff;
mod overlap;
mod wire;

use crate::json::Json;
use crate::pointer::Pointer;

pub(crate) use apply::{PatchRef, Patched, Root, apply};
pub(crate) use diff::{Editing, diff};
pub(crate) use overlap::check_overlap;

/// What one operation sets and takes away. No pointer leads into an array; of no two pointers in `set` and `unset` one
/// holds the other.
#[derive(Clone, Debug, Default)]
pub struct Patch {
    /// Values by pointer. A key that was not there comes last in its object, unless `at` says where.
    pub set: Vec<(Pointer, Json)>,
    /// Pointers to what is taken away. What is not there need not be.
    pub unset: Vec<Pointer>,
    /// The index at which a key stands in its object afterwards. A hint: keys that are not there are passed over, and an
    /// index past the end means the end.
    pub at: Vec<(Pointer, usize)>,
}

impl Patch {
    /// Says whether the patch does nothing.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty() && self.unset.is_empty() && self.at.is_empty()
    }
}

impl PartialEq for Patch {
    fn eq(&self, other: &Patch) -> bool {
        let same = |a: &(Pointer, Json), b: &(Pointer, Json)| a.0 == b.0 && crate::json::same(&a.1, &b.1);
        self.set.len() == other.set.len()
            && self.set.iter().zip(&other.set).all(|(a, b)| same(a, b))
            && self.unset == other.unset
            && self.at == other.at
    }
}
