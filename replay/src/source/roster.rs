//! Which pages there are and how far each goes: as the events tell it, and where these cannot be gone over, as the
//! receipts do.

use std::collections::BTreeMap;

use recto_store::{Entry, Id, Key, KeyPrefix, PageKey, ReadError, frames};

use super::Source;
use crate::failure::Failure;
use crate::verify::Found;

/// Entries read at a time.
const READ: usize = 1024;

/// The newest version of each page, by id.
pub type Heads = BTreeMap<Id, u64>;

/// The streams of a workspace.
#[derive(Clone, Debug, Default)]
pub struct Roster {
    /// Their newest versions.
    pub heads: Heads,
    /// Why the events could not tell, where the receipts did.
    pub damage: Option<Found>,
}

impl Source {
    /// The pages of the workspace that have events, chats among them.
    ///
    /// # Errors
    /// [`Failure::Log`], where neither the events nor the receipts can be gone over.
    pub async fn roster(&self) -> Result<Roster, Failure> {
        match self.heads_of_events().await {
            Ok(heads) => Ok(Roster { heads, damage: None }),
            Err(ReadError::Corrupt { at, fault }) => Ok(Roster {
                heads: self.heads_of_receipts().await?.clone(),
                damage: Some(Found::of(at, &fault)),
            }),
            Err(away) => Err(away.into()),
        }
    }

    /// The newest version of a page, whether or not its event can be read.
    ///
    /// # Errors
    /// [`Failure::NotFound`], where there is no such page.
    pub async fn head(&self, page: &PageKey) -> Result<u64, Failure> {
        let newest = match self.engine.last(&Key::event(page)).await {
            Ok(newest) => newest.map(|entry| entry.revision),
            Err(ReadError::Corrupt { .. }) => self.heads_of_receipts().await?.get(&page.page).copied(),
            Err(away) => return Err(away.into()),
        };
        newest.ok_or_else(|| Failure::NotFound(format!("there is no page {} in workspace {}", page.page, page.scope)))
    }

    async fn heads_of_events(&self) -> Result<Heads, ReadError> {
        let mut heads = Heads::new();
        let take = |key, entry: Entry| {
            if let Key::Event(page) = key {
                heads.insert(page.page, entry.revision);
            }
            Ok::<_, ReadError>(())
        };
        self.each_latest(&KeyPrefix::EventsOf(self.scope.clone()), READ, take)
            .await?;
        Ok(heads)
    }

    /// What the receipts tell; they are read once. A receipt that is damaged itself tells nothing.
    async fn heads_of_receipts(&self) -> Result<&Heads, ReadError> {
        self.told.get_or_try_init(|| self.read_receipts()).await
    }

    async fn read_receipts(&self) -> Result<Heads, ReadError> {
        let mut heads = Heads::new();
        let take = |key, entry| {
            if let Key::Command { scope, command, page } = key {
                let page = PageKey::new(scope, page);
                if let Ok(receipt) = frames::open_receipt(&page, &command, &entry) {
                    let head = heads.entry(page.page).or_default();
                    *head = (*head).max(receipt.head_version);
                }
            }
            Ok::<_, ReadError>(())
        };
        self.each_latest(&KeyPrefix::CommandsOf(self.scope.clone()), READ, take)
            .await?;
        Ok(heads)
    }
}
