//! What a command is answered with, the first time and at every retry.

use recto_projections::Kind;
use recto_store::{Durability, Id, PageKey, Receipt};

use crate::command::{Operation, Outcome};
use crate::error::ReadError;
use crate::event::PageEvent;
use crate::report::Report;
use crate::service::Pages;

/// The answer to a command that passed. Everything but `replayed` is the same at a retry.
#[derive(Clone, Debug)]
pub struct Written {
    /// The page.
    pub page: PageKey,
    /// What kind of page it is.
    pub kind: Kind,
    /// What was asked for.
    pub operation: Operation,
    /// The command's id.
    pub command: Id,
    /// The page's version after the command.
    pub version: u64,
    /// The page's epoch after the command.
    pub epoch: u64,
    /// When the command was carried out, in ms since 1970.
    pub time_ms: i64,
    /// The hash of the event at `version`: it covers the page's history up to there.
    pub hash: [u8; 32],
    /// How safely the command was stored when it was acknowledged.
    pub durability: Durability,
    /// The events that the command made; none where nothing changed.
    pub events: Vec<PageEvent>,
    /// What there is to tell beside them.
    pub report: Report,
    /// Whether this is the answer to an earlier sending of the same command.
    pub replayed: bool,
}

/// What became of a command, found by its id alone.
#[derive(Clone, Debug)]
pub struct CommandOutcome {
    /// The answer it was given.
    pub written: Written,
}

impl Pages {
    /// Tells the outcome of a command whose answer was lost.
    ///
    /// # Errors
    /// [`ReadError::CommandNotFound`], or [`ReadError::CommandAmbiguous`] where the id was
    /// used on several pages and `page` names none of them.
    pub async fn command(&self, scope: &Id, command: &Id, page: Option<&Id>) -> Result<CommandOutcome, ReadError> {
        let mut found = self.store().receipts_of(scope, command).await?;
        if let Some(page) = page {
            found.retain(|(key, _)| key.page == *page);
        }
        match found.len() {
            0 => Err(ReadError::CommandNotFound {
                command: command.clone(),
            }),
            1 => {
                let (key, receipt) = found.swap_remove(0);
                let written = self.replay_answer(&key, command, receipt).await?;
                Ok(CommandOutcome { written })
            }
            _ => Err(ReadError::CommandAmbiguous {
                command: command.clone(),
                pages: found.into_iter().map(|(key, _)| key.page.to_string()).collect(),
            }),
        }
    }

    /// Builds the first answer again, from the receipt and the events it names.
    pub(crate) async fn replay_answer(
        &self,
        page: &PageKey,
        command: &Id,
        receipt: Receipt,
    ) -> Result<Written, ReadError> {
        let Outcome {
            operation,
            epoch,
            report,
        } = Outcome::from_bytes(&receipt.outcome).ok_or_else(|| ReadError::Corrupt {
            version: receipt.head_version,
            what: format!("the receipt of command {command} names no known operation"),
        })?;
        let events = match receipt.versions {
            Some(versions) => self.events_between(page, versions.first, versions.last).await?,
            None => Vec::new(),
        };
        let kind = match operation {
            // A chat is no page. What is noted in it is JSON, as a sheet is.
            Operation::Trajectory => Kind::Sheet,
            _ => self.meta(page).await?.kind,
        };
        Ok(Written {
            page: page.clone(),
            kind,
            operation,
            command: command.clone(),
            version: receipt.head_version,
            epoch,
            time_ms: receipt.time_ms,
            hash: receipt.head_hash,
            durability: receipt.durability,
            events,
            report,
            replayed: true,
        })
    }
}
