//! Random values and deltas in their wire form, made against the naive model so that most of
//! them are legal, and some are not.

mod code;
mod design;
mod json;
mod text;

pub use json::json;
pub use text::words;

use recto_projections::Kind;
use serde_json::json as wire;

use crate::Json;
use crate::model::Model;
use crate::seed::Random;

/// The most operations in a random delta.
const OPS_MAX: usize = 4;
/// One illegal operation is kept out of so many.
const ILLEGAL_ONE_OF: usize = 12;

/// A whole value of a kind.
pub fn value(random: &mut Random, kind: Kind) -> Json {
    match kind {
        Kind::Design => design::value(random),
        Kind::Doc => text::document(random),
        Kind::Code => code::value(random),
        Kind::Sheet => json(random, 3),
    }
}

/// A delta for a page. It is legal where the model takes it.
pub fn delta(random: &mut Random, model: &Model) -> Json {
    match model {
        Model::Design(_) => operations(random, model, |random, model| match model {
            Model::Design(design) => design::operation(random, design),
            _ => unreachable!("the kind of a model stays"),
        }),
        Model::Code(_) => operations(random, model, |random, model| match model {
            Model::Code(code) => code::operation(random, code),
            _ => unreachable!("the kind of a model stays"),
        }),
        Model::Doc(document) => {
            let delta = text::rich_delta(random, document);
            if model.clone().apply(&delta).is_err() && !random.chance(1, ILLEGAL_ONE_OF) {
                return wire!([{ "insert": words(random, 4) }]);
            }
            delta
        }
        Model::Sheet(_) => wire!([{ "op": "replaceSheet", "value": json(random, 3) }]),
    }
}

/// Operations of which each is made for the state that those before it leave.
fn operations(random: &mut Random, model: &Model, mut make: impl FnMut(&mut Random, &Model) -> Json) -> Json {
    let mut state = model.clone();
    let mut ops = Vec::new();
    for _ in 0..random.within(1, OPS_MAX) {
        let op = make(random, &state);
        let refused = state.apply(&wire!([op])).is_err();
        if !refused || random.chance(1, ILLEGAL_ONE_OF) {
            ops.push(op);
        }
    }
    Json::Array(ops)
}
