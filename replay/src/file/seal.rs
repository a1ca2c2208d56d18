//! The seal behind the compressed lines: a frame that zstd passes over, with the hash of all bytes before it. It finds
//! the flipped bits that a decompressor does not look at.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

/// The magic number of a skippable frame, then its length: that of a hash.
const HEAD: [u8; 8] = [0x5e, 0x2a, 0x4d, 0x18, 32, 0, 0, 0];
const SEAL_BYTES: u64 = 40;

/// Writes bytes on and hashes them; [`Sealing::seal`] puts the seal behind them.
pub(super) struct Sealing<W> {
    inner: W,
    hasher: blake3::Hasher,
    bytes: u64,
}

impl<W: Write> Sealing<W> {
    pub(super) fn new(inner: W) -> Self {
        Self {
            inner,
            hasher: blake3::Hasher::new(),
            bytes: 0,
        }
    }

    /// Ends the file; returns what is below, and the size of the file in bytes.
    pub(super) fn seal(mut self) -> io::Result<(W, u64)> {
        self.inner.write_all(&HEAD)?;
        self.inner.write_all(self.hasher.finalize().as_bytes())?;
        self.inner.flush()?;
        Ok((self.inner, self.bytes + SEAL_BYTES))
    }
}

impl<W: Write> Write for Sealing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hasher.update(bytes.get(..written).unwrap_or_default());
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Reads the bytes before the seal, and compares their hash at the end. A file without a seal, because somebody
/// compressed its lines again, is read to its end.
pub(super) struct Sealed {
    file: File,
    left: u64,
    hasher: blake3::Hasher,
    seal: Option<blake3::Hash>,
}

impl Sealed {
    pub(super) fn open(mut file: File) -> io::Result<Self> {
        let length = file.seek(SeekFrom::End(0))?;
        let seal = match length.checked_sub(SEAL_BYTES) {
            Some(start) => read_seal(&mut file, start)?,
            None => None,
        };
        file.seek(SeekFrom::Start(0))?;
        Ok(Self {
            file,
            left: if seal.is_some() { length - SEAL_BYTES } else { length },
            hasher: blake3::Hasher::new(),
            seal,
        })
    }

    /// Whether all was read, and is as it was sealed.
    pub(super) fn is_whole(&self) -> bool {
        self.left == 0 && self.seal.is_none_or(|seal| seal == self.hasher.finalize())
    }
}

impl Read for Sealed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let buffer = buffer.get_mut(..most).unwrap_or_default();
        let read = self.file.read(buffer)?;
        self.hasher.update(buffer.get(..read).unwrap_or_default());
        self.left -= read as u64;
        Ok(read)
    }
}

fn read_seal(file: &mut File, start: u64) -> io::Result<Option<blake3::Hash>> {
    let (mut head, mut hash) = ([0; HEAD.len()], [0; blake3::OUT_LEN]);
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(&mut head)?;
    file.read_exact(&mut hash)?;
    Ok((head == HEAD).then(|| blake3::Hash::from_bytes(hash)))
}
