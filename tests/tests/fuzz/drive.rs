//! Runs without end, until there were as many events as asked for.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use recto_tests::seed::Random;
use recto_tests::service::Ground;

use crate::flavour::Flavour;
use crate::shrink::{play_safely, shrink};
use crate::world::Script;

/// Names the variable that says how many events the runs of all flavours make together.
const EVENTS_VARIABLE: &str = "RECTO_FUZZ_EVENTS";
/// How many of them without it.
const EVENTS: usize = 8_000;
/// How many broken laws are shrunk and told; further runs that break them are counted.
const FAULTS_MAX: usize = 12;
/// The lines of a shrunk run that are told.
const TRACE_MAX: usize = 80;

/// Plays scripts of one flavour and tells every law that breaks, with the shortest run found.
#[expect(clippy::print_stderr, reason = "the seed, the rate and what was covered")]
pub(crate) async fn drive(flavour: Flavour, seed: u64) {
    let wanted = events_wanted() * flavour.share() / 100;
    let mut random = Random::of_test(&format!("fuzz {flavour:?}"), seed);
    let mut playing = Duration::ZERO;
    let (mut events, mut runs) = (0, 0_usize);
    let mut tally: BTreeMap<&str, usize> = BTreeMap::new();
    let mut broken: BTreeMap<&'static str, (usize, String)> = BTreeMap::new();
    while events < wanted {
        let script = script(flavour, &mut random);
        let started = Instant::now();
        let ended = play_safely(&script, &Ground::memory()).await;
        playing += started.elapsed();
        (events, runs) = (events + usize::try_from(ended.events).expect("a number"), runs + 1);
        ended
            .tally
            .iter()
            .for_each(|(what, count)| *tally.entry(what).or_default() += count);
        let Some((step, fault)) = ended.fault else { continue };
        if let Some((count, _)) = broken.get_mut(fault.law) {
            *count += 1;
            continue;
        }
        let (short, end) = shrink(&script, fault.law).await;
        let text = end
            .fault
            .map_or_else(|| fault.to_string(), |(_, fault)| fault.to_string());
        let trace = end.trace[end.trace.len().saturating_sub(TRACE_MAX)..].join("\n    ");
        let told = format!(
            "{text}\n  found at step {step} of run {runs}, events {events}, in {} steps; shrunk to {}: {short:?}\n    {trace}",
            ended.steps, end.steps
        );
        eprintln!("fuzz {flavour:?}: {told}\n");
        broken.insert(fault.law, (1, told));
        if broken.len() >= FAULTS_MAX {
            break;
        }
    }
    let seconds = playing.as_secs_f64();
    eprintln!("fuzz {flavour:?}: {events} events in {runs} runs and {seconds:.1} s; {tally:?}");
    let summary: Vec<_> = broken
        .iter()
        .map(|(law, (count, told))| format!("{law}, {count} times: {told}"))
        .collect();
    assert!(
        broken.is_empty(),
        "{} laws break\n{}",
        broken.len(),
        summary.join("\n\n")
    );
}

/// The next run: most are short, some are long.
pub(crate) fn script(flavour: Flavour, random: &mut Random) -> Script {
    let steps = match random.below(10) {
        0..=5 => random.within(4, 30),
        6..=8 => random.within(20, 80),
        _ => random.within(80, 250),
    };
    Script {
        flavour,
        seed: random.next(),
        steps: (0..steps).map(|_| random.next()).collect(),
        mirrored: random.chance(1, 8),
        small_window: random.chance(1, 8),
        restores_fields: flavour != Flavour::Fields || random.chance(1, 3),
        ends: random.chance(1, 2),
    }
}

fn events_wanted() -> usize {
    let text = std::env::var(EVENTS_VARIABLE).ok();
    text.map_or(EVENTS, |text| {
        text.parse()
            .unwrap_or_else(|_| panic!("{EVENTS_VARIABLE} is a number, not {text:?}"))
    })
}
