//! What goes out: the JSON of pages, events and answers, tags, times and links.

mod envelope;
mod event;
mod head;
mod page;
mod preview;
mod report;
mod updated;
mod warning;
mod written;

use axum::http::header;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use jiff::Timestamp;
use recto_pages::{Base, Id};
use serde::Serialize;

pub(crate) use self::envelope::{EditorTypeName, EnvelopeBody, FormatName};
pub(crate) use self::event::{CauseBody, EventBody, EventKindName, EventPage, change_bytes, event_type};
pub(crate) use self::head::HeadBody;
pub(crate) use self::page::{KindName, PageBody, PageListBody, PageSummaryBody, page_bytes};
pub(crate) use self::preview::PreviewBody;
pub(crate) use self::report::{RebaseBody, RemarkBody, UndoBody};
pub(crate) use self::updated::UpdatedBody;
pub(crate) use self::warning::WarningBody;
pub(crate) use self::written::WrittenBody;

const JSON: &str = "application/json";

/// The tag of a version: `"3.0"`, quotes included.
pub(crate) fn etag(base: Base) -> String {
    format!("\"{}.{}\"", base.version, base.epoch)
}

/// A time in RFC 3339 with milliseconds, in UTC.
pub(crate) fn time(ms: i64) -> String {
    let time = Timestamp::from_millisecond(ms).unwrap_or(if ms < 0 { Timestamp::MIN } else { Timestamp::MAX });
    format!("{time:.3}")
}

/// The name of an event within its workspace.
pub(crate) fn event_id(page: &Id, version: u64) -> String {
    format!("{page}@{version}")
}

/// The path of a page.
pub(crate) fn page_path(page: &Id) -> String {
    format!("/v1/pages/{}", escaped(page.as_str()))
}

/// Where to read the events after a version.
pub(crate) fn events_link(page: &Id, after: u64) -> String {
    format!("{}/events?after={after}", page_path(page))
}

/// A text as one segment of a path, or one value of a query.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => escaped.push(char::from(byte)),
            other => {
                escaped.push('%');
                for digit in [other >> 4, other & 15] {
                    escaped.extend(char::from_digit(u32::from(digit), 16).map(|digit| digit.to_ascii_uppercase()));
                }
            }
        }
    }
    escaped
}

/// A value as JSON text. What is written here has text keys only, so it always can be.
pub(crate) fn json_bytes<T: Serialize>(value: &T) -> Bytes {
    serde_json::to_vec(value).unwrap_or_default().into()
}

/// A JSON answer with status 200.
pub(crate) fn json_response(body: Bytes) -> Response {
    (
        [
            (header::CONTENT_TYPE, JSON),
            (header::CACHE_CONTROL, "private, no-cache"),
        ],
        body,
    )
        .into_response()
}

/// Adds a header; a value that no header can hold is left out.
pub(crate) fn add_header(response: &mut Response, name: header::HeaderName, value: &str) {
    response
        .headers_mut()
        .extend(value.parse().ok().map(|value| (name, value)));
}

/// A page of a list, with the way on in the header `Link` too.
pub(crate) fn list_response(body: Bytes, next: Option<&str>) -> Response {
    let mut response = json_response(body);
    if let Some(next) = next {
        add_header(&mut response, header::LINK, &format!("<{next}>; rel=\"next\""));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_milliseconds_and_the_far_ends_are_cut_off() {
        assert_eq!(time(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(time(1_764_499_200_042), "2025-11-30T10:40:00.042Z");
        assert!(time(i64::MIN).starts_with('-') && time(i64::MAX).ends_with('Z'));
    }

    #[test]
    fn a_segment_is_escaped_so_that_it_stays_one() {
        assert_eq!(escaped("a/b c?ü"), "a%2Fb%20c%3F%C3%BC");
        assert_eq!(escaped("home-1.x_~"), "home-1.x_~");
    }
}
