//! Which streams are pages, and where one stands.

use recto_store::{Head, PageKey};

use crate::chats::is_chat;
use crate::error::ReadError;
use crate::service::Pages;

impl Pages {
    /// Where the stream of a page stands.
    pub(crate) async fn page_head(&self, page: &PageKey) -> Result<Head, ReadError> {
        check_page(page)?;
        self.store().head(page).await?.ok_or_else(|| not_found(page))
    }
}

/// Refuses the stream of a chat, which lies beside those of pages and is none.
pub(crate) fn check_page(page: &PageKey) -> Result<(), ReadError> {
    if is_chat(&page.page) {
        Err(not_found(page))
    } else {
        Ok(())
    }
}

pub(crate) fn not_found(page: &PageKey) -> ReadError {
    ReadError::PageNotFound {
        page: page.page.to_string(),
    }
}
