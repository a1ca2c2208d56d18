//! `recto bisect`: the first version at which a check fails.

use recto_pages::PageKey;
use serde_json::{Value as Json, json};

use crate::args::Bisect;
use crate::failure::{Code, Failure};
use crate::out::{BAD, DIM, GOOD, NAME, Out, VERSION, time};
use crate::probe::{Asked, Probe, Verdict};
use crate::search::{Ends, Search, Turned};
use crate::source::Source;
use crate::states::{State, States};
use crate::telling;

mod doubts;

/// Versions that were passed over, as many as are told.
const SKIPPED_TOLD: usize = 20;

/// What was found between two versions.
struct Found<'a> {
    page: &'a PageKey,
    probe: &'a Probe,
    ends: Ends,
    turned: Turned,
    tried: Vec<(u64, Verdict)>,
    event: Json,
    head: String,
    words: Vec<String>,
    doubts: Vec<String>,
}

pub(super) async fn run(source: &Source, asked: &Bisect, out: &mut Out) -> Result<Code, Failure> {
    let probe: Probe = asked.check.parse().map_err(Failure::Usage)?;
    let page = source.key(&asked.page);
    let good = source.resolve(&page, asked.good).await?;
    let bad = source.resolve(&page, asked.bad).await?;
    let ends = Ends::new(good, bad).ok_or_else(|| {
        Failure::Usage(format!(
            "--good {good} must be an earlier version than --bad {bad}; they are searched forwards"
        ))
    })?;
    let mut reads = Reads::new(source, &page, &probe).await?;
    reads.expect_pass(good).await?;
    if reads.is_pass_at_bad(bad).await? {
        return tell_nothing(&probe, ends, &reads, out);
    }
    let mut search = Search::new(ends);
    while let Some(version) = search.next() {
        search.answer(version, reads.ask(version).await?);
    }
    let turned = search.turned();
    let found = Found::new(source, &page, &probe, ends, turned, reads).await?;
    if out.json {
        out.json(&found.json())?;
    } else {
        found.tell(out)?;
    }
    Ok(Code::Found)
}

/// The states read, and what the check says of them.
struct Reads<'a> {
    page: &'a PageKey,
    probe: &'a Probe,
    states: States,
    tried: Vec<(u64, Verdict)>,
}

impl<'a> Reads<'a> {
    async fn new(source: &Source, page: &'a PageKey, probe: &'a Probe) -> Result<Self, Failure> {
        let states = States::of(source, page).await?;
        probe.check_kind(states.kind())?;
        let tried = Vec::new();
        Ok(Self {
            page,
            probe,
            states,
            tried,
        })
    }

    /// A state that is uncertain has no answer.
    async fn ask(&mut self, version: u64) -> Result<Verdict, Failure> {
        let state = self.states.at(version).await?;
        let verdict = match state.doubt {
            Some(_) => Verdict::Skip,
            None => self.ask_state(version, &state).await?,
        };
        self.tried.push((version, verdict));
        Ok(verdict)
    }

    async fn ask_state(&self, version: u64, state: &State) -> Result<Verdict, Failure> {
        let asked = Asked {
            page: self.page.page.as_str(),
            version,
            value: &state.value,
        };
        self.probe.ask(&asked).await
    }

    async fn expect_pass(&mut self, good: u64) -> Result<(), Failure> {
        match self.ask(good).await? {
            Verdict::Pass => Ok(()),
            Verdict::Fail => Err(Failure::Refused(format!(
                "the check `{}` fails at version {good} already: name a version at which it holds with --good",
                self.probe
            ))),
            Verdict::Skip => Err(untold(self.probe, good, "--good")),
        }
    }

    async fn is_pass_at_bad(&mut self, bad: u64) -> Result<bool, Failure> {
        match self.ask(bad).await? {
            Verdict::Pass => Ok(true),
            Verdict::Fail => Ok(false),
            Verdict::Skip => Err(untold(self.probe, bad, "--bad")),
        }
    }
}

fn untold(probe: &Probe, version: u64, option: &str) -> Failure {
    Failure::Refused(format!(
        "whether `{probe}` holds at version {version} cannot be told: \
         the check skips it, or the state is uncertain; name another version with {option}"
    ))
}

fn tell_nothing(probe: &Probe, ends: Ends, reads: &Reads<'_>, out: &mut Out) -> Result<Code, Failure> {
    if out.json {
        out.json(&json!({
            "page": reads.page.page.as_str(),
            "check": probe.to_string(),
            "good": ends.good,
            "bad": ends.bad,
            "firstFailing": null,
            "reads": reads.tried.len(),
        }))?;
    } else {
        out.line(format_args!(
            "{} holds at version {} and at version {}: there is nothing to find. What lies between was not looked at.",
            out.paint(NAME, format_args!("`{probe}`")),
            out.paint(VERSION, ends.good),
            out.paint(VERSION, ends.bad),
        ))?;
    }
    Ok(Code::Ok)
}

impl<'a> Found<'a> {
    async fn new(
        source: &Source,
        page: &'a PageKey,
        probe: &'a Probe,
        ends: Ends,
        turned: Turned,
        mut reads: Reads<'_>,
    ) -> Result<Self, Failure> {
        let event = source.event(page, turned.first_failing).await?;
        // The state before the event was read for the answer, or is next to one that was.
        let before = reads.states.at(turned.first_failing - 1).await?;
        let words = telling::words(&event, &before.value);
        let head = event.event().map_or_else(String::new, |page_event| {
            let event = &page_event.event;
            format!("{}  {}", time(event.time_ms), event.actor)
        });
        Ok(Self {
            page,
            probe,
            ends,
            turned,
            tried: reads.tried,
            event: telling::json(&event, &words),
            head,
            words,
            doubts: doubts::of(source, page, ends, turned).await?,
        })
    }

    fn skipped(&self) -> Vec<u64> {
        let unclear = self.turned.last_good + 1..self.turned.first_failing;
        let skipped = self.tried.iter().filter(|(_, verdict)| *verdict == Verdict::Skip);
        let mut skipped: Vec<u64> = skipped
            .map(|(version, _)| *version)
            .filter(|version| unclear.contains(version))
            .collect();
        skipped.sort_unstable();
        skipped
    }

    fn json(&self) -> Json {
        let tried = self.tried.iter();
        let tried: Vec<_> = tried
            .map(|(version, verdict)| json!({ "version": version, "verdict": verdict.as_str() }))
            .collect();
        json!({
            "page": self.page.page.as_str(),
            "check": self.probe.to_string(),
            "good": self.ends.good,
            "bad": self.ends.bad,
            "lastGood": self.turned.last_good,
            "firstFailing": self.turned.first_failing,
            "exact": self.turned.is_exact(),
            "event": self.event,
            "reads": self.tried.len(),
            "tried": tried,
            "warnings": self.doubts,
        })
    }

    fn tell(&self, out: &mut Out) -> Result<(), Failure> {
        let Turned {
            last_good,
            first_failing,
        } = self.turned;
        let check = out.paint(NAME, format_args!("`{}`", self.probe));
        let first = out.paint(BAD, format_args!("version {first_failing}"));
        let last = out.paint(GOOD, format_args!("version {last_good}"));
        if self.turned.is_exact() {
            out.line(format_args!(
                "{check} first fails at {first}; it still holds at {last}."
            ))?;
        } else {
            out.line(format_args!(
                "{check} fails at {first} and holds at {last}; between them it cannot be told:"
            ))?;
            out.line(format_args!("    {}", versions(&self.skipped())))?;
        }
        out.line("")?;
        out.line(format_args!("{}  {}", out.paint(VERSION, first_failing), self.head))?;
        for words in &self.words {
            out.line(format_args!("    {words}"))?;
        }
        out.line("")?;
        let (reads, of) = (self.tried.len(), self.ends.bad - self.ends.good + 1);
        let told = format!(
            "{reads} of {of} versions were read, assuming that the check holds up to a version and fails from there on."
        );
        out.line(out.paint(DIM, told))?;
        for doubt in &self.doubts {
            out.line(format_args!("{} {doubt}", out.paint(BAD, "warning:")))?;
        }
        Ok(())
    }
}

fn versions(all: &[u64]) -> String {
    let mut told: Vec<String> = all.iter().take(SKIPPED_TOLD).map(u64::to_string).collect();
    if all.len() > SKIPPED_TOLD {
        told.push(format!("and {} more", all.len() - SKIPPED_TOLD));
    }
    format!("passed over: {}", told.join(", "))
}
