//! A history of whole versions as a DOC or CODE page, one replace a version.

use std::collections::BTreeMap;

use super::error::LoadError;
use super::report::Loaded;
use super::trace_page::to_u64;
use super::{Context, compare};
use crate::client::version_of;
use crate::history::{History, Version};

/// How many versions are compared.
const STATES: usize = 50;

pub(super) fn load(context: &Context<'_>, history: History) -> Result<Loaded, LoadError> {
    let page = context.page_id(history.name);
    let mut progress = context.board.page(history.name);
    let count = history.count(context.corpora)?.min(context.options.versions_max());
    let wanted = compare::spread(count.saturating_sub(1), STATES);

    progress.phase("writing", count);
    let mut etags: BTreeMap<usize, String> = BTreeMap::new();
    let (mut etag, mut replayed) = (String::new(), 0);
    history.each(context.corpora, |version| {
        if version.seq >= count {
            return Ok(());
        }
        context.check_stop()?;
        let value = history.kind.value(&version.text);
        let key = format!("{page}/{}", version.seq);
        let written = if version.seq == 0 {
            context.client.create(&page, history.kind.as_str(), &value, &key)?
        } else {
            context.client.replace(&page, &etag, &value, &key)?
        };
        replayed += u64::from(written.replayed);
        etag = written.etag;
        if wanted.contains(&version.seq) {
            etags.insert(version.seq, etag.clone());
        }
        progress.step();
        Ok::<(), LoadError>(())
    })?;
    let writing = progress.took();

    // The source is read a second time: nothing that was sent is kept for the comparison.
    progress.phase("reading", wanted.len());
    let mut compared_bytes = 0;
    history.each(context.corpora, |version| {
        let Some(etag) = etags.get(&version.seq) else {
            return Ok(());
        };
        context.check_stop()?;
        compared_bytes += compare_version(context, history, &page, etag, &version)?;
        progress.step();
        Ok::<(), LoadError>(())
    })?;
    let loaded = Loaded {
        page,
        kind: history.kind.as_str(),
        writes: to_u64(count),
        replayed,
        writing,
        version: version_of(&etag).to_owned(),
        compared: to_u64(etags.len()),
        compared_bytes,
        reading: progress.took(),
    };
    progress.finish(context.board, &loaded.line());
    Ok(loaded)
}

fn compare_version(
    context: &Context<'_>,
    history: History,
    page: &str,
    etag: &str,
    version: &Version,
) -> Result<u64, LoadError> {
    let value = context.client.read(page, etag)?;
    let read = history.kind.text(&value, &version.text);
    let read = read.ok_or_else(|| compare::differs(page, etag, "the page holds more than a text".to_owned()))?;
    compare::texts(page, etag, &read, &version.text)?;
    Ok(to_u64(read.len()))
}
