//! `no-retry-after-terminal`: what failed for good is not tried again.
//!
//! After a terminal failure no call has the same tool and arguments, whatever the order of their keys; and no image task
//! is submitted under the key of one that failed for good.

use std::collections::HashMap;

use super::canonical::canonical;
use super::trajectory::{Entry, TaskStatus};
use super::{Findings, Rule, Run};

pub(super) const RULE: Rule = Rule {
    name: "no-retry-after-terminal",
    says: "what failed for good is not called again with the same arguments",
    remedy: "hand the failure to the model as a value that says what to do instead, and do not call again by itself",
    needs_trajectory: true,
    check,
};

fn check(run: &Run<'_>) -> Findings {
    let mut findings = Findings::default();
    let Some(trajectory) = run.trajectory else {
        return findings;
    };
    let mut requests: HashMap<&str, (String, u64)> = HashMap::new();
    let mut failed: HashMap<String, u64> = HashMap::new();
    for entry in &trajectory.entries {
        match &entry.it {
            Entry::Call(call) => {
                let request = format!("{} {}", call.tool, canonical(&call.arguments));
                if let Some(line) = failed.get(&request) {
                    let what = format!("{} is called again as it failed for good in line {line}", call.tool);
                    findings.breach(None, Some(entry.line), what);
                }
                requests.insert(&call.id, (request, entry.line));
            }
            Entry::Result(answer) if !answer.ok && answer.terminal => {
                findings.look();
                if let Some((request, _)) = requests.get(answer.call.as_str()) {
                    failed.entry(request.clone()).or_insert(entry.line);
                }
            }
            Entry::Task(task) => {
                let Some(key) = &task.key else { continue };
                let request = format!("task {key}");
                match task.status {
                    TaskStatus::Failed if task.terminal => {
                        findings.look();
                        failed.entry(request).or_insert(entry.line);
                    }
                    TaskStatus::Submitted if failed.contains_key(&request) => {
                        let what = format!(
                            "image task {:?} is submitted under the key of one that failed for good",
                            task.task
                        );
                        findings.breach(None, Some(entry.line), what);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    findings
}
