//! Going over everything below a prefix.

use recto_store::{Entry, Key, KeyPrefix, ReadError};

use super::Source;

impl Source {
    /// Hands every key below a prefix, with its newest entry, to `take`, in the order of the keys; so many are read at a
    /// time.
    ///
    /// # Errors
    /// Where they cannot be read, and the first one of `take`.
    pub async fn each_latest<E: From<ReadError>>(
        &self,
        prefix: &KeyPrefix,
        at_once: usize,
        mut take: impl FnMut(Key, Entry) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut after: Option<Key> = None;
        loop {
            let found = self.engine.latest(prefix, after.as_ref(), at_once).await?;
            let Some((last, _)) = found.last() else { return Ok(()) };
            after = Some(last.clone());
            for (key, entry) in found {
                take(key, entry)?;
            }
        }
    }
}
