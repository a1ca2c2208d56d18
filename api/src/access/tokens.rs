//! The tokens that the server was started with. Only their hashes are kept.

use std::collections::HashSet;
use std::fmt;
use std::net::SocketAddr;
use std::path::Path;

use recto_pages::{Actor, Id};

use super::DEFAULT_WORKSPACE;

/// The most tokens: each is looked at for each request.
pub(crate) const TOKENS_MAX: usize = 1_000;
/// The shortest token, in bytes.
pub(crate) const TOKEN_BYTES_MIN: usize = 16;
/// The longest token, in bytes.
pub(crate) const TOKEN_BYTES_MAX: usize = 1_024;

/// What a token allows. Each role includes the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// To read.
    Read,
    /// To change pages too.
    Write,
    /// To act as the system too.
    Admin,
}

/// What a token stands for.
#[derive(Clone, Debug)]
pub(crate) struct Grant {
    pub workspace: Id,
    pub role: Role,
    /// Who acts where the request does not say.
    pub actor: Actor,
}

/// All tokens, or none: then everybody is admin of the workspace `default`.
#[derive(Clone)]
pub struct Tokens {
    granted: Vec<(blake3::Hash, Grant)>,
    open: Option<Grant>,
}

/// Why the tokens cannot be used. No message holds a token.
#[derive(Debug, thiserror::Error)]
pub enum TokensError {
    /// The file cannot be read.
    #[error("the token file {file} cannot be read: {fault}")]
    Unreadable {
        /// The file.
        file: String,
        /// What the system says.
        fault: std::io::Error,
    },
    /// A line is not a token.
    #[error("token line {line}: {fault}; each line is: TOKEN WORKSPACE ROLE NAME")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        fault: String,
    },
    /// There is no token at all.
    #[error("there is no token in what was given as tokens")]
    None,
    /// There are too many.
    #[error("there are {got} tokens; the limit is {TOKENS_MAX}")]
    TooMany {
        /// How many there are.
        got: usize,
    },
    /// Without tokens the server is for this machine only.
    #[error(
        "without tokens the server listens on loopback only, and {listen} is not loopback; give it tokens (--tokens FILE), or listen on 127.0.0.1"
    )]
    NotLoopback {
        /// The address that was asked for.
        listen: SocketAddr,
    },
}

impl Role {
    /// The name in the token file.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
        }
    }
}

impl Tokens {
    /// No tokens: everybody is admin of the workspace `default`. For loopback only.
    #[must_use]
    pub fn open() -> Self {
        let workspace = Id::new(DEFAULT_WORKSPACE);
        let actor = "user:anonymous".parse();
        let open = workspace.ok().zip(actor.ok()).map(|(workspace, actor)| Grant {
            workspace,
            role: Role::Admin,
            actor,
        });
        Self {
            granted: Vec::new(),
            open,
        }
    }

    /// The workspaces that can be written to, each once.
    pub(crate) fn workspaces(&self) -> Vec<Id> {
        let mut workspaces: Vec<Id> = self
            .granted
            .iter()
            .map(|(_, grant)| grant)
            .chain(&self.open)
            .map(|grant| grant.workspace.clone())
            .collect();
        workspaces.sort();
        workspaces.dedup();
        workspaces
    }

    /// Reads lines of `TOKEN WORKSPACE ROLE NAME`; empty lines and those that begin with `#` are passed over.
    ///
    /// # Errors
    /// [`TokensError`], without any token in it.
    pub fn parse(lines: &str) -> Result<Self, TokensError> {
        let mut granted = Vec::new();
        let mut seen = HashSet::new();
        for (index, text) in lines.lines().map(str::trim).enumerate() {
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let fault = |fault: String| TokensError::Line { line: index + 1, fault };
            let (hash, grant) = parse_line(text).map_err(fault)?;
            if !seen.insert(*hash.as_bytes()) {
                return Err(fault("this token stands twice".to_owned()));
            }
            granted.push((hash, grant));
        }
        match granted.len() {
            0 => Err(TokensError::None),
            got if got > TOKENS_MAX => Err(TokensError::TooMany { got }),
            _ => Ok(Self { granted, open: None }),
        }
    }

    /// The tokens of a file, or of the text of a variable where they stand apart by semicolons; open access
    /// where there is neither.
    ///
    /// # Errors
    /// [`TokensError`]: the tokens cannot be used, or there are none and `listen` is not loopback.
    pub fn load(file: Option<&Path>, inline: Option<&str>, listen: SocketAddr) -> Result<Self, TokensError> {
        let mut lines = String::new();
        if let Some(file) = file {
            lines = std::fs::read_to_string(file).map_err(|fault| TokensError::Unreadable {
                file: file.display().to_string(),
                fault,
            })?;
        }
        if let Some(inline) = inline {
            lines.push('\n');
            lines.push_str(&inline.replace(';', "\n"));
        }
        if file.is_some() || inline.is_some() {
            return Self::parse(&lines);
        }
        if listen.ip().is_loopback() {
            Ok(Self::open())
        } else {
            Err(TokensError::NotLoopback { listen })
        }
    }

    /// Whether everybody may do everything.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    pub(crate) fn open_grant(&self) -> Option<&Grant> {
        self.open.as_ref()
    }

    /// Looks at every token, and compares hashes in constant time: how long it takes tells nothing.
    pub(crate) fn find(&self, token: &[u8]) -> Option<&Grant> {
        let given = blake3::hash(token);
        let mut found = None;
        for (hash, grant) in &self.granted {
            if *hash == given {
                found = Some(grant);
            }
        }
        found
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Tokens")
            .field("count", &self.granted.len())
            .field("open", &self.is_open())
            .finish()
    }
}

fn parse_line(text: &str) -> Result<(blake3::Hash, Grant), String> {
    let mut parts = text.split_whitespace();
    let mut part = |name: &str| parts.next().ok_or_else(|| format!("the {name} is missing"));
    let (token, workspace, role, name) = (part("token")?, part("workspace")?, part("role")?, part("name")?);
    if parts.next().is_some() {
        return Err("there is more after the name".to_owned());
    }
    if !(TOKEN_BYTES_MIN..=TOKEN_BYTES_MAX).contains(&token.len()) {
        return Err(format!("a token has {TOKEN_BYTES_MIN} to {TOKEN_BYTES_MAX} bytes"));
    }
    let workspace = Id::new(workspace).map_err(|fault| format!("the workspace: {fault}"))?;
    let role = [Role::Read, Role::Write, Role::Admin]
        .into_iter()
        .find(|known| known.as_str() == role)
        .ok_or("the role is read, write or admin")?;
    let actor = format!("user:{name}")
        .parse()
        .map_err(|_| "the name cannot be an actor's name")?;
    Ok((blake3::hash(token.as_bytes()), Grant { workspace, role, actor }))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    const TOKEN: &str = "0123456789abcdef";

    #[test]
    fn a_token_is_found_and_no_other_is() {
        let lines = format!("# people\n\n{TOKEN} studio write ada\nfedcba9876543210 studio read bob\n");
        let tokens = Tokens::parse(&lines).unwrap();
        let grant = tokens.find(TOKEN.as_bytes()).unwrap();
        assert_eq!(
            (grant.workspace.as_str(), grant.role, grant.actor.to_string().as_str()),
            ("studio", Role::Write, "user:ada")
        );
        assert!(tokens.find(b"0123456789abcdeF").is_none());
        assert!(tokens.find(b"").is_none());
    }

    #[test]
    fn a_bad_line_is_named_and_its_token_is_not() {
        for line in [
            "short studio read ada",
            &format!("{TOKEN} studio root ada"),
            &format!("{TOKEN} studio read"),
            &format!("{TOKEN} studio read ada more"),
            &format!("{TOKEN} s read a\n{TOKEN} s read b"),
            "",
            "# none",
        ] {
            let message = Tokens::parse(line).unwrap_err().to_string();
            assert!(!message.contains(TOKEN), "{message}");
        }
        assert!(!format!("{:?}", Tokens::parse(&format!("{TOKEN} s read a")).unwrap()).contains(TOKEN));
    }

    #[test]
    fn without_tokens_only_loopback_is_allowed() {
        let load = |listen: &str| Tokens::load(None, None, listen.parse().unwrap());
        assert!(load("127.0.0.1:80").unwrap().is_open());
        assert!(load("[::1]:80").is_ok());
        assert!(load("0.0.0.0:80").unwrap_err().to_string().contains("--tokens"));
        let inline = format!("{TOKEN} a read x;fedcba9876543210 b write y");
        assert!(
            !Tokens::load(None, Some(&inline), "0.0.0.0:80".parse().unwrap())
                .unwrap()
                .is_open()
        );
    }
}
