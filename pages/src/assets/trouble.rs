//! What is told of a fault of the store of files.
//!
//! A service answers a fault with a document that may repeat what it was sent, with its headers: of that only the status
//! and the code are told.

use std::error::Error as _;
use std::fmt;
#[cfg(feature = "s3")]
use std::time::Duration;

/// How the HTTP client begins to tell a request that failed.
const ASKED: &str = "Error performing ";
/// How it tells an answer that is no success.
const STATUS: &str = "status code: ";
/// How it tells an answer that only begins as a success.
const RESPONSE: &str = "error response: ";
const REDIRECT: &str = "redirect without LOCATION";

/// A fault in short words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Trouble {
    /// The status of the answer, where there is one.
    pub status: Option<u16>,
    /// The service's own word for it: `NoSuchBucket`, `SlowDown`.
    pub code: Option<String>,
    /// Of a fault without a status.
    words: String,
}

impl Trouble {
    pub(super) fn of(fault: &object_store::Error) -> Self {
        let text = fault.to_string();
        let status = status(&text);
        let code = code(&text);
        let words = match text.contains(ASKED) {
            true if text.contains(RESPONSE) => "the service answers with an error".to_owned(),
            true => format!("the service gives no answer: {}", root(fault)),
            false => text,
        };
        Self { status, code, words }
    }

    /// Nothing came within a time.
    #[cfg(feature = "s3")]
    pub(super) fn silence(after: Duration) -> Self {
        Self {
            status: None,
            code: None,
            words: format!("the service gives no answer within {} s", after.as_secs()),
        }
    }

    /// Whether it is the whole store that is not there, and not what was asked for.
    pub(super) fn is_of_the_store(&self) -> bool {
        self.code.as_deref() == Some("NoSuchBucket")
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.status {
            Some(status) => write!(out, "the service answers {status}")?,
            None => out.write_str(&self.words)?,
        }
        match &self.code {
            Some(code) => write!(out, " {code}"),
            None => Ok(()),
        }
    }
}

fn status(text: &str) -> Option<u16> {
    if text.contains(REDIRECT) {
        return Some(301);
    }
    let (_, rest) = text.split_once(STATUS)?;
    rest.get(..3)?.parse().ok()
}

fn code(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("<Code>")?;
    let (code, _) = rest.split_once("</Code>")?;
    let plain = code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (plain && !code.is_empty()).then(|| code.to_owned())
}

/// What lies at the bottom: what the system says, not the URL that was asked.
fn root(fault: &object_store::Error) -> String {
    let mut cause = fault.source();
    let mut words = fault.to_string();
    while let Some(at) = cause {
        words = at.to_string();
        cause = at.source();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::Trouble;

    fn told(text: &str) -> Trouble {
        Trouble::of(&object_store::Error::Generic {
            store: "S3",
            source: text.into(),
        })
    }

    #[test]
    fn of_an_answer_only_status_and_code_are_told() {
        let body = "<Error><Code>SignatureDoesNotMatch</Code><CanonicalRequest>x-amz-security-token:TOKEN</CanonicalRequest></Error>";
        let text = format!(
            "Error performing PUT http://h/b/k in 3ms - Server returned non-2xx status code: 403 Forbidden: {body}"
        );
        let trouble = told(&text);
        assert_eq!(trouble.status, Some(403));
        assert_eq!(trouble.to_string(), "the service answers 403 SignatureDoesNotMatch");
        let trouble = told(&format!(
            "Error performing POST http://h/b/k in 3ms - Server returned error response: {body}"
        ));
        assert_eq!(
            trouble.to_string(),
            "the service answers with an error SignatureDoesNotMatch"
        );
    }

    #[test]
    fn a_code_that_is_no_word_is_not_told() {
        let trouble = told("status code: 500 Internal: <Code>secret: x</Code>");
        assert_eq!(trouble.to_string(), "the service answers 500");
    }

    #[test]
    fn a_redirect_without_a_place_is_one() {
        let text = "Error performing GET http://h in 1ms - Received redirect without LOCATION, this normally …";
        assert_eq!(told(text).status, Some(301));
    }
}
