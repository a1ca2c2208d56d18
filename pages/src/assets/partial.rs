//! What a process that was killed leaves of files that it was writing: object_store stages them in the same directory,
//! under their name, `#` and a number, and lists none of these.

use std::io;
use std::path::Path;

use recto_store::Id;

use super::{Assets, FileError};

impl Assets {
    /// Drops what lies there of files that were never finished; returns how many. Nothing is being written yet.
    pub(super) async fn drop_partial(&self, scope: &Id) -> Result<usize, FileError> {
        let folders = self.blobs().folders(scope);
        let dropping = tokio::task::spawn_blocking(move || -> io::Result<usize> {
            folders.iter().map(|folder| drop_in(folder)).sum()
        });
        let dropped = dropping.await.unwrap_or_else(|gone| Err(io::Error::other(gone)));
        dropped.map_err(|fault| FileError::Unavailable {
            reason: format!("files that were never finished cannot be dropped: {fault}"),
        })
    }
}

fn drop_in(folder: &Path) -> io::Result<usize> {
    let entries = match std::fs::read_dir(folder) {
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => return Ok(0),
        entries => entries?,
    };
    let mut dropped = 0;
    for entry in entries {
        let entry = entry?;
        if entry.file_name().to_str().is_some_and(is_partial) {
            std::fs::remove_file(entry.path())?;
            dropped += 1;
        }
    }
    Ok(dropped)
}

fn is_partial(name: &str) -> bool {
    let number = name.rsplit_once('#').map(|(_, number)| number);
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_staged_is_partial() {
        assert!(is_partial("0192f0c1#1") && is_partial("0192f0c1#204"));
        assert!(!is_partial("0192f0c1") && !is_partial("a#") && !is_partial("a#1b"));
    }
}
