//! The real server as a process of its own: started on a free port, killed without warning,
//! stopped with grace.

use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, Signal};
use tempfile::TempDir;

use crate::http::Client;
use crate::seed::Random;
use crate::wait;

/// About how long a start takes: a kill in this time hits its middle.
const START_MICROS: u64 = 60_000;

/// A running server. Dropping it kills it.
#[derive(Debug)]
pub struct Server {
    child: Child,
    address: SocketAddr,
    place: Place,
    arguments: Vec<String>,
}

/// Where a server keeps its data and its log: a folder of its own that goes with its last user.
#[derive(Clone, Debug)]
pub struct Place {
    folder: Arc<TempDir>,
    variables: Vec<(String, String)>,
}

/// A start that ended without a server.
#[derive(Debug)]
pub struct NotStarted {
    /// How the process ended.
    pub status: ExitStatus,
    /// All that was ever logged in this place.
    pub log: String,
}

impl Place {
    /// An empty one.
    ///
    /// # Panics
    /// Where no folder can be made.
    #[expect(clippy::new_without_default, reason = "it makes a folder")]
    pub fn new() -> Self {
        Self {
            folder: Arc::new(TempDir::with_prefix("recto-test-").expect("a folder")),
            variables: Vec::new(),
        }
    }

    /// The same with variables in the environment of its servers.
    #[must_use]
    pub fn with_variables<const N: usize>(mut self, variables: [(&str, String); N]) -> Self {
        let owned = variables.map(|(name, value)| (name.to_owned(), value));
        self.variables.extend(owned);
        self
    }

    /// The folder of the store.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// All that servers in this place logged.
    pub fn log(&self) -> String {
        std::fs::read(self.log_file())
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default()
    }

    /// Writes a file beside the store, and gives its path.
    ///
    /// # Panics
    /// Where it cannot be written.
    pub fn write(&self, name: &str, text: &str) -> String {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).expect("the file is written");
        path.to_str().expect("a path of UTF-8").to_owned()
    }

    /// Starts a server here and waits until it is ready.
    ///
    /// # Errors
    /// [`NotStarted`] where the process ends before.
    ///
    /// # Panics
    /// Where there is no program, or it does not get ready.
    pub fn start(&self, arguments: &[&str]) -> Result<Server, NotStarted> {
        let port_file = self.folder.path().join("port");
        let _ = std::fs::remove_file(&port_file);
        let mut child = self.spawn(&port_file, arguments);
        let address = wait::until("the server's address", || {
            if let Some(status) = child.try_wait().expect("the process is asked") {
                return Some(Err(NotStarted {
                    status,
                    log: self.log(),
                }));
            }
            read_address(&port_file).map(Ok)
        });
        let arguments = arguments.iter().map(ToString::to_string).collect();
        address.map(|address| Server {
            child,
            address,
            place: self.clone(),
            arguments,
        })
    }

    /// Kills a server, starts another one, and kills that at some moment of its start.
    ///
    /// # Panics
    /// Where a process cannot be started or killed.
    pub fn start_and_kill(&self, arguments: &[&str], random: &mut Random, server: Server) {
        drop(server.kill());
        let mut child = self.spawn(&self.folder.path().join("early-port"), arguments);
        // Nothing is waited for: the moment is chosen at random.
        std::thread::sleep(Duration::from_micros(random.next() % START_MICROS));
        child.kill().expect("the process is killed");
        child.wait().expect("the process ends");
    }

    fn spawn(&self, port_file: &Path, arguments: &[&str]) -> Child {
        let log = File::options()
            .create(true)
            .append(true)
            .open(self.log_file())
            .expect("a log file");
        let mut command = Command::new(program());
        // Whoever runs the tests may have a bucket of their own.
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"AWS_") {
                command.env_remove(name);
            }
        }
        command
            .arg("--data")
            .arg(self.data())
            .args(["--listen", "127.0.0.1:0", "--port-file"])
            .arg(port_file)
            .args(arguments)
            .env("RUST_BACKTRACE", "1")
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("the log twice"))
            .stderr(log)
            .spawn()
            .expect("the server's process")
    }

    fn log_file(&self) -> PathBuf {
        self.folder.path().join("log")
    }
}

impl Server {
    /// A server with an empty store.
    ///
    /// # Panics
    /// Where it does not start.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// A server with an empty store and settings.
    ///
    /// # Panics
    /// Where it does not start.
    pub fn start_with(arguments: &[&str]) -> Self {
        started(Place::new().start(arguments))
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// A new client of it.
    pub fn client(&self) -> Client {
        Client::new(self.address)
    }

    /// Where it keeps its data.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The id of its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills it with SIGKILL, and waits until it is gone.
    ///
    /// # Panics
    /// Where it had ended by itself.
    pub fn kill(mut self) -> Place {
        let ended = self.child.try_wait().expect("the process is asked");
        assert!(
            ended.is_none(),
            "the server ended by itself: {ended:?}\n{}",
            self.place.log()
        );
        self.child.kill().expect("the process is killed");
        self.child.wait().expect("the process ends");
        self.place.clone()
    }

    /// Asks it to stop with SIGTERM. It may still be at work when this returns.
    ///
    /// # Panics
    /// Where it cannot be asked.
    pub fn terminate(&self) {
        let pid = Pid::from_child(&self.child);
        rustix::process::kill_process(pid, Signal::TERM).expect("the process is asked to stop");
    }

    /// Waits until it has ended.
    ///
    /// # Panics
    /// Where it does not.
    pub fn ended(mut self) -> (ExitStatus, Place) {
        let status = wait::until("the server's end", || {
            self.child.try_wait().expect("the process is asked")
        });
        (status, self.place.clone())
    }

    /// Stops it with grace.
    ///
    /// # Panics
    /// Where it does not end well.
    pub fn stop(self) -> Place {
        self.terminate();
        let (status, place) = self.ended();
        assert!(status.success(), "the server ended with {status}\n{}", place.log());
        place
    }

    /// Stops it with grace and starts it again on the same data, with the same settings.
    ///
    /// # Panics
    /// Where one or the other fails.
    pub fn restart(self) -> Self {
        let arguments = self.arguments.clone();
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        started(self.stop().start(&arguments))
    }

    /// Checks that no thread panicked and nothing was logged that should never be.
    ///
    /// # Panics
    /// Where one did.
    pub fn assert_calm(&self) {
        let log = self.place.log();
        for line in log.lines() {
            assert!(!line.contains("panicked at"), "a thread of the server panicked:\n{log}");
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            show_log(&self.place.log());
        }
    }
}

/// A server that must have started.
///
/// # Panics
/// Where it did not.
pub fn started(start: Result<Server, NotStarted>) -> Server {
    start.unwrap_or_else(|failed| panic!("the server ended with {}:\n{}", failed.status, failed.log))
}

/// The server's program: where `RECTO_SERVER` says, else beside the tests.
fn program() -> PathBuf {
    match std::env::var_os("RECTO_SERVER") {
        Some(program) => program.into(),
        None => beside_the_tests("recto-server"),
    }
}

/// A program of the workspace, which is built before the tests run.
///
/// # Panics
/// Where it is not there.
pub fn beside_the_tests(name: &str) -> PathBuf {
    let tests = std::env::current_exe().expect("the test's own path");
    let folder = tests.ancestors().nth(2).expect("target/<profile>/deps/<test>");
    let program = folder.join(name);
    assert!(
        program.exists(),
        "{} is not there. Build it with `cargo build --release --workspace --bins`, as scripts/test.sh does",
        program.display()
    );
    program
}

/// The address once it is wholly written: the line ends.
fn read_address(port_file: &Path) -> Option<SocketAddr> {
    let text = std::fs::read_to_string(port_file).ok()?;
    let text = text.strip_suffix('\n')?;
    let port = text.parse().map(|port: u16| SocketAddr::from(([127, 0, 0, 1], port)));
    port.or_else(|_| text.parse()).ok()
}

#[expect(
    clippy::print_stderr,
    reason = "the log of the server belongs to the report of a failed test"
)]
fn show_log(log: &str) {
    let from = log.len().saturating_sub(16 * 1024);
    let from = (from..log.len())
        .find(|&at| log.is_char_boundary(at))
        .unwrap_or_default();
    eprintln!("--- the end of the server's log\n{}", &log[from..]);
}
