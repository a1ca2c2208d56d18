//! `base-is-read`: a write is made from what was read.
//!
//! The read token or base that a write names stands in an earlier answer about the same page. A tool that replaces or
//! merges must name one.

use std::collections::HashSet;

use serde_json::Value as Json;

use super::trajectory::{Answer, Call, Entry};
use super::{Findings, Rule, Run};

pub(super) const RULE: Rule = Rule {
    name: "base-is-read",
    says: "a write names a read token or a base that was read earlier in the run",
    remedy: "read the page, and write with the token of that very read; a number is never made up or carried over",
    needs_trajectory: true,
    check,
};

/// The tools that must name what they were made from.
const FROM_A_READ: [&str; 2] = ["update_page", "submit_deltas"];

/// What was read so far.
#[derive(Default)]
struct Read<'a> {
    tokens: HashSet<&'a str>,
    /// Versions, each with its epoch where that was told.
    versions: HashSet<(u64, Option<u64>)>,
}

/// What a write says it was made from.
enum Base<'a> {
    Token(&'a str),
    Version(u64, Option<u64>),
    Unreadable(&'a Json),
}

fn check(run: &Run<'_>) -> Findings {
    let mut findings = Findings::default();
    let here: HashSet<&str> = run.calls().map(|call| call.it.id.as_str()).collect();
    let mut read = Read::default();
    for entry in run.trajectory.into_iter().flat_map(|trajectory| &trajectory.entries) {
        match &entry.it {
            Entry::Result(answer) if here.contains(answer.call.as_str()) => read.take(answer),
            Entry::Call(call) if here.contains(call.id.as_str()) => check_call(call, entry.line, &read, &mut findings),
            _ => {}
        }
    }
    findings
}

fn check_call(call: &Call, line: u64, read: &Read<'_>, findings: &mut Findings) {
    let bases = bases(&call.arguments);
    if bases.is_empty() && !FROM_A_READ.contains(&call.tool.as_str()) {
        return;
    }
    findings.look();
    if bases.is_empty() {
        let what = format!("{} names neither a readToken nor a base", call.tool);
        findings.breach(None, Some(line), what);
    }
    for base in bases {
        if let Some(what) = read.fault(&base) {
            findings.breach(None, Some(line), format!("{} {what}", call.tool));
        }
    }
}

fn bases(arguments: &Json) -> Vec<Base<'_>> {
    let named = |field: &str| arguments.get(field).filter(|value| !value.is_null());
    let token = named("readToken").map(|token| token.as_str().map_or(Base::Unreadable(token), Base::Token));
    let base = named("base")
        .map(|base| version(base).map_or(Base::Unreadable(base), |(version, epoch)| Base::Version(version, epoch)));
    token.into_iter().chain(base).collect()
}

/// A base: `{"version": 7, "epoch": 0}`, `7`, or `"7.0"`.
fn version(base: &Json) -> Option<(u64, Option<u64>)> {
    match base {
        Json::Object(map) => Some((map.get("version")?.as_u64()?, map.get("epoch").and_then(Json::as_u64))),
        Json::String(text) => {
            let (version, epoch) = text.trim_matches('"').split_once('.')?;
            Some((version.parse().ok()?, Some(epoch.parse().ok()?)))
        }
        other => Some((other.as_u64()?, None)),
    }
}

impl<'a> Read<'a> {
    fn take(&mut self, answer: &'a Answer) {
        self.tokens.extend(answer.read_token.as_deref());
        self.versions
            .extend(answer.version.map(|version| (version, answer.epoch)));
    }

    /// What is wrong with a base.
    fn fault(&self, base: &Base<'_>) -> Option<String> {
        match base {
            Base::Token(token) if !self.tokens.contains(token) => {
                Some("names a readToken that no earlier answer gave".to_owned())
            }
            Base::Version(version, epoch) if !self.has(*version, *epoch) => {
                let epoch = epoch.map_or_else(String::new, |epoch| format!(" of epoch {epoch}"));
                Some(format!(
                    "is made from version {version}{epoch}, which no earlier answer told"
                ))
            }
            Base::Unreadable(json) => Some(format!("names a base that is none: {json}")),
            _ => None,
        }
    }

    fn has(&self, version: u64, epoch: Option<u64>) -> bool {
        let told = |epoch| self.versions.contains(&(version, epoch));
        match epoch {
            Some(_) => told(epoch) || told(None),
            None => self.versions.iter().any(|(told, _)| *told == version),
        }
    }
}
