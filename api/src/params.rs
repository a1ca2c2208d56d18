//! Parameters of the path and the query: every one known, none twice, each read strictly.

use axum::extract::{FromRequestParts, Query, RawPathParams};
use axum::http::Uri;
use axum::http::request::Parts;
use jiff::Timestamp;
use recto_pages::{Actor, At, Id, InvalidActor};

use crate::config::LIST_DEFAULT;
use crate::problem::{Code, Problem};

/// The id of the page in the path.
#[derive(Clone, Debug)]
pub(crate) struct PageId(pub Id);

/// The page and the version in the path.
#[derive(Clone, Debug)]
pub(crate) struct PageVersion(pub Id, pub u64);

/// The page and the node in the path.
#[derive(Clone, Debug)]
pub(crate) struct PageNode(pub Id, pub Id);

/// The code or command in the path, as it was written.
#[derive(Clone, Debug)]
pub(crate) struct Name(pub String);

/// A route that takes no query has none: what a caller means by one is not passed over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoQuery;

/// The parameters of a query.
#[derive(Debug)]
pub(crate) struct Params(Vec<(String, String)>);

impl<S: Send + Sync> FromRequestParts<S> for PageId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        id("id", &path_parameter(parts, state, "id").await?).map(Self)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for PageVersion {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let page = id("id", &path_parameter(parts, state, "id").await?)?;
        let version = whole("version", &path_parameter(parts, state, "version").await?)?;
        Ok(Self(page, version))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for PageNode {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let page = id("id", &path_parameter(parts, state, "id").await?)?;
        let node = id("node", &path_parameter(parts, state, "node").await?)?;
        Ok(Self(page, node))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Name {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        Self::at("id", parts, state).await
    }
}

impl Name {
    /// The parameter of another name in the path, as it was written.
    pub(crate) async fn at<S: Send + Sync>(name: &str, parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        path_parameter(parts, state, name).await.map(Self)
    }
}

impl<S: Sync> FromRequestParts<S> for NoQuery {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        Params::read(&parts.uri, &[]).map(|_| Self)
    }
}

impl Params {
    /// Reads a query that has no other parameters than `known`.
    pub(crate) fn read(uri: &Uri, known: &[&str]) -> Result<Self, Problem> {
        let pairs = Query::<Vec<(String, String)>>::try_from_uri(uri)
            .map_err(|fault| Problem::new(Code::BadRequest, fault.body_text()))?
            .0;
        for (index, (name, _)) in pairs.iter().enumerate() {
            if !known.contains(&name.as_str()) {
                return Err(invalid(name, "this route has no such parameter"));
            }
            if pairs.iter().take(index).any(|(earlier, _)| earlier == name) {
                return Err(invalid(name, "it stands more than once"));
            }
        }
        Ok(Self(pairs))
    }

    /// A parameter as text; `None` where it is absent.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// A whole number from 0.
    pub(crate) fn whole(&self, name: &str) -> Result<Option<u64>, Problem> {
        self.text(name).map(|text| whole(name, text)).transpose()
    }

    /// An id.
    pub(crate) fn id(&self, name: &str) -> Result<Option<Id>, Problem> {
        self.text(name).map(|text| id(name, text)).transpose()
    }

    /// An actor.
    pub(crate) fn actor(&self, name: &str) -> Result<Option<Actor>, Problem> {
        let read = |text: &str| {
            text.parse()
                .map_err(|fault: InvalidActor| invalid(name, &fault.to_string()))
        };
        self.text(name).map(read).transpose()
    }

    /// `true` or `false`; absent is false.
    pub(crate) fn flag(&self, name: &str) -> Result<bool, Problem> {
        match self.text(name) {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(_) => Err(invalid(name, "it is true or false")),
        }
    }

    /// How many entries a page of a list holds: 1 to `max`.
    pub(crate) fn limit(&self, max: usize) -> Result<usize, Problem> {
        self.limit_or(LIST_DEFAULT, max)
    }

    /// As [`Params::limit`], with another default.
    pub(crate) fn limit_or(&self, default: usize, max: usize) -> Result<usize, Problem> {
        let Some(limit) = self.whole("limit")? else {
            return Ok(default.min(max));
        };
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        if (1..=max).contains(&limit) {
            return Ok(limit);
        }
        Err(invalid("limit", &format!("it is 1 to {max}")))
    }

    /// A version or a time; absent is the head.
    pub(crate) fn at(&self, name: &str) -> Result<At, Problem> {
        self.text(name).map_or(Ok(At::Head), |text| read_at(name, text))
    }
}

/// Says what is wrong with a parameter.
pub(crate) fn invalid(name: &str, fault: &str) -> Problem {
    let shown: String = name.chars().take(64).collect();
    Problem::new(Code::InvalidParameter, format!("{shown}: {fault}")).with("parameter", shown)
}

fn read_at(name: &str, text: &str) -> Result<At, Problem> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return whole(name, text).map(At::Version);
    }
    // An offset's plus sign that was not escaped arrives as a space.
    let time: Timestamp = text
        .replace(' ', "+")
        .parse()
        .map_err(|_| invalid(name, "it is a version such as 3 or a time such as 2026-11-30T12:00:00Z"))?;
    Ok(At::Time(time.as_millisecond()))
}

/// Reads a whole number from 0.
pub(crate) fn whole(name: &str, text: &str) -> Result<u64, Problem> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // Signed, since the numbers of many languages end there.
    let number = text.parse::<i64>().ok().and_then(|number| u64::try_from(number).ok());
    number
        .filter(|_| digits)
        .ok_or_else(|| invalid(name, "it is a whole number from 0 to 9223372036854775807"))
}

fn id(name: &str, text: &str) -> Result<Id, Problem> {
    Id::new(text).map_err(|fault| invalid(name, &fault.to_string()))
}

async fn path_parameter<S: Send + Sync>(parts: &mut Parts, state: &S, name: &str) -> Result<String, Problem> {
    let params = RawPathParams::from_request_parts(parts, state)
        .await
        .map_err(|fault| Problem::new(Code::InvalidParameter, fault.body_text()).with("parameter", name))?;
    let found = params
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, value)| value.to_owned());
    found.ok_or_else(|| invalid(name, "it is missing"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_a_version_or_a_time() {
        let read = |text: &str| read_at("at", text).ok();
        assert_eq!(read("12"), Some(At::Version(12)));
        assert_eq!(read("1970-01-01T00:00:01.5Z"), Some(At::Time(1500)));
        assert_eq!(read("1970-01-01T01:00:00 01:00"), Some(At::Time(0)));
        for text in [
            "",
            "-1",
            "1.5",
            "yesterday",
            "2026-13-01T00:00:00Z",
            "99999999999999999999",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn an_unknown_or_repeated_parameter_is_refused() {
        let read = |query: &str| {
            let uri = format!("/x?{query}").parse::<Uri>();
            uri.is_ok_and(|uri| Params::read(&uri, &["after", "limit"]).is_ok())
        };
        assert!(read("after=3&limit=4"));
        assert!(read(""));
        assert!(!read("limt=4"));
        assert!(!read("after=3&after=4"));
    }
}
