//! Reading a page for a write: its content, how much of the page that is, how it may be written, and the token that
//! says so.

use recto_projections::canvas::{Frame, is_whiteboard};
use recto_projections::design::DesignValue;
use recto_projections::html::design_to_html;
use recto_projections::text::units;
use recto_projections::{Json, Kind, Value};
use recto_store::Id;
use serde_json::json;

use super::content::PAGE_CHARS_MAX;
use super::refusal::ContractRefusal;
use super::token::{ReadNodes, ReadToken, lineage_of};
use super::tools::EditorType;
use super::{Completeness, WriteMode, render, window};
use crate::error::WriteError;
use crate::read::{At, PageState};
use crate::service::Pages;

/// What to read of a page, and in which form.
#[derive(Clone, Debug)]
pub struct ReadPage {
    /// The workspace.
    pub scope: Id,
    /// The page.
    pub page: Id,
    /// Which state.
    pub at: At,
    /// In which form.
    pub format: Format,
    /// Only a part of a DESIGN page.
    pub window: Option<Window>,
}

/// The form of the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// HTML; of CODE and SHEET pages, which have none, JSON.
    Html,
    /// The value as JSON.
    Json,
    /// The bare text: to look at, not to write from.
    Text,
}

/// A part of a DESIGN page.
#[derive(Clone, Debug, PartialEq)]
pub enum Window {
    /// All nodes, as many as fit.
    All,
    /// The nodes that meet a box, in px of the page.
    Viewport(Frame),
    /// Nodes by their ids, with all that lies below them.
    Nodes(Vec<String>),
}

/// A page as an agent reads it.
#[derive(Clone, Debug)]
pub struct Envelope {
    /// The page and its state.
    pub state: PageState,
    /// What it opens in.
    pub editor: EditorType,
    /// Whether the content is the whole page.
    pub completeness: Completeness,
    /// How the page may be written from this read; nothing where it may not.
    pub write_mode: Option<WriteMode>,
    /// What a write presents; there is one where there is a mode.
    pub read_token: Option<String>,
    /// The form of the content.
    pub format: Format,
    /// What the page says.
    pub content: Content,
    /// What there is to tell: objects with `code` and `detail`.
    pub warnings: Vec<Json>,
}

/// The content of a page.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// HTML or text.
    Text(String),
    /// A value, or `nodes` by id.
    Json(Json),
}

impl Format {
    /// The name in requests and answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Json => "json",
            Self::Text => "text",
        }
    }
}

impl Window {
    /// A viewport of `x, y, width, height`; nothing unless they are finite, and the size is not negative.
    #[must_use]
    pub fn viewport(numbers: [f64; 4]) -> Option<Self> {
        window::viewport(numbers).map(Self::Viewport)
    }
}

/// What was read, before it is sealed.
struct Look {
    format: Format,
    content: Content,
    completeness: Completeness,
    mode: Option<WriteMode>,
    nodes: ReadNodes,
    warnings: Vec<Json>,
}

impl Pages {
    /// Reads a page for an agent. Reading changes nothing.
    ///
    /// # Errors
    /// As [`Pages::read`]; [`ContractRefusal::NoCanvas`] for a part of a page that is no DESIGN page,
    /// [`ContractRefusal::NodesUnknown`] for nodes that are not on it.
    pub async fn read_page(&self, read: ReadPage) -> Result<Envelope, WriteError> {
        let ReadPage {
            scope,
            page,
            at,
            format,
            window,
        } = read;
        let state = self.read(&scope, &page, at).await?;
        let value = state.value.clone();
        let look = self
            .compute(value.weight(), move || look(&value, format, window))
            .await??;
        // What is hidden can be looked at, at an earlier version, but not be written.
        let mode = look.mode.filter(|_| !state.deleted);
        let read_token = match mode {
            None => None,
            Some(mode) => {
                let token = ReadToken {
                    page: state.page.clone(),
                    kind: state.meta.kind,
                    base: state.at.base(),
                    lineage: lineage_of(&state.at.hash),
                    completeness: look.completeness,
                    mode,
                    nodes: look.nodes,
                };
                Some(self.seal(&token).await?)
            }
        };
        Ok(Envelope {
            editor: EditorType::of(state.meta.kind),
            state,
            completeness: look.completeness,
            write_mode: mode,
            read_token,
            format: look.format,
            content: look.content,
            warnings: look.warnings,
        })
    }
}

/// Says that what was read can be written, but not from this form.
fn to_look_at() -> Json {
    json!({ "code": "to_look_at", "detail": "this form is to look at; read it with format=html to write it" })
}

fn look(value: &Value, format: Format, window: Option<Window>) -> Result<Look, ContractRefusal> {
    match (value, window) {
        (Value::Design(value), Some(window)) => look_at_part(value, format, &window),
        (Value::Design(design), None) if is_whiteboard(design) => look_at_part(design, format, &Window::All),
        (Value::Design(design), None) => look_at_design(design, value, format),
        (value, Some(_)) => Err(ContractRefusal::NoCanvas { kind: value.kind() }),
        (value, None) => Ok(look_at_source(value, format)),
    }
}

/// A whole page, unless its HTML is longer than a write of it may be.
fn look_at_design(design: &DesignValue, value: &Value, format: Format) -> Result<Look, ContractRefusal> {
    let html = design_to_html(design);
    if units(&html) > PAGE_CHARS_MAX {
        return look_at_part(design, format, &Window::All);
    }
    let (format, content) = match format {
        Format::Html => (format, Content::Text(html)),
        format => render::whole(value, format),
    };
    Ok(Look {
        format,
        content,
        completeness: Completeness::Full,
        mode: (format != Format::Text).then_some(WriteMode::Replace),
        nodes: ReadNodes::default(),
        warnings: (format == Format::Text).then(to_look_at).into_iter().collect(),
    })
}

fn look_at_part(value: &DesignValue, format: Format, window: &Window) -> Result<Look, ContractRefusal> {
    if let Window::Nodes(ids) = window {
        let unknown = ids.iter().filter(|id| value.node(id).is_none());
        let nodes: Vec<String> = unknown.cloned().collect();
        if !nodes.is_empty() {
            return Err(ContractRefusal::NodesUnknown { nodes });
        }
    }
    let seen = window::look(value, window);
    let chosen: Vec<&str> = seen.chosen.iter().map(|id| &**id).collect();
    let content = render::part(value, &chosen, |id| seen.shown.contains(id), format);
    let mut warnings: Vec<Json> = (format != Format::Html).then(to_look_at).into_iter().collect();
    if seen.left_out > 0 {
        warnings.push(json!({
            "code": "window_cut",
            "detail": "not all nodes fit; read a smaller viewport, or some nodes by their ids",
            "leftOut": seen.left_out,
        }));
    }
    Ok(Look {
        format,
        content,
        completeness: Completeness::Window,
        mode: (format == Format::Html).then_some(WriteMode::Merge),
        nodes: ReadNodes::of(seen.shown.iter().map(|id| &**id)),
        warnings,
    })
}

fn look_at_source(value: &Value, format: Format) -> Look {
    let (format, content) = render::whole(value, format);
    let long = match &content {
        Content::Text(text) => units(text) > PAGE_CHARS_MAX,
        Content::Json(json) => units(&json.to_string()) > PAGE_CHARS_MAX,
    };
    let mut warnings = Vec::new();
    let written = value.kind() != Kind::Sheet;
    let writable = written && format != Format::Text;
    if written && !writable {
        warnings.push(to_look_at());
    }
    if long && writable {
        warnings.push(json!({
            "code": "too_long_to_write",
            "detail": "the page is longer than one write may be; change it by deltas",
            "limit": PAGE_CHARS_MAX,
        }));
    }
    Look {
        format,
        content,
        completeness: Completeness::Full,
        mode: (writable && !long).then_some(WriteMode::Replace),
        nodes: ReadNodes::default(),
        warnings,
    }
}
