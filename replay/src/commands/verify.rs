//! `recto verify`: whether pages are sound, and if not, where, what it means and what can be done.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value as Json, json};

use recto_pages::PageKey;
use recto_projections::words::counted;
use recto_store::ReadError;

use crate::args::Verify;
use crate::failure::{Code, Failure};
use crate::out::{BAD, DIM, GOOD, NAME, Out, VERSION};
use crate::source::{Heads, Source};
use crate::verify::{Found, PageVerdict, ReceiptsTask, Rest, verify_page, verify_rest};

/// What a stream that is no page's is called.
const CHAT: &str = "chat";
const BAR: &str = "{bar:40.cyan/blue} {human_pos}/{human_len} events  {per_sec}  {eta}";

/// What all pages together come to.
#[derive(Default)]
struct Sum {
    pages: u64,
    sound: u64,
    chats: u64,
    events: u64,
    receipts: u64,
    snapshots: u64,
    faults: usize,
    time: Duration,
}

pub(super) async fn run(source: &Source, asked: &Verify, out: &mut Out) -> Result<Code, Failure> {
    let page = asked.page.as_ref().map(|page| source.key(page));
    let mut lost = Vec::new();
    let known = heads(source, page.as_ref(), &mut lost).await?;
    // Without all pages and receipts every record would seem to belong to no page.
    let mut is_all_known = known.is_some();
    let heads = known.unwrap_or_default();
    let bar = bar(out, heads.values().sum());
    let begun = Instant::now();
    let mut receipts = ReceiptsTask::begin(source, page.as_ref());
    let mut sum = Sum::default();
    let mut told = Vec::new();
    for (id, versions) in &heads {
        let key = source.key(id);
        let watch = |events| bar.inc(events);
        let verdict = verify_page(source, &key, *versions, &mut receipts, &watch).await;
        let Some(verdict) = kept(verdict, &mut lost)? else {
            continue;
        };
        sum.take(&verdict);
        told.extend(verdict.faults.iter().map(|found| found.place.clone()));
        bar.suspend(|| tell_page(&verdict, out))?;
    }
    receipts.ready().await?;
    is_all_known &= receipts.lost().is_none();
    lost.extend(receipts.lost().cloned());
    let mut rest = match page {
        None if is_all_known => kept(rest(source, &heads, &mut receipts).await, &mut lost)?.unwrap_or_default(),
        _ => Rest::default(),
    };
    rest.faults.splice(..0, lost);
    // What a page was told of is not told again.
    rest.faults.retain(|found| !told.contains(&found.place));
    sum.faults += rest.faults.len();
    sum.time = begun.elapsed();
    bar.finish_and_clear();
    if page.is_none() || !rest.faults.is_empty() {
        tell_rest(&rest, out)?;
    }
    tell_sum(&sum, source, out)?;
    Ok(if sum.faults > 0 { Code::Found } else { Code::Ok })
}

/// The newest versions of the pages that are verified; `None` where nothing can tell them.
async fn heads(source: &Source, page: Option<&PageKey>, lost: &mut Vec<Found>) -> Result<Option<Heads>, Failure> {
    if let Some(page) = page {
        let head = kept(source.head(page).await, lost)?;
        return Ok(head.map(|head| Heads::from([(page.page.clone(), head)])));
    }
    let roster = kept(source.roster().await, lost)?;
    Ok(roster.map(|roster| {
        lost.extend(roster.damage);
        roster.heads
    }))
}

async fn rest(source: &Source, heads: &Heads, receipts: &mut ReceiptsTask) -> Result<Rest, Failure> {
    verify_rest(source, heads, receipts.ready().await?).await
}

/// Keeps damage that leaves no answer, so that all else is verified all the same.
fn kept<T>(answer: Result<T, Failure>, lost: &mut Vec<Found>) -> Result<Option<T>, Failure> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(Failure::Log(ReadError::Corrupt { at, fault })) => {
            let found = Found::of(at, &fault);
            if !lost.contains(&found) {
                lost.push(found);
            }
            Ok(None)
        }
        Err(other) => Err(other),
    }
}

impl Sum {
    fn take(&mut self, verdict: &PageVerdict) {
        if verdict.is_chat {
            self.chats += 1;
        } else {
            self.pages += 1;
            self.sound += u64::from(verdict.faults.is_empty());
        }
        self.events += verdict.events;
        self.receipts += verdict.receipts;
        self.snapshots += verdict.snapshots;
        self.faults += verdict.faults.len();
    }

    /// Events in a second; `None` where there was too little to tell.
    fn speed(&self) -> Option<u64> {
        let micros = u64::try_from(self.time.as_micros()).unwrap_or(u64::MAX);
        (self.events.saturating_mul(1_000_000)).checked_div(micros)
    }
}

fn bar(out: &Out, events: u64) -> ProgressBar {
    let target = if out.terminal {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    let style = ProgressStyle::with_template(BAR).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(Some(events), target).with_style(style)
}

fn tell_page(verdict: &PageVerdict, out: &mut Out) -> Result<(), Failure> {
    if out.json {
        let json = json!({
            "page": verdict.page.page.as_str(),
            "kind": kind(verdict),
            "versions": verdict.versions,
            "events": verdict.events,
            "receipts": verdict.receipts,
            "snapshots": verdict.snapshots,
            "sound": verdict.faults.is_empty(),
            "faults": verdict.faults.iter().map(fault_json).collect::<Vec<_>>(),
        });
        return Ok(out.json(&json)?);
    }
    let name = out.paint(NAME, &verdict.page.page);
    let kind = kind(verdict).unwrap_or("unknown kind");
    let version = out.paint(VERSION, verdict.versions);
    let (events, receipts, snapshots) = (verdict.events, verdict.receipts, verdict.snapshots);
    let word = if verdict.faults.is_empty() {
        out.paint(GOOD, "sound")
    } else {
        out.paint(BAD, "damaged")
    };
    out.line(format_args!(
        "{name}  {kind} at version {version}  {word}: {}, {}, {}",
        counted(events, "event"),
        counted(receipts, "receipt"),
        counted(snapshots, "snapshot")
    ))?;
    tell_faults(&verdict.faults, out)
}

fn kind(verdict: &PageVerdict) -> Option<&'static str> {
    if verdict.is_chat {
        return Some(CHAT);
    }
    verdict.kind.map(recto_projections::Kind::as_str)
}

fn tell_rest(rest: &Rest, out: &mut Out) -> Result<(), Failure> {
    if out.json {
        return Ok(out.json(&json!({
            "rest": {
                "records": rest.records,
                "feed": rest.feed,
                "sound": rest.is_sound(),
                "faults": rest.faults.iter().map(fault_json).collect::<Vec<_>>(),
            }
        }))?);
    }
    let told = match (rest.records, rest.feed) {
        (Some(records), Some(feed)) => {
            let (records, feed) = (counted(records, "record"), counted(feed, "event"));
            format!("{records}, {feed} in the feed")
        }
        _ => "records and feed were not gone over".to_owned(),
    };
    out.line(out.paint(DIM, told))?;
    tell_faults(&rest.faults, out)
}

fn tell_faults(faults: &[Found], out: &mut Out) -> Result<(), Failure> {
    for found in faults {
        let code = out.paint(BAD, found.class.code());
        out.line(format_args!("  {code}  {}: {}", found.place, found.what))?;
        out.line(format_args!("    it means  {}", found.class.meaning()))?;
        out.line(format_args!("    to do     {}", found.class.advice()))?;
    }
    Ok(())
}

fn tell_sum(sum: &Sum, source: &Source, out: &mut Out) -> Result<(), Failure> {
    let seconds = sum.time.as_secs_f64();
    if out.json {
        return Ok(out.json(&json!({
            "summary": {
                "pages": sum.pages,
                "soundPages": sum.sound,
                "chats": sum.chats,
                "events": sum.events,
                "receipts": sum.receipts,
                "snapshots": sum.snapshots,
                "faults": sum.faults,
                "seconds": seconds,
                "eventsPerSecond": sum.speed(),
                "lookedAt": source.what.words(),
            }
        }))?);
    }
    let speed = sum
        .speed()
        .map_or_else(String::new, |speed| format!(", {speed} events/s"));
    let (pages, events, faults) = (sum.pages, sum.events, sum.faults);
    let chats = match sum.chats {
        0 => String::new(),
        count => format!(" and {}", counted(count, "chat")),
    };
    let told = format!(
        "{}{chats}, {}, {} in {seconds:.2} s{speed}; {}",
        counted(pages, "page"),
        counted(events, "event"),
        counted(faults, "fault"),
        source.what.words()
    );
    out.line(out.paint(DIM, told))?;
    Ok(())
}

fn fault_json(found: &Found) -> Json {
    use recto_store::Place;
    let mut json = json!({
        "code": found.class.code(),
        "place": found.place.to_string(),
        "what": found.what,
        "meaning": found.class.meaning(),
        "advice": found.class.advice(),
    });
    let field = match &found.place {
        Place::Event { version, .. } | Place::Snapshot { version, .. } => Some(("version", json!(version))),
        Place::Receipt { command, .. } => Some(("command", json!(command.as_str()))),
        Place::Record { table, key, .. } => Some(("record", json!([table.as_str(), key.as_str()]))),
        Place::Feed { position, .. } => Some(("position", json!(position))),
        Place::Meta | Place::Area { .. } => None,
    };
    if let (Some((name, value)), Some(map)) = (field, json.as_object_mut()) {
        map.insert(name.to_owned(), value);
    }
    json
}
