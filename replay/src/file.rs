//! Exported files.

use std::path::Path;
use std::sync::Arc;

use recto_store::Engine;

use crate::failure::Failure;

/// Reads an exported file into memory, as a store that is then read as any other.
///
/// # Errors
/// [`Failure::File`].
pub async fn load(path: &Path) -> Result<Arc<dyn Engine>, Failure> {
    todo!()
}
