//! What a follower is told of slots in one life: what waits, and then one end of each.

use std::collections::BTreeMap;

use recto_pages::{SlotFollower, SlotStatus};

/// How each slot was told last, and whether its image was.
#[derive(Debug, Default)]
pub(super) struct Told {
    last: BTreeMap<String, SlotStatus>,
    /// The nodes that were told.
    pub(super) nodes: BTreeMap<String, String>,
    /// How many ends were failures.
    pub(super) failed: usize,
}

impl Told {
    /// Takes in all that is there to hear.
    pub(super) async fn listen(&mut self, follower: &mut SlotFollower, schedule: &str) {
        while let std::task::Poll::Ready(news) = futures::poll!(std::pin::pin!(follower.next())) {
            let slot = news.slot.to_string();
            let before = self.last.insert(slot.clone(), news.status);
            let fits = match news.status {
                // What was placed is never held again.
                SlotStatus::Pending => matches!(before, None | Some(SlotStatus::Failed)),
                SlotStatus::Placed | SlotStatus::Failed => before == Some(SlotStatus::Pending),
            };
            assert!(fits, "slot {slot}: {:?} after {before:?}: {schedule}", news.status);
            match news.status {
                SlotStatus::Placed => {
                    let node = news.node.clone().expect("a node");
                    self.nodes.insert(slot, node);
                }
                SlotStatus::Failed => self.failed += 1,
                SlotStatus::Pending => {}
            }
        }
    }

    /// The slots that wait, as far as was told.
    pub(super) fn waiting(&self) -> usize {
        let waits = self.last.values().filter(|status| **status == SlotStatus::Pending);
        waits.count()
    }
}
