//! The body of a request: collected within limits, read strictly, taken apart field by field.

mod fields;
mod parse;

use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use serde_json::{Map, Value as Json};

pub(crate) use self::fields::{Fields, malformed};
use crate::problem::{Code, Problem};
use crate::state::App;

/// Work on more bytes than this leaves the async threads: about a millisecond of parsing.
const INLINE_BYTES_MAX: usize = 256 * 1024;
/// Room made at once for a body that says it is long; the rest is made as it arrives.
const RESERVED_BYTES_MAX: usize = 1024 * 1024;

/// A body that says it is JSON, and is UTF-8 within the limit.
#[derive(Debug)]
pub(crate) struct JsonText(Bytes);

/// A body as [`JsonText`], or none.
#[derive(Debug)]
pub(crate) struct MaybeJson(Option<JsonText>);

impl JsonText {
    /// How many bytes it has.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Reads the JSON and makes something of it, away from the async threads where it is long.
    pub(crate) async fn read<T, F>(self, make: F) -> Result<T, Problem>
    where
        T: Send + 'static,
        F: FnOnce(Json) -> Result<T, Problem> + Send + 'static,
    {
        compute(self.len(), move || make(self.parse()?)).await?
    }

    fn parse(&self) -> Result<Json, Problem> {
        let text = std::str::from_utf8(&self.0).map_err(|fault| {
            let offset = fault.valid_up_to();
            Problem::new(Code::MalformedJson, format!("byte {offset}: the body is not UTF-8")).with("offset", offset)
        })?;
        parse::parse(text).map_err(|fault| {
            let (line, column) = parse::line_and_column(text, fault.offset);
            Problem::new(
                Code::MalformedJson,
                format!("line {line}, column {column}: {}", fault.what),
            )
            .with("offset", fault.offset)
            .with("line", line)
            .with("column", column)
            .with("pointer", fault.pointer)
        })
    }
}

impl MaybeJson {
    /// As [`JsonText::read`]; nothing is an empty object.
    pub(crate) async fn read<T, F>(self, make: F) -> Result<T, Problem>
    where
        T: Send + 'static,
        F: FnOnce(Json) -> Result<T, Problem> + Send + 'static,
    {
        match self.0 {
            Some(text) => text.read(make).await,
            None => make(Json::Object(Map::new())),
        }
    }
}

/// Runs pure work on about this many bytes: here where it is little, else where it blocks nobody.
pub(crate) async fn compute<T, F>(bytes: usize, work: F) -> Result<T, Problem>
where
    T: Send + 'static,
    F: FnOnce() -> T + Send + 'static,
{
    if bytes <= INLINE_BYTES_MAX {
        return Ok(work());
    }
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|fault| Problem::plain(Code::Internal).because(fault.to_string()))
}

impl FromRequest<App> for JsonText {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let limits = app.limits();
        check_media_type(request.headers())?;
        let announced = announced_bytes(request.headers());
        if announced.is_some_and(|bytes| bytes > limits.body_bytes_max as u64) {
            return Err(too_large(limits.body_bytes_max));
        }
        let time = Duration::from_millis(limits.request_timeout_ms);
        let reserve = announced.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(0);
        let collected = tokio::time::timeout(time, collect(request.into_body(), reserve, limits.body_bytes_max)).await;
        collected.map_err(|_| Problem::plain(Code::RequestTimeout))?.map(Self)
    }
}

impl FromRequest<App> for MaybeJson {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        if request.body().is_end_stream() {
            return Ok(Self(None));
        }
        let text = JsonText::from_request(request, app).await?;
        Ok(Self((text.len() > 0).then_some(text)))
    }
}

fn check_media_type(headers: &HeaderMap) -> Result<(), Problem> {
    let encoding = headers.get(header::CONTENT_ENCODING);
    if encoding.is_some_and(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        return Err(Problem::plain(Code::ContentEncoding));
    }
    let given = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let mut parts = given.split(';').map(str::trim);
    let essence = parts.next().unwrap_or_default().to_ascii_lowercase();
    let is_json = essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"));
    let is_utf8 = parts.filter_map(|part| part.split_once('=')).all(|(name, value)| {
        !name.eq_ignore_ascii_case("charset") || value.trim_matches('"').eq_ignore_ascii_case("utf-8")
    });
    if is_json && is_utf8 {
        return Ok(());
    }
    let got = if given.is_empty() {
        "without a media type"
    } else {
        given
    };
    Err(Problem::new(
        Code::MediaType,
        format!("the body was sent as {got:?}, and this route takes application/json in UTF-8"),
    )
    .header(header::ACCEPT, "application/json"))
}

/// How many bytes the body is said to have.
pub(crate) fn announced_bytes(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

async fn collect(body: Body, reserve: usize, limit: usize) -> Result<Bytes, Problem> {
    let mut chunks = body.into_data_stream();
    let Some(first) = chunks.next().await else {
        return Ok(Bytes::new());
    };
    let first = first.map_err(|_| Problem::plain(Code::BodyBroken))?;
    if first.len() > limit {
        return Err(too_large(limit));
    }
    // A body of one piece, as most are, is not copied.
    let Some(second) = chunks.next().await else {
        return Ok(first);
    };
    let mut all = BytesMut::with_capacity(reserve.min(RESERVED_BYTES_MAX).max(first.len()));
    all.extend_from_slice(&first);
    let mut next = Some(second);
    while let Some(chunk) = next {
        let chunk = chunk.map_err(|_| Problem::plain(Code::BodyBroken))?;
        if all.len() + chunk.len() > limit {
            return Err(too_large(limit));
        }
        all.extend_from_slice(&chunk);
        next = chunks.next().await;
    }
    Ok(all.freeze())
}

fn too_large(limit: usize) -> Problem {
    Problem::new(Code::BodyTooLarge, format!("a body has at most {limit} bytes")).with("limit", limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_json_in_utf8_is_taken() {
        let check = |given: Option<&str>, taken: bool| {
            let mut headers = HeaderMap::new();
            if let Some(given) = given.and_then(|given| given.parse().ok()) {
                headers.insert(header::CONTENT_TYPE, given);
            }
            assert_eq!(check_media_type(&headers).is_ok(), taken, "{given:?}");
        };
        check(Some("application/json"), true);
        check(Some("Application/JSON; charset=UTF-8"), true);
        check(Some("application/vnd.x+json;charset=\"utf-8\""), true);
        check(Some("application/json; charset=latin1"), false);
        check(Some("text/plain"), false);
        check(Some("application/x-www-form-urlencoded"), false);
        check(None, false);
    }
}
