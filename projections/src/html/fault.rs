//! What can be wrong with HTML that is read, and what is told of HTML that was taken.

use crate::fault::Rule;

/// The most warnings that one reading gives; the last then says how many there were.
pub const WARNINGS_MAX: usize = 100;

/// HTML that is not read. Nothing of it is taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HtmlError {
    /// More than [`HTML_MAX_UNITS`](super::HTML_MAX_UNITS).
    #[error("the HTML has {got} characters, of at most {limit}: read less of the page, and write only what changes")]
    TooLong {
        /// The most UTF-16 units allowed.
        limit: usize,
        /// How many there are.
        got: usize,
    },
    /// Elements nested deeper than [`HTML_DEPTH_MAX`](super::HTML_DEPTH_MAX).
    #[error("the HTML nests elements more than {limit} deep: leave out the elements that only wrap others")]
    TooDeep {
        /// The deepest nesting allowed.
        limit: usize,
    },
    /// Formatting that is never closed, so that the parser repeats it in every paragraph, or long attributes that hold for
    /// too many texts.
    #[error("the HTML says the same of too many parts: close every element, and shorten its attributes")]
    Repeats,
    /// One element with more attributes than [`HTML_ATTRIBUTES_MAX`](super::HTML_ATTRIBUTES_MAX).
    #[error("an element of the HTML has more than {limit} attributes: close its tag with \">\"")]
    TooManyAttributes {
        /// The most attributes allowed.
        limit: usize,
    },
    /// A whole page that ends inside a tag, leaves elements open, or has none.
    #[error("the HTML is no whole page: send all of it, with every element closed")]
    NotWhole,
    /// What the HTML says breaks a rule of the page.
    #[error("the page cannot become what the HTML says: {rule}")]
    Refused {
        /// The rule.
        rule: Rule,
    },
}

/// Something that was taken otherwise than it was written, or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// What it is.
    pub code: WarningCode,
    /// The node or background, by its id.
    pub node: Option<String>,
    /// The property, attribute or element.
    pub property: Option<String>,
    /// What became of it and what to do, in one sentence.
    pub text: String,
}

/// What a warning is about. The codes are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WarningCode {
    /// A script.
    ScriptDropped,
    /// An event handler.
    HandlerDropped,
    /// A URL that runs code.
    UnsafeUrl,
    /// A style that runs code, or is none.
    UnsafeStyle,
    /// A style that an absolute position makes meaningless, or that the page has no room for.
    StyleDropped,
    /// An element of a sort that no page holds.
    ElementDropped,
    /// A text beside the elements.
    TextDropped,
    /// Formatting inside the text of a node.
    FormattingDropped,
    /// A node without a position.
    PositionDefaulted,
    /// A position or size that is no finite number of px.
    NotPixels,
    /// A negative width or height.
    NegativeSize,
    /// An id that stood before.
    IdRepeated,
    /// An id that is none.
    IdInvalid,
    /// A type that is none.
    TypeInvalid,
    /// A parent that is not on the page.
    ParentUnknown,
    /// A property whose value HTML cannot say, written over.
    Kept,
    /// A text left out of a merge.
    TextKept,
    /// A background that is not on the page, in a merge.
    BackgroundUnknown,
    /// A background written as a node.
    BackgroundIsNoNode,
    /// A canvas size that is none, or stands in a merge.
    CanvasKept,
    /// A table, or another element that a document cannot hold.
    Flattened,
    /// Attributes of a document that are no JSON object.
    AttributesInvalid,
    /// More warnings than fit.
    More,
}

/// The warnings of one reading.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    list: Vec<Warning>,
    count: usize,
}

impl HtmlError {
    /// Gives the stable code, in snake case.
    pub fn code(&self) -> &'static str {
        match self {
            HtmlError::TooLong { .. } => "html_too_long",
            HtmlError::TooDeep { .. } => "html_too_deep",
            HtmlError::Repeats => "html_repeats",
            HtmlError::TooManyAttributes { .. } => "html_too_many_attributes",
            HtmlError::NotWhole => "html_not_whole",
            HtmlError::Refused { rule } => rule.code(),
        }
    }
}

impl WarningCode {
    /// Gives the stable code, in snake case.
    pub fn as_str(self) -> &'static str {
        self.told().0
    }

    /// The code and the sentence.
    fn told(self) -> (&'static str, &'static str) {
        match self {
            Self::ScriptDropped => ("script_dropped", "scripts are not kept; leave them out"),
            Self::HandlerDropped => ("handler_dropped", "event handlers are not kept; leave them out"),
            Self::UnsafeUrl => (
                "unsafe_url",
                "a URL that runs code is not kept; write an http or https URL",
            ),
            Self::UnsafeStyle => ("unsafe_style", "this style is not kept; write a plain CSS declaration"),
            Self::StyleDropped => (
                "style_dropped",
                "this style cannot be kept; say it with left, top, width, height, or a property of the text",
            ),
            Self::ElementDropped => (
                "element_dropped",
                "the page cannot hold this element; use text, images and boxes",
            ),
            Self::TextDropped => (
                "text_dropped",
                "a text beside the elements of the page is no part of it; write elements only",
            ),
            Self::FormattingDropped => (
                "formatting_dropped",
                "the text of a node is plain; make a node of the part that looks different",
            ),
            Self::PositionDefaulted => (
                "position_defaulted",
                "no left and top in px were given, so a default place was taken; write them in the style",
            ),
            Self::NotPixels => (
                "not_pixels",
                "the value is no finite number of px and was not taken; write px",
            ),
            Self::NegativeSize => ("negative_size", "a size cannot be negative and was not taken"),
            Self::IdRepeated => (
                "id_repeated",
                "the id stood before, so a new node with a new id was made",
            ),
            Self::IdInvalid => (
                "id_invalid",
                "the id is empty, too long or no id, so a new one was made",
            ),
            Self::TypeInvalid => ("type_invalid", "the type is too long and was not taken"),
            Self::ParentUnknown => (
                "parent_unknown",
                "the parent is not on the page, so the node stays where it is",
            ),
            Self::Kept => (
                "kept",
                "the stored value says more than HTML can, so it was kept; change it by its own operation",
            ),
            Self::TextKept => (
                "text_kept",
                "a text left out of a merge is kept; write data-text=\"\" to empty it",
            ),
            Self::BackgroundUnknown => (
                "background_unknown",
                "a merge changes existing backgrounds only; replace the page to add one",
            ),
            Self::BackgroundIsNoNode => (
                "background_is_no_node",
                "a background is no node; no node was made of it",
            ),
            Self::CanvasKept => (
                "canvas_kept",
                "the size or style of the canvas was not taken; replace the page with positive numbers, and write backgrounds as elements",
            ),
            Self::Flattened => ("flattened", "a document cannot hold this; it became plain text"),
            Self::AttributesInvalid => ("attributes_invalid", "this is no JSON object and was not taken"),
            Self::More => ("more", "there were more warnings than are listed"),
        }
    }
}

impl Warnings {
    /// Tells of something at a node and a property.
    pub(super) fn add(&mut self, code: WarningCode, node: Option<&str>, property: Option<&str>) {
        self.count += 1;
        if self.count >= WARNINGS_MAX {
            return;
        }
        self.list.push(Warning {
            code,
            node: node.map(str::to_owned),
            property: property.map(str::to_owned),
            text: code.told().1.to_owned(),
        });
    }

    /// Gives the warnings in the order of the HTML.
    pub(super) fn finish(mut self) -> Vec<Warning> {
        let rest = self.count - self.list.len();
        if rest > 0 {
            let (_, sentence) = WarningCode::More.told();
            self.list.push(Warning {
                code: WarningCode::More,
                node: None,
                property: None,
                text: format!("{sentence}: {rest} more"),
            });
        }
        self.list
    }
}
