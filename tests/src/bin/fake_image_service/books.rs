//! What the service was asked to do, and what it charged for. It outlives the process.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};

use serde_json::{Value, json};

/// A task that was charged for.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    key: String,
    number: u64,
    /// How often it will still be told to be under way.
    pub(crate) left: u64,
    pub(crate) cancelled: bool,
}

#[derive(Default)]
struct State {
    /// By task id.
    tasks: BTreeMap<String, Task>,
    /// Keys that were given up before their task came.
    given_up: BTreeSet<String>,
    /// Calls that were against the document.
    complaints: Vec<String>,
    calls: BTreeMap<String, u64>,
}

/// The books.
pub(crate) struct Books {
    file: PathBuf,
    state: Mutex<State>,
}

impl Books {
    pub(crate) fn open(file: PathBuf) -> Self {
        let kept: Value = std::fs::read(&file)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        let mut state = State::default();
        for task in kept["tasks"].as_array().into_iter().flatten() {
            let number = task["number"].as_u64().unwrap_or_default();
            let task = Task {
                key: task["key"].as_str().unwrap_or_default().to_owned(),
                number,
                left: task["left"].as_u64().unwrap_or_default(),
                cancelled: task["cancelled"] == true,
            };
            state.tasks.insert(name(number), task);
        }
        let texts = |name: &str| kept[name].as_array().into_iter().flatten().filter_map(Value::as_str);
        state.given_up.extend(texts("givenUp").map(str::to_owned));
        state.complaints.extend(texts("complaints").map(str::to_owned));
        for (call, count) in kept["calls"].as_object().into_iter().flatten() {
            state.calls.insert(call.clone(), count.as_u64().unwrap_or_default());
        }
        Self {
            file,
            state: Mutex::new(state),
        }
    }

    pub(crate) fn count(&self, call: &str) {
        let mut state = self.lock();
        *state.calls.entry(call.to_owned()).or_default() += 1;
        self.keep(&state);
    }

    pub(crate) fn complain(&self, complaint: String) {
        let mut state = self.lock();
        state.complaints.push(complaint);
        self.keep(&state);
    }

    /// The task of a key; a new key is charged for. None for one that was given up before.
    pub(crate) fn submit(&self, key: &str, polls: u64) -> Option<String> {
        let mut state = self.lock();
        if let Some((id, _)) = state.tasks.iter().find(|(_, task)| task.key == key) {
            return Some(id.clone());
        }
        if state.given_up.contains(key) {
            return None;
        }
        let number = u64::try_from(state.tasks.len()).expect("few tasks") + 1;
        let task = Task {
            key: key.to_owned(),
            number,
            left: polls,
            cancelled: false,
        };
        state.tasks.insert(name(number), task);
        self.keep(&state);
        Some(name(number))
    }

    pub(crate) fn poll(&self, id: &str) -> Option<Task> {
        let mut state = self.lock();
        let task = state.tasks.get_mut(id)?;
        let seen = task.clone();
        task.left = task.left.saturating_sub(1);
        self.keep(&state);
        Some(seen)
    }

    pub(crate) fn number(&self, id: &str) -> Option<u64> {
        self.lock().tasks.get(id).map(|task| task.number)
    }

    /// Gives up the task of a key, now or when it comes.
    pub(crate) fn cancel(&self, key: &str) {
        let mut state = self.lock();
        match state.tasks.values_mut().find(|task| task.key == key) {
            Some(task) => task.cancelled = true,
            None => {
                state.given_up.insert(key.to_owned());
            }
        }
        self.keep(&state);
    }

    pub(crate) fn to_json(&self) -> Value {
        to_json(&self.lock())
    }

    fn keep(&self, state: &State) {
        let half = self.file.with_extension("half");
        std::fs::write(&half, to_json(state).to_string()).expect("the books are written");
        std::fs::rename(half, &self.file).expect("the books are written");
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics with the books")
    }
}

fn name(number: u64) -> String {
    format!("job-{number:06}")
}

fn to_json(state: &State) -> Value {
    let tasks: Vec<Value> = state
        .tasks
        .values()
        .map(|task| json!({ "key": task.key, "number": task.number, "left": task.left, "cancelled": task.cancelled }))
        .collect();
    json!({
        "charged": tasks.len(),
        "tasks": tasks,
        "givenUp": state.given_up,
        "complaints": state.complaints,
        "calls": state.calls,
    })
}
