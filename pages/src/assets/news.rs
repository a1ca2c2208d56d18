//! What followers of a workspace hear of its files: that an attachment has become an asset. It is said once, while it
//! happens; what is so for good stands in the records.

use std::sync::Arc;

use recto_store::Id;
use tokio::sync::broadcast::{self, error::RecvError};

use super::{AssetId, Assets};

/// How many of them wait for a follower; one who is slower misses some.
const WAITING_MAX: usize = 256;

/// An attachment has become an asset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssetNews {
    /// The workspace.
    pub scope: Id,
    /// The attachment.
    pub attachment: String,
    /// The asset.
    pub asset: AssetId,
}

/// One who hears of the assets of a workspace.
#[derive(Debug)]
pub struct AssetFollower {
    scope: Id,
    live: broadcast::Receiver<Arc<AssetNews>>,
}

/// Those who tell, of all workspaces.
#[derive(Debug)]
pub(super) struct Teller(broadcast::Sender<Arc<AssetNews>>);

impl Default for Teller {
    fn default() -> Self {
        Self(broadcast::channel(WAITING_MAX).0)
    }
}

impl Assets {
    /// Hears of what becomes an asset of a workspace from now on.
    #[must_use]
    pub fn follow(&self, scope: &Id) -> AssetFollower {
        AssetFollower {
            scope: scope.clone(),
            live: self.inner.news.0.subscribe(),
        }
    }

    pub(super) fn tell_promoted(&self, scope: &Id, attachment: &str, asset: AssetId) {
        let news = AssetNews {
            scope: scope.clone(),
            attachment: attachment.to_owned(),
            asset,
        };
        // No receiver is no fault: nobody listens.
        let _ = self.inner.news.0.send(Arc::new(news));
    }
}

impl AssetFollower {
    /// The next news. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Arc<AssetNews> {
        loop {
            match self.live.recv().await {
                Ok(news) if news.scope == self.scope => return news,
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                // The service has gone, and says nothing more.
                Err(RecvError::Closed) => std::future::pending().await,
            }
        }
    }
}
