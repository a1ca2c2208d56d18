//! `recto log`: the events of a page.

use std::io;
use std::ops::RangeInclusive;

use recto_pages::PageKey;

use crate::args::{Log, LogForm, Point};
use crate::failure::{Code, Failure};
use crate::history::Found;
use crate::out::{BAD, DIM, NAME, Out, VERSION, time};
use crate::picture;
use crate::source::Source;
use crate::states::{Doubt, State, States, step};
use crate::telling;

/// The events gone over between two looks at whether a reader is still there.
const CHUNK: u64 = 1024;
/// The characters of a digest that are told.
const DIGEST_CHARS: usize = 8;

/// An event as the log tells it.
pub struct Told {
    /// What lies there.
    pub found: Found,
    /// What it did.
    pub words: Vec<String>,
    /// From when on states are uncertain, where this one is.
    pub doubt: Option<Doubt>,
}

pub(super) async fn run(source: &Source, asked: &Log, out: &mut Out) -> Result<Code, Failure> {
    let page = source.key(&asked.page);
    let from = source.resolve(&page, asked.from.unwrap_or(Point::Version(1))).await?;
    let to = source.resolve(&page, asked.to.unwrap_or(Point::Head)).await?;
    if from > to {
        return Err(Failure::Usage(format!("--from {from} is behind --to {to}")));
    }
    if out.json && asked.form == LogForm::Html {
        return Err(Failure::Usage(
            "--json and --as html are two forms: leave one out".to_owned(),
        ));
    }
    out.send_to(asked.output.as_deref())?;
    if asked.form == LogForm::Html {
        let html = picture::log_page(source, &page, from..=to, asked).await?;
        out.bytes(html.as_bytes())?;
        return Ok(Code::Ok);
    }
    let mut lines = Lines {
        out,
        left: if asked.limit == 0 { usize::MAX } else { asked.limit },
        damaged: false,
    };
    let mut walk = Walk::new(source, &page, asked.oldest_first, from..=to).await?;
    while lines.left > 0 {
        let chunk = walk.next().await?;
        if chunk.is_empty() {
            break;
        }
        for told in chunk.iter().filter(|told| is_asked(asked, told)) {
            lines.tell(told)?;
            if lines.left == 0 {
                break;
            }
        }
        lines.out.flush()?;
    }
    Ok(if lines.damaged { Code::Found } else { Code::Ok })
}

/// Whether an event is among those asked for. What cannot be read always is.
#[must_use]
pub fn is_asked(asked: &Log, told: &Told) -> bool {
    let Some(page_event) = told.found.event() else {
        return true;
    };
    let event = &page_event.event;
    let by = |actor: &str| event.actor == actor;
    let touched = |node: &str| match (page_event.delta(), page_event.inverse()) {
        (Ok(delta), Ok(inverse)) => [delta, inverse].into_iter().flatten().any(|delta| delta.touches(node)),
        _ => true,
    };
    let has_text = |text: &str| {
        let text = text.to_lowercase();
        let delta = page_event
            .delta()
            .ok()
            .flatten()
            .map(|delta| delta.to_json().to_string());
        told.words
            .iter()
            .chain(&delta)
            .any(|words| words.to_lowercase().contains(&text))
    };
    asked.actor.as_deref().is_none_or(by)
        && asked
            .turn
            .as_deref()
            .is_none_or(|turn| event.turn.as_deref() == Some(turn))
        && asked.node.as_deref().is_none_or(touched)
        && asked.grep.as_deref().is_none_or(has_text)
}

/// Goes over events with their words, chunk by chunk, so that the first ones are told at once.
pub struct Walk<'a> {
    source: &'a Source,
    page: &'a PageKey,
    states: States,
    rising: bool,
    left: RangeInclusive<u64>,
    /// Going forwards: the state before the next event.
    state: Option<State>,
    chunk: u64,
}

impl<'a> Walk<'a> {
    /// Over some versions of a page, from the oldest or from the newest.
    ///
    /// # Errors
    /// [`Failure`], where the page cannot be read at all.
    pub async fn new(
        source: &'a Source,
        page: &'a PageKey,
        rising: bool,
        versions: RangeInclusive<u64>,
    ) -> Result<Self, Failure> {
        Ok(Self {
            source,
            page,
            states: States::of(source, page).await?,
            rising,
            left: versions,
            state: None,
            // The first ones are wanted soonest.
            chunk: CHUNK / 32,
        })
    }

    /// The next events; none at the end.
    ///
    /// # Errors
    /// [`Failure`], where the store is away.
    pub async fn next(&mut self) -> Result<Vec<Told>, Failure> {
        if self.left.is_empty() {
            return Ok(Vec::new());
        }
        let (first, last) = (*self.left.start(), *self.left.end());
        let size = self.chunk.min(last - first + 1);
        self.chunk = (self.chunk * 2).min(CHUNK);
        let versions = if self.rising {
            self.left = first + size..=last;
            first..=first + size - 1
        } else {
            self.left = first..=last - size;
            last - size + 1..=last
        };
        let mut told = self.tell(versions).await?;
        if !self.rising {
            told.reverse();
        }
        Ok(told)
    }

    async fn tell(&mut self, versions: RangeInclusive<u64>) -> Result<Vec<Told>, Failure> {
        let (first, last) = (*versions.start(), *versions.end());
        let mut state = match self.state.take() {
            Some(state) => state,
            None => self.states.at(first - 1).await?,
        };
        let mut all = Vec::new();
        let mut at = first;
        while at <= last {
            for found in self.source.events(self.page, at..=last).await? {
                at = found.version() + 1;
                let words = telling::words(&found, &state.value);
                step(&mut state, &found);
                let doubt = state.doubt.clone();
                all.push(Told { found, words, doubt });
            }
        }
        if self.rising {
            self.state = Some(state);
        }
        Ok(all)
    }
}

struct Lines<'a> {
    out: &'a mut Out,
    left: usize,
    damaged: bool,
}

impl Lines<'_> {
    fn tell(&mut self, told: &Told) -> io::Result<()> {
        self.left -= 1;
        self.damaged |= told.doubt.is_some();
        if self.out.json {
            let mut json = telling::json(&told.found, &told.words);
            if let (Some(doubt), Some(map)) = (&told.doubt, json.as_object_mut()) {
                map.insert("uncertainSince".to_owned(), doubt.since.into());
            }
            return self.out.json(&json);
        }
        self.head(told)?;
        for words in &told.words {
            self.out.line(format_args!("    {words}"))?;
        }
        Ok(())
    }

    fn head(&mut self, told: &Told) -> io::Result<()> {
        let out = &mut *self.out;
        let version = out.paint(VERSION, told.found.version());
        let mut line = match told.found.event() {
            Some(page_event) => {
                let event = &page_event.event;
                let digest: String = page_event.digest().to_string().chars().take(DIGEST_CHARS).collect();
                let actor = out.paint(NAME, &event.actor);
                let turn = event
                    .turn
                    .as_ref()
                    .map_or_else(String::new, |turn| format!("  turn {turn}"));
                let digest = out.paint(DIM, format!("command {}  {digest}", event.command));
                format!("{version}  {}  {actor}{turn}  {digest}", time(event.time_ms))
            }
            None => format!("{version}  {}", out.paint(BAD, "damaged")),
        };
        if let Some(doubt) = &told.doubt {
            let since = format!("  uncertain since {}: {}", doubt.since, doubt.reason);
            line.push_str(&out.paint(BAD, since));
        }
        out.line(line)
    }
}
