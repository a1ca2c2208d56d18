//! A check that is a command: it reads the page as JSON from stdin, and answers with its exit code.

use std::io::Write;
use std::process::{Command, ExitStatus, Stdio};

use super::ask::{Asked, Verdict};
use crate::failure::Failure;

/// The exit code of a command that cannot tell.
const SKIP: i32 = 125;

/// Asks a command. Its stdout is not shown, its stderr is; RECTO_PAGE and RECTO_VERSION say what it is given.
pub(super) async fn ask(command: &str, asked: &Asked<'_>) -> Result<Verdict, Failure> {
    let mut json = Vec::new();
    asked.value.write_json(&mut json);
    let mut started = Command::new("sh");
    started
        .args(["-c", command])
        .env("RECTO_PAGE", asked.page)
        .env("RECTO_VERSION", asked.version.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::null());
    let done = tokio::task::spawn_blocking(move || run(started, &json)).await;
    let status = done
        .map_err(std::io::Error::other)
        .flatten()
        .map_err(|fault| no_answer(command, asked.version, &fault.to_string()))?;
    verdict(status).map_err(|why| no_answer(command, asked.version, &why))
}

fn run(mut command: Command, input: &[u8]) -> std::io::Result<ExitStatus> {
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        match stdin.write_all(input) {
            // It has seen enough.
            Err(fault) if fault.kind() == std::io::ErrorKind::BrokenPipe => {}
            other => other?,
        }
    }
    child.wait()
}

fn verdict(status: ExitStatus) -> Result<Verdict, String> {
    match status.code() {
        Some(0) => Ok(Verdict::Pass),
        Some(SKIP) => Ok(Verdict::Skip),
        Some(126) => Err("it cannot be executed".to_owned()),
        Some(127) => Err("it was not found".to_owned()),
        // A shell says so of a command of its own that a signal killed.
        Some(code @ 128..) => Err(format!(
            "it ended with code {code}, as if killed by signal {}",
            code - 128
        )),
        Some(_) => Ok(Verdict::Fail),
        None => Err(format!("it did not end by itself: {status}")),
    }
}

fn no_answer(command: &str, version: u64, why: &str) -> Failure {
    Failure::Usage(format!(
        "the check's command {command:?} has no answer for version {version}: {why}; \
         exit code 0 passes, 125 skips, 1 to 124 fail"
    ))
}
