//! Undos taken back: the weave is as if they had not been.

use recto_projections::text::weave::{EditId, OnConflict};

use crate::code_laws;
use crate::laws::every_history;

#[test]
fn undos_of_a_text_taken_back_leave_no_trace() {
    every_history("rewind", |history, random| {
        let edits: Vec<EditId> = history.edits.iter().map(|(_, edit)| *edit).collect();
        let kept = history.undo(&[*random.pick(&edits)]);
        let (weave, before) = (&mut history.weave, history.text.to_document());
        let untouched = weave.clone();
        let mut undos = edits.clone();
        for event in kept.0 + 1..kept.0 + 6 {
            let of = [*random.pick(&undos), *random.pick(&undos)];
            weave.undo(EditId(event), &of).unwrap();
            undos.push(EditId(event));
        }
        weave.rewind(Some(kept));
        assert_eq!(weave.newest(), Some(kept));
        assert_eq!(weave.rendered(), before);
        assert!(weave.active().eq(untouched.active()));
        let of = [kept, *random.pick(&edits)];
        assert_eq!(weave.preview(&of), untouched.clone().preview(&of));
        assert!(
            weave.undo(EditId(kept.0 + 1), &[EditId(kept.0 + 2)]).is_err(),
            "it is forgotten"
        );
    });
}

#[test]
fn an_edit_is_not_taken_back() {
    every_history("rewind", |history, _| {
        let (before, newest) = (history.weave.newest(), history.edits.last().unwrap().1);
        assert_eq!(before, Some(newest));
        history.weave.rewind(None);
        assert_eq!(history.weave.newest(), before);
    });
}

#[test]
fn undos_of_a_code_page_taken_back_leave_no_trace() {
    code_laws::every_history(|page, edits, random| {
        let kept = page.undo(&[*random.pick(edits)]);
        let before = (
            page.weave.rendered(),
            page.weave.entry(),
            page.weave.attributes().clone(),
        );
        let untouched = page.weave.clone();
        let mut undos = edits.to_vec();
        for event in kept.0 + 1..kept.0 + 6 {
            let of = [*random.pick(&undos), *random.pick(&undos)];
            let on_conflict = *random.pick(&[OnConflict::Keep, OnConflict::Force]);
            page.weave.undo(EditId(event), &of, on_conflict).unwrap();
            undos.push(EditId(event));
        }
        page.weave.rewind(Some(kept));
        assert_eq!(page.weave.newest(), Some(kept));
        let after = (
            page.weave.rendered(),
            page.weave.entry(),
            page.weave.attributes().clone(),
        );
        assert_eq!(after, before);
        let of = [kept, *random.pick(edits)];
        let again = page.weave.preview(&of, OnConflict::Keep);
        assert_eq!(again, untouched.clone().preview(&of, OnConflict::Keep));
    });
}
