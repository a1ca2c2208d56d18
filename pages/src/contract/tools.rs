//! The tools of the contract, and the names that they had before: so that stored transcripts of chats can still be
//! shown and opened. An older name is no second way to write.

use recto_projections::Kind;

use super::BillingClass;

/// What opens a page in the design tool; it is for titles in the chat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditorType {
    /// DESIGN.
    Design,
    /// DOC.
    Document,
    /// CODE.
    Page,
    /// SHEET.
    Sheet,
}

/// A tool, or a name that one had.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    /// The name in transcripts.
    pub name: &'static str,
    /// What it is called now; its own name where that is current.
    pub now: &'static str,
    /// The title in the chat.
    pub title: &'static str,
    /// What its page opens in; nothing where that follows from the page.
    pub editor: Option<EditorType>,
    /// The kinds of pages that it is for.
    pub kinds: &'static [Kind],
    /// What it is billed as, where it is.
    pub billing: Option<BillingClass>,
    /// The method and path of what it is now.
    pub route: (&'static str, &'static str),
}

const UPDATE: (&str, &str) = ("POST", "/v1/pages/{id}/update");
const WRITABLE: &[Kind] = &[Kind::Design, Kind::Doc, Kind::Code];
const DESIGN: &[Kind] = &[Kind::Design];

/// All tools, the current ones first.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "read_page",
        now: "read_page",
        title: "Read page",
        editor: None,
        kinds: &[Kind::Design, Kind::Doc, Kind::Code, Kind::Sheet],
        billing: None,
        route: ("GET", "/v1/pages/{id}?format=html"),
    },
    Tool {
        name: "update_page",
        now: "update_page",
        title: "Update page",
        editor: None,
        kinds: WRITABLE,
        billing: Some(BillingClass::Edit),
        route: UPDATE,
    },
    Tool {
        name: "insert_page",
        now: "insert_page",
        title: "Insert page",
        editor: None,
        kinds: WRITABLE,
        billing: Some(BillingClass::Create),
        route: ("POST", "/v1/pages"),
    },
    Tool {
        name: "insert_image_node",
        now: "insert_image_node",
        title: "Insert image",
        editor: Some(EditorType::Design),
        kinds: DESIGN,
        billing: Some(BillingClass::Edit),
        route: ("POST", "/v1/pages/{id}/images"),
    },
    Tool {
        name: "update_image_node",
        now: "update_image_node",
        title: "Update image",
        editor: Some(EditorType::Design),
        kinds: DESIGN,
        billing: Some(BillingClass::Edit),
        route: ("PATCH", "/v1/pages/{id}/images/{node}"),
    },
    former("update_design", "Update design", EditorType::Design, DESIGN),
    former("update_html", "Update design", EditorType::Design, DESIGN),
    former("update_elements", "Update design", EditorType::Design, DESIGN),
    former("update_code", "Update page", EditorType::Page, &[Kind::Code]),
    former("update_doc", "Update document", EditorType::Document, &[Kind::Doc]),
];

const fn former(name: &'static str, title: &'static str, editor: EditorType, kinds: &'static [Kind]) -> Tool {
    Tool {
        name,
        now: "update_page",
        title,
        editor: Some(editor),
        kinds,
        billing: Some(BillingClass::Edit),
        route: UPDATE,
    }
}

impl EditorType {
    /// What pages of a kind open in.
    #[must_use]
    pub fn of(kind: Kind) -> Self {
        match kind {
            Kind::Design => Self::Design,
            Kind::Doc => Self::Document,
            Kind::Code => Self::Page,
            Kind::Sheet => Self::Sheet,
        }
    }

    /// The name in answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Design => "design",
            Self::Document => "document",
            Self::Page => "page",
            Self::Sheet => "sheet",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_stands_once_and_leads_to_a_current_tool() {
        for tool in TOOLS {
            assert_eq!(
                TOOLS.iter().filter(|other| other.name == tool.name).count(),
                1,
                "{}",
                tool.name
            );
            let now = TOOLS.iter().find(|other| other.name == tool.now);
            assert!(
                now.is_some_and(|now| now.name == now.now && now.route == tool.route),
                "{}",
                tool.name
            );
        }
    }
}
