//! Who acts: a user, an agent or the system, in a workspace, perhaps in a turn.

use std::fmt;
use std::str::FromStr;

use recto_store::Id;

/// Longest actor name, in bytes, without its kind.
pub const ACTOR_NAME_BYTES_MAX: usize = 128;

/// Who sends a command, and from which workspace.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The workspace; pages of another one do not exist for this caller.
    pub scope: Id,
    /// Who acts.
    pub actor: Actor,
    /// One answer of an agent or one gesture of a user: the unit of undo.
    pub turn: Option<Id>,
}

/// Who acts, written `user:ada`, `agent:layout` or `system:recto`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Actor {
    kind: ActorKind,
    name: String,
}

/// The three kinds of actors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActorKind {
    /// A person.
    User,
    /// A program that acts for a model.
    Agent,
    /// Recto itself: rebalances, migrations.
    System,
}

/// The text names no actor.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "an actor is written user:NAME, agent:NAME or system:NAME, with a name of 1 to {ACTOR_NAME_BYTES_MAX} bytes and no control characters; got {got:?}"
)]
pub struct InvalidActor {
    /// What was given, cut to a readable length.
    pub got: String,
}

impl Actor {
    /// Recto itself.
    #[must_use]
    pub fn system() -> Self {
        Self {
            kind: ActorKind::System,
            name: "recto".to_owned(),
        }
    }

    /// What kind of actor this is.
    #[must_use]
    pub fn kind(&self) -> ActorKind {
        self.kind
    }

    /// The name without the kind.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl ActorKind {
    const ALL: [Self; 3] = [Self::User, Self::Agent, Self::System];

    /// The name before the colon.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Agent => "agent",
            Self::System => "system",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

impl FromStr for Actor {
    type Err = InvalidActor;

    fn from_str(text: &str) -> Result<Self, InvalidActor> {
        let refuse = || InvalidActor {
            got: text.chars().take(64).collect(),
        };
        let (kind, name) = text.split_once(':').ok_or_else(refuse)?;
        let kind = ActorKind::from_name(kind).ok_or_else(refuse)?;
        let sized = (1..=ACTOR_NAME_BYTES_MAX).contains(&name.len());
        if !sized || name.chars().any(char::is_control) {
            return Err(refuse());
        }
        Ok(Self {
            kind,
            name: name.to_owned(),
        })
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}", self.kind.as_str(), self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_actor_reads_back_as_written_and_nothing_else_is_one() {
        for text in ["user:ada", "agent:layout:2", "system:recto"] {
            assert_eq!(
                text.parse::<Actor>().map(|actor| actor.to_string()),
                Ok(text.to_owned())
            );
        }
        for text in [
            "",
            "ada",
            "user:",
            "root:ada",
            "user:a\nb",
            &format!("user:{}", "x".repeat(129)),
        ] {
            assert!(text.parse::<Actor>().is_err(), "{text:?}");
        }
    }
}
