//! Where the parser puts what it finds, and how much that has become.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, ExpandedName, QualName, local_name, ns};

use super::tree::{At, Data, Tree};

/// What an attribute counts beside its value, in bytes.
const ATTRIBUTE_BYTES: usize = 2;

/// What the parser says of a text that ended too early.
const CUT_OFF: [&str; 2] = ["Saw EOF in state", "Unexpected open tag at end of body"];

/// Builds a [`Tree`].
pub(super) struct Sink {
    tree: RefCell<Tree>,
    templates: RefCell<HashMap<At, Handle>>,
    nothing: Rc<QualName>,
    deepest: Cell<usize>,
    /// The bytes of all attributes, a few for each beside its value.
    attributes: Cell<usize>,
}

/// An item, with its name at hand.
#[derive(Clone)]
pub(super) struct Handle {
    at: At,
    name: Rc<QualName>,
}

impl Sink {
    pub(super) fn new() -> Sink {
        let sink = Sink {
            tree: RefCell::default(),
            templates: RefCell::default(),
            nothing: Rc::new(QualName::new(None, ns!(), local_name!(""))),
            deepest: Cell::new(0),
            attributes: Cell::new(0),
        };
        sink.tree.borrow_mut().push(Data::Other);
        sink
    }

    /// How deep elements lie, as far as is known while the tree grows.
    pub(super) fn deepest(&self) -> usize {
        self.deepest.get()
    }

    /// How many items there are, and how many bytes their attributes have together.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.tree.borrow().items.len(), self.attributes.get())
    }

    fn other(&self) -> Handle {
        Handle {
            at: self.tree.borrow_mut().push(Data::Other),
            name: self.nothing.clone(),
        }
    }

    fn note(&self, tree: &Tree, at: At) {
        self.deepest.set(self.deepest.get().max(tree.item(at).depth));
    }
}

impl TreeSink for Sink {
    type Handle = Handle;
    type Output = Tree;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Tree {
        self.tree.into_inner()
    }

    fn parse_error(&self, fault: Cow<'static, str>) {
        if CUT_OFF.iter().any(|words| fault.starts_with(words)) {
            self.tree.borrow_mut().is_cut_off = true;
        }
    }

    fn get_document(&self) -> Handle {
        Handle {
            at: 0,
            name: self.nothing.clone(),
        }
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        target.name.expanded()
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, flags: ElementFlags) -> Handle {
        let bytes: usize = attrs.iter().map(|attr| ATTRIBUTE_BYTES + attr.value.len()).sum();
        self.attributes.set(self.attributes.get() + bytes);
        let attributes = attrs.into_iter().map(|attr| (attr.name.local, attr.value)).collect();
        let shared = Rc::new(name.clone());
        let at = self.tree.borrow_mut().push(Data::Element { name, attributes });
        if flags.template {
            let content = self.other();
            self.templates.borrow_mut().insert(at, content);
        }
        Handle { at, name: shared }
    }

    fn create_comment(&self, _: StrTendril) -> Handle {
        self.other()
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle {
        self.other()
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        let mut tree = self.tree.borrow_mut();
        match child {
            NodeOrText::AppendNode(child) => {
                tree.append(parent.at, child.at);
                self.note(&tree, child.at);
            }
            NodeOrText::AppendText(text) => {
                let last = tree.item(parent.at).last;
                if !join(&mut tree, last, &text) {
                    let text = tree.push(Data::Text(text));
                    tree.append(parent.at, text);
                }
            }
        }
    }

    fn append_based_on_parent_node(&self, element: &Handle, prev: &Handle, child: NodeOrText<Handle>) {
        let has_parent = self.tree.borrow().item(element.at).parent.is_some();
        match has_parent {
            true => self.append_before_sibling(element, child),
            false => self.append(prev, child),
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &Handle) -> Handle {
        let depth = self.tree.borrow().item(target.at).depth;
        let content = self.templates.borrow().get(&target.at).cloned();
        let content = content.unwrap_or_else(|| target.clone());
        self.tree.borrow_mut().item_mut(content.at).depth = depth + 1;
        content
    }

    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        x.at == y.at
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Handle, new_node: NodeOrText<Handle>) {
        let mut tree = self.tree.borrow_mut();
        match new_node {
            NodeOrText::AppendNode(node) => {
                tree.detach(node.at);
                tree.insert_before(sibling.at, node.at);
                self.note(&tree, node.at);
            }
            NodeOrText::AppendText(text) => {
                let before = tree.item(sibling.at).before;
                if !join(&mut tree, before, &text) {
                    let text = tree.push(Data::Text(text));
                    tree.insert_before(sibling.at, text);
                }
            }
        }
    }

    fn add_attrs_if_missing(&self, target: &Handle, attrs: Vec<Attribute>) {
        let mut tree = self.tree.borrow_mut();
        if let Data::Element { attributes, .. } = &mut tree.item_mut(target.at).data {
            for attr in attrs {
                if attributes.iter().all(|(name, _)| *name != attr.name.local) {
                    attributes.push((attr.name.local, attr.value));
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.tree.borrow_mut().detach(target.at);
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        let mut tree = self.tree.borrow_mut();
        while let Some(child) = tree.item(node.at).first {
            tree.detach(child);
            tree.append(new_parent.at, child);
            self.note(&tree, child);
        }
    }
}

/// Puts text to the end of a text.
fn join(tree: &mut Tree, at: Option<At>, more: &StrTendril) -> bool {
    match at.map(|at| &mut tree.item_mut(at).data) {
        Some(Data::Text(text)) => {
            text.push_tendril(more);
            true
        }
        _ => false,
    }
}
