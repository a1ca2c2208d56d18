//! What changed between two versions of a page.

use recto_projections::words::describe;
use recto_projections::{Delta, Digest};
use recto_store::Id;

use crate::error::ReadError;
use crate::read::At;
use crate::service::Pages;

/// The fine delta from one version to another; the second may be the older one.
#[derive(Clone, Debug)]
pub struct PageDiff {
    /// The version it starts from.
    pub from: u64,
    /// The version it leads to.
    pub to: u64,
    /// The digest of the state it starts from.
    pub from_digest: Digest,
    /// The digest of the state it leads to.
    pub to_digest: Digest,
    /// The delta; empty where the states are equal.
    pub delta: Delta,
    /// The same in words: a sentence for each thing that changed.
    pub words: Vec<String>,
}

impl Pages {
    /// The difference between two states of a page.
    ///
    /// # Errors
    /// As [`Pages::read`].
    pub async fn diff(&self, scope: &Id, page: &Id, from: At, to: At) -> Result<PageDiff, ReadError> {
        let old = self.read(scope, page, from).await?;
        let new = self.read(scope, page, to).await?;
        let work = old.value.weight().max(new.value.weight());
        let (from, to) = (old.at.version, new.at.version);
        let (from_digest, to_digest) = (old.digest(), new.digest());
        let told = self.compute(work, move || {
            let delta = old.value.diff(&new.value)?;
            let words = describe(&delta, &old.value);
            Ok((delta, words))
        });
        let (delta, words) = told.await?.map_err(|fault| ReadError::NoDiff { fault })?;
        Ok(PageDiff {
            from,
            to,
            from_digest,
            to_digest,
            delta,
            words,
        })
    }
}
