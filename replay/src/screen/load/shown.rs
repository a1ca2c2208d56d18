//! A page and its event as lines: what a pane shows is made once, when it is read, and not at every drawing.

use std::collections::HashSet;

use recto_pages::{PageEvent, ReadError};
use recto_projections::{Delta, Value};

use super::{hex, picture};
use crate::history::Found;
use crate::outline;
use crate::screen::news::{Checks, Lines, Shown, Verdict};
use crate::states::State;

/// The most lines of a page, a delta or an inverse that are shown.
const LINES_MAX: usize = 20_000;

impl Shown {
    /// The page after an event. `previous` is the event before it, where there is one.
    #[must_use]
    pub fn new(found: Found, previous: Option<&Found>, before: &State, after: State) -> Self {
        let version = found.version();
        let event = found.event();
        let stored = event.and_then(|event| event.delta().ok().flatten());
        let (delta, inverse) = match &found {
            Found::Event(event) => (
                decoded(event.delta(), &event.event.delta),
                decoded(event.inverse(), &event.event.inverse),
            ),
            Found::Damaged(damaged) => (raw(&damaged.reason, damaged.bytes.as_deref()), Lines::default()),
        };
        Self {
            version,
            outline: compared(outline::lines(&after.value), outline::lines(&before.value)),
            text: compared(texts(&after.value), texts(&before.value)),
            picture: picture::of(&after.value, stored.as_ref()),
            delta,
            inverse,
            checks: checks(event, previous, before, &after),
            found,
            state: after,
        }
    }
}

impl Lines {
    /// Lines that nothing changed, up to a limit.
    #[must_use]
    pub fn plain(lines: impl IntoIterator<Item = String>) -> Self {
        Self::of(lines.into_iter().map(|line| (line, false)))
    }

    fn of(lines: impl Iterator<Item = (String, bool)>) -> Self {
        let mut lines = lines.map(|(line, changed)| (line.replace('\t', "    "), changed));
        let all = lines.by_ref().take(LINES_MAX).collect();
        Self {
            all,
            more: lines.count(),
        }
    }

    /// A delta as JSON, spread out.
    #[must_use]
    pub fn of_delta(delta: &Delta) -> Self {
        let text = serde_json::to_string_pretty(&delta.to_json()).unwrap_or_default();
        Self::plain(text.lines().map(str::to_owned))
    }
}

/// Lines with whether they are new: those that stand at the same place from the beginning or the end, or were anywhere
/// before, are not.
fn compared(lines: Vec<String>, before: Vec<String>) -> Lines {
    let same_first = lines.iter().zip(&before).take_while(|(a, b)| a == b).count();
    let rest = lines.len().min(before.len()) - same_first;
    let same_last = lines.iter().rev().zip(before.iter().rev()).take(rest);
    let same_last = same_last.take_while(|(a, b)| a == b).count();
    let middle = same_first..lines.len() - same_last;
    let known: HashSet<String> = before.into_iter().skip(same_first).collect();
    let lines = lines.into_iter().enumerate();
    Lines::of(lines.map(|(number, line)| {
        let changed = middle.contains(&number) && !known.contains(&line);
        (line, changed)
    }))
}

/// The texts of a page: those of its nodes, or all of it.
fn texts(value: &Value) -> Vec<String> {
    let Value::Design(design) = value else {
        return outline::lines(value);
    };
    let mut lines = Vec::new();
    for node in design.tree() {
        let Some(text) = node.props().get("text").and_then(serde_json::Value::as_str) else {
            continue;
        };
        lines.push(format!("── {}", node.id()));
        lines.extend(text.lines().map(str::to_owned));
    }
    lines
}

fn decoded(delta: Result<Option<Delta>, ReadError>, bytes: &[u8]) -> Lines {
    match delta {
        Ok(Some(delta)) => Lines::of_delta(&delta),
        Ok(None) => Lines::plain(["none: this kind of event has no delta".to_owned()]),
        Err(fault) => raw(&fault.to_string(), Some(bytes)),
    }
}

fn raw(reason: &str, bytes: Option<&[u8]>) -> Lines {
    let head = match bytes {
        Some(bytes) => format!("cannot be read: {reason} ({} bytes)", bytes.len()),
        None => format!("cannot be read: {reason}"),
    };
    let mut lines = vec![head];
    lines.extend(bytes.map(hex::dump).unwrap_or_default());
    Lines::plain(lines)
}

fn checks(event: Option<&PageEvent>, previous: Option<&Found>, before: &State, after: &State) -> Checks {
    let Some(event) = event else {
        let unknown = || Verdict::Unknown("the event cannot be read".to_owned());
        return Checks {
            digest: unknown(),
            inverse: unknown(),
            chain: unknown(),
        };
    };
    Checks {
        digest: digest(event, after),
        inverse: inverse(event, before, after),
        chain: chain(event, previous),
    }
}

fn digest(event: &PageEvent, after: &State) -> Verdict {
    if event.digest() == after.value.digest() {
        return Verdict::Fits;
    }
    Verdict::Differs("the state is not the one that the event recorded".to_owned())
}

fn inverse(event: &PageEvent, before: &State, after: &State) -> Verdict {
    let inverse = match event.inverse() {
        Ok(Some(inverse)) => inverse,
        Ok(None) => return Verdict::Unknown("this kind of event has none".to_owned()),
        Err(fault) => return Verdict::Differs(fault.to_string()),
    };
    if let Some(doubt) = before.doubt.as_ref().or(after.doubt.as_ref()) {
        return Verdict::Unknown(format!("the states are uncertain since {}", doubt.since));
    }
    let mut value = after.value.clone();
    match value.replay(&inverse) {
        Err(fault) => Verdict::Differs(format!("it does not apply: {fault}")),
        Ok(()) if value.digest() == before.value.digest() => Verdict::Fits,
        Ok(()) => Verdict::Differs("it does not lead back to the state before".to_owned()),
    }
}

fn chain(event: &PageEvent, previous: Option<&Found>) -> Verdict {
    let expected = match previous {
        None => [0; 32],
        Some(Found::Event(previous)) => previous.event.hash,
        Some(Found::Damaged(_)) => return Verdict::Unknown("the event before it cannot be read".to_owned()),
    };
    if event.event.prev_hash == expected {
        Verdict::Fits
    } else {
        Verdict::Differs("it does not follow the event that stands before it".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &[&str], after: &[&str], expected: &[bool]) {
        let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        let compared = compared(owned(after), owned(before));
        let changed: Vec<_> = compared.all.iter().map(|(_, changed)| *changed).collect();
        assert_eq!(changed, expected, "{before:?} {after:?}");
    }

    #[test]
    fn lines_that_are_new_are_marked_and_those_that_moved_are_not() {
        check(&[], &["a"], &[true]);
        check(&["a"], &["a"], &[false]);
        check(&["a"], &[], &[]);
        check(&["a", "c"], &["a", "b", "c"], &[false, true, false]);
        check(&["a", "b", "c"], &["c", "a", "b"], &[false, false, false]);
        check(&["a", "a"], &["a", "a", "a"], &[false, false, true]);
        check(&["a", "b"], &["x", "b"], &[true, false]);
    }

    #[test]
    fn more_lines_than_are_shown_are_counted() {
        let lines = Lines::plain((0..LINES_MAX + 5).map(|number| format!("\t{number}")));
        assert_eq!((lines.all.len(), lines.more), (LINES_MAX, 5));
        assert_eq!(lines.all[1].0, "    1");
    }
}
