//! Whether snapshots are what the events make: from the snapshot before, or from the start, up to this one.

use std::collections::BTreeMap;

use recto_pages::PageKey;
use recto_projections::words::describe;
use recto_projections::{Kind, Value};
use recto_store::{Near, SnapshotError};

use crate::failure::Failure;
use crate::screen::news::{SnapshotCheck, Verdict};
use crate::source::Source;
use crate::states::{State, step};

/// Checks snapshots. What was checked is remembered.
pub struct Snapshots {
    source: Source,
    page: PageKey,
    kind: Kind,
    versions: Option<Vec<u64>>,
    checked: BTreeMap<u64, (Verdict, Vec<String>)>,
}

impl Snapshots {
    /// For a page of a kind.
    #[must_use]
    pub fn new(source: &Source, page: &PageKey, kind: Kind) -> Self {
        Self {
            source: source.clone(),
            page: page.clone(),
            kind,
            versions: None,
            checked: BTreeMap::new(),
        }
    }

    /// Checks the newest snapshot at or before a version.
    ///
    /// # Errors
    /// [`Failure`], where the store is away. Damage is told in the verdict.
    pub async fn near(&mut self, version: u64) -> Result<SnapshotCheck, Failure> {
        let versions = match self.versions.take() {
            Some(versions) => versions,
            None => self.source.store().snapshot_versions(&self.page).await?,
        };
        let below = versions.partition_point(|at| *at <= version);
        let (before, count) = (versions[..below].to_vec(), versions.len());
        self.versions = Some(versions);
        let Some((at, older)) = before.split_last() else {
            return Ok(SnapshotCheck {
                near: version,
                at: None,
                verdict: Verdict::Unknown("there is no snapshot at or before this version".to_owned()),
                words: Vec::new(),
                count,
            });
        };
        let (verdict, words) = self.verdict(*at, older).await?;
        Ok(SnapshotCheck {
            near: version,
            at: Some(*at),
            verdict,
            words,
            count,
        })
    }

    async fn verdict(&mut self, at: u64, older: &[u64]) -> Result<(Verdict, Vec<String>), Failure> {
        if let Some(known) = self.checked.get(&at) {
            return Ok(known.clone());
        }
        let verdict = match self.open(at).await? {
            Err(fault) => (Verdict::Differs(fault), Vec::new()),
            Ok(snapshot) => compare(&snapshot, &self.replayed(at, older).await?),
        };
        self.checked.insert(at, verdict.clone());
        Ok(verdict)
    }

    /// The value in a snapshot, or why there is none.
    async fn open(&self, at: u64) -> Result<Result<Value, String>, Failure> {
        match self
            .source
            .store()
            .snapshot_near(&self.page, at, Near::AtOrBefore)
            .await
        {
            Ok(Some(found)) if found.version == at => Ok(recto_pages::snapshot::decode(&found.value)),
            Ok(_) => Ok(Err("it is gone".to_owned())),
            Err(SnapshotError::Read(fault)) => Err(fault.into()),
            Err(fault) => Ok(Err(fault.to_string())),
        }
    }

    /// What the events make of the nearest snapshot before that is sound, or of nothing.
    async fn replayed(&self, version: u64, older: &[u64]) -> Result<State, Failure> {
        let (mut at, mut value) = (0, Value::empty(self.kind));
        for before in older.iter().rev() {
            let recorded = self.source.event(&self.page, *before).await?;
            let recorded = recorded.event().map(recto_pages::PageEvent::digest);
            let opened = self.open(*before).await?;
            if let Some(found) = opened.ok().filter(|found| recorded == Some(found.digest())) {
                (at, value) = (*before, found);
                break;
            }
        }
        let mut state = State { value, doubt: None };
        while at < version {
            for found in self.source.events(&self.page, at + 1..=version).await? {
                at = found.version();
                step(&mut state, &found);
            }
        }
        Ok(state)
    }
}

fn compare(snapshot: &Value, replayed: &State) -> (Verdict, Vec<String>) {
    if snapshot.digest() == replayed.value.digest() {
        return (Verdict::Fits, Vec::new());
    }
    if let Some(doubt) = &replayed.doubt {
        let told = format!("replay is uncertain since {}: {}", doubt.since, doubt.reason);
        return (Verdict::Unknown(told), Vec::new());
    }
    let words = match snapshot.diff(&replayed.value) {
        Ok(delta) => describe(&delta, snapshot),
        Err(fault) => vec![fault.to_string()],
    };
    (Verdict::Differs("it is not what the events make".to_owned()), words)
}
