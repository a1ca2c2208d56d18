//! Values and deltas as bytes: the only caller of bincode.
//!
//! | byte | what |
//! |---|---|
//! | 0 | codec: 1 is bincode 2, standard configuration (variable-length integers, little-endian) |
//! | 1 | schema: 1 is the module `v1` |
//! | 2… | the stored type of that schema; nothing may follow it |
//!
//! Stored types are flat, and hold free JSON as text. A released schema is frozen: it may get a new variant at the end of
//! an enum, and nothing else. The decoder refuses another codec or schema, bytes left over, whatever breaks a rule of the
//! values, and what claims more than [`STORED_MAX_BYTES`]. The checksum of a record is for the store to check, before.

mod v1;

use bincode::config::{Configuration, Limit, LittleEndian, Varint};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::delta::Delta;
use crate::limits::STORED_MAX_BYTES;
use crate::value::Value;

const CODEC_BINCODE: u8 = 1;
const SCHEMA_V1: u8 = 1;
const HEADER: [u8; 2] = [CODEC_BINCODE, SCHEMA_V1];

/// Bytes that are no value or delta, or a value or delta that is too large for a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CodecError {
    /// The codec or the schema is none that this program knows: a newer one wrote it.
    #[error("codec {codec}, schema {schema} is unknown here; read it with the program that wrote it, or a newer one")]
    UnknownVersion {
        /// The byte that tells the codec.
        codec: u8,
        /// The byte that tells the schema.
        schema: u8,
    },
    /// The bytes are cut off, or are not what an encoder writes.
    #[error("the bytes are damaged: {what}; read the record again, or heal it from the events")]
    Damaged {
        /// What is wrong with them.
        what: String,
    },
    /// The encoded form is larger than a record may be.
    #[error("the encoded form is larger than {limit} bytes; make the page smaller")]
    TooLarge {
        /// The most bytes allowed.
        limit: usize,
    },
}

/// Encodes a value.
pub(crate) fn encode_value(value: &Value) -> Result<Vec<u8>, CodecError> {
    encode(&v1::store_value(value))
}

/// Decodes a value.
pub(crate) fn decode_value(bytes: &[u8]) -> Result<Value, CodecError> {
    v1::restore_value(decode(bytes)?)
}

/// Encodes a delta.
pub(crate) fn encode_delta(delta: &Delta) -> Result<Vec<u8>, CodecError> {
    encode(&v1::store_delta(delta))
}

/// Decodes a delta.
pub(crate) fn decode_delta(bytes: &[u8]) -> Result<Delta, CodecError> {
    v1::restore_delta(decode(bytes)?)
}

/// Says that bytes decoded to something that was never encoded.
fn damaged(what: impl std::fmt::Display) -> CodecError {
    CodecError::Damaged { what: what.to_string() }
}

const fn config() -> Configuration<LittleEndian, Varint, Limit<STORED_MAX_BYTES>> {
    bincode::config::standard().with_limit::<STORED_MAX_BYTES>()
}

fn encode<T: Serialize>(stored: &T) -> Result<Vec<u8>, CodecError> {
    let too_large = CodecError::TooLarge {
        limit: STORED_MAX_BYTES,
    };
    let mut bytes = HEADER.to_vec();
    bincode::serde::encode_into_std_write(stored, &mut bytes, config()).map_err(|_| too_large.clone())?;
    if bytes.len() > STORED_MAX_BYTES {
        Err(too_large)
    } else {
        Ok(bytes)
    }
}

fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, CodecError> {
    let Some((&[codec, schema], body)) = bytes.split_first_chunk() else {
        return Err(damaged("no header"));
    };
    if [codec, schema] != HEADER {
        return Err(CodecError::UnknownVersion { codec, schema });
    }
    let (stored, consumed) = bincode::serde::decode_from_slice(body, config()).map_err(damaged)?;
    if consumed == body.len() {
        Ok(stored)
    } else {
        Err(damaged("bytes are left over"))
    }
}
