//! A problem on its way out: `application/problem+json` as RFC 9457 has it.

use std::fmt;

use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use serde_json::{Map, Value as Json};

use super::Code;

/// The media type of every refusal.
pub(crate) const CONTENT_TYPE: &str = "application/problem+json";

/// A refusal: its code, what is the case here, and the fields of that code.
#[derive(Clone, Debug)]
pub(crate) struct Problem(Box<Inner>);

#[derive(Clone, Debug)]
struct Inner {
    code: Code,
    detail: String,
    /// What only the log is told.
    cause: Option<String>,
    fields: Map<String, Json>,
    headers: HeaderMap,
}

/// Left in a response for whoever writes the log.
#[derive(Clone, Debug)]
pub(crate) struct Logged {
    pub code: Code,
    pub detail: String,
    pub cause: Option<String>,
}

impl Problem {
    /// A refusal with a sentence about this case.
    pub(crate) fn new(code: Code, detail: impl Into<String>) -> Self {
        let (fields, headers) = (Map::new(), HeaderMap::new());
        Self(Box::new(Inner {
            code,
            detail: detail.into(),
            cause: None,
            fields,
            headers,
        }))
    }

    /// A refusal that needs no more words than its title.
    pub(crate) fn plain(code: Code) -> Self {
        Self::new(code, code.row().title)
    }

    /// Adds what the log is told and the caller is not.
    pub(crate) fn because(mut self, cause: impl Into<String>) -> Self {
        self.0.cause = Some(cause.into());
        self
    }

    /// Adds a field.
    pub(crate) fn with(mut self, name: &str, value: impl Into<Json>) -> Self {
        self.0.fields.insert(name.to_owned(), value.into());
        self
    }

    /// Adds a header. A value that no header can hold is left out.
    pub(crate) fn header(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.0.headers.insert(name, value);
        }
        self
    }

    #[cfg(test)]
    pub(crate) fn code(&self) -> Code {
        self.0.code
    }

    fn body(&self) -> Bytes {
        let row = self.0.code.row();
        let mut body = Map::new();
        body.insert("type".to_owned(), format!("/problems/{}", row.code).into());
        body.insert("title".to_owned(), row.title.into());
        body.insert("status".to_owned(), row.status.into());
        body.insert("detail".to_owned(), self.0.detail.as_str().into());
        body.insert("code".to_owned(), row.code.into());
        body.insert("next".to_owned(), row.next.into());
        body.insert("retry".to_owned(), row.retry.into());
        body.extend(self.0.fields.clone());
        Json::Object(body).to_string().into()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.0.code.row().code, self.0.detail)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let code = self.0.code;
        let mut response = Response::new(self.body().into());
        *response.status_mut() = code.status();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(CONTENT_TYPE));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if matches!(code.row().status, 429 | 503) {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        headers.extend(self.0.headers);
        response.extensions_mut().insert(Logged {
            code,
            detail: self.0.detail,
            cause: self.0.cause,
        });
        response
    }
}
