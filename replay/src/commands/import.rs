//! `recto import`: an exported page into a data folder.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use recto_store::{Engine, RocksEngine, RocksOptions, Store};
use serde_json::json;

use crate::args::{Common, Import};
use crate::failure::{Code, Failure};
use crate::file::{self, Imported, Target};
use crate::out::{DIM, GOOD, NAME, Out};
use crate::telling::hash;

pub(super) async fn run(common: &Common, asked: &Import, out: &mut Out) -> Result<Code, Failure> {
    let path = asked.file.clone();
    // All of it, before anything is opened.
    let checked = tokio::task::spawn_blocking(move || file::check(&path)).await;
    let sound = checked.map_err(|gone| Failure::Output(std::io::Error::other(gone)))??;
    let is_new = is_new_folder(&common.data)?;
    let engine = RocksEngine::open(&common.data, &RocksOptions::synced()).map_err(|fault| Failure::Folder {
        folder: common.data.clone(),
        fault,
    })?;
    let engine: Arc<dyn Engine> = Arc::new(engine);
    let store = Store::open(Arc::clone(&engine)).await?;
    let target = Target {
        page: asked.page.clone(),
        workspace: common.workspace.clone(),
    };
    let imported = file::import(&asked.file, &target, &engine).await;
    // What was acknowledged is durable, whatever becomes of closing.
    let closed = store.close().await;
    let imported = imported?;
    closed?;
    tell(&imported, sound.receipts, is_new, common, out)?;
    Ok(Code::Ok)
}

/// Whether there is nothing yet where the data is to go. A folder of other things is not made one of data.
fn is_new_folder(folder: &Path) -> Result<bool, Failure> {
    if RocksEngine::has_begun_in(folder) {
        return Ok(false);
    }
    match fs::read_dir(folder).map(|mut entries| entries.next().is_none()) {
        Ok(true) => Ok(true),
        Ok(false) => Err(Failure::Refused(format!(
            "nothing was imported: {} holds other things and no data; name a data folder, or one that is new or empty",
            folder.display()
        ))),
        Err(fault) if fault.kind() == ErrorKind::NotFound => Ok(true),
        Err(fault) => Err(Failure::System {
            path: folder.to_owned(),
            fault,
        }),
    }
}

fn tell(imported: &Imported, receipts: u64, is_new: bool, common: &Common, out: &mut Out) -> Result<(), Failure> {
    let head = hash(imported.head);
    if out.json {
        return Ok(out.json(&json!({
            "page": imported.page.page.as_str(),
            "workspace": imported.page.scope.as_str(),
            "versions": imported.versions,
            "alreadyThere": imported.there,
            "receipts": receipts,
            "head": head,
            "sameHashes": imported.same_hashes,
            "imported": !imported.was_there(),
            "newFolder": is_new,
        }))?);
    }
    let page = out.paint(NAME, &imported.page.page);
    let workspace = &imported.page.scope;
    let versions = imported.versions;
    if imported.was_there() {
        out.line(format_args!(
            "{page} of workspace {workspace} is already there, at version {versions}"
        ))?;
    } else {
        let done = out.paint(GOOD, "imported");
        let folder = common.data.display();
        let new = if is_new { "the new folder " } else { "" };
        out.line(format_args!(
            "{done} {page} into workspace {workspace} of {new}{folder}, at version {versions}"
        ))?;
        if imported.there > 0 {
            let there = format!("versions 1 to {} were there already", imported.there);
            out.line(out.paint(DIM, there))?;
        }
    }
    let chain = if imported.same_hashes {
        "as in the file"
    } else {
        "made anew"
    };
    out.line(out.paint(DIM, format!("head {head}, the hash chain {chain}")))?;
    Ok(())
}
