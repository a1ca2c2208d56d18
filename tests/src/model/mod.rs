//! A page value as simply as it can be written: no sharing, no order keys, no digest. What
//! Recto answers is compared with it, so it shares no code with Recto.

mod code;
mod design;
mod design_apply;
mod patch;
mod text;

pub use code::Code;
pub use design::{Design, Node};
pub use text::Text;

use recto_projections::Kind;

use crate::Json;

/// Why a delta is refused, for the message of a failed test.
pub type Refusal = &'static str;

/// The value of a page of any kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Model {
    /// Nodes in lists of children.
    Design(Design),
    /// One element for every unit.
    Doc(Text),
    /// A text for every path.
    Code(Code),
    /// JSON, whose numbers and order of keys count.
    Sheet(String),
}

impl Model {
    /// The value that a page's JSON tells.
    ///
    /// # Panics
    /// Where it tells none.
    pub fn from_json(kind: Kind, json: &Json) -> Self {
        match kind {
            Kind::Design => Self::Design(Design::from_json(json)),
            Kind::Doc => Self::Doc(Text::from_document(json)),
            Kind::Code => Self::Code(Code::from_json(json)),
            Kind::Sheet => Self::Sheet(json.to_string()),
        }
    }

    /// Applies a delta in its wire form, all or nothing.
    ///
    /// # Errors
    /// [`Refusal`] where Recto has to refuse it too.
    pub fn apply(&mut self, delta: &Json) -> Result<(), Refusal> {
        let mut next = self.clone();
        match &mut next {
            Self::Design(design) => design.apply(delta)?,
            Self::Doc(text) => text.apply_document(delta)?,
            Self::Code(code) => code.apply(delta)?,
            Self::Sheet(text) => {
                for op in delta.as_array().into_iter().flatten() {
                    *text = op["value"].to_string();
                }
            }
        }
        *self = next;
        Ok(())
    }
}
