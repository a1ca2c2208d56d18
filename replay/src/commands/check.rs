//! `recto check`: an agent's recorded run against rules.

use std::path::Path;

use recto_pages::{Id, PageKey, chat_stream};
use serde_json::{Value as Json, json};

use crate::args::Check;
use crate::failure::{Code, Failure};
use crate::history::Found;
use crate::out::{BAD, DIM, GOOD, NAME, Out, STRONG, VERSION};
use crate::rules::trajectory::Line;
use crate::rules::{self, Breach, Findings, Rule, Run, Step, Trajectory};
use crate::source::Source;

/// The breaches of a rule that are told in words; the rest is counted.
const BREACHES_TOLD: usize = 20;

/// What was checked, and what came of it.
struct Checked<'a> {
    page: &'a PageKey,
    events: Events,
    trajectory: Option<&'a Trajectory>,
    rules: Vec<(&'static Rule, Option<Findings>)>,
}

/// The events of a page.
struct Events {
    steps: Vec<Step>,
    /// Those that cannot be read, each with the reason.
    unread: Vec<(u64, String)>,
}

/// Lists the rules.
pub(super) fn list(out: &mut Out) -> Result<Code, Failure> {
    for rule in &rules::ALL {
        if out.json {
            out.json(&json!({
                "name": rule.name,
                "says": rule.says,
                "remedy": rule.remedy,
                "needsTrajectory": rule.needs_trajectory,
            }))?;
        } else {
            let needs = if rule.needs_trajectory {
                "  (needs --trajectory or --chat)"
            } else {
                ""
            };
            let needs = out.paint(DIM, needs);
            out.line(format_args!("{}{needs}", out.paint(NAME, rule.name)))?;
            out.line(format_args!("    {}", rule.says))?;
        }
    }
    Ok(Code::Ok)
}

pub(super) async fn run(source: &Source, asked: &Check, out: &mut Out) -> Result<Code, Failure> {
    let page = asked
        .page
        .as_ref()
        .ok_or_else(|| Failure::Usage("name a page, or --list the rules".to_owned()))?;
    let chosen = chosen(asked)?;
    let trajectory = match (&asked.trajectory, &asked.chat) {
        (Some(file), _) => Some(read(file)?),
        (None, Some(chat)) => Some(noted(source, chat).await?),
        (None, None) => None,
    };
    let page = source.key(page);
    let events = Events::read(source, &page).await?;
    let run = Run {
        page: page.page.as_str(),
        steps: &events.steps,
        trajectory: trajectory.as_ref(),
    };
    let rules = chosen.into_iter().map(|rule| (rule, rule.check(&run))).collect();
    let checked = Checked {
        page: &page,
        events,
        trajectory: trajectory.as_ref(),
        rules,
    };
    if out.json {
        out.json(&checked.json())?;
    } else {
        checked.tell(out)?;
    }
    Ok(if checked.is_fine() { Code::Ok } else { Code::Found })
}

fn chosen(asked: &Check) -> Result<Vec<&'static Rule>, Failure> {
    if asked.rules.is_empty() {
        return Ok(const { &rules::ALL }.iter().collect());
    }
    let by_name = |name: &String| {
        let rule = rules::by_name(name).ok_or_else(|| {
            let names: Vec<_> = rules::ALL.iter().map(|rule| rule.name).collect();
            Failure::Usage(format!("there is no rule {name:?}; the rules are {}", names.join(", ")))
        })?;
        if rule.needs_trajectory && asked.trajectory.is_none() && asked.chat.is_none() {
            let what = format!(
                "the rule {name} needs the chat's trajectory: name its file with --trajectory, or the chat with --chat"
            );
            return Err(Failure::Usage(what));
        }
        Ok(rule)
    };
    asked.rules.iter().map(by_name).collect()
}

fn read(path: &Path) -> Result<Trajectory, Failure> {
    let text = std::fs::read_to_string(path).map_err(|fault| Failure::System {
        path: path.to_owned(),
        fault,
    })?;
    Trajectory::read(&text).map_err(|fault| Failure::File {
        path: path.to_owned(),
        line: fault.line,
        what: fault.what,
    })
}

/// The trajectory that a chat's stream holds.
async fn noted(source: &Source, chat: &Id) -> Result<Trajectory, Failure> {
    let none = || {
        Failure::NotFound(format!(
            "nothing was noted in chat {chat} of workspace {}",
            source.scope
        ))
    };
    let stream = chat_stream(&source.scope, chat).map_err(|_| none())?;
    let head = source.head(&stream).await.map_err(|failure| match failure {
        Failure::NotFound(_) => none(),
        other => other,
    })?;
    let (mut agent, mut entries, mut at) = (None, Vec::new(), 1);
    while at <= head {
        for found in source.events(&stream, at..=head).await? {
            at = found.version() + 1;
            entries.push(Line {
                line: found.version(),
                it: entry(&found),
            });
            if agent.is_none() {
                agent = found.event().map(|event| event.event.actor.clone());
            }
        }
    }
    Ok(Trajectory::noted(chat.as_str(), &agent.unwrap_or_default(), entries))
}

/// What was noted; what cannot be read is no entry, and told as such.
fn entry(found: &Found) -> Json {
    let read = found
        .event()
        .and_then(|event| serde_json::from_slice(&event.event.delta).ok());
    read.unwrap_or_default()
}

impl Events {
    async fn read(source: &Source, page: &PageKey) -> Result<Self, Failure> {
        let head = source.head(page).await?;
        let (mut steps, mut unread, mut at) = (Vec::new(), Vec::new(), 1);
        while at <= head {
            for found in source.events(page, at..=head).await? {
                at = found.version() + 1;
                match Step::read(&found) {
                    Ok(step) => steps.push(step),
                    Err(reason) => unread.push((found.version(), reason)),
                }
            }
        }
        Ok(Self { steps, unread })
    }
}

impl Checked<'_> {
    fn is_fine(&self) -> bool {
        let held = |(_, findings): &(&Rule, Option<Findings>)| {
            findings.as_ref().is_none_or(|findings| findings.breaches.is_empty())
        };
        let is_read = self.trajectory.is_none_or(|trajectory| trajectory.faults.is_empty());
        self.events.unread.is_empty() && is_read && self.rules.iter().all(held)
    }

    fn json(&self) -> Json {
        let lines = |lines: &[rules::trajectory::Line<String>]| {
            let lines = lines.iter().map(|line| json!({ "line": line.line, "what": line.it }));
            lines.collect::<Vec<_>>()
        };
        let unread = self.events.unread.iter();
        let unread: Vec<_> = unread
            .map(|(version, reason)| json!({ "version": version, "damage": reason }))
            .collect();
        json!({
            "page": self.page.page.as_str(),
            "fine": self.is_fine(),
            "events": self.events.steps.len(),
            "unread": unread,
            "trajectory": self.trajectory.map(|trajectory| json!({
                "chat": trajectory.chat,
                "actor": trajectory.actor,
                "entries": trajectory.entries.len(),
                "faults": lines(&trajectory.faults),
                "warnings": lines(&trajectory.warnings),
            })),
            "rules": self.rules.iter().map(|(rule, findings)| rule_json(rule, findings.as_ref())).collect::<Vec<_>>(),
        })
    }

    fn tell(&self, out: &mut Out) -> Result<(), Failure> {
        let page = out.paint(NAME, &self.page.page);
        out.line(format_args!("{page}: {}", self.of_what()))?;
        for (version, reason) in &self.events.unread {
            let told = out.paint(
                BAD,
                format!("version {version} cannot be read, so no rule saw it: {reason}"),
            );
            out.line(told)?;
        }
        if let Some(trajectory) = self.trajectory {
            for fault in &trajectory.faults {
                out.line(out.paint(
                    BAD,
                    format!("line {} cannot be read, so no rule saw it: {}", fault.line, fault.it),
                ))?;
            }
            for warning in &trajectory.warnings {
                out.line(out.paint(DIM, format!("line {}: {}", warning.line, warning.it)))?;
            }
        }
        for (rule, findings) in &self.rules {
            tell_rule(rule, findings.as_ref(), out)?;
        }
        Ok(())
    }

    fn of_what(&self) -> String {
        let events = format!("{} events", self.events.steps.len());
        let Some(trajectory) = self.trajectory else {
            return format!("{events}, no trajectory");
        };
        let chat = trajectory
            .chat
            .as_ref()
            .map_or_else(String::new, |chat| format!(" in chat {chat}"));
        format!(
            "{events}; {} entries of {}{chat}",
            trajectory.entries.len(),
            trajectory.actor
        )
    }
}

fn rule_json(rule: &Rule, findings: Option<&Findings>) -> Json {
    let breaches = findings.map_or(&[][..], |findings| &findings.breaches);
    let breaches: Vec<_> = breaches
        .iter()
        .map(|breach| json!({ "version": breach.version, "line": breach.line, "what": breach.what }))
        .collect();
    json!({
        "name": rule.name,
        "outcome": outcome(findings),
        "lookedAt": findings.map(|findings| findings.looked),
        "breaches": breaches,
        "remedy": rule.remedy,
    })
}

fn outcome(findings: Option<&Findings>) -> &'static str {
    match findings {
        None => "not_checked",
        Some(findings) if findings.breaches.is_empty() => "held",
        Some(_) => "broken",
    }
}

fn tell_rule(rule: &Rule, findings: Option<&Findings>, out: &mut Out) -> Result<(), Failure> {
    let Some(findings) = findings else {
        let told = out.paint(DIM, "it needs the chat's trajectory: --trajectory FILE or --chat ID");
        out.line(format_args!("not checked  {:24} {told}", rule.name))?;
        return Ok(());
    };
    let looked = match findings.looked {
        0 => "nothing to look at".to_owned(),
        count => format!("{count} looked at"),
    };
    if findings.breaches.is_empty() {
        let told = out.paint(DIM, looked);
        out.line(format_args!(
            "{}         {:24} {told}",
            out.paint(GOOD, "held"),
            rule.name
        ))?;
        return Ok(());
    }
    let name = out.paint(STRONG, format_args!("{:24}", rule.name));
    out.line(format_args!("{}       {name} {}", out.paint(BAD, "broken"), rule.says))?;
    for breach in findings.breaches.iter().take(BREACHES_TOLD) {
        out.line(format_args!("    {}: {}", place(breach, out), breach.what))?;
    }
    if let Some(more) = findings
        .breaches
        .len()
        .checked_sub(BREACHES_TOLD)
        .filter(|more| *more > 0)
    {
        out.line(format_args!("    and {more} more; --json tells all"))?;
    }
    out.line(format_args!("    what to do: {}", rule.remedy))?;
    Ok(())
}

fn place(breach: &Breach, out: &Out) -> String {
    let version = breach
        .version
        .map(|version| out.paint(VERSION, format!("version {version}")));
    let line = breach.line.map(|line| out.paint(VERSION, format!("line {line}")));
    let all: Vec<_> = version.into_iter().chain(line).collect();
    all.join(", ")
}
