//! `update_page`: the one way in which an agent writes what it read. The kind follows from the page.

use std::collections::BTreeSet;
use std::sync::Arc;

use recto_projections::canvas::is_whiteboard;
use recto_projections::html::NewIds;
use recto_projections::{Json, Kind, Value};
use recto_store::{Id, PageKey};

use super::billing::{BillingClass, Charge};
use super::content::{self, length};
use super::refusal::ContractRefusal;
use super::since::Own;
use super::token::{ReadToken, lineage_of};
use super::tools::EditorType;
use super::{Completeness, WriteMode};
use crate::actor::Caller;
use crate::answer::Written;
use crate::cache::Loaded;
use crate::command::{Fingerprint, Operation};
use crate::error::WriteError;
use crate::event::EventKind;
use crate::head::Base;
use crate::plan::{Plan, StepNature, plan_deltas};
use crate::service::Pages;
use crate::stale::Rebasable;
use crate::submit::check_writable;
use crate::write::{Change, Job};

/// A page to be written from a read.
#[derive(Clone, Debug)]
pub struct UpdatePage {
    /// Who writes.
    pub caller: Caller,
    /// The page.
    pub page: Id,
    /// What the read gave.
    pub read_token: String,
    /// The write.
    pub change: PageChange,
    /// The idempotency key. New nodes get their ids from it.
    pub command: Id,
}

/// What is written.
#[derive(Clone, Debug, PartialEq)]
pub enum PageChange {
    /// The whole page: what is left out is deleted. Only on the head.
    Replace {
        /// HTML, source or a value.
        content: Json,
    },
    /// A part: only what is named changes. Brought to the head where nothing stands in its way. One of the two at least.
    Merge {
        /// HTML of the nodes that change, and of new ones.
        content: Option<String>,
        /// Nodes to delete, each with all below it.
        delete: Vec<String>,
    },
}

/// What a write from a read did.
#[derive(Clone, Debug)]
pub struct Updated {
    /// The answer as to every command.
    pub written: Written,
    /// What the page opens in.
    pub editor: EditorType,
    /// The token for the next write of the same page or window: what others changed in between is not in it. Nothing
    /// where the page has to be read again.
    pub read_token: Option<String>,
}

impl PageChange {
    fn mode(&self) -> WriteMode {
        match self {
            Self::Replace { .. } => WriteMode::Replace,
            Self::Merge { .. } => WriteMode::Merge,
        }
    }

    /// All that it says, as it counts for retries; it is stored as a hash, so it never changes.
    fn name(&self) -> String {
        match self {
            Self::Replace { content } => format!("replace {content}"),
            Self::Merge { content, delete } => {
                format!("merge {} {}", Json::from(content.clone()), Json::from(delete.clone()))
            }
        }
    }
}

impl Pages {
    /// Writes a page from a read of it.
    ///
    /// # Errors
    /// [`ContractRefusal`]: nothing was appended, and the variant says what to do next; and what every write can be
    /// refused with.
    pub async fn update(&self, update: UpdatePage) -> Result<Updated, WriteError> {
        let page = PageKey {
            scope: update.caller.scope.clone(),
            page: update.page.clone(),
        };
        let kind = self.meta(&page).await?.kind;
        if kind == Kind::Sheet {
            return Err(ContractRefusal::NotWritable { kind }.into());
        }
        let fingerprint = Fingerprint::new(Operation::Update, &update.caller, &page);
        let job = Job {
            caller: &update.caller,
            page: &page,
            command: &update.command,
            operation: Operation::Update,
            fingerprint: fingerprint.with_text(Some(&update.change.name())).finish(),
            now_ms: self.clock().now_ms(),
        };
        let token = match self.open_token(&page, &update.read_token).await {
            Ok(token) => token,
            Err(refusal) => {
                // The first answer is given also when the token has gone in the meantime.
                let written = self.refuse_unless_done(&job, refusal).await?;
                return Ok(updated(written, None));
            }
        };
        let change = FromRead {
            change: update.change.clone(),
            token,
        };
        let written = self.write_existing(&job, change.token.base, &change).await?;
        let own = Own::of(&update.caller);
        let read_token = self.token_after(&change.token, &written, &own).await?;
        Ok(updated(written, read_token))
    }
}

fn updated(written: Written, read_token: Option<String>) -> Updated {
    Updated {
        editor: EditorType::of(written.kind),
        written,
        read_token,
    }
}

/// A write with the read it was made from.
pub(super) struct FromRead {
    pub change: PageChange,
    pub token: ReadToken,
}

impl Change for FromRead {
    async fn plan(&self, pages: &Pages, job: &Job<'_>, base: Base, on: &Arc<Loaded>) -> Result<Plan, WriteError> {
        check_writable(job, on, None)?;
        self.check(on)?;
        let fresh = self.is_fresh(pages, job.page, base, on).await?;
        let mut plan = match &self.change {
            PageChange::Replace { content } => self.plan_replace(pages, job, base, on, fresh, content).await?,
            PageChange::Merge { content, delete } => {
                let asked = (content.as_deref(), delete.as_slice());
                self.plan_merge(pages, job, on, fresh, asked).await?
            }
        };
        let floors = &pages.settings().floors;
        plan.charge = Some(Charge::new(BillingClass::Edit, on.meta.kind, &job.caller.actor, floors));
        Ok(plan)
    }
}

impl FromRead {
    /// What the page, the read and the write say of each other.
    fn check(&self, on: &Loaded) -> Result<(), ContractRefusal> {
        let (token, asked, actual) = (&self.token, self.change.mode(), on.meta.kind);
        if token.kind != actual {
            let read = token.kind;
            return Err(ContractRefusal::KindChanged { read, actual });
        }
        let whiteboard = matches!(&on.value, Value::Design(design) if is_whiteboard(design));
        let window = token.completeness == Completeness::Window;
        match asked {
            WriteMode::Merge if actual != Kind::Design => Err(ContractRefusal::MergeOfSource { kind: actual }),
            WriteMode::Replace if whiteboard => Err(ContractRefusal::WhiteboardReplace),
            WriteMode::Replace if window => Err(ContractRefusal::WindowReplace),
            _ if token.mode != asked => Err(ContractRefusal::ModeMismatch {
                read: token.mode,
                asked,
            }),
            _ => Ok(()),
        }
    }

    /// Whether the page was read at the head; false where at an earlier version of the same history.
    async fn is_fresh(&self, pages: &Pages, page: &PageKey, base: Base, on: &Loaded) -> Result<bool, WriteError> {
        if self.token.is_of(&on.head) {
            return Ok(true);
        }
        let same = match pages.is_head(page, on, base).await {
            Ok(true) => false,
            Ok(false) => lineage_of(&pages.event_at(page, base.version).await?.event.hash) == self.token.lineage,
            Err(WriteError::BaseUnknown { .. }) => false,
            Err(fault) => return Err(fault),
        };
        if same {
            Ok(false)
        } else {
            Err(ContractRefusal::TokenExpired.into())
        }
    }

    async fn plan_replace(
        &self,
        pages: &Pages,
        job: &Job<'_>,
        base: Base,
        on: &Arc<Loaded>,
        fresh: bool,
        content: &Json,
    ) -> Result<Plan, WriteError> {
        let work = length(content)?.max(on.value.weight());
        if !fresh {
            return Err(pages.stale_read(job.page, on, base, Rebasable::Never).await?);
        }
        let (old, content) = (on.value.clone(), content.clone());
        let ids = NewIds::new(job.command.as_str());
        pages
            .compute(work, move || {
                let taken = content::take(&old, &content, &ids)?;
                let delta = old.diff(&taken.value)?;
                let mut plan = plan_deltas(&old, [&delta], &StepNature::plain(EventKind::Edit))?;
                plan.report.warnings = content::entries(&taken.warnings);
                Ok(plan)
            })
            .await?
    }

    async fn plan_merge(
        &self,
        pages: &Pages,
        job: &Job<'_>,
        on: &Arc<Loaded>,
        fresh: bool,
        (content, delete): (Option<&str>, &[String]),
    ) -> Result<Plan, WriteError> {
        if content.is_none() && delete.is_empty() {
            return Err(ContractRefusal::MergeEmpty.into());
        }
        if let Some(content) = content {
            length(&Json::from(content))?;
        }
        let delete: BTreeSet<String> = delete.iter().cloned().collect();
        pages.plan_merge(job, on, &self.token, fresh, content, delete).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::token::ReadNodes;
    use crate::head::HeadInfo;
    use crate::meta::PageMeta;
    use crate::snapshot::Tally;

    fn loaded(kind: Kind) -> Loaded {
        Loaded {
            meta: Arc::new(PageMeta {
                kind,
                file: None,
                created_ms: 0,
                content: [0; 32],
            }),
            head: HeadInfo {
                version: 1,
                epoch: 0,
                position: 1,
                time_ms: 0,
                hash: [0; 32],
            },
            deleted: false,
            value: Value::empty(kind),
            tally: Tally::default(),
        }
    }

    fn from_read(kind: Kind, change: PageChange) -> FromRead {
        let token = ReadToken {
            page: PageKey::parse("w", "p").unwrap_or_else(|fault| panic!("{fault}")),
            kind,
            base: Base { version: 1, epoch: 0 },
            lineage: [0; 8],
            completeness: Completeness::Full,
            mode: WriteMode::Replace,
            nodes: ReadNodes::default(),
        };
        FromRead { change, token }
    }

    #[test]
    fn a_page_that_is_of_another_kind_now_is_noticed() {
        let replace = || PageChange::Replace {
            content: Json::from("x"),
        };
        for (read, actual) in [
            (Kind::Doc, Kind::Design),
            (Kind::Design, Kind::Code),
            (Kind::Code, Kind::Doc),
        ] {
            let refusal = from_read(read, replace()).check(&loaded(actual));
            assert!(
                matches!(refusal, Err(ContractRefusal::KindChanged { read: r, actual: a }) if (r, a) == (read, actual)),
                "{refusal:?}"
            );
            assert!(from_read(read, replace()).check(&loaded(read)).is_ok());
        }
    }
}
