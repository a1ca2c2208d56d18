//! A parsed page as a flat list of items that point to each other. Walked without recursion.

use html5ever::tendril::StrTendril;
use html5ever::{LocalName, QualName, ns};

/// The place of an item in its tree.
pub(super) type At = u32;

/// A parsed page.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) items: Vec<Item>,
    /// Whether the text ended inside a tag, or with an element open that has to be closed.
    pub(super) is_cut_off: bool,
}

/// An element, a text, or something that says nothing.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) data: Data,
    pub(super) parent: Option<At>,
    pub(super) first: Option<At>,
    pub(super) last: Option<At>,
    pub(super) before: Option<At>,
    pub(super) after: Option<At>,
    /// How deep it lay when it was put in.
    pub(super) depth: usize,
}

/// What an item is.
#[derive(Debug)]
pub(super) enum Data {
    Element {
        name: QualName,
        attributes: Vec<(LocalName, StrTendril)>,
    },
    Text(StrTendril),
    /// The document, a comment, the content of a template.
    Other,
}

/// A step of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Enter(At),
    Leave(At),
}

impl Tree {
    pub(super) fn push(&mut self, data: Data) -> At {
        let at = At::try_from(self.items.len()).unwrap_or(At::MAX);
        self.items.push(Item {
            data,
            parent: None,
            first: None,
            last: None,
            before: None,
            after: None,
            depth: 0,
        });
        at
    }

    pub(super) fn item(&self, at: At) -> &Item {
        &self.items[index(at)]
    }

    pub(super) fn item_mut(&mut self, at: At) -> &mut Item {
        &mut self.items[index(at)]
    }

    /// Gives the name of an element of HTML; nothing for another item or namespace.
    pub(super) fn name(&self, at: At) -> Option<&str> {
        match &self.item(at).data {
            Data::Element { name, .. } if name.ns == ns!(html) => Some(&name.local),
            _ => None,
        }
    }

    /// Says whether this is an element of a namespace that is not HTML's.
    pub(super) fn is_foreign(&self, at: At) -> bool {
        matches!(&self.item(at).data, Data::Element { name, .. } if name.ns != ns!(html))
    }

    pub(super) fn text(&self, at: At) -> Option<&str> {
        match &self.item(at).data {
            Data::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn attributes(&self, at: At) -> impl Iterator<Item = (&str, &str)> {
        let list = match &self.item(at).data {
            Data::Element { attributes, .. } => attributes.as_slice(),
            _ => &[],
        };
        list.iter().map(|(name, value)| (&**name, &**value))
    }

    pub(super) fn attribute(&self, at: At, name: &str) -> Option<&str> {
        self.attributes(at)
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value)
    }

    /// Goes over everything below an item, and the item itself, entering and leaving each.
    pub(super) fn walk(&self, root: At) -> Walk<'_> {
        Walk {
            tree: self,
            root,
            next: Some(Step::Enter(root)),
        }
    }

    /// Puts an item in as the last child.
    pub(super) fn append(&mut self, parent: At, child: At) {
        let depth = self.item(parent).depth + 1;
        let last = self.item_mut(parent).last.replace(child);
        match last {
            Some(last) => self.item_mut(last).after = Some(child),
            None => self.item_mut(parent).first = Some(child),
        }
        let item = self.item_mut(child);
        (item.parent, item.before, item.after, item.depth) = (Some(parent), last, None, depth);
    }

    /// Puts an item in right before another.
    pub(super) fn insert_before(&mut self, sibling: At, child: At) {
        let Some(parent) = self.item(sibling).parent else {
            return;
        };
        let depth = self.item(parent).depth + 1;
        let before = self.item_mut(sibling).before.replace(child);
        match before {
            Some(before) => self.item_mut(before).after = Some(child),
            None => self.item_mut(parent).first = Some(child),
        }
        let item = self.item_mut(child);
        (item.parent, item.before, item.after, item.depth) = (Some(parent), before, Some(sibling), depth);
    }

    /// Takes an item out of its parent.
    pub(super) fn detach(&mut self, child: At) {
        let item = self.item_mut(child);
        let (parent, before, after) = (item.parent.take(), item.before.take(), item.after.take());
        let Some(parent) = parent else { return };
        match before {
            Some(before) => self.item_mut(before).after = after,
            None => self.item_mut(parent).first = after,
        }
        match after {
            Some(after) => self.item_mut(after).before = before,
            None => self.item_mut(parent).last = before,
        }
    }
}

/// See [`Tree::walk`].
pub(super) struct Walk<'a> {
    tree: &'a Tree,
    root: At,
    next: Option<Step>,
}

impl Walk<'_> {
    /// Passes over what lies below the item that was entered last; it is not left either.
    pub(super) fn pass_over(&mut self, at: At) {
        self.next = self.beyond(at);
    }

    fn beyond(&self, at: At) -> Option<Step> {
        if at == self.root {
            return None;
        }
        let item = self.tree.item(at);
        item.after.map(Step::Enter).or(item.parent.map(Step::Leave))
    }
}

impl Iterator for Walk<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        let step = self.next?;
        self.next = match step {
            Step::Enter(at) => Some(self.tree.item(at).first.map_or(Step::Leave(at), Step::Enter)),
            Step::Leave(at) => self.beyond(at),
        };
        Some(step)
    }
}

/// Gives the index of an item.
pub(super) fn index(at: At) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}
