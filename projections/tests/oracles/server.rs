//! What a server of Recto does with deltas of one page, as far as rebasing goes.

use recto_projections::rebase::{Committed, Nature, Options, rebase_all};
use recto_projections::text::{RichText, TextDelta};
use recto_projections::{Applied, Delta, DocValue, Value};

/// Makes a document of a text that ends with a newline.
pub(crate) fn document(text: &str) -> Value {
    Value::Doc(DocValue::new(RichText::from_plain(text)).unwrap())
}

pub(crate) fn read(value: &Value) -> String {
    let Value::Doc(document) = value else {
        panic!("no document")
    };
    document.text().to_plain()
}

/// Rebases deltas, each made on what the one before left, over events, and applies them to the head.
pub(crate) fn commit(head: &mut Value, deltas: &[Delta], over: &[Applied], over_first: bool) -> Vec<Applied> {
    let events = over
        .iter()
        .zip(1..)
        .map(|(Applied { delta, inverse }, version)| Committed {
            version,
            actor: "other",
            delta,
            inverse,
            nature: Nature::Edit,
            undoes: &[],
        });
    let options = Options {
        over_first,
        ..Options::default()
    };
    let all = rebase_all(deltas, &events.collect::<Vec<_>>(), head, &options).unwrap();
    all.iter().map(|rebased| head.apply(&rebased.delta).unwrap()).collect()
}

pub(crate) fn doc(deltas: &[TextDelta]) -> Vec<Delta> {
    deltas.iter().cloned().map(Delta::Doc).collect()
}
