//! The body of an HTTP/1.1 answer in chunks, as a reader.

use std::io::{BufRead, Error, ErrorKind, Read, Result};

/// Reads what the chunks hold, and ends where they end.
#[derive(Debug)]
pub struct Chunked<R> {
    inner: R,
    left: usize,
    ended: bool,
}

impl<R: BufRead> Chunked<R> {
    /// Reads chunks from where they begin.
    pub fn new(inner: R) -> Self {
        Self {
            inner,
            left: 0,
            ended: false,
        }
    }

    /// The reader below.
    pub fn get_ref(&self) -> &R {
        &self.inner
    }

    fn begin_chunk(&mut self) -> Result<()> {
        let size = self.line()?;
        let digits = size.split(';').next().unwrap_or_default().trim();
        self.left = usize::from_str_radix(digits, 16)
            .map_err(|_| Error::new(ErrorKind::InvalidData, format!("{size:?} is no chunk size")))?;
        if self.left == 0 {
            while !self.line()?.is_empty() {}
            self.ended = true;
        }
        Ok(())
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        if self.inner.read_line(&mut line)? == 0 {
            return Err(Error::new(ErrorKind::UnexpectedEof, "the chunks break off"));
        }
        Ok(line.trim_end_matches(['\r', '\n']).to_owned())
    }
}

impl<R: BufRead> Read for Chunked<R> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        if self.left == 0 && !self.ended {
            self.begin_chunk()?;
        }
        if self.ended || out.is_empty() {
            return Ok(0);
        }
        let most = out.len().min(self.left);
        let got = self.inner.read(&mut out[..most])?;
        if got == 0 {
            return Err(Error::new(ErrorKind::UnexpectedEof, "a chunk breaks off"));
        }
        self.left -= got;
        if self.left == 0 {
            self.line()?;
        }
        Ok(got)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_joined_and_a_break_is_an_error() {
        let whole = b"3\r\nabc\r\n1;x=y\r\nd\r\n0\r\n\r\n";
        let mut text = String::new();
        Chunked::new(&whole[..]).read_to_string(&mut text).unwrap();
        assert_eq!(text, "abcd");
        assert!(Chunked::new(&whole[..9]).read_to_string(&mut text).is_err());
    }
}
