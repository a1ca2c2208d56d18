//! The frame around everything stored: what it is, how long it is, and that it is unharmed.

use bytes::Bytes;

/// The bytes of a checksum: the beginning of the frame's hash. Eight find every accident (one
/// in 2^64 gets through); forgers are stopped by the chain, which uses all 32.
pub(crate) const CHECKSUM_BYTES: usize = 8;

/// What all hashes begin with, so that no other use of BLAKE3 gives the same ones.
const DOMAIN: &[u8; 16] = b"recto frame v1\0\0";
const CODEC_BINCODE: u8 = 1;
const CODEC_OPAQUE: u8 = 2;
/// Codec, kind, schema.
const HEADER_BYTES: usize = 3;
/// The most bytes that the length takes.
const LENGTH_MAX_BYTES: usize = 5;
const RESERVED_BYTES: usize = HEADER_BYTES + LENGTH_MAX_BYTES;

/// What a frame holds. A code is never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum RecordKind {
    Event = 1,
    Receipt = 2,
    Record = 3,
    Snapshot = 4,
    Meta = 5,
}

/// Where a frame belongs: it is unharmed only there.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) key: &'a [u8],
    pub(crate) revision: u64,
}

/// A finished frame and its hash.
pub(crate) struct Sealed {
    pub(crate) bytes: Bytes,
    pub(crate) hash: [u8; 32],
}

/// A frame whose checksum is right.
pub(crate) struct Opened<'a> {
    pub(crate) schema: u8,
    pub(crate) payload: &'a [u8],
    pub(crate) hash: [u8; 32],
}

/// Why stored bytes are not a frame that this program can read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// It is shorter or longer than it says.
    #[error("the frame is not as long as it says")]
    Length,
    /// Its checksum is wrong: some bit changed, or it belongs to another key.
    #[error("the checksum is wrong")]
    Checksum,
    /// A newer program wrote it, or it is no frame.
    #[error("codec {codec} is unknown to this program")]
    UnknownCodec {
        /// The codec it names.
        codec: u8,
    },
    /// It is a frame of another kind.
    #[error("the frame is of kind {found}, not {expected}")]
    Kind {
        /// The kind that belongs here.
        expected: u8,
        /// The kind it names.
        found: u8,
    },
    /// A newer program wrote it.
    #[error("schema {schema} of kind {kind} is unknown to this program")]
    UnknownSchema {
        /// The kind.
        kind: u8,
        /// The schema it names.
        schema: u8,
    },
    /// Its checksum is right and its payload is not what the schema says.
    #[error("the payload does not follow its schema")]
    Payload,
}

impl RecordKind {
    pub(crate) const fn code(self) -> u8 {
        self as u8
    }

    /// Events, receipts and the description are structures; the others are the caller's bytes.
    const fn codec(self) -> u8 {
        match self {
            Self::Event | Self::Receipt | Self::Meta => CODEC_BINCODE,
            Self::Record | Self::Snapshot => CODEC_OPAQUE,
        }
    }
}

/// A buffer to write a payload of about this size to, with room for the header in front.
pub(crate) fn buffer(payload_bytes: usize) -> Vec<u8> {
    let mut buffer = Vec::with_capacity(RESERVED_BYTES + payload_bytes + CHECKSUM_BYTES);
    buffer.resize(RESERVED_BYTES, 0);
    buffer
}

/// Makes a frame of a [`buffer`] that a payload was written to.
pub(crate) fn seal(kind: RecordKind, schema: u8, context: Context<'_>, mut buffer: Vec<u8>) -> Sealed {
    let (length, width) = length_bytes(buffer.len() - RESERVED_BYTES);
    let start = LENGTH_MAX_BYTES - width;
    for (slot, byte) in buffer.iter_mut().skip(start).zip(
        [kind.codec(), kind.code(), schema]
            .iter()
            .chain(length.iter().take(width)),
    ) {
        *slot = *byte;
    }
    let hash = hash(buffer.get(start..).unwrap_or_default(), context);
    buffer.extend_from_slice(hash.first_chunk::<CHECKSUM_BYTES>().map_or(&[], |bytes| bytes));
    Sealed {
        bytes: Bytes::from(buffer).slice(start..),
        hash,
    }
}

/// Checks a frame; nothing in it is decoded before its checksum is right.
pub(crate) fn open<'a>(kind: RecordKind, context: Context<'_>, frame: &'a [u8]) -> Result<Opened<'a>, FrameError> {
    let (&[codec, found, schema], rest) = frame.split_first_chunk::<HEADER_BYTES>().ok_or(FrameError::Length)?;
    if codec != CODEC_BINCODE && codec != CODEC_OPAQUE {
        return Err(FrameError::UnknownCodec { codec });
    }
    let (length, width) = read_length(rest).ok_or(FrameError::Length)?;
    let (sealed, checksum) = frame.split_last_chunk::<CHECKSUM_BYTES>().ok_or(FrameError::Length)?;
    let payload = sealed.get(HEADER_BYTES + width..).ok_or(FrameError::Length)?;
    if payload.len() != length {
        return Err(FrameError::Length);
    }
    let hash = hash(sealed, context);
    if !hash.starts_with(checksum) {
        return Err(FrameError::Checksum);
    }
    if found != kind.code() || codec != kind.codec() {
        return Err(FrameError::Kind {
            expected: kind.code(),
            found,
        });
    }
    Ok(Opened { schema, payload, hash })
}

fn hash(sealed: &[u8], context: Context<'_>) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher
        .update(DOMAIN)
        .update(sealed)
        .update(context.key)
        .update(&context.revision.to_be_bytes());
    *hasher.finalize().as_bytes()
}

/// The length as LEB128: seven bits a byte, the lowest first.
fn length_bytes(length: usize) -> ([u8; LENGTH_MAX_BYTES], usize) {
    let mut bytes = [0; LENGTH_MAX_BYTES];
    let mut rest = length;
    let mut width = 0;
    for slot in &mut bytes {
        let low = u8::try_from(rest & 0x7f).unwrap_or_default();
        rest >>= 7;
        width += 1;
        *slot = if rest == 0 { low } else { low | 0x80 };
        if rest == 0 {
            break;
        }
    }
    (bytes, width)
}

/// Reads a length and says how many bytes it takes; only the shortest form counts.
fn read_length(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut length = 0_usize;
    for (index, &byte) in bytes.iter().take(LENGTH_MAX_BYTES).enumerate() {
        length |= usize::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            let shortest = index == 0 || byte != 0;
            return shortest.then_some((length, index + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    const HERE: Context<'static> = Context {
        key: b"here",
        revision: 7,
    };

    fn frame(payload: &[u8]) -> Sealed {
        let mut buffer = buffer(payload.len());
        buffer.extend_from_slice(payload);
        seal(RecordKind::Record, 1, HERE, buffer)
    }

    #[test]
    fn a_frame_gives_back_its_payload_at_every_length() {
        for length in [0, 1, 127, 128, 16_383, 16_384, 2_097_152] {
            let payload = vec![0xa5; length];
            let sealed = frame(&payload);
            let opened = open(RecordKind::Record, HERE, &sealed.bytes).unwrap();
            assert_eq!(
                (opened.payload, opened.schema, opened.hash),
                (&payload[..], 1, sealed.hash)
            );
        }
    }

    #[test]
    fn a_frame_is_unharmed_only_at_its_place() {
        let sealed = frame(b"payload");
        for context in [
            Context {
                key: b"there",
                revision: 7,
            },
            Context {
                key: b"here",
                revision: 8,
            },
        ] {
            assert_eq!(
                open(RecordKind::Record, context, &sealed.bytes).err(),
                Some(FrameError::Checksum)
            );
        }
        let kind = FrameError::Kind { expected: 4, found: 3 };
        assert_eq!(open(RecordKind::Snapshot, HERE, &sealed.bytes).err(), Some(kind));
    }

    #[test]
    fn every_cut_and_every_flipped_bit_is_found() {
        let sealed = frame(b"some payload").bytes.to_vec();
        for end in 0..sealed.len() {
            assert!(open(RecordKind::Record, HERE, &sealed[..end]).is_err(), "cut at {end}");
        }
        for bit in 0..sealed.len() * 8 {
            let mut flipped = sealed.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(open(RecordKind::Record, HERE, &flipped).is_err(), "bit {bit}");
        }
        let longer = [&sealed[..], &[0]].concat();
        assert!(open(RecordKind::Record, HERE, &longer).is_err());
    }
}
