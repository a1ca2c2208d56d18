//! One group of commits: each is checked against what is stored and what the group has before it.

use std::collections::HashMap;

use rocksdb::WriteBatch;

use super::batch::{Prepared, PreparedGuard, PreparedPut};
use super::db::Db;
use super::layout::{Area, feed_key, tip_key, write_feed_value, write_value};
use super::queue::Request;
use super::read;
use crate::engine::{CommitError, Committed, Durability, FeedEntry, ReadError, Unavailable};
use crate::generations::Generations;
use crate::keys::code;

/// How many last revisions the writer remembers.
const REVISIONS_REMEMBERED: usize = 65_536;

/// What the writer knows between groups: all of it is durable.
pub(super) struct State {
    durability: Durability,
    tips: HashMap<u16, u64>,
    revisions: Generations<Vec<u8>, u64>,
}

/// A group being gathered.
pub(super) struct Group {
    accepted: Vec<Accepted>,
    /// Answered after the write: what stands in their way may be in this very group, and must be
    /// there to be read when they are told.
    refused: Vec<(Request, CommitError)>,
    /// The last revisions and tips once the group is written.
    revisions: HashMap<Vec<u8>, u64>,
    tips: HashMap<u16, u64>,
}

struct Accepted {
    request: Request,
    committed: Committed,
}

impl State {
    pub(super) fn new(durability: Durability) -> Self {
        Self {
            durability,
            tips: HashMap::new(),
            revisions: Generations::new(REVISIONS_REMEMBERED),
        }
    }
}

impl Group {
    pub(super) fn new() -> Self {
        Self {
            accepted: Vec::new(),
            refused: Vec::new(),
            revisions: HashMap::new(),
            tips: HashMap::new(),
        }
    }

    /// Whether there is nothing to write.
    pub(super) fn is_empty(&self) -> bool {
        self.accepted.is_empty()
    }

    /// Takes a commit in if all its guards hold; it leaves no trace otherwise.
    pub(super) fn add(&mut self, db: &Db, state: &mut State, mut request: Request) {
        match self.accept(db, state, &mut request.prepared) {
            Ok(entries) => {
                let committed = Committed {
                    entries,
                    durability: state.durability,
                };
                self.accepted.push(Accepted { request, committed });
            }
            Err(error) => self.refused.push((request, error)),
        }
    }

    /// All of the group as one batch, with the new tips.
    pub(super) fn batch(&self, db: &Db) -> Result<WriteBatch, Unavailable> {
        let bytes = self
            .accepted
            .iter()
            .map(|accepted| accepted.request.prepared.bytes)
            .sum();
        let mut batch = WriteBatch::with_capacity_bytes(bytes);
        let mut scratch = Vec::new();
        for accepted in &self.accepted {
            let prepared = &accepted.request.prepared;
            for (put, &(_, position)) in prepared.puts.iter().zip(&accepted.committed.entries) {
                write_value(&mut scratch, position, &put.value);
                batch.put_cf(db.area(put.area)?, &put.key, &scratch);
                if let Some(page) = &put.page {
                    write_feed_value(&mut scratch, page, put.revision);
                    let key = feed_key(prepared.partition, &page.scope, position);
                    batch.put_cf(db.area(Area::Feed)?, key, &scratch);
                }
            }
        }
        for (&partition, tip) in &self.tips {
            batch.put_cf(db.area(Area::Meta)?, tip_key(partition), tip.to_be_bytes());
        }
        Ok(batch)
    }

    /// The events of a group that was written, in commit order.
    pub(super) fn events(&self) -> impl Iterator<Item = FeedEntry> + '_ {
        self.accepted.iter().flat_map(|Accepted { request, committed }| {
            let partition = request.prepared.partition;
            let numbered = request.prepared.puts.iter().zip(&committed.entries);
            numbered.filter_map(move |(put, &(revision, position))| {
                let (page, value) = (put.page.clone()?, Some(put.value.clone()));
                Some(FeedEntry {
                    partition,
                    position,
                    page,
                    revision,
                    value,
                })
            })
        })
    }

    /// Answers all of a group that was written, and remembers what it did.
    pub(super) fn acknowledge(self, state: &mut State) {
        for Accepted { request, committed } in self.accepted {
            request.answer(Ok(committed));
        }
        refuse(self.refused);
        state.tips.extend(self.tips);
        for (key, revision) in self.revisions {
            // A receipt is written once: remembering it would push out what is asked for again.
            if key.first() != Some(&code::COMMAND) {
                state.revisions.insert(key, revision);
            }
        }
    }

    /// Answers a group in which nothing was accepted.
    pub(super) fn answer_refused(self) {
        refuse(self.refused);
    }

    /// Answers all of a group whose write failed: those accepted with `error`; those refused
    /// were surely not written, but what stood in their way may not be there either.
    pub(super) fn fail(self, error: &CommitError) {
        for accepted in self.accepted {
            accepted.request.answer(Err(error.clone()));
        }
        for (request, _) in self.refused {
            request.answer(Err(CommitError::Unavailable(Unavailable::Poisoned {
                reason: error.to_string(),
            })));
        }
    }

    fn accept(&mut self, db: &Db, state: &mut State, prepared: &mut Prepared) -> Result<Vec<(u64, u64)>, CommitError> {
        for guard in &prepared.guards {
            self.check(db, state, guard)?;
        }
        let tip = self.tip(db, state, prepared.partition).map_err(unavailable)?;
        let entries = number(&prepared.puts, tip, prepared.events);
        if prepared.events > 0 {
            self.tips.insert(prepared.partition, tip + prepared.events);
        }
        for guard in &mut prepared.guards {
            self.revisions.insert(std::mem::take(&mut guard.key), guard.after);
        }
        Ok(entries)
    }

    fn check(&self, db: &Db, state: &mut State, guard: &PreparedGuard) -> Result<(), CommitError> {
        let expected = guard.guard.revision;
        let known = self
            .revisions
            .get(&guard.key)
            .or_else(|| state.revisions.get(&guard.key))
            .copied();
        let actual = match known {
            Some(known) => known,
            None if read::is_last(db, &guard.guard.key, &guard.key, expected).map_err(unavailable)? => expected,
            None => read::last_revision(db, &guard.guard.key, &guard.key).map_err(unavailable)?,
        };
        if actual == expected {
            return Ok(());
        }
        Err(CommitError::Conflict {
            key: guard.guard.key.clone(),
            expected,
            actual,
        })
    }

    fn tip(&self, db: &Db, state: &mut State, partition: u16) -> Result<u64, ReadError> {
        if let Some(&tip) = self.tips.get(&partition).or_else(|| state.tips.get(&partition)) {
            return Ok(tip);
        }
        let tip = read::tip(db, partition)?;
        state.tips.insert(partition, tip);
        Ok(tip)
    }
}

/// Revision and position of each put: events get the next positions, all else the tip behind them.
fn number(puts: &[PreparedPut], tip: u64, events: u64) -> Vec<(u64, u64)> {
    let mut position = tip;
    let numbered = puts.iter().map(|put| {
        if put.page.is_none() {
            return (put.revision, tip + events);
        }
        position += 1;
        (put.revision, position)
    });
    numbered.collect()
}

fn refuse(refused: Vec<(Request, CommitError)>) {
    for (request, error) in refused {
        request.answer(Err(error));
    }
}

/// A guard that could not be read: nothing was written.
fn unavailable(error: ReadError) -> CommitError {
    CommitError::Unavailable(match error {
        ReadError::Unavailable(reason) => reason,
        damaged @ ReadError::Corrupt { .. } => Unavailable::Failed {
            reason: damaged.to_string(),
        },
    })
}
