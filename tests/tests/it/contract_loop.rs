//! The loop of an agent's tools, told in the README: the text is run here line by line.

use recto_tests::api;
use serde_json::json;

use crate::told::Told;

const LOOP: &str = include_str!("../fixtures/tool-loop.txt");

#[test]
fn the_loop_of_the_readme_runs() {
    let (_server, api) = api::start();
    let menu =
        json!([{ "insert": "Menu" }, { "insert": "\n", "attributes": { "header": 1 } }, { "insert": "Soup 4\n" }]);
    api.write(&api::create("menu", "DOC", &menu));
    assert!(Told::new(&api, &[]).run(LOOP) >= 7);
}

#[test]
fn the_readme_tells_this_loop() {
    let readme = include_str!("../../../README.md");
    assert!(readme.contains(LOOP.trim_end()), "the README and tool-loop.txt differ");
}
