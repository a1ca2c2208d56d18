//! A server that lives as long as a load.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::error::LoadError;
use super::options::Options;

const PROGRAM: &str = "recto-server";
const PORT_FILE: &str = "recto-load.address";
/// How long it may take to listen.
const START_MAX: Duration = Duration::from_secs(60);
/// How often the address is looked for.
const POLL: Duration = Duration::from_millis(20);

/// A server started for this run.
#[derive(Debug)]
pub(super) struct Server {
    child: Child,
    address: String,
    data: PathBuf,
    /// Removed with everything in it when the server is gone.
    _folder: Option<TempDir>,
}

impl Server {
    pub(super) fn start(options: &Options) -> Result<Self, LoadError> {
        let program = options.server_program.clone().map_or_else(beside_this, Ok)?;
        let (data, folder) = match &options.data {
            Some(data) => (data.clone(), None),
            None => {
                let folder = tempfile::tempdir().map_err(|fault| file(Path::new("a folder for the data"), fault))?;
                (folder.path().join("data"), Some(folder))
            }
        };
        std::fs::create_dir_all(&data).map_err(|fault| file(&data, fault))?;
        let port_file = data.with_file_name(PORT_FILE);
        // An address of an earlier run would be taken for this one's.
        let _ = std::fs::remove_file(&port_file);
        let child = Command::new(&program)
            .arg("--data")
            .arg(&data)
            .args(["--listen", "127.0.0.1:0", "--log", "warn"])
            .arg("--port-file")
            .arg(&port_file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .map_err(|fault| LoadError::Start {
                program: program.clone(),
                fault: fault.to_string(),
            })?;
        let mut server = Self {
            child,
            address: String::new(),
            data,
            _folder: folder,
        };
        server.address = server.wait_for_address(&program, &port_file)?;
        Ok(server)
    }

    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// Ends the server in order and measures what it leaves on the disk.
    pub(super) fn stop(mut self) -> Result<u64, LoadError> {
        // Where it is gone already, its status says so.
        let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
        let status = self.child.wait().map_err(|fault| LoadError::Stop {
            status: fault.to_string(),
        })?;
        if !status.success() {
            return Err(LoadError::Stop {
                status: status.to_string(),
            });
        }
        folder_bytes(&self.data).map_err(|fault| file(&self.data, fault))
    }

    fn wait_for_address(&mut self, program: &Path, port_file: &Path) -> Result<String, LoadError> {
        let failed = |fault: String| LoadError::Start {
            program: program.to_path_buf(),
            fault,
        };
        let began = Instant::now();
        while began.elapsed() < START_MAX {
            let written = std::fs::read_to_string(port_file).unwrap_or_default();
            if let Some(address) = written.strip_suffix('\n') {
                return Ok(format!("http://{}", address.trim_start_matches("http://")));
            }
            if let Ok(Some(status)) = self.child.try_wait() {
                return Err(failed(format!("it ended with {status}")));
            }
            std::thread::sleep(POLL);
        }
        Err(failed("it did not listen within a minute".to_owned()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // After `stop` there is nothing to end any more.
        if let Ok(None) = self.child.try_wait() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// The bytes of all files below a folder.
pub(crate) fn folder_bytes(folder: &Path) -> std::io::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let about = entry.metadata()?;
        bytes += if about.is_dir() {
            folder_bytes(&entry.path())?
        } else {
            about.len()
        };
    }
    Ok(bytes)
}

fn beside_this() -> Result<PathBuf, LoadError> {
    let this = std::env::current_exe().map_err(|fault| file(Path::new(PROGRAM), fault))?;
    Ok(this.with_file_name(PROGRAM))
}

fn file(path: &Path, fault: std::io::Error) -> LoadError {
    LoadError::File {
        path: path.to_path_buf(),
        fault,
    }
}
