//! The weave: text undo that does not depend on the order in which edits are undone.
//!
//! A weave holds every run of text that stood in a text since a starting version, in order, each with the edit that
//! inserted it, the edits that deleted it and the edits that set attributes on it. A run shows when its insert is active
//! and none of its deletes is. So the text is a pure function of the edits and of the set of undone ones: undone in
//! whatever order, they meet in the same text; everything undone gives the first text; an undo undone at once gives
//! exactly the text before; and nobody else's letter or attribute is lost.
//!
//! # Rules
//!
//! - **Place of an insert.** An edit's places count what shows when it is woven in. An insert goes right before the next
//!   run that shows, behind the runs between that do not show; and for good: whatever comes back later, neighbours keep
//!   their order.
//! - **Deletes** are counted by edit: text that two edits deleted comes back when neither is active. What an edit both
//!   inserted and deleted never shows.
//! - **Attributes.** Each name has the value of its newest active setter, in the order of the edits, whichever of them
//!   was undone and redone when; without an active setter, the value with which the text was inserted. A null that an
//!   edit sets takes the attribute away as long as the edit is active. Whatever an edit's delta names counts as set by
//!   it, also where it repeats what was there.
//! - **Identity.** Text that an undo brings back is the same text, not a copy: edits that were made on it, before or
//!   after, go on holding for it. Text that another edit inserts with the same letters is other text.
//! - **Text typed into text that an undo brought back** is of its own edit. It stays when the text around goes again.
//! - **Undo of an undo** switches on again what that undo switched off and nothing else: see [`Weave::undo`].
//! - **The newline at the end of a document** stands there whatever is undone: where the runs that show do not end with
//!   one, a plain newline is added. It is of no edit. The first edit that is made while an added newline is there finds it
//!   in the text, as a run of its own at the very end: one that shows when no active edit deletes it, and when the text as
//!   it would be without that edit and all later ones does not end with a newline. So nothing depends on where the weave
//!   starts: to whoever edits it, an added newline is like one that was always there, and it only goes, from whatever was
//!   made on it since, when an earlier edit that is undone or redone ends the last line itself.
//! - **The start does not matter**: a weave that starts later gives the same deltas, as long as nothing before its start
//!   is switched; [`first_needed`] finds a start that is early enough.
//!
//! # Costs
//!
//! Working an edit in costs the logarithm of the number of runs for each operation and for each run that it deletes or
//! formats. Switching edits costs the same for each run that they name and that shows before or after. Runs that the same
//! edits inserted, deleted and formatted share one `fate`, so no history is copied where a run is split; two
//! neighbours never become alike again, since an edit that told them apart is never forgotten, so none are joined.
//! The starting text is shared, not copied.

mod blame;
mod change;
mod code;
mod edit;
mod ending;
mod fates;
mod fault;
mod flip;
mod limits;
mod order;
mod reach;
mod render;
mod runs;
mod source;
mod undo;
mod woven;

pub use blame::BlamedRun;
pub use code::{CodeConflict, CodeUndo, CodeWeave, CodeWeaveError, OnConflict};
pub use fault::{Counted, WeaveError};
pub use limits::WeaveLimits;
pub use reach::first_needed;
pub use woven::{EditId, Weave};
