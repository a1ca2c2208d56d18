//! `recto export`: a page's history as a file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde_json::json;
use tempfile::NamedTempFile;

use crate::args::Export;
use crate::failure::{Code, Failure};
use crate::file::{self, Exported, Item, Sink, StandIns, Writer};
use crate::out::{BAD, DIM, GOOD, NAME, Out};
use crate::source::Source;

/// The name that stands for stdout.
const STDOUT: &str = "-";
/// What of a file is copied at once.
const COPIED_BYTES: usize = 64 * 1024;

pub(super) async fn run(source: &Source, asked: &Export, out: &mut Out) -> Result<Code, Failure> {
    let output = asked.output.as_deref().filter(|path| *path != Path::new(STDOUT));
    if output.is_none() && out.terminal {
        return Err(Failure::Usage(
            "an export is not for a terminal: name a file with --output, or pipe it".to_owned(),
        ));
    }
    // Nothing is left behind where it does not come to its end.
    let replaced = output.map(target).transpose()?.flatten();
    let folder = replaced.as_deref().and_then(Path::parent);
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
    let made = match (&replaced, folder) {
        (None, _) => NamedTempFile::new(),
        (Some(_), None) => NamedTempFile::new_in("."),
        (Some(_), Some(folder)) => NamedTempFile::new_in(folder),
    };
    let system = |fault| Failure::System {
        path: asked.output.clone().unwrap_or_else(std::env::temp_dir),
        fault,
    };
    let temporary = made.map_err(system)?;
    let exported = write(source, asked, temporary.as_file()).await?;
    if asked.stand_ins {
        let path = temporary.path().to_owned();
        let checked = tokio::task::spawn_blocking(move || file::check(&path)).await;
        checked.map_err(|gone| Failure::Output(io::Error::other(gone)))??;
    }
    match (output, &replaced) {
        (None, _) => copy(temporary.into_file(), out)?,
        (Some(path), Some(target)) => {
            temporary.as_file().sync_all().map_err(system)?;
            temporary.persist(target).map_err(|fault| system(fault.error))?;
            tell(asked, path, &exported, out)?;
        }
        (Some(path), None) => {
            out.send_to(Some(path))?;
            copy(temporary.into_file(), out)?;
        }
    }
    Ok(if exported.damaged > 0 { Code::Found } else { Code::Ok })
}

/// The file that takes the place of what a path names, links followed; `None` where it names something that is written
/// through: a pipe, a device.
fn target(path: &Path) -> Result<Option<PathBuf>, Failure> {
    let system = |fault| Failure::System {
        path: path.to_owned(),
        fault,
    };
    match path.metadata() {
        Ok(there) if there.is_file() => path.canonicalize().map(Some).map_err(system),
        Ok(there) if there.is_dir() => Err(system(io::ErrorKind::IsADirectory.into())),
        Ok(_) => Ok(None),
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => Ok(Some(path.to_owned())),
        Err(fault) => Err(system(fault)),
    }
}

async fn write(source: &Source, asked: &Export, file: &File) -> Result<Exported, Failure> {
    let page = source.key(&asked.page);
    let mut header = file::header(source, &page).await?;
    let versions = header.events;
    let out = io::BufWriter::new(file.try_clone()?);
    if asked.stand_ins {
        let (stand_ins, header) = StandIns::new(source, &page, header).await?;
        let mut sink = stand_ins.into_sink(Writer::new(out, &header)?);
        file::walk(source, &page, versions, &mut sink).await?;
        return sink.finish();
    }
    header.stand_ins = false;
    let mut sink = ToFile(Writer::new(out, &header)?);
    file::walk(source, &page, versions, &mut sink).await?;
    Ok(sink.0.finish()?.1)
}

struct ToFile<W: Write>(Writer<W>);

impl<W: Write> Sink for ToFile<W> {
    fn take(&mut self, item: Item) -> Result<(), Failure> {
        Ok(self.0.write(&item)?)
    }
}

fn copy(mut from: File, out: &mut Out) -> Result<(), Failure> {
    from.seek(SeekFrom::Start(0))?;
    let mut buffer = vec![0; COPIED_BYTES];
    loop {
        match from.read(&mut buffer)? {
            0 => return Ok(()),
            read => out.bytes(buffer.get(..read).unwrap_or_default())?,
        }
    }
}

fn tell(asked: &Export, path: &Path, exported: &Exported, out: &mut Out) -> Result<(), Failure> {
    if out.json {
        return Ok(out.json(&json!({
            "page": asked.page.as_str(),
            "file": path.display().to_string(),
            "events": exported.events,
            "receipts": exported.receipts,
            "damaged": exported.damaged,
            "bytes": exported.bytes,
            "standIns": asked.stand_ins,
        }))?);
    }
    let (done, page) = (out.paint(GOOD, "exported"), out.paint(NAME, &asked.page));
    let path = path.display();
    out.line(format_args!(
        "{done} {page} to {path}: {} events, {} bytes",
        exported.events, exported.bytes
    ))?;
    if asked.stand_ins {
        out.line(out.paint(
            DIM,
            "texts, asset ids and names are stand-ins; every digest and inverse was tried",
        ))?;
    }
    if exported.damaged > 0 {
        let told = format!("{} lines tell of damage: run `recto verify`", exported.damaged);
        out.line(out.paint(BAD, told))?;
    }
    Ok(())
}
