//! What is looked at on the right: which pane, in which form, scrolled how far.

use std::sync::Arc;

use recto_projections::Kind;

use super::App;
use crate::screen::areas::Areas;
use crate::screen::draw::pane;
use crate::screen::news::{Lines, Shown};

/// How far sideways one key goes.
const SIDEWAYS_COLUMNS: usize = 8;
/// How far sideways one can go.
const SIDEWAYS_MAX: usize = 4096;

/// What stands on the right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::screen) enum Pane {
    /// The page.
    Page,
    /// The delta and its inverse.
    Change,
    /// Everyone's stacks.
    Stacks,
    /// An undo tried here.
    Undo,
    /// How it all fits what is stored.
    Stored,
}

/// How the page is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::screen) enum Form {
    /// As a tree.
    Outline,
    /// Its texts.
    Text,
    /// Drawn.
    Picture,
}

/// How far a pane is scrolled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::screen) struct Scroll {
    /// Lines.
    pub(in crate::screen) down: usize,
    /// Columns.
    pub(in crate::screen) right: usize,
}

impl Pane {
    /// All, in the order of their numbers.
    pub(in crate::screen) const ALL: [Self; 5] = [Self::Page, Self::Change, Self::Stacks, Self::Undo, Self::Stored];

    /// The name.
    pub(in crate::screen) fn name(self) -> &'static str {
        match self {
            Self::Page => "Page",
            Self::Change => "Delta",
            Self::Stacks => "Stacks",
            Self::Undo => "Undo",
            Self::Stored => "Stored",
        }
    }

    /// The place in [`Pane::ALL`].
    pub(in crate::screen) fn index(self) -> usize {
        match self {
            Self::Page => 0,
            Self::Change => 1,
            Self::Stacks => 2,
            Self::Undo => 3,
            Self::Stored => 4,
        }
    }
}

impl Form {
    /// The name.
    pub(in crate::screen) fn name(self) -> &'static str {
        match self {
            Self::Outline => "tree",
            Self::Text => "text",
            Self::Picture => "drawn",
        }
    }
}

impl App {
    /// How far the pane is scrolled.
    pub(in crate::screen) fn scrolled(&self) -> Scroll {
        self.scroll[self.pane.index()]
    }

    /// Whether the page can be shown in several forms.
    pub(in crate::screen) fn has_forms(&self) -> bool {
        self.subject.kind == Kind::Design
    }

    pub(super) fn turn_pane(&mut self, steps: usize) {
        self.pane = Pane::ALL[(self.pane.index() + steps) % Pane::ALL.len()];
    }

    pub(super) fn turn_form(&mut self) {
        self.pane = Pane::Page;
        if !self.has_forms() {
            self.message = Some(format!("a {} page has one form only", self.subject.kind));
            return;
        }
        self.form = match self.form {
            Form::Outline => Form::Text,
            Form::Text => Form::Picture,
            Form::Picture => Form::Outline,
        };
        self.scroll[self.pane.index()] = Scroll::default();
        if let Some(shown) = self.shown.clone() {
            self.see_change(&shown);
        }
    }

    /// Scrolls the pane down, or up.
    pub(super) fn scroll_by(&mut self, lines: isize) {
        let room = pane::count(self).saturating_sub(self.pane_height());
        let scroll = &mut self.scroll[self.pane.index()];
        scroll.down = scroll.down.saturating_add_signed(lines).min(room);
    }

    pub(super) fn scroll_half(&mut self, down: bool) {
        let half = isize::try_from(self.pane_height() / 2).unwrap_or(1).max(1);
        self.scroll_by(if down { half } else { -half });
    }

    pub(super) fn scroll_sideways(&mut self, right: bool) {
        let scroll = &mut self.scroll[self.pane.index()];
        scroll.right = if right {
            (scroll.right + SIDEWAYS_COLUMNS).min(SIDEWAYS_MAX)
        } else {
            scroll.right.saturating_sub(SIDEWAYS_COLUMNS)
        };
    }

    /// A state came: the pane stays where it is, unless what changed would be out of sight.
    pub(super) fn take_shown(&mut self, shown: Arc<Shown>) {
        if shown.version != self.version {
            return;
        }
        self.shown = Some(Arc::clone(&shown));
        self.see_change(&shown);
        for change in [Pane::Change, Pane::Stored] {
            self.scroll[change.index()].down = 0;
        }
    }

    fn see_change(&mut self, shown: &Shown) {
        let height = self.pane_height();
        let lines: &Lines = match self.form {
            Form::Outline => &shown.outline,
            Form::Text => &shown.text,
            Form::Picture => return,
        };
        let scroll = &mut self.scroll[Pane::Page.index()];
        let room = lines.all.len().saturating_sub(height);
        let first = lines.all.iter().position(|(_, changed)| *changed);
        if let Some(first) = first.filter(|first| !(scroll.down..scroll.down + height).contains(first)) {
            scroll.down = first.saturating_sub(height / 3);
        }
        scroll.down = scroll.down.min(room);
    }

    fn pane_height(&self) -> usize {
        Areas::of(self.size).map_or(1, |areas| usize::from(areas.pane.height))
    }
}
