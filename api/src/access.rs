//! Who is asking: the token, the workspace and role it stands for, and the actor it acts as.

mod tokens;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use recto_pages::{Actor, ActorKind, Caller, Id};

use self::tokens::Grant;
pub use self::tokens::{Role, Tokens, TokensError};
use crate::problem::{Code, Problem};
use crate::state::App;

/// The workspace of everybody where there are no tokens.
pub const DEFAULT_WORKSPACE: &str = "default";

const ACTOR: &str = "recto-actor";
const TURN: &str = "recto-turn";
const CHALLENGE: &str = "Bearer realm=\"recto\"";

/// Somebody who may read a workspace.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    pub scope: Id,
}

/// Somebody who may write to a workspace, and as whom.
#[derive(Clone, Debug)]
pub(crate) struct Writer(pub Caller);

/// Somebody who may do what concerns all workspaces; the workspace is their own.
#[derive(Clone, Debug)]
pub(crate) struct Admin(pub Id);

impl FromRequestParts<App> for Admin {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let grant = authenticate(&parts.headers, app.tokens())?;
        if grant.role < Role::Admin {
            return Err(insufficient(Role::Admin));
        }
        Ok(Self(grant.workspace.clone()))
    }
}

impl FromRequestParts<App> for Reader {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let grant = authenticate(&parts.headers, app.tokens())?;
        Ok(Self {
            scope: grant.workspace.clone(),
        })
    }
}

impl FromRequestParts<App> for Writer {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let grant = authenticate(&parts.headers, app.tokens())?;
        if grant.role < Role::Write {
            return Err(insufficient(Role::Write));
        }
        let actor = actor(&parts.headers, grant)?;
        let turn = turn(&parts.headers)?;
        Ok(Self(Caller {
            scope: grant.workspace.clone(),
            actor,
            turn,
        }))
    }
}

fn insufficient(needed: Role) -> Problem {
    let detail = match needed {
        Role::Admin => "this token is no admin's",
        Role::Read | Role::Write => "this token may read only",
    };
    Problem::new(Code::RoleInsufficient, detail)
        .with("role", needed.as_str())
        .header(
            header::WWW_AUTHENTICATE,
            &format!("{CHALLENGE}, error=\"insufficient_scope\""),
        )
}

fn authenticate<'a>(headers: &HeaderMap, tokens: &'a Tokens) -> Result<&'a Grant, Problem> {
    let Some(given) = headers.get(header::AUTHORIZATION) else {
        let refusal = Problem::plain(Code::TokenMissing).header(header::WWW_AUTHENTICATE, CHALLENGE);
        return tokens.open_grant().ok_or(refusal);
    };
    let token = bearer(given.as_bytes());
    tokens.open_grant().or_else(|| tokens.find(token?)).ok_or_else(|| {
        Problem::plain(Code::TokenInvalid).header(
            header::WWW_AUTHENTICATE,
            &format!("{CHALLENGE}, error=\"invalid_token\""),
        )
    })
}

fn bearer(given: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = given.split_at_checked("Bearer ".len())?;
    scheme.eq_ignore_ascii_case(b"Bearer ").then(|| token.trim_ascii())
}

fn actor(headers: &HeaderMap, grant: &Grant) -> Result<Actor, Problem> {
    let Some(actor) = named_actor(headers)? else {
        return Ok(grant.actor.clone());
    };
    if actor.kind() == ActorKind::System && grant.role < Role::Admin {
        return Err(Problem::plain(Code::ActorForbidden));
    }
    Ok(actor)
}

/// The actor that `Recto-Actor` names.
pub(crate) fn named_actor(headers: &HeaderMap) -> Result<Option<Actor>, Problem> {
    let Some(given) = single(headers, ACTOR)? else {
        return Ok(None);
    };
    given
        .parse()
        .map(Some)
        .map_err(|fault: recto_pages::InvalidActor| invalid(ACTOR, &fault.to_string()))
}

fn turn(headers: &HeaderMap) -> Result<Option<Id>, Problem> {
    let Some(given) = single(headers, TURN)? else {
        return Ok(None);
    };
    Id::new(given)
        .map(Some)
        .map_err(|fault| invalid(TURN, &fault.to_string()))
}

/// The value of a header that stands at most once, as text.
pub(crate) fn single<'a>(headers: &'a HeaderMap, name: &'static str) -> Result<Option<&'a str>, Problem> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(invalid(name, "it stands more than once"));
    }
    std::str::from_utf8(value.as_bytes())
        .map(Some)
        .map_err(|_| invalid(name, "it is not UTF-8"))
}

/// Says what is wrong with a header.
pub(crate) fn invalid(header: &'static str, fault: &str) -> Problem {
    Problem::new(Code::InvalidHeader, format!("{header}: {fault}")).with("header", header)
}
