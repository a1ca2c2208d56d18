//! A window of a DESIGN page: which nodes were asked for, as many of them as a page of content holds.

use std::collections::BTreeSet;

use recto_projections::canvas::{Frame, leaves, meeting, shown};
use recto_projections::design::{DesignValue, Id};
use recto_projections::html::fragment;
use recto_projections::text::units;

use super::content::PAGE_CHARS_MAX;
use super::envelope::Window;
use super::token::TOKEN_NODES_MAX;

/// How many nodes are tried first, where all together may be too long.
const FIRST_TRY: usize = 256;

/// The nodes of a window.
pub(crate) struct Seen {
    /// Those asked for, in the order of the page.
    pub chosen: Vec<Id>,
    /// These with all below them and the groups around them.
    pub shown: BTreeSet<Id>,
    /// How many of those asked for did not fit.
    pub left_out: usize,
}

/// Chooses the nodes of a window; the ids asked for must be on the page.
pub(crate) fn look(value: &DesignValue, window: &Window) -> Seen {
    let mut chosen = match window {
        Window::All => leaves(value),
        Window::Viewport(frame) => meeting(value, frame),
        Window::Nodes(ids) => ids.iter().filter_map(|id| Some(value.node(id)?.id().clone())).collect(),
    };
    let fits = fitting(value, &chosen);
    let left_out = chosen.len() - fits;
    chosen.truncate(fits);
    let shown = shown(value, chosen.iter().map(|id| &**id));
    Seen {
        chosen,
        shown,
        left_out,
    }
}

/// Whether the numbers are a viewport.
pub(crate) fn viewport(numbers: [f64; 4]) -> Option<Frame> {
    let [x, y, width, height] = numbers;
    Frame::new(x, y, width, height)
}

/// How many of the nodes fit, the first ones first: twice as many are tried until they do not, then halves between.
fn fitting(value: &DesignValue, chosen: &[Id]) -> usize {
    let fits = |count: usize| {
        let first = chosen.iter().take(count).map(|id| &**id);
        let short = units(&fragment(value, first.clone())) <= PAGE_CHARS_MAX;
        short && shown(value, first).len() <= TOKEN_NODES_MAX
    };
    let (mut known, mut tried) = (0, FIRST_TRY.min(chosen.len()));
    while fits(tried) {
        if tried == chosen.len() {
            return tried;
        }
        known = tried;
        tried = (tried * 2).min(chosen.len());
    }
    let mut beyond = tried;
    while known + 1 < beyond {
        let middle = known + (beyond - known) / 2;
        if fits(middle) {
            known = middle;
        } else {
            beyond = middle;
        }
    }
    known
}
