//! Merges: a fragment is read against the state that was read, checked node by node, and brought to the head; what is
//! to be deleted is deleted there.

use std::collections::BTreeSet;
use std::sync::Arc;

use recto_projections::design::{DesignOp, DesignValue};
use recto_projections::html::{NewIds, Scope, Warning, design_from_html};
use recto_projections::rebase::{Conflict, Options, Rebased, rebase_all};
use recto_projections::{Delta, Value};

use super::content::entries;
use super::merge_check::{Checking, Fault};
use super::refusal::ContractRefusal;
use super::since::{Between, Own, Since};
use super::token::{ReadNodes, ReadToken};
use crate::cache::Loaded;
use crate::decoded::Decoded;
use crate::error::WriteError;
use crate::event::EventKind;
use crate::load::Way;
use crate::plan::{Plan, StepNature, plan_deltas};
use crate::report::{Entries, RebaseReport};
use crate::service::Pages;
use crate::stale::Rebasable;
use crate::write::Job;

/// The most bytes of JSON that tell what others did to the nodes of a refused merge.
const CHANGES_BYTES_MAX: usize = 32 * 1024;

/// All that a merge is made of.
struct Merge {
    /// The state that was read.
    base: DesignValue,
    base_version: u64,
    /// The state that it lands on.
    head: DesignValue,
    head_version: u64,
    /// What was committed in between.
    since: Since,
    read: ReadNodes,
    content: Option<String>,
    delete: BTreeSet<String>,
    ids: NewIds,
}

/// Why a merge has no plan; what takes reading is added afterwards.
pub(super) enum Stopped {
    Refused(WriteError),
    Changed(Vec<String>, Entries),
    Conflicts(Vec<Conflict>),
}

impl From<WriteError> for Stopped {
    fn from(fault: WriteError) -> Self {
        Self::Refused(fault)
    }
}

impl From<ContractRefusal> for Stopped {
    fn from(refusal: ContractRefusal) -> Self {
        Self::Refused(refusal.into())
    }
}

impl Pages {
    pub(super) async fn plan_merge(
        &self,
        job: &Job<'_>,
        on: &Arc<Loaded>,
        token: &ReadToken,
        fresh: bool,
        content: Option<&str>,
        delete: BTreeSet<String>,
    ) -> Result<Plan, WriteError> {
        let own = Own::of(job.caller);
        let (then, since) = if fresh {
            (on.value.clone(), Since::new(Vec::new(), &own))
        } else {
            let since = match self.since(job.page, token.base, on, &own).await? {
                Between::Events(since) => since,
                Between::Barred(why) => return Err(self.stale_read(job.page, on, token.base, why).await?),
            };
            let then = self.state_at(job.page, on, token.base.version, Way::Nearest).await?;
            (then.value, since)
        };
        let (Value::Design(base), Value::Design(head)) = (then, on.value.clone()) else {
            return Err(ContractRefusal::MergeOfSource { kind: on.meta.kind }.into());
        };
        let merge = Merge {
            base,
            base_version: token.base.version,
            head,
            head_version: on.head.version,
            since,
            read: token.nodes.clone(),
            content: content.map(str::to_owned),
            delete,
            ids: NewIds::new(job.command.as_str()),
        };
        let work = content.map_or(0, str::len) + usize::from(!fresh) * on.value.weight();
        let stopped = match self.compute(work, move || merge.plan()).await? {
            Ok(plan) => {
                if !fresh {
                    metrics::counter!("recto_rebases_total", "kind" => on.meta.kind.as_str()).increment(1);
                }
                return Ok(plan);
            }
            Err(stopped) => stopped,
        };
        let conflicts = match &stopped {
            Stopped::Conflicts(conflicts) => conflicts.clone(),
            _ => Vec::new(),
        };
        let stale = |conflicts| self.stale(job.page, on, token.base, conflicts, Rebasable::Conflicts);
        match stopped {
            Stopped::Refused(fault) => Err(fault),
            Stopped::Changed(nodes, changes) => match stale(conflicts).await? {
                WriteError::Stale(stale) => Err(ContractRefusal::NodesChanged { nodes, changes, stale }.into()),
                other => Err(other),
            },
            Stopped::Conflicts(_) => match stale(conflicts).await? {
                WriteError::Stale(stale) => Err(ContractRefusal::MergeConflict { stale }.into()),
                other => Err(other),
            },
        }
    }
}

/// What the content of a merge says.
struct Said {
    delta: Delta,
    created: BTreeSet<String>,
    warnings: Vec<Warning>,
}

impl Merge {
    fn plan(self) -> Result<Plan, Stopped> {
        let said = self.said()?;
        let checking = Checking {
            base: &self.base,
            head: &self.head,
            since: &self.since,
            read: &self.read,
        };
        checking
            .change(&said.delta, &said.created)
            .and_then(|()| checking.delete(&self.delete, &said.delta))
            .map_err(|fault| self.stop(fault))?;
        let rebased = self.rebase(&said.delta)?;
        let mut ops = match rebased.as_ref().map_or(&said.delta, |rebased| &rebased.delta) {
            Delta::Design(ops) => ops.clone(),
            _ => Vec::new(),
        };
        ops.extend(self.deletions(&ops, &checking)?);
        let head = Value::Design(self.head.clone());
        let mut plan = plan_deltas(&head, [&Delta::Design(ops)], &StepNature::plain(EventKind::Edit))?;
        plan.report.warnings = entries(&said.warnings);
        plan.report.rebase = rebased.map(|rebased| RebaseReport {
            base: self.base_version,
            over: self.head_version,
            dropped: Entries::of(&rebased.dropped),
            notes: Entries::of(&rebased.notes),
        });
        Ok(plan)
    }

    /// Reads the content against the state that was read.
    fn said(&self) -> Result<Said, Stopped> {
        let Some(content) = &self.content else {
            return Ok(Said {
                delta: Delta::Design(Vec::new()),
                created: BTreeSet::new(),
                warnings: Vec::new(),
            });
        };
        let read = design_from_html(content, &self.base, Scope::Fragment, &self.ids);
        let read = read.map_err(ContractRefusal::from)?;
        let asked = read.created.iter().filter(|id| was_asked_for(id, content));
        let nodes: Vec<String> = asked.cloned().collect();
        if !nodes.is_empty() {
            return Err(ContractRefusal::NodesUnknown { nodes }.into());
        }
        let delta = Value::Design(self.base.clone()).diff(&Value::Design(read.value));
        Ok(Said {
            delta: delta.map_err(WriteError::from)?,
            created: read.created.into_iter().collect(),
            warnings: read.warnings,
        })
    }

    /// Brings the delta to the head; nothing where it was read there.
    fn rebase(&self, delta: &Delta) -> Result<Option<Rebased>, Stopped> {
        if self.base_version == self.head_version {
            return Ok(None);
        }
        let over: Vec<_> = self.since.events.iter().map(Decoded::committed).collect();
        let head = Value::Design(self.head.clone());
        let rebased = rebase_all(std::slice::from_ref(delta), &over, &head, &Options::default());
        Ok(rebased.map_err(Stopped::Conflicts)?.pop())
    }

    /// The removals, made from the head with the change applied. A group that is left empty goes too, unless it was not
    /// read or others changed it; then so do not the groups around it.
    fn deletions(&self, change: &[DesignOp], checking: &Checking<'_>) -> Result<Vec<DesignOp>, Stopped> {
        let mut after = Value::Design(self.head.clone());
        let change = Delta::Design(change.to_vec());
        after
            .replay(&change)
            .map_err(|fault| WriteError::Illegal { delta: 0, fault })?;
        let Value::Design(after) = after else {
            return Ok(Vec::new());
        };
        let there = self.delete.iter().filter_map(|id| Some(after.node(id)?.id().clone()));
        let there: Vec<_> = there.collect();
        let ops = after.delete_with_descendants(&there);
        let ops = ops.map_err(|rule| ContractRefusal::Html(recto_projections::html::HtmlError::Refused { rule }))?;
        let asked: BTreeSet<_> = there
            .iter()
            .flat_map(|id| recto_projections::canvas::subtree(&after, id))
            .collect();
        let mut kept = BTreeSet::new();
        let mut goes = |op: &DesignOp| {
            let DesignOp::RemoveNode { id } = op else { return true };
            let goes = asked.contains(id) || (!kept.contains(id) && checking.may_go(id));
            if !goes {
                kept.extend(after.node(id).and_then(|node| node.parent().cloned()));
            }
            goes
        };
        Ok(ops.into_iter().filter(|op| goes(op)).collect())
    }

    fn stop(&self, fault: Fault) -> Stopped {
        let nodes = match fault {
            Fault::Refused(refusal) => return refusal.into(),
            Fault::Changed(nodes) => nodes,
        };
        let (base, head) = (Value::Design(self.base.clone()), Value::Design(self.head.clone()));
        let told = nodes.iter().map(|id| self.since.tell(id, &base, &head));
        let changes = Entries::within(CHANGES_BYTES_MAX, told);
        Stopped::Changed(nodes, changes)
    }
}

/// Whether the id of a new node was written, not made. The node was on the page once, and somebody removed it, or it never
/// was: a merge does not tell, so it brings none of them back.
fn was_asked_for(id: &str, content: &str) -> bool {
    !NewIds::is_made(id) || content.contains(id)
}
