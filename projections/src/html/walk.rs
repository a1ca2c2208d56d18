//! From elements to drafts of nodes: which element is a node, what is its text, what lies in what.

use std::collections::HashSet;
use std::sync::Arc;

use super::Scope;
use super::element::{ASSET_ID, BACKGROUND_ID, Class, NODE_ID, NODE_TYPE, is_exact, is_formatting};
use super::fault::{WarningCode, Warnings};
use super::ids::NewIds;
use super::inside::{Inside, canvas_of, look_inside};
use super::shown::{GROUP, IMAGE, SHAPE, TEXT, VIDEO};
use super::space::Run;
use super::tree::{At, Step, Tree, index};
use crate::design::{DesignValue, Id};
use crate::wire::{check_id, check_type};

/// A node as the HTML has it.
#[derive(Debug)]
pub(super) struct Draft<'a> {
    /// Its element; nothing for a text that stands beside other nodes.
    pub(super) at: Option<At>,
    pub(super) id: Id,
    pub(super) kind: Kind<'a>,
    /// The draft that it lies in.
    pub(super) parent: Option<usize>,
    pub(super) depth: usize,
    pub(super) text: Option<String>,
}

/// The type of a draft.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind<'a> {
    Written(&'a str),
    /// What the element looks like, where neither it nor the stored node says.
    Guessed(&'static str),
}

/// What was found.
pub(super) struct Walked<'a> {
    /// Parents before what lies in them, in the order of the HTML.
    pub(super) drafts: Vec<Draft<'a>>,
    /// Backgrounds with their ids.
    pub(super) backgrounds: Vec<(Id, At)>,
    pub(super) canvas: Option<At>,
    /// Nodes that are written as backgrounds: they are not left out.
    pub(super) spared: HashSet<Id>,
}

/// Walks a page.
pub(super) fn walk<'a>(
    tree: &'a Tree,
    stored: &DesignValue,
    scope: Scope,
    ids: &NewIds,
    warnings: &mut Warnings,
) -> Walked<'a> {
    let mut walker = Walker {
        tree,
        stored,
        scope,
        ids,
        warnings,
        inside: look_inside(tree),
        taken: HashSet::new(),
        made: 0,
        frames: vec![Frame::new(0, None, true, false)],
        walked: Walked {
            drafts: Vec::new(),
            backgrounds: Vec::new(),
            canvas: canvas_of(tree),
            spared: HashSet::new(),
        },
    };
    let mut steps = tree.walk(0);
    while let Some(step) = steps.next() {
        match step {
            Step::Enter(at) if !walker.enter(at) => steps.pass_over(at),
            Step::Enter(_) => {}
            Step::Leave(at) => walker.leave(at),
        }
    }
    walker.walked
}

/// A node whose element is open.
struct Frame {
    at: At,
    draft: Option<usize>,
    /// Its texts become nodes of their own, for it is no node that a page had.
    apart: bool,
    /// Boxes in it are lines of its text.
    lines: bool,
    run: Run,
    exact: bool,
    formatted: bool,
}

struct Walker<'a, 'b> {
    tree: &'a Tree,
    stored: &'b DesignValue,
    scope: Scope,
    ids: &'b NewIds,
    warnings: &'b mut Warnings,
    inside: Vec<Inside>,
    taken: HashSet<Id>,
    /// How many new nodes there are.
    made: usize,
    frames: Vec<Frame>,
    walked: Walked<'a>,
}

impl<'a> Walker<'a, '_> {
    /// Takes an item in; says whether to go on below it.
    fn enter(&mut self, at: At) -> bool {
        if let Some(text) = self.tree.text(at) {
            if !self.is_stray(at) {
                self.frame().run.push(text);
            } else if !text.trim().is_empty() {
                self.warnings.add(WarningCode::TextDropped, None, Some(TEXT));
            }
            return true;
        }
        let inside = self.inside_of(at);
        let Some(class) = inside.class else { return false };
        match class {
            Class::Silent => false,
            Class::Dropped => {
                let owner = super::element::owner(self.tree, at);
                self.warnings
                    .add(WarningCode::ElementDropped, owner, self.tree.name(at));
                false
            }
            Class::Clear => true,
            Class::Background => {
                self.background(at);
                inside.marked
            }
            Class::Break => {
                self.frame().run.push_break();
                false
            }
            Class::Inline if !inside.nodes || (self.frame().lines && !inside.marked) => {
                self.frame().formatted |= is_formatting(self.tree, at);
                true
            }
            Class::Block if self.frame().lines && !inside.marked => {
                self.frame().run.end_line();
                true
            }
            Class::Marked if self.is_background(at) => {
                self.background(at);
                inside.marked
            }
            class => self.node(at, class, inside),
        }
    }

    fn leave(&mut self, at: At) {
        if self.frame().at != at || self.frames.len() == 1 {
            if self.inside_of(at).class == Some(Class::Block) && self.frame().lines {
                self.frame().run.end_line();
            }
            if self.frame().at == at {
                self.flush();
            }
            return;
        }
        self.flush();
        let Some(frame) = self.frames.pop() else { return };
        let Some(draft) = frame.draft.and_then(|draft| self.walked.drafts.get_mut(draft)) else {
            return;
        };
        if frame.formatted {
            self.warnings
                .add(WarningCode::FormattingDropped, Some(&draft.id), Some(TEXT));
        }
        if let Kind::Guessed(SHAPE) = draft.kind
            && draft.text.is_some()
        {
            draft.kind = Kind::Guessed(TEXT);
        }
    }

    /// Makes a draft of an element, and opens it.
    fn node(&mut self, at: At, class: Class, inside: Inside) -> bool {
        self.flush();
        let tree = self.tree;
        let asked = tree.attribute(at, NODE_ID);
        let id = self.id_for(asked);
        let known = self.stored.node(&id);
        let kind = self.kind_of(at, &id, inside);
        let as_stored = known
            .map(|node| node.kind())
            .filter(|_| !matches!(kind, Kind::Written(_)));
        let text = as_stored.unwrap_or(match kind {
            Kind::Written(kind) => kind,
            Kind::Guessed(kind) => kind,
        }) == TEXT;
        let explicit = known.is_some() || matches!(kind, Kind::Written(_));
        let draft = self.push(Some(at), id, kind, None);
        let mut frame = Frame::new(at, Some(draft), !explicit && inside.nodes, is_exact(tree, at));
        frame.lines = text && explicit;
        self.frames.push(frame);
        if tree.is_foreign(at) {
            let id = self.walked.drafts.get(draft).map(|draft| draft.id.clone());
            self.warnings
                .add(WarningCode::ElementDropped, id.as_deref(), Some("svg"));
        }
        let shut = tree.is_foreign(at) || tree.name(at) == Some("video") || class == Class::Dropped;
        if shut {
            self.frames.pop();
        }
        if let (Some("input"), Some(value)) = (
            tree.name(at),
            tree.attribute(at, "value")
                .or_else(|| tree.attribute(at, "placeholder")),
        ) {
            self.frame().run.push(value);
        }
        !shut
    }

    fn kind_of(&mut self, at: At, id: &Id, inside: Inside) -> Kind<'a> {
        let tree = self.tree;
        match tree.attribute(at, NODE_TYPE) {
            Some(kind) if check_type(kind).is_ok() => return Kind::Written(kind),
            Some(_) => self.warnings.add(WarningCode::TypeInvalid, Some(id), Some("type")),
            None => {}
        }
        Kind::Guessed(match tree.name(at) {
            Some("img") => IMAGE,
            Some("video") => VIDEO,
            _ if inside.nodes => GROUP,
            _ if tree.attribute(at, ASSET_ID).is_some() => IMAGE,
            _ => SHAPE,
        })
    }

    /// Gives the id that was asked for where it can be had, else a new one.
    fn id_for(&mut self, asked: Option<&str>) -> Id {
        if let Some(asked) = asked.filter(|asked| !asked.is_empty()) {
            let id: Id = asked.into();
            let code = match check_id(asked) {
                Ok(()) if self.taken.insert(id.clone()) => return id,
                Ok(()) => WarningCode::IdRepeated,
                Err(_) => WarningCode::IdInvalid,
            };
            self.warnings.add(code, Some(asked), Some("id"));
        }
        let place = self.made;
        self.made += 1;
        let mut attempt = 0;
        loop {
            let id: Id = Arc::from(self.ids.at(place, attempt));
            if self.stored.node(&id).is_none() && self.taken.insert(id.clone()) {
                return id;
            }
            attempt += 1;
        }
    }

    /// Says whether a text is a word around the HTML rather than in it: bare in a part of a page, or beside the canvas.
    fn is_stray(&self, at: At) -> bool {
        let Some(parent) = self.tree.item(at).parent.filter(|_| self.frames.len() == 1) else {
            return false;
        };
        let bare = self.inside_of(parent).class == Some(Class::Clear);
        let beside = self.walked.canvas.is_some_and(|canvas| canvas != parent);
        bare && (self.scope == Scope::Fragment || beside)
    }

    /// Says whether a node is written with the id of a background.
    fn is_background(&self, at: At) -> bool {
        let id = self.tree.attribute(at, NODE_ID).unwrap_or_default();
        let mut backgrounds = self.stored.backgrounds().iter();
        !id.is_empty()
            && self.stored.node(id).is_none()
            && backgrounds.any(|background| background.get("id").and_then(serde_json::Value::as_str) == Some(id))
    }

    fn background(&mut self, at: At) {
        let asked = self.tree.attribute(at, BACKGROUND_ID);
        if let Some(node) = self.tree.attribute(at, NODE_ID) {
            self.warnings
                .add(WarningCode::BackgroundIsNoNode, Some(node), Some(BACKGROUND_ID));
            if asked.is_some() {
                self.walked.spared.insert(node.into());
            }
        }
        let asked = asked.or_else(|| self.tree.attribute(at, NODE_ID)).unwrap_or_default();
        if check_id(asked).is_err() {
            let id = self.id_for(None);
            return self.walked.backgrounds.push((id, at));
        }
        match self.walked.backgrounds.iter().any(|(id, _)| &**id == asked) {
            true => self
                .warnings
                .add(WarningCode::IdRepeated, Some(asked), Some(BACKGROUND_ID)),
            false => self.walked.backgrounds.push((asked.into(), at)),
        }
    }

    /// Ends the run of text of the open node.
    fn flush(&mut self) {
        let frame = self.frame();
        let exact = frame.exact;
        let run = std::mem::replace(&mut frame.run, Run::new(exact));
        let (apart, draft) = (frame.apart, frame.draft);
        if run.is_blank() {
            return;
        }
        match draft.and_then(|draft| self.walked.drafts.get_mut(draft)) {
            Some(draft) if !apart => match &mut draft.text {
                Some(text) => {
                    text.push('\n');
                    text.push_str(&run.finish());
                }
                None => draft.text = Some(run.finish()),
            },
            _ => {
                let id = self.id_for(None);
                if std::mem::take(&mut self.frame().formatted) {
                    self.warnings.add(WarningCode::FormattingDropped, Some(&id), Some(TEXT));
                }
                self.push(None, id, Kind::Guessed(TEXT), Some(run.finish()));
            }
        }
    }

    fn push(&mut self, at: Option<At>, id: Id, kind: Kind<'a>, text: Option<String>) -> usize {
        let parent = self.frame().draft;
        let above = parent.and_then(|parent| self.walked.drafts.get(parent));
        let depth = above.map_or(0, |above| above.depth + 1);
        self.walked.drafts.push(Draft {
            at,
            id,
            kind,
            parent,
            depth,
            text,
        });
        self.walked.drafts.len() - 1
    }

    fn inside_of(&self, at: At) -> Inside {
        self.inside[index(at)]
    }

    /// The frame of the page is there as long as the walk.
    fn frame(&mut self) -> &mut Frame {
        if self.frames.is_empty() {
            self.frames.push(Frame::new(0, None, true, false));
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }
}

impl Frame {
    fn new(at: At, draft: Option<usize>, apart: bool, exact: bool) -> Frame {
        Frame {
            at,
            draft,
            apart,
            lines: false,
            run: Run::new(exact),
            exact,
            formatted: false,
        }
    }
}
