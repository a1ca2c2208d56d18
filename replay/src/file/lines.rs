//! Lines with their sums, compressed: written, and read within limits.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};

use serde::Serialize;
use zstd::stream::{read, write};

use super::format::{LINE_MAX_BYTES, TOTAL_MAX_BYTES, WINDOW_LOG_MAX, begin};
use super::seal::{Sealed, Sealing};

/// zstd's level: 3 is its default, at hundreds of MB/s.
const LEVEL: i32 = 3;
/// How much is decompressed at once.
const BUFFER_BYTES: usize = 256 * 1024;
/// The bytes of a sum: enough against accidents.
const SUM_BYTES: usize = 8;
/// What stands between a line and its sum.
const SUM_BEGIN: &[u8] = b",\"sum\":\"";
const SUM_END: &[u8] = b"\"}";
const SUM_TEXT_BYTES: usize = SUM_BEGIN.len() + 2 * SUM_BYTES + SUM_END.len();

/// The running sum: each line's is made of the one before it too, so that none can be left out.
#[derive(Default)]
struct Sum([u8; SUM_BYTES]);

impl Sum {
    /// Takes the next line in, and gives its sum as text.
    fn next(&mut self, line: &[u8]) -> [u8; 2 * SUM_BYTES] {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.0).update(line);
        let hash = hasher.finalize();
        let mut text = [0; 2 * SUM_BYTES];
        for (to, from) in text.iter_mut().zip(hash.to_hex().bytes()) {
            *to = from;
        }
        for (to, from) in self.0.iter_mut().zip(hash.as_bytes()) {
            *to = *from;
        }
        text
    }
}

/// Writes lines.
pub(super) struct LineWriter<W: Write> {
    out: write::Encoder<'static, Sealing<W>>,
    sum: Sum,
    all: blake3::Hasher,
    buffer: Vec<u8>,
}

impl<W: Write> LineWriter<W> {
    pub(super) fn new(out: W) -> io::Result<Self> {
        let mut out = write::Encoder::new(Sealing::new(out), LEVEL)?;
        out.include_checksum(true)?;
        Ok(Self {
            out,
            sum: Sum::default(),
            all: blake3::Hasher::new(),
            buffer: Vec::new(),
        })
    }

    /// Writes an object as a line.
    pub(super) fn write(&mut self, line: &impl Serialize) -> io::Result<()> {
        self.buffer.clear();
        serde_json::to_writer(&mut self.buffer, line)?;
        // The sum takes the place of the closing brace.
        self.buffer.pop();
        let sum = self.sum.next(&self.buffer);
        for part in [SUM_BEGIN, &sum, SUM_END, b"\n"] {
            self.buffer.extend_from_slice(part);
        }
        if self.buffer.len() > LINE_MAX_BYTES {
            return Err(io::Error::other("a line is longer than a reader takes"));
        }
        self.all.update(&self.buffer);
        self.out.write_all(&self.buffer)
    }

    /// The hash over all lines so far.
    pub(super) fn hash(&self) -> blake3::Hash {
        self.all.finalize()
    }

    /// Ends the file; returns what is below, and the size of the file in bytes.
    pub(super) fn finish(self) -> io::Result<(W, u64)> {
        self.out.finish()?.seal()
    }
}

/// Reads lines.
pub(super) struct LineReader {
    input: BufReader<read::Decoder<'static, BufReader<Sealed>>>,
    sum: Sum,
    all: blake3::Hasher,
    before: blake3::Hash,
    buffer: Vec<u8>,
    bytes: u64,
    /// The number of the line read last, from 1.
    pub(super) number: u64,
}

impl LineReader {
    pub(super) fn new(file: File) -> io::Result<Self> {
        let sealed = BufReader::with_capacity(BUFFER_BYTES, Sealed::open(file)?);
        let mut decoder = read::Decoder::with_buffer(sealed)?.single_frame();
        decoder.window_log_max(WINDOW_LOG_MAX)?;
        let all = blake3::Hasher::new();
        Ok(Self {
            input: BufReader::with_capacity(BUFFER_BYTES, decoder),
            sum: Sum::default(),
            before: all.finalize(),
            all,
            buffer: Vec::new(),
            bytes: 0,
            number: 0,
        })
    }

    /// The next line without its sum and with its closing brace; `None` at the end. The sentence says what is wrong.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, String> {
        self.number += 1;
        self.buffer.clear();
        let most = LINE_MAX_BYTES as u64 + 1;
        let read = self.input.by_ref().take(most).read_until(b'\n', &mut self.buffer);
        let read = read.map_err(|fault| format!("it cannot be decompressed: {fault}"))?;
        if read == 0 {
            return Ok(None);
        }
        self.bytes += read as u64;
        if read > LINE_MAX_BYTES || self.bytes > TOTAL_MAX_BYTES {
            return Err(format!(
                "a line has at most {LINE_MAX_BYTES} bytes, and a file {TOTAL_MAX_BYTES}; this is more"
            ));
        }
        if self.buffer.last() != Some(&b'\n') {
            return Err("the file is cut short here".to_owned());
        }
        if self.buffer.starts_with(begin::FOOTER) {
            self.before = self.all.finalize();
        }
        self.all.update(&self.buffer);
        self.checked().map(Some)
    }

    /// The hash over all lines before the footer that was read last.
    pub(super) fn hash_before(&self) -> blake3::Hash {
        self.before
    }

    /// Whether nothing stands behind the lines, and the bytes of the file are those that were written.
    pub(super) fn end(&mut self) -> Result<(), String> {
        let undone = |fault: io::Error| format!("it cannot be decompressed: {fault}");
        let mut more = [0];
        if self.input.read(&mut more).map_err(undone)? > 0 {
            return Err("there is more behind the last line".to_owned());
        }
        let sealed = self.input.get_mut().get_mut();
        if sealed.fill_buf().map_err(undone)?.is_empty() && sealed.get_ref().is_whole() {
            return Ok(());
        }
        Err("the lines are whole, but the compressed bytes are not those that were written".to_owned())
    }

    fn checked(&mut self) -> Result<&[u8], String> {
        let line = self.buffer.get(..self.buffer.len() - 1).unwrap_or_default();
        let split = line
            .len()
            .checked_sub(SUM_TEXT_BYTES)
            .and_then(|at| line.split_at_checked(at));
        let (content, told) = split.ok_or_else(|| "it is no line of an exported page".to_owned())?;
        let sum = self.sum.next(content);
        if told.strip_prefix(SUM_BEGIN).and_then(|told| told.strip_suffix(SUM_END)) != Some(&sum) {
            return Err("its sum is wrong: it was changed, or a line before it is missing".to_owned());
        }
        let end = content.len();
        self.buffer.truncate(end);
        self.buffer.push(b'}');
        Ok(&self.buffer)
    }
}
