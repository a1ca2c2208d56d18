//! Everyone's undo and redo stack at this version.

use ratatui::text::{Line, Span};
use recto_projections::manager::Entry;

use super::pane::Rows;
use super::theme::{BAD, CHOSEN, DIM, NAME};
use crate::screen::app::App;
use crate::screen::news::ActorStacks;

/// The most versions of an entry that are listed.
const EDITS_TOLD: usize = 8;

pub(super) fn rows(app: &App) -> Rows<'_> {
    let Some(stacks) = app.stacks_here() else {
        return Box::new(std::iter::once(Line::styled("…", DIM)));
    };
    let mut lines = Vec::new();
    if let Some(since) = stacks.uncertain_since {
        lines.push(Line::styled(
            format!("uncertain since {since}, which cannot be read"),
            BAD,
        ));
    }
    if stacks.actors.is_empty() {
        lines.push(Line::styled("nobody can undo or redo anything here", DIM));
    }
    let chosen = app.actor();
    for actor in &stacks.actors {
        of_actor(app, actor, chosen.as_deref() == Some(&*actor.actor), &mut lines);
    }
    Box::new(lines.into_iter())
}

fn of_actor<'a>(app: &'a App, actor: &'a ActorStacks, is_chosen: bool, lines: &mut Vec<Line<'a>>) {
    let style = if is_chosen { CHOSEN } else { NAME };
    let counts = format!("  {} to undo, {} to redo", actor.undo_count(), actor.redo_count());
    lines.push(Line::from(vec![
        Span::styled(format!(" {} ", actor.actor), style),
        Span::styled(counts, DIM),
    ]));
    side(app, "undo", &actor.undo, actor.undo_more, lines);
    side(app, "redo", &actor.redo, actor.redo_more, lines);
}

fn side<'a>(app: &'a App, name: &'static str, entries: &[Entry], more: usize, lines: &mut Vec<Line<'a>>) {
    for (number, entry) in (1..).zip(entries) {
        let name = if number == 1 { name } else { "" };
        let mut spans = vec![
            Span::styled(format!("   {name:<4} "), DIM),
            Span::raw(format!("{number:>2}  {}", told(entry))),
        ];
        if let Some(words) = entry.edits.iter().find_map(|edit| app.rows.get(edit)?.words.first()) {
            spans.push(Span::styled(format!("  {words}"), DIM));
        }
        lines.push(Line::from(spans));
    }
    if more > 0 {
        lines.push(Line::styled("            and more below", DIM));
    }
}

/// `turn t1: 2, 3`
fn told(entry: &Entry) -> String {
    let mut edits = entry.edits.clone();
    edits.sort_unstable();
    let mut list: Vec<_> = edits.iter().take(EDITS_TOLD).map(u64::to_string).collect();
    if edits.len() > EDITS_TOLD {
        list.push(format!("… {} in all", edits.len()));
    }
    let list = list.join(", ");
    match &entry.turn {
        Some(turn) => format!("turn {turn}: {list}"),
        None => list,
    }
}
