//! The faults that are planned: for each operation a queue, and what holds until it is changed.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::watch;

/// What goes wrong with one request.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    None,
    /// It is done, and the answer is lost.
    Lost,
    /// The process ends before it is done.
    Die,
    /// The process ends after it was done.
    DieAfter,
    /// It is done after a while.
    Late(Duration),
    /// It is done once there is another plan.
    Held(watch::Receiver<u64>),
    /// The answer comes in pieces, over so long.
    Slowly(Duration),
    /// It is not done, and this is answered.
    Answer(u16, Value),
}

#[derive(Default)]
struct Plan {
    queues: BTreeMap<String, VecDeque<String>>,
    missing: Vec<String>,
    gone_at_submit: Vec<String>,
    names_assets: bool,
    polls: u64,
    holds: bool,
    ending: Value,
    bytes: Option<Vec<u8>>,
}

/// The plan.
#[derive(Default)]
pub(crate) struct Faults {
    plan: Mutex<Plan>,
    /// How many plans there were.
    plans: watch::Sender<u64>,
}

impl Faults {
    /// Replaces the plan: `{"queues": {"submit": ["lost", "500"]}, "missing": [ids], "goneAtSubmit": [ids],
    /// "namesAssets": true, "polls": 3, "holds": true, "ending": {error}, "bytes": "text"}`. What can stand in a queue is
    /// read by [`Faults::next`].
    pub(crate) fn plan(&self, json: &Value) {
        let texts = |json: &Value| -> Vec<String> {
            let items = json.as_array().into_iter().flatten();
            items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
        };
        let queues = json["queues"].as_object().into_iter().flatten();
        *self.lock() = Plan {
            queues: queues
                .map(|(call, queue)| (call.clone(), texts(queue).into()))
                .collect(),
            missing: texts(&json["missing"]),
            gone_at_submit: texts(&json["goneAtSubmit"]),
            names_assets: json["namesAssets"] == true,
            polls: json["polls"].as_u64().unwrap_or_default(),
            holds: json["holds"] == true,
            ending: json["ending"].clone(),
            bytes: bytes_of(&json["bytes"]),
        };
        self.plans.send_modify(|plans| *plans += 1);
    }

    /// The fault of the next request of an operation.
    pub(crate) fn next(&self, call: &str) -> Fault {
        let mut plan = self.lock();
        let name = plan.queues.get_mut(call).and_then(VecDeque::pop_front);
        match name.as_deref() {
            None | Some("none") => Fault::None,
            Some("lost") => Fault::Lost,
            Some("held") => Fault::Held(self.plans.subscribe()),
            Some("die") => Fault::Die,
            Some("die-after") => Fault::DieAfter,
            Some("102") => Fault::Answer(404, json!({ "code": 102 })),
            Some("101") => Fault::Answer(404, json!({ "code": 101 })),
            Some("credits") => Fault::Answer(
                402,
                json!({ "code": "credits", "canUpgrade": true, "refreshInSeconds": 60 }),
            ),
            Some("resolution") => Fault::Answer(422, resolution()),
            Some(slow) if slow.starts_with("late-") => Fault::Late(milliseconds(slow)),
            Some(slow) if slow.starts_with("slowly-") => Fault::Slowly(milliseconds(slow)),
            Some(status) => Fault::Answer(status.parse().unwrap_or(500), json!({ "message": "as planned" })),
        }
    }

    pub(crate) fn is_missing(&self, asset: &str) -> bool {
        self.lock().missing.iter().any(|missing| missing == asset)
    }

    /// Whether an asset goes away when a task with it is submitted; from then on it is missing.
    pub(crate) fn goes_missing(&self, asset: &str) -> bool {
        let mut plan = self.lock();
        if plan.gone_at_submit.iter().any(|gone| gone == asset) {
            plan.missing.push(asset.to_owned());
        }
        plan.missing.iter().any(|missing| missing == asset)
    }

    pub(crate) fn names_assets(&self) -> bool {
        self.lock().names_assets
    }

    pub(crate) fn polls(&self) -> u64 {
        self.lock().polls
    }

    /// Whether tasks run for as long as this plan stands.
    pub(crate) fn holds(&self) -> bool {
        self.lock().holds
    }

    /// The error that tasks end with.
    pub(crate) fn ending(&self) -> Option<Value> {
        let plan = self.lock();
        (!plan.ending.is_null()).then(|| plan.ending.clone())
    }

    /// What is sent in place of images.
    pub(crate) fn bytes(&self) -> Option<Vec<u8>> {
        self.lock().bytes.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().expect("nobody panics with the plan")
    }
}

/// As text, or a list of bytes, or so many of them: `{"zeros": 5000}`.
fn bytes_of(json: &Value) -> Option<Vec<u8>> {
    match json {
        Value::String(text) => Some(text.clone().into_bytes()),
        Value::Array(bytes) => bytes.iter().map(|byte| u8::try_from(byte.as_u64()?).ok()).collect(),
        Value::Object(map) => Some(vec![0; usize::try_from(map.get("zeros")?.as_u64()?).ok()?]),
        _ => None,
    }
}

/// `late-300`: 300.
fn milliseconds(text: &str) -> Duration {
    let number = text.rsplit('-').next().and_then(|number| number.parse().ok());
    Duration::from_millis(number.expect("a number of milliseconds"))
}

fn resolution() -> Value {
    json!({
        "code": "resolution",
        "of": "source",
        "requested": { "width": 9000, "height": 9000 },
        "limited": { "width": 4096, "height": 4096 },
    })
}
