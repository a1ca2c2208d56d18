//! What a change touches: fields, and texts letter by letter.

use recto_projections::code::CodeOp;
use recto_projections::design::{DesignOp, Side};
use recto_projections::patch::Patch;
use recto_projections::rebase::Subject;
use recto_projections::text::TextDelta;
use recto_projections::{Delta, Json};

use super::canonical::canonical;

/// Something that a change touches.
#[derive(Clone, Debug)]
pub(super) enum Touch<'a> {
    /// A field is set, made or taken away. The pointer is empty for the whole.
    Field(Subject, String),
    /// A text is edited.
    Text(Subject, String, &'a TextDelta),
    /// A file has another path from now on.
    Renamed(Subject, Subject),
}

/// The name of a field, for people.
pub(super) fn name(subject: &Subject, pointer: &str) -> String {
    let subject = match subject {
        Subject::Node(id) => format!("node {:?}", &**id),
        Subject::Background(id) => format!("background {:?}", &**id),
        Subject::File(path) => format!("file {:?}", &**path),
        Subject::Attributes => "the page's attributes".to_owned(),
        Subject::Entry => "the entry".to_owned(),
        Subject::Page => "the page".to_owned(),
    };
    match pointer {
        "" => subject,
        pointer => format!("{pointer} of {subject}"),
    }
}

/// All that a change touches, in order.
pub(super) fn of(delta: &Delta) -> Vec<Touch<'_>> {
    match delta {
        Delta::Design(ops) => ops.iter().flat_map(design).collect(),
        Delta::Doc(delta) => vec![Touch::Text(Subject::Page, String::new(), delta)],
        Delta::Code(ops) => ops.iter().flat_map(code).collect(),
        Delta::Sheet(ops) => ops.iter().map(|_| Touch::Field(Subject::Page, String::new())).collect(),
    }
}

fn design(op: &DesignOp) -> Vec<Touch<'_>> {
    let node = |id: &std::sync::Arc<str>| Subject::Node(id.clone());
    let background = |id: &str| Subject::Background(id.into());
    match op {
        DesignOp::AddNode { node: new, .. } => whole(node(&new.id)),
        DesignOp::RemoveNode { id } => whole(node(id)),
        DesignOp::SetNode { id, patch } => patched(&node(id), patch),
        DesignOp::MoveNode { .. } => moved(op),
        DesignOp::EditText { id, pointer, delta } => {
            vec![Touch::Text(node(id), pointer.as_str().to_owned(), delta)]
        }
        DesignOp::AddToSet {
            id, pointer, values, ..
        }
        | DesignOp::RemoveFromSet { id, pointer, values } => members(&node(id), pointer.as_str(), values),
        DesignOp::SetAttributes { patch } => patched(&Subject::Attributes, patch),
        DesignOp::AddBackground { background: new, .. } => whole(background(new.id())),
        DesignOp::RemoveBackground { id } => whole(background(id)),
        DesignOp::SetBackground { id, patch } => patched(&background(id), patch),
        DesignOp::MoveBackground { id, .. } => vec![Touch::Field(background(id), "/order".to_owned())],
    }
}

fn moved(op: &DesignOp) -> Vec<Touch<'_>> {
    let DesignOp::MoveNode {
        id,
        parent,
        position,
        geometry,
        ..
    } = op
    else {
        return Vec::new();
    };
    let mut pointers: Vec<String> = Vec::new();
    if parent.is_some() {
        pointers.push("/parentId".to_owned());
    }
    if parent.is_some() || position.is_some() {
        pointers.push("/order".to_owned());
    }
    let sides = Side::ALL.into_iter().filter(|side| geometry.get(*side).is_some());
    pointers.extend(sides.map(|side| format!("/geometry/{}", side.as_str())));
    let subject = Subject::Node(id.clone());
    pointers
        .into_iter()
        .map(|pointer| Touch::Field(subject.clone(), pointer))
        .collect()
}

/// Each value of a set is a field of its own: only one's own are taken out or put back.
fn members<'a>(subject: &Subject, pointer: &str, values: &[Json]) -> Vec<Touch<'a>> {
    let member = |value: &Json| {
        let key = canonical(value).replace('~', "~0").replace('/', "~1");
        Touch::Field(subject.clone(), format!("{pointer}/{key}"))
    };
    values.iter().map(member).collect()
}

fn patched<'a>(subject: &Subject, patch: &Patch) -> Vec<Touch<'a>> {
    let set = patch.set.iter().map(|(pointer, _)| pointer);
    let all = set.chain(&patch.unset);
    all.map(|pointer| Touch::Field(subject.clone(), pointer.as_str().to_owned()))
        .collect()
}

fn code(op: &CodeOp) -> Vec<Touch<'_>> {
    let file = |path: &std::sync::Arc<str>| Subject::File(path.clone());
    match op {
        CodeOp::AddFile { path, .. } | CodeOp::RemoveFile { path } => whole(file(path)),
        CodeOp::RenameFile { path, to } => vec![
            Touch::Renamed(file(path), file(to)),
            Touch::Field(file(to), "/path".to_owned()),
        ],
        CodeOp::EditFile { path, delta } => vec![Touch::Text(file(path), String::new(), delta)],
        CodeOp::SetEntry { .. } => whole(Subject::Entry),
        CodeOp::SetAttributes { patch } => patched(&Subject::Attributes, patch),
    }
}

fn whole<'a>(subject: Subject) -> Vec<Touch<'a>> {
    vec![Touch::Field(subject, String::new())]
}
