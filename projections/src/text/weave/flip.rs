//! Flipping edits on and off, and the delta that makes the text follow.

use super::fates::{Deed, Fate, Fates, NONE};
use super::order::Rank;
use super::runs::Run;
use super::undo::Switch;
use super::woven::{Edit, Weave};
use crate::text::{Attributes, Piece, TextDelta, TextOp};

/// How the runs of a fate look.
#[derive(Debug, Clone, PartialEq)]
struct Look {
    shown: bool,
    /// What active setters lay over the attributes with which the runs were inserted.
    patch: Option<Attributes>,
}

/// How the runs of a fate look before and after a flip.
#[derive(Debug, Clone)]
struct Change {
    was: Look,
    shall: Look,
    /// The number of the attributes with which the runs were inserted.
    inserted: u32,
}

/// A run that changes, and the index of its change.
struct Touch {
    rank: Rank,
    /// How many units show before it.
    before: u32,
    run: u32,
    change: usize,
}

impl Weave {
    /// Switches edits, each of which really changes, in their order; returns the delta from what showed to what shows.
    pub(super) fn flip(&mut self, switches: &[Switch]) -> TextDelta {
        for switch in switches {
            self.edits[switch.edit].shall = switch.on;
        }
        let mut switches = switches.to_vec();
        self.switch_endings(&mut switches);
        let changes = self.changes(&switches);
        let touches = self.touches(&changes);
        let (mut delta, at) = self.compensation(&touches, &changes);
        let (shown, added) = (self.order.shown(), self.ending.is_added());
        for touch in &touches {
            let Change { was, shall, .. } = &changes[touch.change].1;
            if was.shown != shall.shown {
                let units = self.runs[touch.run as usize].units;
                self.order.show(touch.run, if shall.shown { units } else { 0 });
            }
        }
        for switch in &switches {
            self.edits[switch.edit].active = switch.on;
        }
        self.settle_ending();
        self.compensate_ending(added, at, shown, &mut delta);
        delta.chop()
    }

    /// Finds the fates whose runs look different afterwards.
    fn changes(&mut self, switches: &[Switch]) -> Vec<(u32, Change)> {
        // Numbers of flips are compared for the length of one flip only.
        self.flips = self.flips.wrapping_add(1).max(1);
        let mut changes = Vec::new();
        let mut open = Vec::new();
        for switch in switches {
            // A fate that lies below another one of a switched edit is met on the way down from that.
            for fate in self.fates_of(switch.edit) {
                if self.fates.get(fate).seen != self.flips {
                    open.push((fate, self.change_above(fate)));
                    self.descend(&mut open, &mut changes);
                }
            }
        }
        changes
    }

    /// Goes down from fates, given with the change of their parents, as far as anything changes.
    fn descend(&mut self, open: &mut Vec<(u32, Change)>, changes: &mut Vec<(u32, Change)>) {
        while let Some((fate, mut change)) = open.pop() {
            self.fates.see(fate, self.flips);
            change.pass(self.fates.get(fate), &self.fates, &self.edits);
            if change.was == change.shall {
                // What lies below changes only where another switched edit did something, and is met there.
                continue;
            }
            open.extend(self.fates.children(fate).map(|child| (child, change.clone())));
            if self.fates.has_runs(fate) {
                changes.push((fate, change));
            }
        }
    }

    /// Returns how runs of the fate above change.
    fn change_above(&self, fate: u32) -> Change {
        let look = Look {
            shown: true,
            patch: None,
        };
        let mut change = Change {
            was: look.clone(),
            shall: look,
            inserted: NONE,
        };
        let above: Vec<&Fate> = self.fates.path(fate).skip(1).collect();
        above
            .iter()
            .rev()
            .for_each(|fate| change.pass(fate, &self.fates, &self.edits));
        change
    }

    /// Finds the runs of changed fates, in the order in which they lie.
    fn touches(&self, changes: &[(u32, Change)]) -> Vec<Touch> {
        let mut touches = Vec::new();
        for (change, (fate, _)) in changes.iter().enumerate() {
            for run in self.fates.runs(*fate, &self.runs) {
                let (rank, before) = self.order.locate(run);
                touches.push(Touch {
                    rank,
                    before,
                    run,
                    change,
                });
            }
        }
        touches.sort_unstable_by_key(|touch| touch.rank);
        touches
    }

    /// Makes the delta from what shows to what shall; says how many of the units that show it goes over.
    fn compensation(&self, touches: &[Touch], changes: &[(u32, Change)]) -> (TextDelta, u32) {
        let mut delta = TextDelta::new();
        let mut at = 0;
        for Touch {
            before, run, change, ..
        } in touches
        {
            let Change { was, shall, inserted } = &changes[*change].1;
            let Run { slice, units, .. } = self.runs[*run as usize];
            delta.push(TextOp::Retain {
                len: (before - at) as usize,
                attributes: None,
            });
            at = *before;
            let pieces = self.source.pieces(slice, units, self.fates.attributes(*inserted));
            match (was.shown, shall.shown) {
                (true, true) => pieces.for_each(|piece| {
                    let attributes = Attributes::diff(
                        was.over(piece.attributes).as_ref(),
                        shall.over(piece.attributes).as_ref(),
                    );
                    delta.push(TextOp::Retain {
                        len: piece.units,
                        attributes,
                    });
                }),
                (true, false) => delta.push(TextOp::Delete { len: units as usize }),
                (false, true) => pieces.for_each(|piece| {
                    let attributes = shall.over(piece.attributes);
                    delta.push(
                        Piece {
                            attributes: attributes.as_ref(),
                            ..piece
                        }
                        .to_insert(),
                    );
                }),
                (false, false) => {}
            }
            if was.shown {
                at += units;
            }
        }
        (delta, at)
    }
}

impl Change {
    /// Follows the change from a fate's parent to the fate.
    fn pass(&mut self, fate: &Fate, fates: &Fates, edits: &[Edit]) {
        if let Deed::Insert(attributes) = fate.deed {
            self.inserted = attributes;
        }
        let edit = edits.get(fate.edit as usize);
        self.was.pass(fate.deed, edit.is_none_or(|edit| edit.active), fates);
        self.shall.pass(fate.deed, edit.is_none_or(|edit| edit.shall), fates);
    }
}

impl Look {
    /// What becomes of the look when an edit does a deed, or would do it if it were active.
    fn pass(&mut self, deed: Deed, active: bool, fates: &Fates) {
        match deed {
            Deed::Insert(_) => self.shown = active,
            Deed::Delete if active => (self.shown, self.patch) = (false, None),
            Deed::Set(patch) if active && self.shown => {
                self.patch = Attributes::compose(self.patch.as_ref(), fates.attributes(patch), true);
            }
            Deed::Delete | Deed::Set(_) => {}
        }
    }

    /// Lays the patch over attributes.
    fn over(&self, attributes: Option<&Attributes>) -> Option<Attributes> {
        Attributes::compose(attributes, self.patch.as_ref(), false)
    }
}
