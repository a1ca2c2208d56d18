//! Making a page: idempotent by the page's id.

use std::sync::Arc;

use recto_projections::{Kind, Value};
use recto_store::{Id, PageKey, RecordKey, RecordWrite};

use crate::actor::{ActorKind, Caller};
use crate::answer::Written;
use crate::cache::Loaded;
use crate::chats::is_chat;
use crate::command::{Fingerprint, Operation};
use crate::contract::{BillingClass, Charge};
use crate::error::{ReadError, WriteError};
use crate::event::EventKind;
use crate::head::HeadInfo;
use crate::meta::{FILE_TABLE, PAGE_TABLE, PageMeta, content_hash};
use crate::plan::{Plan, StepNature, plan_deltas};
use crate::report::Report;
use crate::service::Pages;
use crate::snapshot::Tally;
use crate::write::Job;

/// A page to be made.
#[derive(Clone, Debug)]
pub struct CreatePage {
    /// Who makes it, and in which workspace.
    pub caller: Caller,
    /// Its id.
    pub page: Id,
    /// Its kind, for good.
    pub kind: Kind,
    /// The file of the design tool that it is in.
    pub file: Option<Id>,
    /// Its first value, of that kind.
    pub value: Value,
    /// The idempotency key.
    pub command: Id,
}

impl Pages {
    /// Makes a page. A page of this id that was made with the same kind, file and value is
    /// answered as it was then, whoever asks.
    ///
    /// # Errors
    /// [`WriteError::PageExists`] where the id is taken by a page made otherwise,
    /// [`WriteError::PageDeleted`] where that page was deleted.
    pub async fn create(&self, create: CreatePage) -> Result<Written, WriteError> {
        self.create_with(create, Report::default()).await
    }

    /// As [`Pages::create`], with what there is to tell of where the value came from.
    pub(crate) async fn create_with(&self, create: CreatePage, report: Report) -> Result<Written, WriteError> {
        let charge = Charge::new(
            BillingClass::Create,
            create.kind,
            &create.caller.actor,
            &self.settings().floors,
        );
        self.create_in(create, report, Some(charge), Vec::new()).await
    }

    /// As [`Pages::create_with`], with a charge of one's choice, and records that must agree with the page.
    pub(crate) async fn create_in(
        &self,
        create: CreatePage,
        report: Report,
        charge: Option<Charge>,
        beside: Vec<RecordWrite>,
    ) -> Result<Written, WriteError> {
        let CreatePage {
            caller,
            page,
            kind,
            file,
            value,
            command,
        } = create;
        if value.kind() != kind {
            return Err(WriteError::WrongKind {
                page: page.to_string(),
                actual: kind,
                given: value.kind(),
            });
        }
        if is_chat(&page) {
            return Err(WriteError::NameOfAChat { page: page.to_string() });
        }
        if kind == Kind::Sheet && caller.actor.kind() == ActorKind::Agent {
            return Err(WriteError::NotForAgents { kind });
        }
        let page = PageKey {
            scope: caller.scope.clone(),
            page,
        };
        let file_name = file.as_ref().map(|file| file.as_str());
        let content = content_hash(kind, file_name, &value);
        let fingerprint = Fingerprint::new(Operation::Create, &caller, &page)
            .with_value(kind, &value.digest())
            .with_text(file_name)
            .finish();
        let now_ms = self.clock().now_ms();
        let job = Job {
            caller: &caller,
            page: &page,
            command: &command,
            operation: Operation::Create,
            fingerprint,
            now_ms,
        };

        let _lock = self.locks().lock(&page).await;
        match self.meta(&page).await {
            Err(ReadError::PageNotFound { .. }) => {}
            Err(fault) => return Err(fault.into()),
            Ok(meta) => return self.answer_existing(&job, &meta, content).await,
        }
        let meta = PageMeta {
            kind,
            file: file_name.map(str::to_owned),
            created_ms: now_ms,
            content,
        };
        let mut plan = self.plan_create(kind, value).await?;
        (plan.report, plan.charge) = (report, charge);
        let mut records = records(&page, file.as_ref(), &meta)?;
        records.extend(beside);
        match self.commit(&job, None, &plan, records).await? {
            Some(written) => {
                if !written.replayed {
                    self.advance(&page, &before_first(meta, kind), plan, &written);
                }
                Ok(written)
            }
            // Another process made it in between.
            None => {
                let meta = self.meta(&page).await?;
                self.answer_existing(&job, &meta, content).await
            }
        }
    }

    async fn plan_create(&self, kind: Kind, value: Value) -> Result<Plan, WriteError> {
        self.compute(value.weight(), move || {
            let empty = Value::empty(kind);
            let delta = empty.diff(&value).map_err(WriteError::from)?;
            let nature = StepNature::plain(EventKind::Create);
            let mut plan = plan_deltas(&empty, [&delta], &nature)?;
            if plan.steps.is_empty() {
                // An empty page has a first event all the same.
                plan.add_unseen(&nature)?;
            }
            Ok(plan)
        })
        .await?
    }

    async fn answer_existing(&self, job: &Job<'_>, meta: &PageMeta, content: [u8; 32]) -> Result<Written, WriteError> {
        if let Some(written) = self.earlier_answer(job).await? {
            return Ok(written);
        }
        let loaded = self.load(job.page).await?;
        let (page, head) = (job.page.page.to_string(), loaded.head);
        if loaded.deleted {
            return Err(WriteError::PageDeleted { page, head });
        }
        if meta.content != content {
            return Err(WriteError::PageExists { page, head });
        }
        self.first_answer(job.page).await
    }

    /// The answer that the page's creation was given.
    async fn first_answer(&self, page: &PageKey) -> Result<Written, WriteError> {
        let first = self.event_at(page, 1).await?;
        let receipt = self
            .store()
            .receipt(page, &first.event.command)
            .await
            .map_err(ReadError::from)?;
        let receipt = receipt.ok_or_else(|| ReadError::Corrupt {
            version: 1,
            what: "the receipt of the page's creation is missing".to_owned(),
        })?;
        Ok(self.replay_answer(page, &first.event.command, receipt).await?)
    }
}

/// The page's own record, and its entry in the list of its file.
fn records(page: &PageKey, file: Option<&Id>, meta: &PageMeta) -> Result<Vec<RecordWrite>, WriteError> {
    let mut writes = vec![RecordWrite {
        table: PAGE_TABLE.clone(),
        key: RecordKey::from(&page.page),
        expected_revision: 0,
        value: meta.to_record().into(),
    }];
    if let Some(file) = file {
        let key = RecordKey::join(&[file, &page.page]).map_err(|fault| WriteError::Unavailable {
            reason: fault.to_string(),
        })?;
        writes.push(RecordWrite {
            table: FILE_TABLE.clone(),
            key,
            expected_revision: 0,
            value: bytes::Bytes::from_static(b"{}"),
        });
    }
    Ok(writes)
}

fn before_first(meta: PageMeta, kind: Kind) -> Loaded {
    Loaded {
        meta: Arc::new(meta),
        head: HeadInfo {
            version: 0,
            epoch: 0,
            position: 0,
            time_ms: i64::MIN,
            hash: [0; 32],
        },
        deleted: false,
        value: Value::empty(kind),
        tally: Tally::default(),
    }
}
