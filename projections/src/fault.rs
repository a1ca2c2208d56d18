//! What can be wrong with an input: closed enums with stable codes and sentences that say what to do next.

use std::fmt;

/// An input that is no value or no delta.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at \"{pointer}\": {fault}")]
pub struct Invalid {
    /// Where, as a JSON pointer (RFC 6901) into the input.
    pub pointer: String,
    /// What is wrong there.
    pub fault: Fault,
}

/// What is wrong with an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The input has not the shape of a value or delta (HTTP 400).
    Malformed {
        /// What should stand there, as a noun phrase.
        expected: &'static str,
    },
    /// The shape is right, the content breaks a rule (HTTP 422).
    Rule {
        /// The rule that it breaks.
        rule: Rule,
    },
}

/// An operation that cannot be applied. Nothing of its delta was applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("operation {op}, at \"{pointer}\": {rule}")]
pub struct ApplyError {
    /// The index of the operation in the delta.
    pub op: usize,
    /// Where, as a JSON pointer into the JSON of the delta.
    pub pointer: String,
    /// The rule that it breaks.
    pub rule: Rule,
}

/// Why there is no delta between two values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiffError {
    /// The values are of different kinds.
    #[error("a page never changes its kind: compare values of one kind")]
    KindDiffers,
    /// The delta would break a limit.
    #[error("the values differ in too much for one delta: {rule}")]
    TooLarge {
        /// The limit.
        rule: Rule,
    },
}

/// What a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limited {
    /// Bytes of an id.
    IdBytes,
    /// Bytes of a type.
    TypeBytes,
    /// Nodes of a page.
    Nodes,
    /// Backgrounds of a page.
    Backgrounds,
    /// Files of a page.
    Files,
    /// Operations of a delta.
    Operations,
    /// Bytes of a JSON pointer.
    PointerBytes,
    /// Bytes of a key of a JSON object.
    KeyBytes,
    /// Bytes of a string.
    StringBytes,
    /// Bytes of a number of a geometry.
    NumberBytes,
    /// Bytes of an order key.
    OrderKeyBytes,
    /// Bytes of a path.
    PathBytes,
    /// UTF-16 units of a text.
    TextUnits,
}

/// A rule of the values. The codes are stable; the sentences are for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A text operation begins or ends inside a surrogate pair.
    SplitsSurrogate {
        /// The UTF-16 offset.
        at: usize,
    },
    /// A text operation reaches past the end of the text.
    OutOfRange {
        /// The UTF-16 offset that it needs.
        at: usize,
        /// The length of the text in UTF-16 units.
        len: usize,
    },
    /// A text operation of length zero, or an empty insert.
    EmptyOperation,
    /// A document that does not end with a newline.
    MissingNewline,
    /// A document that holds something other than inserts.
    InsertsOnly,
    /// An attribute whose value is null, where none may be.
    NullAttribute {
        /// Its name.
        name: String,
    },
    /// Attributes or embeds in plain text.
    PlainTextOnly,
    /// A number that no finite float is near.
    NumberNotFinite,
    /// A number that is not written as the JSON parser writes it.
    NumberNotNormal,
    /// JSON nested too deeply.
    TooDeep {
        /// The deepest nesting allowed.
        limit: usize,
    },
    /// Too many, or too long.
    TooLarge {
        /// What is counted.
        what: Limited,
        /// The most allowed.
        limit: usize,
        /// How many there are.
        got: usize,
    },
    /// A key of a JSON object that the JSON parser keeps for itself.
    KeyReserved,
    /// An id that is empty or holds a control character.
    IdInvalid,
    /// A node whose `id` is not the key it stands under.
    IdMismatch,
    /// An id that is taken.
    IdTaken {
        /// The id.
        id: String,
    },
    /// A node that is not on the page.
    NodeMissing {
        /// The id.
        id: String,
    },
    /// A parent that is not on the page.
    ParentMissing {
        /// The parent's id.
        id: String,
    },
    /// A placement beside a node that is no sibling.
    SiblingMissing {
        /// The id in the placement.
        id: String,
    },
    /// A node that would be its own ancestor.
    Cycle {
        /// The node's id.
        id: String,
    },
    /// A node that cannot be removed while it has children.
    HasChildren {
        /// The node's id.
        id: String,
        /// One of its children.
        child: String,
    },
    /// A background that is not on the page.
    BackgroundMissing {
        /// The id.
        id: String,
    },
    /// Backgrounds changed other than by their own operations.
    BackgroundsByOperation,
    /// A pointer through an array or to one of its elements.
    ArrayIndex,
    /// A pointer below something that does not exist.
    PathMissing,
    /// A pointer below something that is no object.
    NotAnObject,
    /// A pointer to what this operation may not change.
    NotWritable,
    /// Two pointers of one operation of which one is, or holds, the other.
    PointersOverlap,
    /// A text edit of what is no string.
    NotAString,
    /// A set operation on what is no array of different values.
    NotASet,
    /// An order key that the reference rules refuse.
    OrderKeyInvalid,
    /// No order key short enough lies where one is needed.
    OrderKeysExhausted,
    /// A path that is empty, absolute, or has an empty, `.` or `..` segment or a control character.
    PathInvalid,
    /// A file that is not on the page.
    FileMissing {
        /// Its path.
        path: String,
    },
    /// A path that is taken.
    FileExists {
        /// The path.
        path: String,
    },
    /// An entry that names no file.
    EntryMissing {
        /// The entry's path.
        path: String,
    },
    /// A delta of another kind of page.
    KindDiffers,
}

impl Invalid {
    /// Says that something else should stand at `pointer`.
    pub fn malformed(pointer: impl Into<String>, expected: &'static str) -> Invalid {
        Invalid {
            pointer: pointer.into(),
            fault: Fault::Malformed { expected },
        }
    }

    /// Says that what stands at `pointer` breaks `rule`.
    pub fn rule(pointer: impl Into<String>, rule: Rule) -> Invalid {
        Invalid {
            pointer: pointer.into(),
            fault: Fault::Rule { rule },
        }
    }

    /// Gives the stable code of the fault.
    pub fn code(&self) -> &'static str {
        self.fault.code()
    }
}

impl Fault {
    /// Gives the stable code: `malformed`, or the code of the rule.
    pub fn code(&self) -> &'static str {
        match self {
            Fault::Malformed { .. } => "malformed",
            Fault::Rule { rule } => rule.code(),
        }
    }
}

impl ApplyError {
    /// Gives the stable code of the rule.
    pub fn code(&self) -> &'static str {
        self.rule.code()
    }
}

impl DiffError {
    /// Gives the stable code.
    pub fn code(&self) -> &'static str {
        match self {
            DiffError::KindDiffers => "kind_differs",
            DiffError::TooLarge { rule } => rule.code(),
        }
    }
}

impl Rule {
    /// Gives the stable code, in snake case.
    pub fn code(&self) -> &'static str {
        match self {
            Rule::SplitsSurrogate { .. } => "splits_surrogate",
            Rule::OutOfRange { .. } => "out_of_range",
            Rule::EmptyOperation => "empty_operation",
            Rule::MissingNewline => "missing_newline",
            Rule::InsertsOnly => "inserts_only",
            Rule::NullAttribute { .. } => "null_attribute",
            Rule::PlainTextOnly => "plain_text_only",
            Rule::NumberNotFinite => "number_not_finite",
            Rule::NumberNotNormal => "number_not_normal",
            Rule::TooDeep { .. } => "too_deep",
            Rule::TooLarge { .. } => "too_large",
            Rule::KeyReserved => "key_reserved",
            Rule::IdInvalid => "id_invalid",
            Rule::IdMismatch => "id_mismatch",
            Rule::IdTaken { .. } => "id_taken",
            Rule::NodeMissing { .. } => "node_missing",
            Rule::ParentMissing { .. } => "parent_missing",
            Rule::SiblingMissing { .. } => "sibling_missing",
            Rule::Cycle { .. } => "cycle",
            Rule::HasChildren { .. } => "has_children",
            Rule::BackgroundMissing { .. } => "background_missing",
            Rule::BackgroundsByOperation => "backgrounds_by_operation",
            Rule::ArrayIndex => "array_index",
            Rule::PathMissing => "path_missing",
            Rule::NotAnObject => "not_an_object",
            Rule::NotWritable => "not_writable",
            Rule::PointersOverlap => "pointers_overlap",
            Rule::NotAString => "not_a_string",
            Rule::NotASet => "not_a_set",
            Rule::OrderKeyInvalid => "order_key_invalid",
            Rule::OrderKeysExhausted => "order_keys_exhausted",
            Rule::PathInvalid => "path_invalid",
            Rule::FileMissing { .. } => "file_missing",
            Rule::FileExists { .. } => "file_exists",
            Rule::EntryMissing { .. } => "entry_missing",
            Rule::KindDiffers => "kind_differs",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Malformed { expected } => write!(out, "expected {expected}"),
            Fault::Rule { rule } => rule.fmt(out),
        }
    }
}

impl fmt::Display for Limited {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Limited::IdBytes => "bytes of an id",
            Limited::TypeBytes => "bytes of a type",
            Limited::Nodes => "nodes of a page",
            Limited::Backgrounds => "backgrounds of a page",
            Limited::Files => "files of a page",
            Limited::Operations => "operations of a delta",
            Limited::PointerBytes => "bytes of a pointer",
            Limited::KeyBytes => "bytes of a key",
            Limited::StringBytes => "bytes of a string",
            Limited::NumberBytes => "bytes of a number in a geometry",
            Limited::OrderKeyBytes => "bytes of an order key",
            Limited::PathBytes => "bytes of a path",
            Limited::TextUnits => "UTF-16 units of a text",
        })
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rule::SplitsSurrogate { at } => {
                write!(
                    out,
                    "offset {at} lies inside a surrogate pair; move it to either side of the character"
                )
            }
            Rule::OutOfRange { at, len } => {
                write!(
                    out,
                    "the text has {len} UTF-16 units, the operation needs {at}; make it from the current text"
                )
            }
            Rule::EmptyOperation => out.write_str("an operation must have a length above zero; leave it out"),
            Rule::MissingNewline => out.write_str("a document ends with a newline; keep or add the last one"),
            Rule::InsertsOnly => out.write_str("a document holds inserts only; send changes as a delta"),
            Rule::NullAttribute { name } => {
                write!(
                    out,
                    "attribute {name:?} is null, which only a retain may say; leave the attribute out"
                )
            }
            Rule::PlainTextOnly => out.write_str("this text takes neither attributes nor embeds; send plain inserts"),
            Rule::NumberNotFinite => out.write_str("the number is beyond any finite float; send one that fits"),
            Rule::NumberNotNormal => {
                out.write_str("the number would not come back as it is written; parse it from JSON text")
            }
            Rule::TooDeep { limit } => write!(out, "JSON may nest {limit} levels deep; flatten the value"),
            Rule::TooLarge { what, limit, got } => {
                write!(out, "{got} {what}, at most {limit} are taken; send less at once")
            }
            Rule::KeyReserved => {
                out.write_str("keys that begin with $serde_json::private:: are reserved; choose another")
            }
            Rule::IdInvalid => out.write_str("an id is not empty and holds no control character; choose another"),
            Rule::IdMismatch => {
                out.write_str("the id differs from the key it stands under; leave it out or make them equal")
            }
            Rule::IdTaken { id } => write!(out, "id {id:?} is taken; choose another"),
            Rule::NodeMissing { id } => write!(out, "there is no node {id:?}; read the page again"),
            Rule::ParentMissing { id } => write!(out, "there is no parent {id:?}; add it first or name another"),
            Rule::SiblingMissing { id } => {
                write!(out, "{id:?} is no sibling there; place beside a sibling, first or last")
            }
            Rule::Cycle { id } => write!(
                out,
                "node {id:?} would be its own ancestor; choose a parent outside of it"
            ),
            Rule::HasChildren { id, child } => {
                write!(
                    out,
                    "node {id:?} still has the child {child:?}; remove or move its children first"
                )
            }
            Rule::BackgroundMissing { id } => write!(out, "there is no background {id:?}; read the page again"),
            Rule::BackgroundsByOperation => out.write_str(
                "backgrounds change by addBackground, removeBackground, setBackground and moveBackground; use those",
            ),
            Rule::ArrayIndex => {
                out.write_str("a pointer never goes into an array; set the array whole, or use addToSet")
            }
            Rule::PathMissing => {
                out.write_str("the pointer goes through something that does not exist; set the parent first")
            }
            Rule::NotAnObject => out.write_str("the pointer goes through something that is no object; set that whole"),
            Rule::NotWritable => {
                out.write_str("this operation may not change what the pointer names; see its description")
            }
            Rule::PointersOverlap => {
                out.write_str("two pointers of one operation overlap; keep one, or use two operations")
            }
            Rule::NotAString => out.write_str("only a string can be edited as text; set the value instead"),
            Rule::NotASet => out.write_str("only an array of different values is a set; set the value instead"),
            Rule::OrderKeyInvalid => out.write_str("the order key is not valid; leave it out and give a placement"),
            Rule::OrderKeysExhausted => out.write_str("no order key fits there; rebalance the siblings first"),
            Rule::PathInvalid => out.write_str(
                "a path is relative, has no empty, . or .. segment and no control character; choose another",
            ),
            Rule::FileMissing { path } => write!(out, "there is no file {path:?}; read the page again"),
            Rule::FileExists { path } => write!(out, "a file {path:?} exists; edit it or choose another path"),
            Rule::EntryMissing { path } => {
                write!(out, "the entry {path:?} is no file; add the file or set another entry")
            }
            Rule::KindDiffers => out.write_str("the delta is for another kind of page; send one of this kind"),
        }
    }
}
