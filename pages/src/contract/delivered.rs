//! Which node an image became: a record under the command of its delivery, in the commit of the node.
//!
//! The record is guarded by its revision. So a command delivers one image to one place in a workspace, whichever way it
//! comes in, and however often: by a slot, to a page, or to a canvas.

use std::sync::LazyLock;

use recto_projections::design::{NewNode, Side};
use recto_projections::{Delta, DesignOp};
use recto_store::{Id, PageKey, RecordKey, RecordWrite};
use serde::{Deserialize, Serialize};

use crate::answer::Written;
use crate::error::{ReadError, WriteError};
use crate::service::Pages;

/// The record table with one entry an image that was delivered, by command.
static DELIVERY_TABLE: LazyLock<Id> =
    LazyLock::new(|| Id::new("delivery").unwrap_or_else(|fault| unreachable!("it is an id: {fault}")));

/// Where an image went. It stays true whatever becomes of the node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Delivered {
    v: u8,
    /// The page.
    pub page: String,
    /// The node that was added.
    pub node: String,
    /// The asset that it was given.
    pub asset: String,
    /// Whether it is the image of a slot: then the slot said where it lies.
    pub by_slot: bool,
}

/// The first answer to a delivery.
#[derive(Clone, Debug)]
pub(crate) struct FirstDelivery {
    pub delivered: Delivered,
    pub written: Written,
}

impl Delivered {
    pub(super) fn new(page: &PageKey, node: &str, asset: &str, by_slot: bool) -> Self {
        Self {
            v: 1,
            page: page.page.to_string(),
            node: node.to_owned(),
            asset: asset.to_owned(),
            by_slot,
        }
    }

    /// The record, which is written where there is none yet.
    pub(super) fn record(&self, command: &Id) -> Result<RecordWrite, ReadError> {
        let value = serde_json::to_vec(self).map_err(|fault| ReadError::Unavailable {
            reason: fault.to_string(),
        })?;
        Ok(RecordWrite {
            table: DELIVERY_TABLE.clone(),
            key: RecordKey::from(command),
            expected_revision: 0,
            value: value.into(),
        })
    }
}

impl FirstDelivery {
    /// Left, top, width and height of the node as it was added.
    pub(crate) fn bounds(&self) -> Result<[f64; 4], ReadError> {
        for event in &self.written.events {
            if let Some(Delta::Design(ops)) = event.delta()?
                && let Some(node) = ops.iter().find_map(|op| added(op, &self.delivered.node))
            {
                let side = |side| node.geometry.get(side).to_f64();
                return Ok([Side::X, Side::Y, Side::Width, Side::Height].map(side));
            }
        }
        Err(ReadError::Corrupt {
            version: self.written.version,
            what: format!("no event of command {} adds its node", self.written.command),
        })
    }
}

impl Pages {
    /// Where the image of a command went.
    pub(crate) async fn delivered(&self, scope: &Id, command: &Id) -> Result<Option<Delivered>, ReadError> {
        let key = RecordKey::from(command);
        let Some(record) = self.store().record(scope, &DELIVERY_TABLE, &key).await? else {
            return Ok(None);
        };
        let delivered = serde_json::from_slice(&record.value).map_err(|_| damaged(command))?;
        Ok(Some(delivered))
    }

    /// The first answer to the delivery of an image, where there was one.
    pub(crate) async fn first_delivery(&self, scope: &Id, command: &Id) -> Result<Option<FirstDelivery>, ReadError> {
        let Some(delivered) = self.delivered(scope, command).await? else {
            return Ok(None);
        };
        let page = Id::new(&delivered.page).map_err(|_| damaged(command))?;
        let page = PageKey::new(scope.clone(), page);
        let receipt = self.store().receipt(&page, command).await?;
        let receipt = receipt.ok_or_else(|| damaged(command))?;
        let written = self.replay_answer(&page, command, receipt).await?;
        Ok(Some(FirstDelivery { delivered, written }))
    }

    /// Refuses a command that delivered an image already.
    pub(super) async fn refuse_delivered(&self, scope: &Id, command: &Id) -> Result<(), WriteError> {
        match self.delivered(scope, command).await? {
            None => Ok(()),
            Some(_) => Err(WriteError::CommandIdReused {
                command: command.clone(),
            }),
        }
    }
}

fn damaged(command: &Id) -> ReadError {
    ReadError::Corrupt {
        version: 0,
        what: format!("the record of what command {command} delivered does not lead to it"),
    }
}

fn added<'a>(op: &'a DesignOp, id: &str) -> Option<&'a NewNode> {
    match op {
        DesignOp::AddNode { node, .. } if *node.id == *id => Some(node),
        _ => None,
    }
}
