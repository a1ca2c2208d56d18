//! Listing the pages of a workspace, or of one file in it, by id.

use recto_store::{Id, PageKey, RecordKey};

use crate::error::ReadError;
use crate::event::EventKind;
use crate::head::HeadInfo;
use crate::meta::{FILE_TABLE, PAGE_TABLE, PageMeta};
use crate::service::Pages;

/// Which pages to list.
#[derive(Clone, Debug)]
pub struct ListPages {
    /// The workspace.
    pub scope: Id,
    /// Only those of this file.
    pub file: Option<Id>,
    /// Only those whose id comes after this one.
    pub after: Option<Id>,
    /// The most pages.
    pub limit: usize,
    /// Deleted ones too.
    pub deleted: bool,
}

/// A page in a list.
#[derive(Clone, Debug)]
pub struct PageSummary {
    /// The page.
    pub page: PageKey,
    /// What it is.
    pub meta: PageMeta,
    /// Where its stream stands.
    pub head: HeadInfo,
    /// Whether it is deleted.
    pub deleted: bool,
}

/// Some pages, in the order of their ids.
#[derive(Clone, Debug)]
pub struct PageList {
    /// The pages.
    pub pages: Vec<PageSummary>,
    /// The id to go on after, where there are more.
    pub next: Option<Id>,
}

impl Pages {
    /// Lists pages.
    ///
    /// # Errors
    /// Where the store cannot be read.
    pub async fn list(&self, list: ListPages) -> Result<PageList, ReadError> {
        let mut found = PageList {
            pages: Vec::new(),
            next: None,
        };
        let mut after = list.after.clone();
        while found.pages.len() < list.limit {
            let ids = self.ids(&list, after.as_ref(), list.limit).await?;
            let complete = ids.len() < list.limit;
            for id in ids {
                if found.pages.len() == list.limit {
                    found.next = after;
                    return Ok(found);
                }
                let page = PageKey {
                    scope: list.scope.clone(),
                    page: id,
                };
                after = Some(page.page.clone());
                if let Some(summary) = self
                    .summary(page)
                    .await?
                    .filter(|summary| list.deleted || !summary.deleted)
                {
                    found.pages.push(summary);
                }
            }
            if complete {
                return Ok(found);
            }
        }
        found.next = after;
        Ok(found)
    }

    async fn ids(&self, list: &ListPages, after: Option<&Id>, limit: usize) -> Result<Vec<Id>, ReadError> {
        let table = if list.file.is_some() {
            &*FILE_TABLE
        } else {
            &*PAGE_TABLE
        };
        let key = |page: &Id| match &list.file {
            Some(file) => RecordKey::join(&[file, page]),
            None => Ok(RecordKey::from(page)),
        };
        let after = after.map(key).transpose().map_err(|fault| ReadError::Unavailable {
            reason: fault.to_string(),
        })?;
        let prefix = list
            .file
            .as_ref()
            .map_or_else(String::new, |file| format!("{file}{}", RecordKey::SEPARATOR));
        let records = self
            .store()
            .records(&list.scope, table, &prefix, after.as_ref(), limit)
            .await?;
        records.iter().map(|record| page_id(&record.key)).collect()
    }

    async fn summary(&self, page: PageKey) -> Result<Option<PageSummary>, ReadError> {
        if let Some(loaded) = self.cache().get(&page) {
            let meta = PageMeta::clone(&loaded.meta);
            return Ok(Some(PageSummary {
                page,
                meta,
                head: loaded.head,
                deleted: loaded.deleted,
            }));
        }
        let meta = self.meta(&page).await?;
        let Some(head) = self.store().head(&page).await? else {
            return Ok(None);
        };
        let deleted = self.event_at(&page, head.version).await?.kind()? == EventKind::Delete;
        Ok(Some(PageSummary {
            page,
            meta,
            head: head.into(),
            deleted,
        }))
    }
}

fn page_id(key: &RecordKey) -> Result<Id, ReadError> {
    let last = key.parts().last().unwrap_or_default();
    Id::new(last).map_err(|fault| ReadError::Corrupt {
        version: 0,
        what: format!("a record's key names no page: {fault}"),
    })
}
