//! The keys that seal read tokens. They are a record of the store: made when first needed, the same for every process
//! that has the store open, and part of its backup.
//!
//! Two keys count: the newest, which seals, and the one before it. So a token outlives one rotation, not two.

use std::fmt;
use std::sync::{Arc, LazyLock};

use arc_swap::ArcSwapOption;
use recto_store::{Append, AppendError, CommandClaim, Expected, Id, PageKey, RecordKey, RecordWrite};
use serde_json::{Value as Json, json};

use super::refusal::ContractRefusal;
use super::token::{ReadToken, Sealed};
use crate::error::{ReadError, WriteError};
use crate::service::Pages;

/// Where the record lies: a scope that no workspace can be, since a workspace has no space in its name.
static KEYS: LazyLock<PageKey> = LazyLock::new(|| {
    PageKey::parse("recto system", "read-keys").unwrap_or_else(|fault| unreachable!("these are ids: {fault}"))
});
/// How often making or rotating starts over when another process was faster.
const TRIES_MAX: usize = 8;

/// The keys as they were read last.
#[derive(Default)]
pub(crate) struct ReadKeys(ArcSwapOption<Ring>);

/// The newest key, the one before it, and the record that holds them.
struct Ring {
    revision: u64,
    number: u32,
    newest: [u8; 32],
    before: Option<[u8; 32]>,
}

impl fmt::Debug for ReadKeys {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("ReadKeys")
    }
}

impl Ring {
    fn key(&self, number: u32) -> Option<&[u8; 32]> {
        match self.number.checked_sub(number)? {
            0 => Some(&self.newest),
            1 => self.before.as_ref(),
            _ => None,
        }
    }

    fn to_record(&self) -> Vec<u8> {
        let hex = |key: &[u8; 32]| blake3::Hash::from_bytes(*key).to_hex().to_string();
        json!({ "v": 1, "number": self.number, "newest": hex(&self.newest), "before": self.before.as_ref().map(hex) })
            .to_string()
            .into_bytes()
    }

    fn from_record(revision: u64, bytes: &[u8]) -> Option<Self> {
        let record: Json = serde_json::from_slice(bytes).ok()?;
        let key = |name: &str| Some(*blake3::Hash::from_hex(record.get(name)?.as_str()?).ok()?.as_bytes());
        (record.get("v")?.as_u64()? == 1).then_some(())?;
        Some(Self {
            revision,
            number: record.get("number")?.as_u64()?.try_into().ok()?,
            newest: key("newest")?,
            before: key("before"),
        })
    }
}

impl Pages {
    /// Makes the keys of read tokens where there are none yet. Reading and writing do so too, when they are needed.
    ///
    /// # Errors
    /// Where the store does not answer.
    pub async fn ensure_read_keys(&self) -> Result<(), ReadError> {
        self.ring().await.map(drop)
    }

    /// Makes a new key for read tokens. Tokens of the key before stay good until the next rotation. Gives the number of
    /// the newest key; a retry of the command rotates nothing.
    ///
    /// # Errors
    /// [`WriteError::Unavailable`] and [`WriteError::OutcomeUnknown`].
    pub async fn rotate_read_keys(&self, command: &Id) -> Result<u32, WriteError> {
        for _ in 0..TRIES_MAX {
            self.ring().await?;
            let Some(now) = self.read_ring().await? else { continue };
            let next = Ring {
                revision: now.revision,
                number: now.number.saturating_add(1),
                newest: random_key()?,
                before: Some(now.newest),
            };
            if self.write_ring(&next, command).await? {
                return Ok(self.ring_anew().await?.number);
            }
        }
        Err(busy().into())
    }

    pub(crate) async fn seal(&self, token: &ReadToken) -> Result<String, ReadError> {
        let ring = self.ring().await?;
        Ok(token.seal(ring.number, &ring.newest))
    }

    /// Opens a token that is presented for a page.
    pub(crate) async fn open_token(&self, page: &PageKey, text: &str) -> Result<ReadToken, WriteError> {
        let sealed = Sealed::read(text).ok_or(ContractRefusal::TokenInvalid)?;
        let mut ring = self.ring().await?;
        if sealed.key > ring.number {
            // Another process may have rotated.
            ring = self.ring_anew().await?;
        }
        let Some(key) = ring.key(sealed.key) else {
            let refusal = match sealed.key < ring.number {
                true => ContractRefusal::TokenExpired,
                false => ContractRefusal::TokenInvalid,
            };
            return Err(refusal.into());
        };
        let token = sealed.open(key).filter(|token| token.page.scope == page.scope);
        let token = token.ok_or(ContractRefusal::TokenInvalid)?;
        if token.page.page != page.page {
            let read = token.page.page.to_string();
            return Err(ContractRefusal::TokenOfAnotherPage { read }.into());
        }
        Ok(token)
    }

    async fn ring(&self) -> Result<Arc<Ring>, ReadError> {
        match self.read_keys().0.load_full() {
            Some(ring) => Ok(ring),
            None => self.ring_anew().await,
        }
    }

    /// Reads the keys, and makes them where there are none.
    async fn ring_anew(&self) -> Result<Arc<Ring>, ReadError> {
        for _ in 0..TRIES_MAX {
            if let Some(ring) = self.read_ring().await? {
                let ring = Arc::new(ring);
                self.read_keys().0.store(Some(Arc::clone(&ring)));
                return Ok(ring);
            }
            let first = Ring {
                revision: 0,
                number: 1,
                newest: random_key()?,
                before: None,
            };
            let command = Id::new("first").map_err(|fault| unavailable(&fault.to_string()))?;
            match self.write_ring(&first, &command).await {
                // Whoever was first: the next round reads its keys.
                Ok(_) => {}
                Err(fault) => return Err(unavailable(&fault.to_string())),
            }
        }
        Err(busy())
    }

    async fn read_ring(&self) -> Result<Option<Ring>, ReadError> {
        let key = RecordKey::from(&KEYS.page);
        let Some(record) = self.store().record(&KEYS.scope, &KEYS.page, &key).await? else {
            return Ok(None);
        };
        let ring = Ring::from_record(record.revision, &record.value);
        ring.map(Some).ok_or_else(|| ReadError::Corrupt {
            version: 0,
            what: "the record of the read keys does not decode".to_owned(),
        })
    }

    /// Writes the keys over the revision that they were made from; false where that is not the newest any more.
    async fn write_ring(&self, ring: &Ring, command: &Id) -> Result<bool, WriteError> {
        let append = Append {
            page: KEYS.clone(),
            expected: Expected::New,
            events: Vec::new(),
            command: CommandClaim {
                id: command.clone(),
                fingerprint: [0; 32],
                time_ms: self.clock().now_ms(),
                outcome: bytes::Bytes::new(),
            },
            records: vec![RecordWrite {
                table: KEYS.page.clone(),
                key: RecordKey::from(&KEYS.page),
                expected_revision: ring.revision,
                value: ring.to_record().into(),
            }],
        };
        match self.store().append(append).await {
            Ok(_) | Err(AppendError::AlreadyDone(_)) => Ok(true),
            Err(AppendError::Conflict { .. } | AppendError::RecordConflict { .. }) => Ok(false),
            Err(AppendError::OutcomeUnknown { .. }) => Err(WriteError::OutcomeUnknown {
                command: command.clone(),
            }),
            Err(fault) => Err(unavailable(&fault.to_string()).into()),
        }
    }
}

fn random_key() -> Result<[u8; 32], ReadError> {
    let mut key = [0; 32];
    getrandom::fill(&mut key).map_err(|fault| unavailable(&format!("the system gives no random bytes: {fault}")))?;
    Ok(key)
}

fn unavailable(reason: &str) -> ReadError {
    ReadError::Unavailable {
        reason: reason.to_owned(),
    }
}

fn busy() -> ReadError {
    unavailable("the read keys change faster than this can follow")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_reads_back_and_knows_two_keys() {
        let ring = Ring {
            revision: 4,
            number: 3,
            newest: [3; 32],
            before: Some([2; 32]),
        };
        let read = Ring::from_record(4, &ring.to_record());
        let read = read.unwrap_or_else(|| panic!("it reads back"));
        assert_eq!(read.key(3), Some(&[3; 32]));
        assert_eq!(read.key(2), Some(&[2; 32]));
        assert_eq!((read.key(1), read.key(4)), (None, None));
        assert!(Ring::from_record(4, b"{}").is_none());
    }
}
