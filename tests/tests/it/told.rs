//! Stories that the README tells, run line by line.
//!
//! A line with `agent` or `user` is a request: method, path, for some the ETag behind `@`, and the body, or `<NAME` for the
//! bytes of a file. The line below it says the status and some of the answer's fields. `$name` in an answer keeps what
//! stands there, in a request puts it in, and in a later answer must be the same.

use std::collections::BTreeMap;

use recto_tests::Json;
use recto_tests::api::{Api, Write};
use recto_tests::http::Answer;

const METHODS: [&str; 4] = ["GET", "PUT", "POST", "DELETE"];

/// What a story runs against.
pub(crate) struct Told<'a> {
    pub(crate) api: &'a Api,
    /// Files by name.
    pub(crate) files: &'a [(&'a str, Vec<u8>)],
    kept: BTreeMap<String, String>,
}

impl<'a> Told<'a> {
    pub(crate) fn new(api: &'a Api, files: &'a [(&'a str, Vec<u8>)]) -> Self {
        let kept = BTreeMap::new();
        Self { api, files, kept }
    }

    /// Runs a story to its end; returns how many requests it has.
    #[track_caller]
    pub(crate) fn run(&mut self, story: &str) -> usize {
        let mut lines = story.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let mut steps = 0;
        while let Some(request) = lines.next() {
            let answer = self.send(request);
            let expected = lines.next().expect("an answer");
            let (status, fields) = expected.split_once(' ').expect("a status and fields");
            assert_eq!(answer.status.to_string(), status, "{request}: {answer}");
            let fields: Json = serde_json::from_str(fields).expect("fields");
            self.compare(&fields, &answer.json(), request);
            steps += 1;
        }
        steps
    }

    fn send(&self, request: &str) -> Answer {
        let kept = self.kept.iter();
        let request = kept.fold(request.to_owned(), |text, (name, value)| text.replace(name, value));
        let mut words = request.splitn(4, ' ');
        let mut word = || words.next().unwrap_or_default().to_owned();
        let (actor, method, path, rest) = (word(), word(), word(), word());
        let method = METHODS.into_iter().find(|known| *known == method).expect("a method");
        if method == "GET" {
            return self.api.get(&path);
        }
        if let Some(name) = rest.strip_prefix('<') {
            let file = self.files.iter().find(|(file, _)| *file == name);
            let (_, bytes) = file.unwrap_or_else(|| panic!("there is no file {name}"));
            let headers = [("content-type", "image/png")];
            return self.api.client().send(method, &path, &headers, bytes);
        }
        let (tag, body) = match rest.strip_prefix('@').and_then(|rest| rest.split_once(' ')) {
            Some((tag, body)) => (Some(tag.to_owned()), body.to_owned()),
            None => (None, rest),
        };
        let write = Write::new(method, path, &Json::Null).by(&format!("{actor}:one"));
        self.api.send(&Write {
            base: tag,
            body: body.into_bytes(),
            ..write
        })
    }

    /// Every field told is so; what is not told may be anything.
    #[track_caller]
    fn compare(&mut self, told: &Json, real: &Json, request: &str) {
        match (told, real) {
            (Json::String(name), Json::String(value)) if name.starts_with('$') => {
                let kept = self.kept.entry(name.clone()).or_insert_with(|| value.clone());
                assert_eq!(kept, value, "{name}: {request}");
            }
            (Json::Object(told), Json::Object(_)) => {
                for (name, told) in told {
                    self.compare(told, &real[name], request);
                }
            }
            (Json::Array(told), Json::Array(items)) => {
                assert_eq!(told.len(), items.len(), "{request}: {real}");
                for (told, real) in told.iter().zip(items) {
                    self.compare(told, real, request);
                }
            }
            (told, real) => assert_eq!(told, real, "{request}"),
        }
    }
}
