//! `refusal-respected`: what was refused with `retry: false` is not sent again.
//!
//! A write is the same where tool and arguments are, but for what it says it was made from. It may be sent again after
//! the page was read again; if it is then refused with the same code once more, that was in vain, and breaks the rule.

use std::collections::HashMap;

use super::canonical::canonical_without;
use super::trajectory::{Answer, Call, Entry};
use super::{Findings, Rule, Run};

pub(super) const RULE: Rule = Rule {
    name: "refusal-respected",
    says: "a write that was refused with retry: false is not sent again as it was",
    remedy: "do what the refusal says: read the page again, use the other mode, or tell the user",
    needs_trajectory: true,
    check,
};

/// What a write says it was made from.
const BASES: [&str; 2] = ["readToken", "base"];

/// A write that was refused.
struct Refused<'a> {
    line: u64,
    code: Option<&'a str>,
    /// Whether something was read since.
    read_since: bool,
}

/// A call that waits for its answer.
struct Sent {
    request: String,
    tool: String,
    line: u64,
}

fn check(run: &Run<'_>) -> Findings {
    let mut findings = Findings::default();
    let mut sent: HashMap<&str, Sent> = HashMap::new();
    let mut refused: HashMap<String, Refused<'_>> = HashMap::new();
    for entry in run.trajectory.into_iter().flat_map(|trajectory| &trajectory.entries) {
        match &entry.it {
            Entry::Call(call) => {
                let call_sent = Sent::of(call, entry.line);
                if let Some(before) = refused.get(&call_sent.request).filter(|before| !before.read_since) {
                    let code = before.code.unwrap_or("refused");
                    let what = format!(
                        "{} is sent again as it was refused in line {} ({code})",
                        call.tool, before.line
                    );
                    findings.breach(None, Some(entry.line), what);
                }
                sent.insert(&call.id, call_sent);
            }
            Entry::Result(answer) if is_final(answer) => {
                findings.look();
                let Some(sent) = sent.remove(answer.call.as_str()) else {
                    continue;
                };
                if let Some(before) = refused.get(&sent.request)
                    && before.read_since
                    && before.code == answer.code.as_deref()
                {
                    let code = before.code.unwrap_or("refused");
                    let what = format!(
                        "{} was sent again after a read and refused again ({code}), as in line {}",
                        sent.tool, before.line
                    );
                    findings.breach(None, Some(sent.line), what);
                }
                let refusal = Refused {
                    line: entry.line,
                    code: answer.code.as_deref(),
                    read_since: false,
                };
                refused.insert(sent.request, refusal);
            }
            // An answer that tells a version or a token is a read.
            Entry::Result(answer) if answer.ok && (answer.read_token.is_some() || answer.version.is_some()) => {
                refused.values_mut().for_each(|refusal| refusal.read_since = true);
            }
            _ => {}
        }
    }
    findings
}

fn is_final(answer: &Answer) -> bool {
    !answer.ok && answer.retry == Some(false)
}

impl Sent {
    fn of(call: &Call, line: u64) -> Self {
        Self {
            request: format!("{} {}", call.tool, canonical_without(&call.arguments, &BASES)),
            tool: call.tool.clone(),
            line,
        }
    }
}
