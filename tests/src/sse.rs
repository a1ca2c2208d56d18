//! A reader of Server-Sent Events over its own connection, so that a test decides when it
//! breaks.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};

use crate::Json;
use crate::chunked::Chunked;
use crate::http::Header;
use crate::raw;

/// The event that says that everything up to its cursor was sent.
pub const CAUGHT_UP: &str = "caught-up";

/// What a stream holds, in its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// An event.
    Event(Event),
    /// A comment line, without its colon.
    Comment(String),
}

/// An event of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// The id, where one is set.
    pub id: Option<String>,
    /// The name; empty where none is set.
    pub name: String,
    /// The data, its lines joined.
    pub data: String,
}

/// An open stream. Dropping it breaks the connection.
#[derive(Debug)]
pub struct Stream {
    lines: BufReader<Chunked<BufReader<TcpStream>>>,
}

/// A request for a stream that was answered otherwise.
#[derive(Clone, Debug)]
pub struct Refused {
    /// The status code.
    pub status: u16,
}

impl Event {
    /// The data as JSON.
    ///
    /// # Panics
    /// Where it is none.
    pub fn json(&self) -> Json {
        serde_json::from_str(&self.data).unwrap_or_else(|fault| panic!("{self:?} holds no JSON: {fault}"))
    }

    /// The id as a number.
    ///
    /// # Panics
    /// Where there is none.
    pub fn number(&self) -> u64 {
        let id = self.id.as_deref().unwrap_or_else(|| panic!("{self:?} has no id"));
        id.parse()
            .unwrap_or_else(|_| panic!("{self:?} has an id that is no number"))
    }
}

impl Stream {
    /// Opens a stream.
    ///
    /// # Errors
    /// [`Refused`] where the answer is not 200.
    ///
    /// # Panics
    /// Where there is no answer, or one of another type.
    pub fn open(address: SocketAddr, path: &str, headers: &[Header<'_>]) -> Result<Self, Refused> {
        let mut stream = raw::connect(address);
        let mut request = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\naccept: text/event-stream\r\n");
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str("\r\n");
        stream.write_all(request.as_bytes()).expect("the request is sent");
        let mut reader = BufReader::new(stream);
        let (status, headers) = raw::read_head(&mut reader).expect("the stream is answered");
        if status != 200 {
            return Err(Refused { status });
        }
        let content_type = raw::header(&headers, "content-type").unwrap_or_default();
        assert!(
            content_type.starts_with("text/event-stream"),
            "{path} is {content_type}"
        );
        assert_eq!(raw::header(&headers, "transfer-encoding"), Some("chunked"), "{path}");
        Ok(Self {
            lines: BufReader::new(Chunked::new(reader)),
        })
    }

    /// The next frame; `None` where the server ends the stream or the connection breaks.
    pub fn next_frame(&mut self) -> Option<Frame> {
        let mut event = Event::default();
        let mut data: Vec<String> = Vec::new();
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line).ok()? == 0 || !line.ends_with('\n') {
                return None;
            }
            let line = line.trim_end_matches(['\r', '\n']);
            if line.is_empty() {
                if !data.is_empty() {
                    event.data = data.join("\n");
                    return Some(Frame::Event(event));
                }
                // What holds no data is no event.
                event = Event::default();
                continue;
            }
            if let Some(comment) = line.strip_prefix(':') {
                return Some(Frame::Comment(comment.trim().to_owned()));
            }
            let (field, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "id" => event.id = Some(value.to_owned()),
                "event" => value.clone_into(&mut event.name),
                "data" => data.push(value.to_owned()),
                "retry" => {}
                other => panic!("a stream has no field {other:?}"),
            }
        }
    }

    /// The next event, comments passed over.
    pub fn next_event(&mut self) -> Option<Event> {
        loop {
            match self.next_frame()? {
                Frame::Event(event) => return Some(event),
                Frame::Comment(_) => {}
            }
        }
    }

    /// Reads events up to an id; they come one after the other, and a cursor says no more than
    /// what was delivered.
    ///
    /// # Panics
    /// Where they do not.
    #[track_caller]
    pub fn read_upto(&mut self, after: u64, upto: u64) -> Vec<Event> {
        let mut events = Vec::new();
        let mut last = after;
        while last < upto {
            let event = self.next_event().expect("the feed goes on");
            if event.name == CAUGHT_UP {
                let cursor = event.json()["cursor"].as_u64();
                assert_eq!(
                    (event.id.as_deref(), cursor),
                    (None, Some(last)),
                    "a cursor is what was delivered"
                );
                continue;
            }
            assert_eq!(event.number(), last + 1, "{event:?}");
            last = event.number();
            events.push(event);
        }
        events
    }

    /// Reads until the feed says that all was sent; gives the cursor that it says.
    ///
    /// # Panics
    /// Where it ends before.
    pub fn caught_up(&mut self) -> u64 {
        loop {
            let event = self.next_event().expect("the feed goes on");
            if event.name == CAUGHT_UP {
                return event.json()["cursor"].as_u64().expect("a cursor");
            }
        }
    }

    /// Breaks the connection with a reset where the system can, else with an end.
    pub fn break_off(self) {
        let socket = self.lines.get_ref().get_ref().get_ref();
        // A peer that is gone already is broken off too.
        let _ = socket.shutdown(std::net::Shutdown::Both);
    }
}
