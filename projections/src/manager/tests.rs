//! Stacks, told as short stories.

use super::*;

/// A page's events, one line each.
struct Story {
    manager: HistoryManager,
    version: u64,
}

impl Story {
    fn new() -> Self {
        Self::within(1000)
    }

    fn within(window: u64) -> Self {
        let manager = HistoryManager::new(window);
        Self { manager, version: 1 }
    }

    fn take(&mut self, actor: &str, turn: Option<&str>, command: &str, deed: Deed) -> u64 {
        self.version += 1;
        let version = self.version;
        self.manager.take(&Header {
            version,
            actor,
            turn,
            command,
            deed,
        });
        version
    }

    fn edit(&mut self, actor: &str) -> u64 {
        self.take(actor, None, "c", Deed::Edit)
    }

    fn in_turn(&mut self, actor: &str, turn: &str) -> u64 {
        self.take(actor, Some(turn), "c", Deed::Edit)
    }

    /// Undoes what stands for these edits, in one command.
    fn undo(&mut self, actor: &str, edits: &[u64]) {
        let command = format!("undo {}", self.version);
        for edit in edits.iter().rev() {
            let Stand::Stands { by: of } = self.manager.stand(*edit) else {
                panic!("{edit} is undone");
            };
            self.take(actor, None, &command, Deed::Undo { of });
        }
    }

    fn redo(&mut self, actor: &str, edits: &[u64]) {
        let command = format!("redo {}", self.version);
        for edit in edits {
            let Stand::Undone { by: of } = self.manager.stand(*edit) else {
                panic!("{edit} stands");
            };
            self.take(actor, None, &command, Deed::Redo { of });
        }
    }

    #[track_caller]
    fn expect(&self, actor: &str, undo: &[&[u64]], redo: &[&[u64]]) {
        fn sorted(entry: Entry) -> Vec<u64> {
            let mut edits = entry.edits;
            edits.sort_unstable();
            edits
        }
        assert_eq!(
            self.manager.undo_stack(actor).map(sorted).collect::<Vec<_>>(),
            undo,
            "undo"
        );
        assert_eq!(
            self.manager.redo_stack(actor).map(sorted).collect::<Vec<_>>(),
            redo,
            "redo"
        );
    }
}

#[test]
fn undos_step_back_and_redos_forward() {
    let mut story = Story::new();
    let [a, b, c] = [(); 3].map(|()| story.edit("user:ada"));
    story.expect("user:ada", &[&[c], &[b], &[a]], &[]);
    story.undo("user:ada", &[c]);
    story.undo("user:ada", &[b]);
    story.expect("user:ada", &[&[a]], &[&[b], &[c]]);
    story.redo("user:ada", &[b]);
    story.redo("user:ada", &[c]);
    story.expect("user:ada", &[&[c], &[b], &[a]], &[]);
    story.expect("user:bob", &[], &[]);
}

#[test]
fn an_own_edit_clears_redo_and_a_foreign_one_does_not() {
    let mut story = Story::new();
    let [a, b] = [(); 2].map(|()| story.edit("user:ada"));
    story.undo("user:ada", &[b]);
    let x = story.edit("user:bob");
    story.expect("user:ada", &[&[a]], &[&[b]]);
    story.expect("user:bob", &[&[x]], &[]);
    let c = story.edit("user:ada");
    story.expect("user:ada", &[&[c], &[a]], &[]);
}

#[test]
fn a_turn_is_one_entry_where_its_newest_edit_is() {
    let mut story = Story::new();
    let a = story.in_turn("agent:x", "t");
    let b = story.in_turn("agent:x", "u");
    let c = story.in_turn("agent:x", "t");
    story.expect("agent:x", &[&[a, c], &[b]], &[]);
    story.undo("user:ada", &[a, c]);
    story.expect("agent:x", &[&[b]], &[]);
    story.expect("user:ada", &[], &[&[a, c]]);
    assert_eq!(story.manager.turn("t"), [a, c]);
}

#[test]
fn what_another_redoes_is_on_both_stacks_at_its_old_place() {
    let mut story = Story::new();
    let [a, b, c] = [(); 3].map(|()| story.edit("agent:x"));
    story.undo("user:ada", &[b]);
    story.expect("agent:x", &[&[c], &[a]], &[]);
    story.redo("user:ada", &[b]);
    story.expect("agent:x", &[&[c], &[b], &[a]], &[]);
    story.expect("user:ada", &[&[b]], &[]);
    story.undo("agent:x", &[b]);
    story.expect("user:ada", &[], &[]);
    story.expect("agent:x", &[&[c], &[a]], &[&[b]]);
}

#[test]
fn the_window_forgets_what_is_old() {
    let mut story = Story::within(10);
    let a = story.in_turn("user:ada", "t");
    for _ in 0..100 {
        story.edit("user:bob");
    }
    story.expect("user:ada", &[], &[]);
    assert!(story.manager.turn("t").is_empty());
    assert_eq!(story.manager.undo_stack("user:bob").count(), 10);
    assert!(story.manager.edits.len() <= 21, "{}", story.manager.edits.len());
    // An old edit can still be undone by its version; then it is nobody's to redo but by version.
    story.undo("user:ada", &[a]);
    assert!(matches!(story.manager.stand(a), Stand::Undone { .. }));
    story.expect("user:ada", &[], &[]);
}

#[test]
fn other_events_are_on_no_stack_and_clear_none() {
    let mut story = Story::new();
    let a = story.edit("user:ada");
    story.undo("user:ada", &[a]);
    story.take("user:ada", None, "c", Deed::Other);
    story.expect("user:ada", &[], &[&[a]]);
}
