//! `recto show`: a page at a version.

use recto_projections::{DesignValue, Value};
use serde_json::json;

use crate::args::{Show, ShowForm};
use crate::failure::{Code, Failure};
use crate::out::{BAD, DIM, NAME, Out};
use crate::outline;
use crate::picture::{self, Heading};
use crate::source::Source;
use crate::states::{State, States};

pub(super) async fn run(source: &Source, asked: &Show, out: &mut Out) -> Result<Code, Failure> {
    let page = source.key(&asked.page);
    let version = source.resolve(&page, asked.at).await?;
    let mut states = States::of(source, &page).await?;
    let state = states.at(version).await?;
    if out.json && asked.form.is_some_and(|form| form != ShowForm::Json) {
        return Err(Failure::Usage(
            "--json is --as json: leave one of the two out".to_owned(),
        ));
    }
    out.send_to(asked.output.as_deref())?;
    let form = asked.form.unwrap_or(if out.terminal && !out.json {
        ShowForm::Text
    } else {
        ShowForm::Json
    });
    match form {
        ShowForm::Json => as_json(&state, asked, version, out)?,
        ShowForm::Text => as_text(&state, asked, version, out)?,
        ShowForm::Html => out.bytes(as_html(&state, asked, version).as_bytes())?,
        ShowForm::Svg => out.bytes(picture::svg(design(&state)?).as_bytes())?,
        ShowForm::Png => out.bytes(&picture::png(design(&state)?)?)?,
    }
    Ok(if state.doubt.is_some() { Code::Found } else { Code::Ok })
}

fn as_json(state: &State, asked: &Show, version: u64, out: &mut Out) -> Result<(), Failure> {
    let value = match &asked.file {
        Some(path) => json!(file(state, path)?),
        None => state.value.to_json(),
    };
    let doubt = state.doubt.as_ref();
    let json = json!({
        "page": asked.page.as_str(),
        "kind": state.value.kind().as_str(),
        "version": version,
        "digest": state.value.digest().to_string(),
        "uncertainSince": doubt.map(|doubt| doubt.since),
        "value": value,
    });
    Ok(out.json(&json)?)
}

fn as_text(state: &State, asked: &Show, version: u64, out: &mut Out) -> Result<(), Failure> {
    if let Some(path) = &asked.file {
        return Ok(out.bytes(file(state, path)?.as_bytes())?);
    }
    let kind = state.value.kind();
    let name = out.paint(NAME, &asked.page);
    let head = out.paint(
        DIM,
        format!("{kind} at version {version}, digest {}", state.value.digest()),
    );
    out.line(format_args!("{name}  {head}"))?;
    if let Some(doubt) = &state.doubt {
        let told = format!("uncertain since version {}: {}", doubt.since, doubt.reason);
        out.line(out.paint(BAD, told))?;
    }
    for line in outline::lines(&state.value) {
        out.line(line)?;
    }
    Ok(())
}

fn as_html(state: &State, asked: &Show, version: u64) -> String {
    let heading = Heading {
        page: asked.page.as_str(),
        version,
        doubt: state.doubt.as_ref(),
    };
    picture::html(&heading, &state.value)
}

fn file(state: &State, path: &str) -> Result<String, Failure> {
    let Value::Code(code) = &state.value else {
        return Err(Failure::Usage("--file is for CODE pages".to_owned()));
    };
    code.file(path)
        .map(recto_projections::text::RichText::to_plain)
        .ok_or_else(|| Failure::NotFound(format!("there is no file {path:?} at this version")))
}

fn design(state: &State) -> Result<&DesignValue, Failure> {
    match &state.value {
        Value::Design(design) => Ok(design),
        other => Err(Failure::Usage(format!(
            "only DESIGN pages can be drawn, and this is a {} page: use --as html or text",
            other.kind()
        ))),
    }
}
