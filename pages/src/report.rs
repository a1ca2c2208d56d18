//! What a command is answered beside its events: what was undone and what was not, what a
//! write was rebased over. A receipt keeps it, so that a retry gets it again.

use recto_projections::Json;
use recto_projections::rebase::{Dropped, Note};
use recto_projections::undo::{Outcome, Skipped, UndoConflict, UndoNote};
use serde_json::{Map, json};

/// The most bytes of JSON that the lists of a report hold; more entries are counted only.
const REPORT_BYTES_MAX: usize = 48 * 1024;
/// The most bytes of JSON of one entry; of a larger one the values are left out.
const ENTRY_BYTES_MAX: usize = 4 * 1024;
/// The fields of an entry that hold values of the page.
const VALUES: [&str; 6] = ["before", "mine", "theirs", "wanted", "now", "lost"];

/// What there is to tell beside the events. Most commands have nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Of an undo or a redo.
    pub undo: Option<UndoReport>,
    /// Of a write that was made from an earlier version.
    pub rebase: Option<RebaseReport>,
    /// Of a restore: the version that the page went back to.
    pub restored_from: Option<u64>,
    /// Of content that was written: what was taken otherwise than it was written. Objects with `code`, `detail` and what
    /// it is about.
    pub warnings: Entries,
}

/// What an undo or a redo did.
#[derive(Clone, Debug, PartialEq)]
pub struct UndoReport {
    /// How much of the events it took back.
    pub outcome: Outcome,
    /// The versions of the events it was to take back, the newest first.
    pub of: Vec<u64>,
    /// What stays as it is, and why: objects with `code`, `detail`, what it is about and what
    /// stands in the way.
    pub conflicts: Entries,
    /// What was passed over: fields that are gone or there again, and whole events that would
    /// have changed nothing.
    pub skipped: Entries,
    /// What was decided on the way.
    pub notes: Entries,
}

/// What a write was rebased over.
#[derive(Clone, Debug, PartialEq)]
pub struct RebaseReport {
    /// The version that it was made from.
    pub base: u64,
    /// The version that it was brought to.
    pub over: u64,
    /// What was left out because it is so already.
    pub dropped: Entries,
    /// What was decided on the way.
    pub notes: Entries,
}

/// Entries as JSON, up to a size.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entries {
    /// Those that fit.
    pub listed: Vec<Json>,
    /// How many there are beside them.
    pub omitted: usize,
}

impl Report {
    /// Whether there is nothing to tell.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub(crate) fn of_undo(report: UndoReport) -> Self {
        Self {
            undo: Some(report),
            ..Self::default()
        }
    }

    pub(crate) fn to_json(&self) -> Json {
        let mut map = Map::new();
        if let Some(undo) = &self.undo {
            map.insert("undo".into(), undo.to_json());
        }
        if let Some(rebase) = &self.rebase {
            map.insert("rebase".into(), rebase.to_json());
        }
        if let Some(version) = self.restored_from {
            map.insert("restoredFrom".into(), version.into());
        }
        if self.warnings != Entries::default() {
            map.insert("warnings".into(), self.warnings.to_json());
        }
        Json::Object(map)
    }

    pub(crate) fn from_json(json: Json) -> Option<Self> {
        Some(Self {
            undo: json
                .get("undo")
                .map(UndoReport::from_json)
                .map_or(Some(None), |read| read.map(Some))?,
            rebase: json
                .get("rebase")
                .map(RebaseReport::from_json)
                .map_or(Some(None), |read| read.map(Some))?,
            restored_from: json
                .get("restoredFrom")
                .map(Json::as_u64)
                .map_or(Some(None), |read| read.map(Some))?,
            warnings: json
                .get("warnings")
                .map_or(Some(Entries::default()), Entries::from_json)?,
        })
    }
}

impl UndoReport {
    fn to_json(&self) -> Json {
        json!({
            "outcome": self.outcome.as_str(),
            "of": self.of,
            "conflicts": self.conflicts.to_json(),
            "skipped": self.skipped.to_json(),
            "notes": self.notes.to_json(),
        })
    }

    fn from_json(json: &Json) -> Option<Self> {
        let all = [Outcome::Applied, Outcome::Partial, Outcome::Noop];
        let name = json.get("outcome")?.as_str()?;
        Some(Self {
            outcome: all.into_iter().find(|outcome| outcome.as_str() == name)?,
            of: json
                .get("of")?
                .as_array()?
                .iter()
                .map(Json::as_u64)
                .collect::<Option<_>>()?,
            conflicts: Entries::from_json(json.get("conflicts")?)?,
            skipped: Entries::from_json(json.get("skipped")?)?,
            notes: Entries::from_json(json.get("notes")?)?,
        })
    }
}

impl RebaseReport {
    fn to_json(&self) -> Json {
        json!({
            "base": self.base,
            "over": self.over,
            "dropped": self.dropped.to_json(),
            "notes": self.notes.to_json(),
        })
    }

    fn from_json(json: &Json) -> Option<Self> {
        Some(Self {
            base: json.get("base")?.as_u64()?,
            over: json.get("over")?.as_u64()?,
            dropped: Entries::from_json(json.get("dropped")?)?,
            notes: Entries::from_json(json.get("notes")?)?,
        })
    }
}

/// What can stand in a list of a report.
pub(crate) trait Entry {
    fn to_entry(&self) -> Json;
}

macro_rules! entries {
    ($($kind:ty),*) => {
        $(impl Entry for $kind {
            fn to_entry(&self) -> Json {
                self.to_json()
            }
        })*
    };
}

entries!(UndoConflict, Skipped, UndoNote, Dropped, Note);

impl Entry for Json {
    fn to_entry(&self) -> Json {
        self.clone()
    }
}

impl Entries {
    pub(crate) fn of<E: Entry>(entries: &[E]) -> Self {
        Self::within(REPORT_BYTES_MAX / 4, entries.iter().map(Entry::to_entry))
    }

    /// Lists entries as far as they fit into so many bytes of JSON; large values are left out first.
    #[must_use]
    pub fn within(bytes_max: usize, entries: impl ExactSizeIterator<Item = Json>) -> Self {
        let (count, mut room) = (entries.len(), bytes_max);
        let mut listed = Vec::new();
        for mut entry in entries {
            if entry.to_string().len() > ENTRY_BYTES_MAX {
                leave_values_out(&mut entry);
            }
            let bytes = entry.to_string().len();
            if bytes > room {
                break;
            }
            room -= bytes;
            listed.push(entry);
        }
        let omitted = count - listed.len();
        Self { listed, omitted }
    }

    /// Puts entries before the others.
    pub(crate) fn put_first(&mut self, first: &[Json]) {
        let all: Vec<Json> = first.iter().chain(&self.listed).cloned().collect();
        let omitted = self.omitted;
        *self = Self::of(&all);
        self.omitted += omitted;
    }

    fn to_json(&self) -> Json {
        json!({ "listed": self.listed, "omitted": self.omitted })
    }

    fn from_json(json: &Json) -> Option<Self> {
        Some(Self {
            listed: json.get("listed")?.as_array()?.clone(),
            omitted: usize::try_from(json.get("omitted")?.as_u64()?).ok()?,
        })
    }
}

fn leave_values_out(entry: &mut Json) {
    if let Json::Object(map) = entry {
        map.retain(|name, _| !VALUES.contains(&name.as_str()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_reads_back() {
        let entries = Entries::of(&[json!({"code": "overwritten", "version": 3})]);
        let undo = UndoReport {
            outcome: Outcome::Partial,
            of: vec![4, 2],
            conflicts: entries.clone(),
            skipped: Entries::default(),
            notes: entries.clone(),
        };
        let rebase = RebaseReport {
            base: 1,
            over: 4,
            dropped: Entries::default(),
            notes: entries.clone(),
        };
        for report in [
            Report::default(),
            Report::of_undo(undo),
            Report {
                rebase: Some(rebase),
                ..Report::default()
            },
            Report {
                restored_from: Some(3),
                ..Report::default()
            },
            Report {
                warnings: entries,
                ..Report::default()
            },
        ] {
            assert_eq!(Report::from_json(report.to_json()), Some(report));
        }
        assert_eq!(Report::from_json(json!({"undo": 1})), None);
    }

    #[test]
    fn what_does_not_fit_is_counted_and_large_values_go_first() {
        let large = json!({"code": "overwritten", "now": "x".repeat(ENTRY_BYTES_MAX)});
        let entries = Entries::of(&vec![large; 3]);
        assert_eq!(entries.listed, vec![json!({"code": "overwritten"}); 3]);
        let many = vec![json!({"code": "overwritten", "now": "x".repeat(1000)}); 1000];
        let entries = Entries::of(&many);
        assert_eq!(entries.listed.len() + entries.omitted, 1000);
        let bytes: usize = entries.listed.iter().map(|entry| entry.to_string().len()).sum();
        assert!(bytes <= REPORT_BYTES_MAX / 4);
    }
}
