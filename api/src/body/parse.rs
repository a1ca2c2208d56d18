//! Reading JSON text strictly: every fault with its place, no key twice, a bounded depth.
//!
//! It is not `serde_json`'s own reader for three reasons: that one lets the last of two equal
//! keys win, knows no pointer to a fault, and takes an object with one of its private keys
//! for a number. Numbers are still read by it, so that their text is the one it would keep.

use serde_json::{Map, Number, Value as Json};

/// The deepest nesting of arrays and objects in a body.
pub(crate) const DEPTH_MAX: usize = 128;

/// What is wrong with a text, and where.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// What should be otherwise, as a sentence.
    pub what: &'static str,
    /// How many bytes stand before the fault.
    pub offset: usize,
    /// The JSON pointer (RFC 6901) of the value that holds the fault.
    pub pointer: String,
}

/// Reads one JSON value and nothing after it.
pub(crate) fn parse(text: &str) -> Result<Json, Fault> {
    let mut reader = Reader { text, at: 0 };
    reader.skip_space();
    let value = reader.value(0)?;
    reader.skip_space();
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(reader.fault("there is more after the value")),
    }
}

/// The line and the column of a byte, both from 1; the column counts characters.
pub(crate) fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.rsplit_once('\n').map_or(before, |(_, line)| line);
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Result<Json, Fault> {
        match self.peek() {
            Some(b'{') => self.object(depth + 1),
            Some(b'[') => self.array(depth + 1),
            Some(b'"') => self.string().map(Json::String),
            Some(b'-' | b'0'..=b'9') => self.number().map(Json::Number),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            Some(_) => Err(self.fault("a value is expected here")),
            None => Err(self.fault("the text ends where a value is expected")),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, Fault> {
        self.enter(depth)?;
        let mut map = Map::new();
        if self.takes(b'}') {
            return Ok(Json::Object(map));
        }
        loop {
            let key_at = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.fault("a key in double quotes is expected here"));
            }
            let key = self.string()?;
            self.skip_space();
            if !self.takes(b':') {
                return Err(self.fault("a colon is expected after a key").below_key(&key));
            }
            self.skip_space();
            let value = self.value(depth).map_err(|fault| fault.below_key(&key))?;
            if map.contains_key(&key) {
                let fault = Fault {
                    what: "a key stands twice in one object",
                    offset: key_at,
                    pointer: String::new(),
                };
                return Err(fault.below_key(&key));
            }
            map.insert(key, value);
            self.skip_space();
            if self.takes(b'}') {
                return Ok(Json::Object(map));
            }
            if !self.takes(b',') {
                return Err(self.fault("a comma or the end of the object is expected here"));
            }
            self.skip_space();
        }
    }

    fn array(&mut self, depth: usize) -> Result<Json, Fault> {
        self.enter(depth)?;
        let mut items = Vec::new();
        if self.takes(b']') {
            return Ok(Json::Array(items));
        }
        loop {
            let item = self
                .value(depth)
                .map_err(|fault| fault.below(&items.len().to_string()))?;
            items.push(item);
            self.skip_space();
            if self.takes(b']') {
                return Ok(Json::Array(items));
            }
            if !self.takes(b',') {
                return Err(self.fault("a comma or the end of the array is expected here"));
            }
            self.skip_space();
        }
    }

    fn string(&mut self) -> Result<String, Fault> {
        self.at += 1;
        let mut read = String::new();
        loop {
            let start = self.at;
            let rest = self.text.as_bytes().get(start..).unwrap_or_default();
            let plain = rest
                .iter()
                .position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f))
                .unwrap_or(rest.len());
            self.at += plain;
            // Both ends stand beside ASCII bytes or at the end, so never inside a character.
            read.push_str(self.text.get(start..self.at).unwrap_or_default());
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(read);
                }
                Some(b'\\') => read.push(self.escape()?),
                Some(_) => {
                    return Err(self.fault("a control character in a string is written as an escape"));
                }
                None => return Err(self.fault("the text ends inside a string")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Fault> {
        let kind = self.text.as_bytes().get(self.at + 1).copied();
        let plain = match kind {
            Some(b'u') => return self.unicode_escape(),
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            _ => return Err(self.fault("there is no such escape")),
        };
        self.at += 2;
        Ok(plain)
    }

    fn unicode_escape(&mut self) -> Result<char, Fault> {
        let start = self.at;
        let half = "half of a surrogate pair stands alone";
        let first = self.unit()?;
        let code = match first {
            0xd800..=0xdbff => {
                let second = if self.text.get(self.at..).is_some_and(|rest| rest.starts_with("\\u")) {
                    self.unit()?
                } else {
                    0
                };
                if !(0xdc00..=0xdfff).contains(&second) {
                    return Err(Fault {
                        what: half,
                        offset: start,
                        pointer: String::new(),
                    });
                }
                0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)
            }
            other => other,
        };
        char::from_u32(code).ok_or(Fault {
            what: half,
            offset: start,
            pointer: String::new(),
        })
    }

    /// The four digits of `\uXXXX`.
    fn unit(&mut self) -> Result<u32, Fault> {
        let digits = self.text.get(self.at + 2..self.at + 6).unwrap_or_default();
        let all_hex = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        match u32::from_str_radix(digits, 16) {
            Ok(unit) if all_hex => {
                self.at += 6;
                Ok(unit)
            }
            _ => Err(self.fault("\\u is followed by four hexadecimal digits")),
        }
    }

    fn number(&mut self) -> Result<Number, Fault> {
        let start = self.at;
        self.takes(b'-');
        if !self.takes(b'0') && !self.digits() {
            return Err(self.fault("a number needs a digit here"));
        }
        if self.takes(b'.') && !self.digits() {
            return Err(self.fault("a number needs a digit after its point"));
        }
        if self.takes(b'e') || self.takes(b'E') {
            let _sign = self.takes(b'+') || self.takes(b'-');
            if !self.digits() {
                return Err(self.fault("a number needs a digit in its exponent"));
            }
        }
        let digits = self.text.get(start..self.at).unwrap_or_default();
        digits.parse().map_err(|_| Fault {
            what: "this is no number",
            offset: start,
            pointer: String::new(),
        })
    }

    /// Takes digits; says whether there was one.
    fn digits(&mut self) -> bool {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at > start
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, Fault> {
        if self.text.get(self.at..).is_some_and(|rest| rest.starts_with(word)) {
            self.at += word.len();
            return Ok(value);
        }
        Err(self.fault("a value is expected here"))
    }

    fn enter(&mut self, depth: usize) -> Result<(), Fault> {
        if depth > DEPTH_MAX {
            return Err(self.fault("arrays and objects are nested at most 128 deep"));
        }
        self.at += 1;
        self.skip_space();
        Ok(())
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn takes(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn fault(&self, what: &'static str) -> Fault {
        Fault {
            what,
            offset: self.at,
            pointer: String::new(),
        }
    }
}

impl Fault {
    fn below_key(self, key: &str) -> Self {
        self.below(&key.replace('~', "~0").replace('/', "~1"))
    }

    /// Called on the way out, so that reading what is right costs nothing.
    fn below(mut self, segment: &str) -> Self {
        self.pointer.insert_str(0, segment);
        self.pointer.insert(0, '/');
        self
    }
}

#[cfg(test)]
mod tests;
