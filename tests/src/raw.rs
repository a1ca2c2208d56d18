//! Bytes thrown at a port as they are, for requests that no client would send.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use crate::chunked::Chunked;

/// How long the server may leave a connection without a byte.
const SILENCE_MAX: Duration = Duration::from_secs(60);

/// An answer as far as it came.
#[derive(Clone, Debug)]
pub struct RawAnswer {
    /// The status code.
    pub status: u16,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

/// A connection to a server.
///
/// # Panics
/// Where it takes none.
pub fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("the server listens");
    stream.set_read_timeout(Some(SILENCE_MAX)).expect("a timeout is set");
    stream.set_write_timeout(Some(SILENCE_MAX)).expect("a timeout is set");
    stream.set_nodelay(true).expect("nodelay is set");
    stream
}

/// Sends bytes and reads all answers until the server closes, which it does when nothing more
/// comes. A connection that it breaks off gives what came until then.
pub fn throw(address: SocketAddr, bytes: &[u8]) -> Vec<RawAnswer> {
    let mut stream = connect(address);
    // The server may refuse in the middle and close: what it said is still to be read.
    let _ = stream.write_all(bytes);
    let mut reader = BufReader::new(stream);
    let mut answers = Vec::new();
    while let Some(answer) = read_answer(&mut reader, false) {
        answers.push(answer);
    }
    answers
}

/// Sends one request that may have any bytes in its head, and reads its answer.
pub fn send(address: SocketAddr, head: &[u8], body: &[u8]) -> Option<RawAnswer> {
    let mut stream = connect(address);
    let _ = stream.write_all(head);
    let _ = stream.write_all(format!("content-length: {}\r\nconnection: close\r\n\r\n", body.len()).as_bytes());
    let _ = stream.write_all(body);
    read_answer(&mut BufReader::new(stream), head.starts_with(b"HEAD "))
}

/// Reads the status line and the headers; `None` where the connection ends before.
pub fn read_head(reader: &mut impl BufRead) -> Option<(u16, Vec<(String, String)>)> {
    let first = read_line(reader)?;
    let status = first.split(' ').nth(1)?.parse().ok()?;
    let mut headers = Vec::new();
    loop {
        let line = read_line(reader)?;
        if line.is_empty() {
            return Some((status, headers));
        }
        let (name, value) = line.split_once(':')?;
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
}

/// Finds a header.
pub fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers
        .iter()
        .find(|(found, _)| found == name)
        .map(|(_, value)| value.as_str())
}

fn read_answer(reader: &mut impl BufRead, head_only: bool) -> Option<RawAnswer> {
    let (status, headers) = read_head(reader)?;
    let mut body = Vec::new();
    let bodiless = head_only || status < 200 || status == 204 || status == 304;
    if header(&headers, "transfer-encoding") == Some("chunked") {
        Chunked::new(reader).read_to_end(&mut body).ok()?;
    } else if let Some(length) = header(&headers, "content-length").filter(|_| !bodiless) {
        body = vec![0; length.parse().ok()?];
        reader.read_exact(&mut body).ok()?;
    }
    Some(RawAnswer { status, headers, body })
}

fn read_line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = Vec::new();
    let got = reader.read_until(b'\n', &mut line).ok()?;
    if got == 0 || line.pop() != Some(b'\n') {
        return None;
    }
    Some(String::from_utf8_lossy(&line).trim_end_matches('\r').to_owned())
}
