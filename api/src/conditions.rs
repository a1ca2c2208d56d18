//! The headers that make a request safe to repeat and to race: `Idempotency-Key`, `If-Match`, `If-None-Match`.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use headers::{ETag, HeaderMapExt, IfNoneMatch};
use recto_pages::{Base, Id};

use crate::access::{invalid, single};
use crate::problem::{Code, Problem};
use crate::wire::etag;

const IDEMPOTENCY_KEY: &str = "idempotency-key";
const IF_MATCH: &str = "if-match";
/// Stands for the id of a command that leaves no receipt.
const TRIAL: &str = "dry-run";

/// The id of the command, the same at every retry.
#[derive(Clone, Debug)]
pub(crate) struct CommandId(pub Id);

/// The id of the command, where one was sent: what is only tried out needs none.
#[derive(Clone, Debug)]
pub(crate) struct TrialCommandId(pub Option<Id>);

/// The version that a write was made from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BaseVersion(pub Base);

impl<S: Sync> FromRequestParts<S> for CommandId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        let given = TrialCommandId(command_id(&parts.headers)?);
        given.required().map(Self)
    }
}

impl<S: Sync> FromRequestParts<S> for TrialCommandId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        command_id(&parts.headers).map(Self)
    }
}

impl TrialCommandId {
    /// The id, for what is not only tried out.
    pub(crate) fn required(self) -> Result<Id, Problem> {
        self.0.ok_or_else(|| Problem::plain(Code::KeyMissing))
    }

    /// The id for something of which nothing stays.
    pub(crate) fn of_trial(self) -> Result<Id, Problem> {
        self.0
            .map_or_else(|| Id::new(TRIAL), Ok)
            .map_err(|fault| Problem::new(Code::Internal, fault.to_string()))
    }
}

impl<S: Sync> FromRequestParts<S> for BaseVersion {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        let given = single(&parts.headers, IF_MATCH)?.ok_or_else(|| Problem::plain(Code::BaseRequired))?;
        read_base(given).map(Self)
    }
}

/// Whether the caller has this version already, by its `If-None-Match`.
pub(crate) fn is_known(headers: &HeaderMap, base: Base) -> bool {
    let Some(known) = headers.typed_get::<IfNoneMatch>() else {
        return false;
    };
    headers.contains_key(header::IF_NONE_MATCH)
        && etag(base)
            .parse::<ETag>()
            .is_ok_and(|etag| !known.precondition_passes(&etag))
}

fn command_id(headers: &HeaderMap) -> Result<Option<Id>, Problem> {
    let Some(given) = single(headers, IDEMPOTENCY_KEY)? else {
        return Ok(None);
    };
    Id::new(unquoted(given))
        .map(Some)
        .map_err(|fault| invalid(IDEMPOTENCY_KEY, &fault.to_string()))
}

fn read_base(given: &str) -> Result<Base, Problem> {
    let given = given.trim();
    if given == "*" {
        return Err(Problem::plain(Code::IfMatchAny));
    }
    if given.starts_with("W/") {
        return Err(Problem::plain(Code::IfMatchWeak));
    }
    let base = given
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .and_then(|tag| {
            let (version, epoch) = tag.split_once('.')?;
            Some(Base {
                version: version.parse().ok()?,
                epoch: epoch.parse().ok()?,
            })
        });
    // What does not read back the same was no tag of ours: signs, leading zeros.
    base.filter(|base| etag(*base) == given).ok_or_else(|| {
        let shown: String = given.chars().take(64).collect();
        Problem::new(
            Code::IfMatchMalformed,
            format!("If-Match is one tag such as \"3.0\", the version and the epoch; got {shown:?}"),
        )
    })
}

/// A bare token, or a string in one pair of quotes.
fn unquoted(given: &str) -> &str {
    let given = given.trim();
    given
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .unwrap_or(given)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_is_one_strong_tag_of_ours() {
        let read = |text: &str| read_base(text).map_err(|problem| problem.code());
        assert_eq!(read("\"3.0\"").ok(), Some(Base { version: 3, epoch: 0 }));
        assert_eq!(
            read(" \"18446744073709551615.7\" ").ok(),
            Some(Base {
                version: u64::MAX,
                epoch: 7
            })
        );
        assert_eq!(read("*").err(), Some(Code::IfMatchAny));
        assert_eq!(read("W/\"3.0\"").err(), Some(Code::IfMatchWeak));
        for text in [
            "",
            "3.0",
            "\"3\"",
            "\"3.0",
            "\"03.0\"",
            "\"+3.0\"",
            "\"3.0\", \"4.0\"",
            "\"-1.0\"",
            "\"99999999999999999999.0\"",
        ] {
            assert_eq!(read(text).err(), Some(Code::IfMatchMalformed), "{text}");
        }
    }

    #[test]
    fn a_key_loses_one_pair_of_quotes() {
        for (given, key) in [
            ("abc", "abc"),
            ("\"abc\"", "abc"),
            ("\"\"abc\"\"", "\"abc\""),
            ("\"", "\""),
            (" a b ", "a b"),
        ] {
            assert_eq!(unquoted(given), key);
        }
    }

    #[test]
    fn a_known_version_is_recognised_weak_or_strong_or_any() {
        let check = |given: &str, known: bool| {
            let mut headers = HeaderMap::new();
            headers.extend(given.parse().ok().map(|value| (header::IF_NONE_MATCH, value)));
            assert_eq!(is_known(&headers, Base { version: 3, epoch: 1 }), known, "{given}");
        };
        check("\"3.1\"", true);
        check("W/\"3.1\"", true);
        check("\"2.0\", \"3.1\"", true);
        check("*", true);
        check("\"3.0\"", false);
        check("3.1", false);
    }
}
