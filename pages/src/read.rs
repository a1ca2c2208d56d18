//! Reading a page: its state at the head, a version or a time, and the events of a range.

use std::sync::Arc;

use recto_projections::{Digest, Kind, Value};
use recto_store::{Id, Limit, PageKey};

use crate::error::ReadError;
use crate::event::{EventKind, PageEvent};
use crate::head::HeadInfo;
use crate::load::Way;
use crate::meta::PageMeta;
use crate::page_head::{check_page, not_found};
use crate::service::Pages;
use crate::write::head_of;

/// The most bytes of deltas and inverses that one range of events returns; one event is
/// returned however large it is.
pub const RANGE_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Which state of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// The newest.
    Head,
    /// At a version.
    Version(u64),
    /// The newest that was made at or before a time, in ms since 1970.
    Time(i64),
}

/// A page's state.
#[derive(Clone, Debug)]
pub struct PageState {
    /// The page.
    pub page: PageKey,
    /// What it is.
    pub meta: Arc<PageMeta>,
    /// Where the stream stood at this state.
    pub at: HeadInfo,
    /// The page's newest version.
    pub head_version: u64,
    /// The value.
    pub value: Value,
    /// Whether the page is deleted now, as far as its newest event can be read.
    pub deleted: bool,
}

/// Which events of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventRange {
    /// Rising, those after a version; 0 begins at the first.
    After {
        /// The version before the first.
        version: u64,
        /// The most events.
        limit: usize,
    },
    /// Falling, those before a version; `u64::MAX` begins at the head.
    Before {
        /// The version after the first.
        version: u64,
        /// The most events.
        limit: usize,
    },
}

impl PageState {
    /// The digest of the value.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.value.digest()
    }
}

impl Pages {
    /// Reads a page. Reading changes nothing: no version, no record, no stamp.
    ///
    /// # Errors
    /// [`ReadError::PageDeleted`] for the head of a deleted page; its earlier versions can
    /// be read. [`ReadError::NoSuchVersion`] and [`ReadError::BeforeFirst`] for states that
    /// never were.
    pub async fn read(&self, scope: &Id, page: &Id, at: At) -> Result<PageState, ReadError> {
        self.read_by(scope, page, at, Way::Nearest).await
    }

    /// Reads a page by a way of one's choice, to compare: all give the same state.
    ///
    /// # Errors
    /// As [`Pages::read`].
    pub async fn read_by(&self, scope: &Id, page: &Id, at: At, way: Way) -> Result<PageState, ReadError> {
        let page = PageKey {
            scope: scope.clone(),
            page: page.clone(),
        };
        let loaded = match self.load(&page).await {
            Err(damage @ ReadError::Corrupt { .. }) => {
                return self.read_before_damage(page, at, way, damage).await;
            }
            loaded => loaded?,
        };
        let version = match at {
            At::Head => loaded.head.version,
            At::Version(version) => version,
            At::Time(time_ms) => self.version_at_time(&page, loaded.head.version, time_ms).await?,
        };
        if at == At::Head && loaded.deleted {
            return Err(ReadError::PageDeleted {
                page: page.page.to_string(),
                head: loaded.head,
            });
        }
        let state = |at: HeadInfo, value: Value| PageState {
            page: page.clone(),
            meta: Arc::clone(&loaded.meta),
            at,
            head_version: loaded.head.version,
            value,
            deleted: loaded.deleted,
        };
        if version == loaded.head.version && way == Way::Nearest {
            return Ok(state(loaded.head, loaded.value.clone()));
        }
        // An event is followed a moment before the head that it makes is noted here.
        let ahead = version > loaded.head.version && self.store().event(&page, version).await?.is_some();
        if version == 0 || (version > loaded.head.version && !ahead) {
            return Err(ReadError::NoSuchVersion {
                version,
                head: loaded.head.version,
            });
        }
        if ahead {
            let found = self.state_ahead(&page, &loaded, version).await?;
            let deleted = found.event.kind()? == EventKind::Delete;
            return Ok(PageState {
                head_version: version,
                deleted,
                ..state(head_of(&found.event), found.value)
            });
        }
        let found = self.state_at(&page, &loaded, version, way).await?;
        Ok(state(head_of(&found.event), found.value))
    }

    /// A state of a page whose newest one cannot be made: what the damage does not reach is served.
    async fn read_before_damage(
        &self,
        page: PageKey,
        at: At,
        way: Way,
        damage: ReadError,
    ) -> Result<PageState, ReadError> {
        let meta = Arc::new(self.meta(&page).await?);
        let (head_version, deleted) = self.newest(&page).await?;
        let version = match at {
            At::Version(version) if way != Way::Backwards => version,
            At::Time(time_ms) if way != Way::Backwards => self.version_at_time(&page, head_version, time_ms).await?,
            _ => return Err(damage),
        };
        if version == 0 || version > head_version {
            return Err(ReadError::NoSuchVersion {
                version,
                head: head_version,
            });
        }
        let found = self
            .state_forwards(&page, meta.kind, version, way != Way::FromStart)
            .await?;
        Ok(PageState {
            page,
            meta,
            at: head_of(&found.event),
            head_version,
            value: found.value,
            deleted,
        })
    }

    /// The newest version, and whether its event hid the page; a damaged event does not tell.
    async fn newest(&self, page: &PageKey) -> Result<(u64, bool), ReadError> {
        let event = match self.store().head(page).await.map_err(ReadError::from) {
            Ok(head) => self.event_at(page, head.ok_or_else(|| not_found(page))?.version).await,
            Err(fault) => Err(fault),
        };
        match event {
            Ok(event) => Ok((
                event.version(),
                event.kind().is_ok_and(|kind| kind == EventKind::Delete),
            )),
            Err(ReadError::Corrupt { version, .. }) if version > 0 => Ok((version, false)),
            Err(fault) => Err(fault),
        }
    }

    /// What a page is, without reading its value.
    ///
    /// # Errors
    /// [`ReadError::PageNotFound`].
    pub async fn meta_of(&self, scope: &Id, page: &Id) -> Result<PageMeta, ReadError> {
        let page = PageKey {
            scope: scope.clone(),
            page: page.clone(),
        };
        self.meta(&page).await
    }

    /// The kind of a page, without reading its value.
    ///
    /// # Errors
    /// [`ReadError::PageNotFound`].
    pub async fn kind_of(&self, scope: &Id, page: &Id) -> Result<Kind, ReadError> {
        let page = PageKey {
            scope: scope.clone(),
            page: page.clone(),
        };
        if let Some(loaded) = self.cache().get(&page) {
            return Ok(loaded.meta.kind);
        }
        Ok(self.meta(&page).await?.kind)
    }

    /// One event.
    ///
    /// # Errors
    /// [`ReadError::NoSuchVersion`].
    pub async fn event(&self, scope: &Id, page: &Id, version: u64) -> Result<PageEvent, ReadError> {
        let page = PageKey {
            scope: scope.clone(),
            page: page.clone(),
        };
        check_page(&page)?;
        if let Some(event) = self.store().event(&page, version).await? {
            return Ok(PageEvent::new(&page, event));
        }
        let head = self.page_head(&page).await?;
        Err(ReadError::NoSuchVersion {
            version,
            head: head.version,
        })
    }

    /// A range of events, and the version to go on from where there are more.
    ///
    /// # Errors
    /// [`ReadError::PageNotFound`].
    pub async fn events(
        &self,
        scope: &Id,
        page: &Id,
        range: EventRange,
    ) -> Result<(Vec<PageEvent>, Option<u64>), ReadError> {
        let page = PageKey {
            scope: scope.clone(),
            page: page.clone(),
        };
        let head = self.page_head(&page).await?;
        let (events, falling) = match range {
            EventRange::After { version, limit } => {
                let limit = Limit {
                    entries: limit,
                    bytes: RANGE_BYTES_MAX,
                };
                (self.store().events(&page, version, limit).await?, false)
            }
            EventRange::Before { version, limit } => {
                let limit = Limit {
                    entries: limit,
                    bytes: RANGE_BYTES_MAX,
                };
                let before = version.min(head.version.saturating_add(1));
                (self.store().events_back(&page, before, limit).await?, true)
            }
        };
        let events: Vec<_> = events.into_iter().map(|event| PageEvent::new(&page, event)).collect();
        let end = if falling { 1 } else { head.version };
        let next = events
            .last()
            .map(PageEvent::version)
            .filter(|last| if falling { *last > end } else { *last < end });
        Ok((events, next))
    }

    /// The newest version whose event is not after a time. Times never go back in a page.
    async fn version_at_time(&self, page: &PageKey, head: u64, time_ms: i64) -> Result<u64, ReadError> {
        let first = self.event_at(page, 1).await?;
        if first.event.time_ms > time_ms {
            return Err(ReadError::BeforeFirst {
                first_ms: first.event.time_ms,
            });
        }
        let (mut known, mut beyond) = (1, head + 1);
        while known + 1 < beyond {
            let middle = known + (beyond - known) / 2;
            if self.event_at(page, middle).await?.event.time_ms <= time_ms {
                known = middle;
            } else {
                beyond = middle;
            }
        }
        Ok(known)
    }
}
