//! Leaves steps out of a script as long as the same law breaks.

use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use recto_tests::service::Ground;

use crate::fault::Fault;
use crate::world::{Ended, Script, play};

/// The most runs that shrinking takes.
const RUNS_MAX: usize = 1_200;

/// Plays a script; a panic is a fault as well.
pub(crate) async fn play_safely(script: &Script, ground: &Ground) -> Ended {
    match AssertUnwindSafe(play(script, ground)).catch_unwind().await {
        Ok(ended) => ended,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            let fault = Fault {
                law: "panic",
                text: text.unwrap_or_default(),
            };
            Ended {
                events: 0,
                steps: script.steps.len(),
                trace: Vec::new(),
                tally: std::collections::BTreeMap::new(),
                fault: Some((script.steps.len(), fault)),
            }
        }
    }
}

/// The shortest script found that breaks the same law, and how it ends.
pub(crate) async fn shrink(script: &Script, law: &'static str) -> (Script, Ended) {
    let mut best = script.clone();
    let mut ended = play_safely(&best, &Ground::memory()).await;
    let mut runs = 0;
    let mut part = best.steps.len().div_ceil(2).max(1);
    while runs < RUNS_MAX {
        let mut shorter = false;
        let mut at = 0;
        while at < best.steps.len() && runs < RUNS_MAX {
            let mut fewer = best.clone();
            fewer.steps.drain(at..(at + part).min(best.steps.len()));
            runs += 1;
            let run = play_safely(&fewer, &Ground::memory()).await;
            if run.fault.as_ref().is_some_and(|(_, fault)| fault.law == law) {
                (best, ended, shorter) = (fewer, run, true);
            } else {
                at += part;
            }
        }
        if part == 1 && !shorter {
            break;
        }
        part = if part == 1 { 1 } else { part.div_ceil(2) };
    }
    (best, ended)
}
