//! `recto diff`: what differs between two versions.

use recto_pages::{At, PageDiff, PageKey, ReadError};
use recto_projections::words::describe;
use serde_json::json;

use crate::args::{Diff, DiffForm};
use crate::failure::{Code, Failure};
use crate::out::{BAD, DIM, NAME, Out};
use crate::picture::{self, Heading};
use crate::source::Source;
use crate::states::{Doubt, State, States};

/// A difference, and how far it can be believed.
struct Told {
    diff: PageDiff,
    doubt: Option<Doubt>,
}

pub(super) async fn run(source: &Source, asked: &Diff, out: &mut Out) -> Result<Code, Failure> {
    let page = source.key(&asked.page);
    let from = source.resolve(&page, asked.from).await?;
    let to = source.resolve(&page, asked.to).await?;
    if asked.form == DiffForm::Html && out.json {
        return Err(Failure::Usage(
            "--json and --as html are two forms: leave one out".to_owned(),
        ));
    }
    if asked.form == DiffForm::Html {
        return as_html(source, &page, (from, to), asked, out).await;
    }
    let told = find(source, &page, from, to).await?;
    out.send_to(asked.output.as_deref())?;
    match (asked.form, out.json) {
        (_, true) => as_json(&told, asked, out)?,
        (DiffForm::Delta, _) => out.json(&told.diff.delta.to_json())?,
        _ => as_words(&told, asked, out)?,
    }
    Ok(code(told.doubt.as_ref()))
}

/// As the page service says, where it can; else as far as the states can be found.
async fn find(source: &Source, page: &PageKey, from: u64, to: u64) -> Result<Told, Failure> {
    let ends = (At::Version(from), At::Version(to));
    match source.pages.diff(&page.scope, &page.page, ends.0, ends.1).await {
        Ok(diff) => return Ok(Told { diff, doubt: None }),
        Err(ReadError::Corrupt { .. }) => {}
        Err(fault) => return Err(fault.into()),
    }
    let mut states = States::of(source, page).await?;
    let (old, new) = (states.at(from).await?, states.at(to).await?);
    let diff = compare((from, &old), (to, &new))?;
    Ok(Told {
        diff,
        doubt: old.doubt.or(new.doubt),
    })
}

fn compare((from, old): (u64, &State), (to, new): (u64, &State)) -> Result<PageDiff, Failure> {
    let delta = old
        .value
        .diff(&new.value)
        .map_err(|fault| ReadError::NoDiff { fault })?;
    Ok(PageDiff {
        from,
        to,
        from_digest: old.value.digest(),
        to_digest: new.value.digest(),
        words: describe(&delta, &old.value),
        delta,
    })
}

fn as_json(told: &Told, asked: &Diff, out: &mut Out) -> Result<(), Failure> {
    let diff = &told.diff;
    let mut json = json!({
        "page": asked.page.as_str(),
        "from": diff.from,
        "to": diff.to,
        "fromDigest": diff.from_digest.to_string(),
        "toDigest": diff.to_digest.to_string(),
        "words": diff.words,
        "delta": diff.delta.to_json(),
    });
    if let (Some(doubt), Some(map)) = (&told.doubt, json.as_object_mut()) {
        map.insert("uncertainSince".to_owned(), doubt.since.into());
    }
    Ok(out.json(&json)?)
}

fn as_words(told: &Told, asked: &Diff, out: &mut Out) -> Result<(), Failure> {
    let diff = &told.diff;
    let name = out.paint(NAME, &asked.page);
    let head = out.paint(DIM, format!("version {} → {}", diff.from, diff.to));
    out.line(format_args!("{name}  {head}"))?;
    if let Some(doubt) = &told.doubt {
        let told = format!("uncertain since version {}: {}", doubt.since, doubt.reason);
        out.line(out.paint(BAD, told))?;
    }
    for words in &diff.words {
        out.line(format_args!("    {words}"))?;
    }
    if diff.words.is_empty() {
        out.line("    nothing differs")?;
    }
    Ok(())
}

async fn as_html(
    source: &Source,
    page: &PageKey,
    (from, to): (u64, u64),
    asked: &Diff,
    out: &mut Out,
) -> Result<Code, Failure> {
    let mut states = States::of(source, page).await?;
    let (old, new) = (states.at(from).await?, states.at(to).await?);
    let diff = compare((from, &old), (to, &new))?;
    let (old_heading, new_heading) = (heading(page, from, &old), heading(page, to, &new));
    let html = picture::diff_page(
        (&old_heading, &old.value),
        (&new_heading, &new.value),
        &diff.delta,
        &diff.words,
    );
    out.send_to(asked.output.as_deref())?;
    out.bytes(html.as_bytes())?;
    Ok(code(old.doubt.as_ref().or(new.doubt.as_ref())))
}

fn heading<'a>(page: &'a PageKey, version: u64, state: &'a State) -> Heading<'a> {
    Heading {
        page: page.page.as_str(),
        version,
        doubt: state.doubt.as_ref(),
    }
}

fn code(doubt: Option<&Doubt>) -> Code {
    if doubt.is_some() { Code::Found } else { Code::Ok }
}
