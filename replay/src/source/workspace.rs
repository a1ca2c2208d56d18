//! Whose pages are looked at.

use recto_store::{Id, KeyPrefix, PageKey, ReadError, Store};

use crate::failure::Failure;

/// The workspace of a server without tokens.
const DEFAULT_WORKSPACE: &str = "default";
/// How many workspaces are looked for, to name them.
const WORKSPACES_TOLD: usize = 20;

/// A workspace that has pages. Where the events cannot tell, its name is believed.
pub(super) async fn named(store: &Store, scope: Id) -> Result<Id, Failure> {
    match store.pages(&scope, None, 1).await {
        Ok(pages) if pages.is_empty() => Err(Failure::NotFound(format!("there is no page in workspace {scope}"))),
        Ok(_) | Err(ReadError::Corrupt { .. }) => Ok(scope),
        Err(away) => Err(away.into()),
    }
}

/// The workspace, where there is only one.
pub(super) async fn only(store: &Store) -> Result<Id, Failure> {
    let default = || Id::new(DEFAULT_WORKSPACE).map_err(|fault| Failure::Usage(fault.to_string()));
    let mut found = match all(store).await {
        Ok(found) => found,
        Err(damaged @ ReadError::Corrupt { .. }) => {
            let default = default()?;
            return match has_receipts(store, &default).await? {
                true => Ok(default),
                false => Err(Failure::Usage(format!(
                    "{damaged}: the workspaces cannot be listed; name yours with --workspace"
                ))),
            };
        }
        Err(away) => return Err(away.into()),
    };
    match found.len() {
        0 => default(),
        1 => Ok(found.swap_remove(0)),
        _ => {
            let names: Vec<_> = found.iter().map(Id::as_str).collect();
            let names = names.join(", ");
            Err(Failure::Usage(format!(
                "there are several workspaces; name one with --workspace: {names}"
            )))
        }
    }
}

/// Whether commands were done in a workspace.
async fn has_receipts(store: &Store, scope: &Id) -> Result<bool, ReadError> {
    let prefix = KeyPrefix::CommandsOf(scope.clone());
    let found = store.engine().latest(&prefix, None, 1).await?;
    Ok(!found.is_empty())
}

/// The first workspaces that have pages.
async fn all(store: &Store) -> Result<Vec<Id>, ReadError> {
    let mut found: Vec<Id> = Vec::new();
    let mut after: Option<PageKey> = None;
    while found.len() < WORKSPACES_TOLD {
        let Some(page) = store.all_pages(after.as_ref(), 1).await?.pop() else {
            break;
        };
        after = Some(behind(&page.scope));
        found.push(page.scope);
    }
    Ok(found)
}

/// A key behind all pages of a workspace: no id is longer, and none has a greater character.
fn behind(scope: &Id) -> PageKey {
    let last = "\u{10ffff}".repeat(recto_store::limits::ID_MAX_BYTES / 4);
    let last = Id::new(&last).unwrap_or_else(|_| scope.clone());
    PageKey::new(scope.clone(), last)
}
