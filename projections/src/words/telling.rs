//! Sentences as they come to be: some grow with every operation that is about the same thing.

use std::collections::HashMap;

use super::fields::Fields;
use super::text::Counts;
use crate::pointer::Pointer;

/// What was told so far, in the order in which it came up.
#[derive(Default)]
pub(super) struct Telling<'a> {
    told: Vec<Told<'a>>,
    /// Where in `told` something stands that operations add to.
    places: HashMap<Key<'a>, usize>,
}

/// Something that has one sentence, whatever number of operations is about it.
#[derive(PartialEq, Eq, Hash)]
pub(super) enum Key<'a> {
    Node(&'a str),
    Background(&'a str),
    Attributes,
    /// A string property of a node.
    Text(&'a str, &'a Pointer),
    /// The text of a file.
    File(&'a str),
    /// Where a node stands.
    Place(&'a str),
    /// The nodes that stand where they stood, with other order keys.
    Rekeyed,
}

/// A sentence to be: how it is made, and of what.
struct Told<'a> {
    form: Form,
    what: String,
    fields: Fields<'a>,
    counts: Counts,
    nodes: usize,
}

enum Form {
    /// `what` is the sentence.
    Whole,
    /// Fields of `what`.
    Fields,
    /// Counts of characters, behind `what`.
    CountsBehind,
    /// Counts of characters, in `what`.
    CountsIn,
    /// Nodes, the first of them `what`.
    Rekeyed,
}

impl<'a> Telling<'a> {
    /// Adds a sentence.
    pub(super) fn tell(&mut self, sentence: String) {
        self.told.push(Told::new(Form::Whole, sentence));
    }

    /// Adds a sentence, or puts it in the place of the one that was told before.
    pub(super) fn tell_of(&mut self, key: Key<'a>, sentence: String) {
        self.slot(key, Form::Whole, String::new).what = sentence;
    }

    /// Gives the fields of something.
    pub(super) fn fields(&mut self, key: Key<'a>, whose: impl FnOnce() -> String) -> &mut Fields<'a> {
        &mut self.slot(key, Form::Fields, whose).fields
    }

    /// Gives the counts of a text that is called something: `what: +12 −3 characters`.
    pub(super) fn counts(&mut self, key: Key<'a>, what: impl FnOnce() -> String) -> &mut Counts {
        &mut self.slot(key, Form::CountsBehind, what).counts
    }

    /// Gives the counts of a file: `+12 −3 characters in path`.
    pub(super) fn counts_in(&mut self, path: &'a str) -> &mut Counts {
        &mut self.slot(Key::File(path), Form::CountsIn, || path.to_owned()).counts
    }

    /// Counts a node that got another order key and stands where it stood.
    pub(super) fn rekeyed(&mut self, name: impl FnOnce() -> String) {
        self.slot(Key::Rekeyed, Form::Rekeyed, name).nodes += 1;
    }

    /// Ends what was told of something: whatever comes is about another thing.
    pub(super) fn close(&mut self, key: &Key<'a>) {
        self.places.remove(key);
    }

    pub(super) fn finish(self) -> Vec<String> {
        self.told.into_iter().filter_map(Told::sentence).collect()
    }

    fn slot(&mut self, key: Key<'a>, form: Form, what: impl FnOnce() -> String) -> &mut Told<'a> {
        let place = *self.places.entry(key).or_insert_with(|| {
            self.told.push(Told::new(form, what()));
            self.told.len() - 1
        });
        &mut self.told[place]
    }
}

impl Told<'_> {
    fn new(form: Form, what: String) -> Self {
        Self {
            form,
            what,
            fields: Fields::default(),
            counts: Counts::default(),
            nodes: 0,
        }
    }

    /// Gives the sentence, unless nothing came of it.
    fn sentence(self) -> Option<String> {
        let what = self.what;
        match self.form {
            Form::Whole => Some(what),
            Form::Fields => self.fields.sentence(&what),
            Form::CountsBehind => Some(format!("{what}: {}", self.counts.phrase()?)),
            Form::CountsIn => Some(format!("{} in {what}", self.counts.phrase()?)),
            Form::Rekeyed if self.nodes == 1 => Some(format!("gave {what} a new order key")),
            Form::Rekeyed => Some(format!("gave {} nodes new order keys", self.nodes)),
        }
    }
}
