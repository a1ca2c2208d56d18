//! Which pages a load makes.

use super::error::LoadError;
use super::options::Options;
use super::report::Loaded;
use super::{Context, canvas_page, history_page, trace_page};
use crate::canvas::Canvas;
use crate::corpora::Corpora;
use crate::history::{HISTORIES, History};
use crate::trace::{PAPER, Trace};

/// The traces of a load that names none.
const TRACES: [&str; 2] = [PAPER, "rustcode"];

/// Where one page comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Trace(String),
    History(History),
    Canvas(String),
}

impl Source {
    fn name(&self) -> String {
        match self {
            Self::Trace(name) => name.clone(),
            Self::History(history) => history.name.to_owned(),
            Self::Canvas(file) => Canvas::name_of(file),
        }
    }

    pub(super) fn load(&self, context: &Context<'_>) -> Result<Loaded, LoadError> {
        match self {
            Self::Trace(name) => trace_page::load(context, name),
            Self::History(history) => history_page::load(context, *history),
            Self::Canvas(file) => canvas_page::load(context, file),
        }
    }
}

/// Every name that can be selected.
///
/// # Errors
/// Where the corpora cannot be read.
pub fn names(options: &Options) -> Result<Vec<String>, LoadError> {
    let corpora = Corpora::find(options.corpora.as_deref())?;
    Ok(all(&corpora)?.iter().map(|source| source.name()).collect())
}

pub(super) fn select(corpora: &Corpora, options: &Options) -> Result<Vec<Source>, LoadError> {
    let known = all(corpora)?;
    if options.what.is_empty() {
        return Ok(known.into_iter().filter(in_default).collect());
    }
    let mut selected = Vec::new();
    for name in &options.what {
        let found: Vec<_> = known.iter().filter(|source| is_meant(source, name)).cloned().collect();
        if found.is_empty() {
            return Err(LoadError::UnknownName { name: name.clone() });
        }
        selected.extend(found);
    }
    selected.dedup();
    Ok(selected)
}

fn all(corpora: &Corpora) -> Result<Vec<Source>, LoadError> {
    let mut sources: Vec<Source> = Trace::names(corpora)?.into_iter().map(Source::Trace).collect();
    sources.extend(HISTORIES.map(Source::History));
    sources.extend(Canvas::files(corpora)?.into_iter().map(Source::Canvas));
    Ok(sources)
}

fn in_default(source: &Source) -> bool {
    !matches!(source, Source::Trace(_)) || TRACES.contains(&source.name().as_str())
}

fn is_meant(source: &Source, name: &str) -> bool {
    match (name, source) {
        ("all-traces", Source::Trace(_)) | ("histories", Source::History(_)) | ("canvases", Source::Canvas(_)) => true,
        ("traces", Source::Trace(_)) => in_default(source),
        _ => source.name() == name,
    }
}
