//! The log of the process.

use std::io::{self, IsTerminal};

use tracing_subscriber::EnvFilter;

use crate::config::{Config, LogFormat};

/// The log filter cannot be read.
#[derive(Debug, thiserror::Error)]
#[error(
    "the log filter {filter:?} cannot be read: {fault}; use a level such as info, or directives such as recto_api=debug"
)]
pub struct LogFilterError {
    filter: String,
    fault: String,
}

/// Begins to write the log to standard error. Where another log was begun before, that one stays.
///
/// # Errors
/// [`LogFilterError`].
pub(crate) fn start_log(config: &Config) -> Result<(), LogFilterError> {
    let filter = EnvFilter::try_new(&config.log).map_err(|fault| LogFilterError {
        filter: config.log.clone(),
        fault: fault.to_string(),
    })?;
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr);
    // An earlier log is no fault: tests start several servers in one process.
    let _started = match config.log_format {
        LogFormat::Human => log.with_ansi(io::stderr().is_terminal()).try_init(),
        LogFormat::Json => log.json().flatten_event(true).try_init(),
    };
    Ok(())
}
