//! Images for which no page is named: they go to the page that they belong to, else to the default canvas of the file,
//! else to a new canvas, made once a turn however many images ask for it.

use recto_projections::canvas::{PRESET, WHITEBOARD};
use recto_projections::{Kind, Value};
use recto_store::{Id, PageKey, RecordKey, RecordWrite};
use serde_json::json;
use std::sync::LazyLock;

use super::image::{Bounds, InsertImage};
use crate::actor::Caller;
use crate::answer::Written;
use crate::create::CreatePage;
use crate::error::{ReadError, WriteError};
use crate::report::Report;
use crate::service::Pages;

/// The record table with the default canvas of each file.
static CANVAS_TABLE: LazyLock<Id> =
    LazyLock::new(|| Id::new("canvas").unwrap_or_else(|fault| unreachable!("it is an id: {fault}")));
const ID_DOMAIN: &str = "recto 2026 default canvas v1";
const LOCK_DOMAIN: &str = "recto 2026 image command lock v1";
const ID_DIGITS: usize = 32;
/// How often it starts over where somebody else was faster.
const TRIES_MAX: usize = 8;

/// An image to be added to a page that is not named.
#[derive(Clone, Debug)]
pub struct InsertCanvasImage {
    /// Who delivers it. Its turn makes at most one new canvas a file.
    pub caller: Caller,
    /// The page that the image belongs to, where there is one; it counts where it is a DESIGN page that is not deleted.
    pub related: Option<Id>,
    /// The file of the design tool.
    pub file: Option<Id>,
    /// The asset that it shows.
    pub asset: Id,
    /// The id of the node; without one it is made from the command.
    pub node: Option<Id>,
    /// Where it lies, and how large it is.
    pub bounds: Bounds,
    /// The deleted page whose slot it was meant for. Where there is no file, its images share one canvas.
    pub instead_of: Option<Id>,
    /// The idempotency key.
    pub command: Id,
}

/// The record of a file's canvas.
struct Noted {
    revision: u64,
    page: Id,
}

impl Pages {
    /// Adds an image to the page that it belongs to, or to a default canvas.
    ///
    /// # Errors
    /// As [`Pages::insert_image`].
    pub async fn insert_canvas_image(&self, insert: InsertCanvasImage) -> Result<Written, WriteError> {
        let written = self.deliver_to_canvas(insert).await?;
        self.settle_slots(&written).await?;
        Ok(written)
    }

    /// As [`Pages::insert_canvas_image`]; the slot of this id is told by the caller.
    pub(crate) async fn deliver_to_canvas(&self, insert: InsertCanvasImage) -> Result<Written, WriteError> {
        let scope = insert.caller.scope.clone();
        // Two sendings of one command find one page: the second comes after the first, and to where it went.
        let _lock = self.locks().lock(&lock_key(&scope, &insert.command)?).await;
        for _ in 0..TRIES_MAX {
            if let Some(first) = self.first_delivery(&scope, &insert.command).await? {
                return self.deliver_to_page(insert.to(first.written.page.page)).await;
            }
            let page = PageKey::new(scope.clone(), self.canvas_for(&insert).await?);
            let delivery = insert.to(page.page.clone()).delivery(page, insert.instead_of.is_some());
            match self.deliver(&delivery).await {
                // It was deleted just now: the next one takes the image.
                Err(WriteError::PageDeleted { .. }) => {}
                // Its slot was filled just now.
                Err(WriteError::CommandIdReused { .. }) if self.delivered(&scope, &insert.command).await?.is_some() => {
                }
                answer => return answer,
            }
        }
        Err(too_fast())
    }

    async fn canvas_for(&self, insert: &InsertCanvasImage) -> Result<Id, WriteError> {
        let scope = &insert.caller.scope;
        if let Some(related) = &insert.related
            && self.is_canvas(scope, related).await?
        {
            return Ok(related.clone());
        }
        // A canvas that was deleted is not made again: the next one has another id.
        let mut gone = 0;
        for _ in 0..TRIES_MAX {
            let noted = self.noted_canvas(scope, insert.file.as_ref()).await?;
            if let Some(noted) = &noted
                && self.is_canvas(scope, &noted.page).await?
            {
                return Ok(noted.page.clone());
            }
            let page = canvas_id(insert, gone)?;
            match self
                .make_canvas(insert, &page, noted.map_or(0, |noted| noted.revision))
                .await
            {
                Ok(()) => return Ok(page),
                // Another turn noted its canvas first, or its maker is not done yet.
                Err(WriteError::Read(ReadError::PageNotFound { .. })) => {}
                Err(WriteError::PageDeleted { .. } | WriteError::PageExists { .. }) => gone += 1,
                Err(fault) => return Err(fault),
            }
        }
        Err(too_fast())
    }

    /// Whether a page can take an image.
    async fn is_canvas(&self, scope: &Id, page: &Id) -> Result<bool, ReadError> {
        let page = PageKey {
            scope: scope.clone(),
            page: page.clone(),
        };
        match self.load(&page).await {
            Ok(loaded) => Ok(loaded.meta.kind == Kind::Design && !loaded.deleted),
            Err(ReadError::PageNotFound { .. }) => Ok(false),
            Err(fault) => Err(fault),
        }
    }

    async fn noted_canvas(&self, scope: &Id, file: Option<&Id>) -> Result<Option<Noted>, ReadError> {
        let Some(file) = file else { return Ok(None) };
        let record = self
            .store()
            .record(scope, &CANVAS_TABLE, &RecordKey::from(file))
            .await?;
        let Some(record) = record else { return Ok(None) };
        let page = std::str::from_utf8(&record.value)
            .ok()
            .and_then(|page| Id::new(page).ok());
        let page = page.ok_or_else(|| ReadError::Corrupt {
            version: 0,
            what: format!("the record of the canvas of file {file} names no page"),
        })?;
        let revision = record.revision;
        Ok(Some(Noted { revision, page }))
    }

    /// Makes an empty whiteboard, and notes it as the canvas of the file in the same commit.
    async fn make_canvas(&self, insert: &InsertCanvasImage, page: &Id, revision: u64) -> Result<(), WriteError> {
        let value = Value::from_json(Kind::Design, &json!({ "attributes": { PRESET: WHITEBOARD } }));
        let create = CreatePage {
            caller: insert.caller.clone(),
            page: page.clone(),
            kind: Kind::Design,
            file: insert.file.clone(),
            value: value.map_err(WriteError::Invalid)?,
            command: short_id("canvas of ", ID_DOMAIN, &[insert.command.as_str(), page.as_str()])?,
        };
        let note = insert.file.as_ref().map(|file| RecordWrite {
            table: CANVAS_TABLE.clone(),
            key: RecordKey::from(file),
            expected_revision: revision,
            value: page.as_str().as_bytes().to_vec().into(),
        });
        // It is the image that is billed, not the canvas.
        self.create_in(create, Report::default(), None, note.into_iter().collect())
            .await
            .map(drop)
    }
}

impl InsertCanvasImage {
    /// The same, to a page.
    fn to(&self, page: Id) -> InsertImage {
        InsertImage {
            caller: self.caller.clone(),
            page,
            asset: self.asset.clone(),
            node: self.node.clone(),
            bounds: self.bounds,
            command: self.command.clone(),
        }
    }
}

fn too_fast() -> WriteError {
    WriteError::Unavailable {
        reason: "the default canvas of the file changes faster than this write can follow".to_owned(),
    }
}

/// The id of a new canvas: the same for all images of a turn, in one file, and for all that were meant for a page.
fn canvas_id(insert: &InsertCanvasImage, gone: usize) -> Result<Id, WriteError> {
    let file = insert.file.as_ref().map_or("", |file| file.as_str());
    let (sort, of) = match (&insert.instead_of, &insert.caller.turn) {
        (Some(page), _) => ("page", page),
        (None, Some(turn)) => ("turn", turn),
        (None, None) => ("command", &insert.command),
    };
    short_id("canvas-", ID_DOMAIN, &[file, sort, of.as_str(), &gone.to_string()])
}

fn lock_key(scope: &Id, command: &Id) -> Result<PageKey, WriteError> {
    Ok(PageKey {
        scope: scope.clone(),
        page: short_id("lock of ", LOCK_DOMAIN, &[command.as_str()])?,
    })
}

fn short_id(lead: &str, domain: &str, parts: &[&str]) -> Result<Id, WriteError> {
    let mut hasher = blake3::Hasher::new_derive_key(domain);
    for part in parts {
        // No id holds a line break.
        hasher.update(part.as_bytes()).update(b"\n");
    }
    let id = format!("{lead}{}", &hasher.finalize().to_hex()[..ID_DIGITS]);
    Id::new(&id).map_err(|fault| WriteError::Unavailable {
        reason: fault.to_string(),
    })
}
