//! A server and the image service that it uses, both as processes.

use std::collections::BTreeMap;

use serde_json::json;

use crate::Json;
use crate::http::Answer;
use crate::images::{FakeService, Files};
use crate::png::png;
use crate::server::Server;

/// A server and its image service.
#[derive(Debug)]
pub struct Studio {
    /// The server.
    pub server: Server,
    /// Its files and images.
    pub files: Files,
    /// The service.
    pub service: FakeService,
}

impl Studio {
    /// Both, empty, the server with more settings.
    pub fn new(arguments: &[&str]) -> Self {
        let service = FakeService::new();
        let server = Server::start_with(&[&Self::arguments(&service.url()), arguments].concat());
        let files = Files(server.client());
        Self { server, files, service }
    }

    /// The settings of a server that uses the service at a URL.
    pub fn arguments(url: &str) -> [&str; 4] {
        ["--image-service", url, "--image-poll-ms", "1"]
    }

    /// A PNG of 32 by 32 pixels as an asset.
    ///
    /// # Panics
    /// Where it becomes none.
    pub fn asset(&self, name: &str, seed: u64) -> String {
        self.files.upload(name, "image/png", &png(32, 32, seed)).expect(201);
        let asset = self.files.promote(name).expect(200).json()["assetId"].clone();
        asset.as_str().expect("an id").to_owned()
    }

    /// Has an image made, and waits for the end.
    pub fn run(&self, body: &Json) -> Answer {
        self.files.run(body)
    }

    /// Begins a task, and tells its path.
    ///
    /// # Panics
    /// Where it is not under way.
    pub fn begin(&self, body: &Json) -> String {
        let begun = self.files.json("POST", "/v1/image-tasks", body).expect(202);
        begun.header("location").expect("a location").to_owned()
    }

    /// How often the service was asked for operations.
    pub fn calls<const N: usize>(&self, operations: [&str; N]) -> [u64; N] {
        let calls = self.service.books()["calls"].clone();
        operations.map(|operation| calls[operation].as_u64().unwrap_or_default())
    }

    /// All counts of a metric, by what stands in its braces.
    ///
    /// # Panics
    /// Where there are no metrics.
    pub fn counts(&self, name: &str) -> BTreeMap<String, u64> {
        let text = String::from_utf8(self.files.0.get("/metrics").expect(200).body).expect("text");
        let lines = text.lines().filter_map(|line| line.strip_prefix(name));
        let counts = lines.filter_map(|line| {
            let (labels, count) = line.rsplit_once(' ')?;
            let labels = labels.strip_prefix('{').and_then(|labels| labels.strip_suffix('}'));
            Some((labels.unwrap_or_default().to_owned(), count.parse().ok()?))
        });
        counts.collect()
    }

    /// All of a metric.
    pub fn metric(&self, name: &str) -> u64 {
        self.counts(name).values().sum()
    }
}

/// A task like no other of another name.
pub fn image_of(name: &str) -> Json {
    json!({ "taskType": "generate", "payload": { "prompt": name } })
}
