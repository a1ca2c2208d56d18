//! The worked example of the README: upload, promote, generate, deliver, undo, redo, and all of it again.

use recto_tests::api::{self, Api};
use recto_tests::images::FakeService;
use recto_tests::png::png;
use recto_tests::server::Server;
use serde_json::json;

use crate::told::Told;

const STORY: &str = include_str!("../fixtures/image-story.txt");

#[test]
fn the_image_story_of_the_readme_runs() {
    let service = FakeService::new();
    let arguments = ["--image-service", &service.url(), "--image-poll-ms", "1"];
    let server = Server::start_with(&arguments);
    let api = Api::of(&server);
    api.write(&api::create("moodboard", "DESIGN", &json!({})));
    let files = [("cat.png", png(320, 240, 7))];
    let mut told = Told::new(&api, &files);
    assert!(told.run(STORY) >= 11);
    assert_eq!(service.charged(), 1);
    server.assert_calm();
}

#[test]
fn the_readme_tells_this_story() {
    let readme = include_str!("../../../README.md");
    assert!(
        readme.contains(STORY.trim_end()),
        "the README and image-story.txt differ"
    );
}
