//! Files and images over HTTP, and the fake image service as a process.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::json;
use tempfile::TempDir;

use crate::Json;
use crate::http::{Answer, Client, percent};
use crate::wait;

/// A running fake image service. Dropping it kills it; its books stay.
#[derive(Debug)]
pub struct FakeService {
    child: Child,
    client: Client,
    folder: TempDir,
    token: Option<&'static str>,
}

/// Files and images of one server.
#[derive(Clone, Debug)]
pub struct Files(pub Client);

impl FakeService {
    /// A service with empty books.
    ///
    /// # Panics
    /// Where it does not start.
    #[expect(clippy::new_without_default, reason = "it starts a process")]
    pub fn new() -> Self {
        Self::start(None)
    }

    /// A service that answers nobody without this token.
    ///
    /// # Panics
    /// Where it does not start.
    pub fn with_token(token: &'static str) -> Self {
        Self::start(Some(token))
    }

    fn start(token: Option<&'static str>) -> Self {
        let folder = TempDir::with_prefix("recto-images-").expect("a folder");
        let (child, address) = start(folder.path(), token);
        Self {
            child,
            client: Client::new(address),
            folder,
            token,
        }
    }

    /// Its base URL.
    pub fn url(&self) -> String {
        format!("http://{}", self.client.address())
    }

    /// Plans faults.
    ///
    /// # Panics
    /// Where it does not answer.
    pub fn plan(&self, faults: &Json) {
        let body = faults.to_string();
        let headers = [("content-type", "application/json")];
        self.client
            .send("PUT", "/faults", &headers, body.as_bytes())
            .expect(204);
    }

    /// What it charged for, and how often it was asked.
    ///
    /// # Panics
    /// Where it does not answer, or was asked or answered against its document.
    pub fn books(&self) -> Json {
        let books = self.client.get("/books").expect(200).json();
        assert_eq!(books["complaints"], json!([]), "against api/image-service.json");
        books
    }

    /// How many tasks it charged for.
    pub fn charged(&self) -> u64 {
        self.books()["charged"].as_u64().unwrap_or_default()
    }

    /// Waits until it has charged for so many tasks.
    ///
    /// # Panics
    /// Where it takes too long.
    pub fn wait_for_charged(&self, count: u64) {
        wait::until("the tasks at the service", || (self.charged() == count).then_some(()));
    }

    /// How often an operation was asked for.
    pub fn calls(&self, operation: &str) -> u64 {
        self.books()["calls"][operation].as_u64().unwrap_or_default()
    }

    /// Starts it again with the same books; its address is another one.
    ///
    /// # Panics
    /// Where it does not start.
    pub fn restart(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let (child, address) = start(self.folder.path(), self.token);
        self.child = child;
        self.client = Client::new(address);
    }
}

impl Drop for FakeService {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Files {
    /// Uploads a file.
    pub fn upload(&self, id: &str, media_type: &str, bytes: &[u8]) -> Answer {
        let path = format!("/v1/attachments/{}", percent(id));
        self.0.send("PUT", &path, &[("content-type", media_type)], bytes)
    }

    /// Makes an attachment an asset.
    pub fn promote(&self, id: &str) -> Answer {
        let path = format!("/v1/attachments/{}/promote", percent(id));
        self.0.send("POST", &path, &[], &[])
    }

    /// Makes an attachment an asset; `None` where the connection breaks.
    pub fn try_promote(&self, id: &str) -> Option<Answer> {
        let path = format!("/v1/attachments/{}/promote", percent(id));
        self.0.try_send("POST", &path, &[], &[]).ok()
    }

    /// Has an image made, and waits for the end.
    pub fn run(&self, body: &Json) -> Answer {
        self.try_run(body).unwrap_or_else(|| panic!("{body} has no answer"))
    }

    /// As [`Files::run`]; `None` where the connection breaks.
    pub fn try_run(&self, body: &Json) -> Option<Answer> {
        self.try_json("POST", "/v1/image-tasks?wait=20", body)
    }

    /// Sends JSON; `None` where the connection breaks.
    pub fn try_json(&self, method: &str, path: &str, body: &Json) -> Option<Answer> {
        let headers = [("content-type", "application/json")];
        self.0
            .try_send(method, path, &headers, body.to_string().as_bytes())
            .ok()
    }

    /// Sends JSON.
    ///
    /// # Panics
    /// Where no answer came.
    pub fn json(&self, method: &str, path: &str, body: &Json) -> Answer {
        self.try_json(method, path, body)
            .unwrap_or_else(|| panic!("{method} {path} has no answer"))
    }

    /// Holds a slot.
    pub fn hold(&self, page: &str, slot: &str, body: &Json) -> Answer {
        self.json("PUT", &slot_path(page, slot), body)
    }

    /// Places an asset.
    pub fn place(&self, page: &str, slot: &str, asset: &str) -> Answer {
        self.json(
            "POST",
            &format!("{}/place", slot_path(page, slot)),
            &json!({ "assetId": asset }),
        )
    }

    /// All assets, whether something refers to them or not: the dry run of a collection.
    ///
    /// # Panics
    /// Where it does not answer.
    pub fn collection(&self) -> Json {
        let path = "/v1/assets/collect?dryRun=true&olderThan=0";
        self.0.send("POST", path, &[], &[]).expect(200).json()
    }
}

/// The path of a slot.
pub fn slot_path(page: &str, slot: &str) -> String {
    format!("/v1/pages/{}/slots/{}", percent(page), percent(slot))
}

/// How many files lie below a folder.
pub fn count_files(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.path() {
            path if path.is_dir() => count_files(&path),
            _ => 1,
        })
        .sum()
}

fn start(folder: &Path, token: Option<&str>) -> (Child, SocketAddr) {
    let port_file = folder.join("port");
    let _ = std::fs::remove_file(&port_file);
    let mut child = Command::new(program())
        .arg("--port-file")
        .arg(&port_file)
        .arg("--state")
        .arg(folder.join("books.json"))
        .args(token.iter().flat_map(|token| ["--token", token]))
        .stdin(Stdio::null())
        .spawn()
        .expect("the process of the fake image service");
    let address = wait::until("the address of the fake image service", || {
        let ended = child.try_wait().expect("the process is asked");
        assert!(ended.is_none(), "the fake image service ended: {ended:?}");
        std::fs::read_to_string(&port_file).ok()?.trim().parse().ok()
    });
    (child, address)
}

/// The program lies beside the server's.
fn program() -> PathBuf {
    let tests = std::env::current_exe().expect("the test's own path");
    let folder = tests.ancestors().nth(2).expect("target/<profile>/deps/<test>");
    let program = folder.join("fake-image-service");
    assert!(
        program.exists(),
        "{} is not there. Build it with `cargo build --release --workspace --bins`",
        program.display()
    );
    program
}
