//! The states of a history, checked: each event's delta leads to the state it recorded, each inverse leads back.

use recto_pages::{PageEvent, ReadError};
use recto_projections::{Delta, Digest, Kind, Value};

use super::fault::FaultClass;

const LEADS_ELSEWHERE: &str = "its inverse does not lead back to the state before it";

/// Goes over a history in chunks: forwards with the deltas, and backwards with the inverses. The states are changed in
/// place; one per chunk is kept.
pub struct Deep {
    value: Value,
}

/// The first event that is not sound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeepFault {
    /// Its version.
    pub version: u64,
    /// What sort of fault it is.
    pub class: FaultClass,
    /// What is wrong, in words.
    pub what: String,
}

/// An event's changes, decoded; none where its kind has none.
struct Changes {
    delta: Option<Delta>,
    inverse: Option<Delta>,
}

impl Deep {
    /// Begins with the empty page.
    #[must_use]
    pub fn new(kind: Kind) -> Self {
        Self {
            value: Value::empty(kind),
        }
    }

    /// The state come to.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Checks the next events, which follow those before.
    ///
    /// # Errors
    /// [`DeepFault`] tells the first event at fault. Nothing more can be checked then.
    pub fn check(&mut self, events: &[PageEvent]) -> Result<(), DeepFault> {
        let start = self.value.clone();
        let mut changes = Vec::with_capacity(events.len());
        let forwards = self.forwards(events, &mut changes);
        if forwards.is_err() {
            // An earlier inverse may be wrong too: back to the last state that was right.
            self.value = start.clone();
            for change in &changes {
                drop(change.delta.as_ref().map(|delta| self.value.replay(delta)));
            }
        }
        let end = self.value.clone();
        let sound = events.get(..changes.len()).unwrap_or_default();
        let backwards = match self.backwards(sound, &changes, start.digest()) {
            // The oldest one counts.
            Some(found) => earlier(start, sound.get(..found.0).unwrap_or_default(), &changes).and(Err(found.1)),
            None => Ok(()),
        };
        self.value = end;
        backwards.and(forwards)
    }

    /// Applies deltas as far as they lead where they are to lead.
    fn forwards(&mut self, events: &[PageEvent], changes: &mut Vec<Changes>) -> Result<(), DeepFault> {
        let mut before = self.value.digest();
        for event in events {
            let change = Changes::of(event)?;
            if let Some(delta) = &change.delta {
                let applied = self.value.replay(delta);
                applied.map_err(|fault| {
                    at(
                        event,
                        FaultClass::DeltaWrong,
                        format!("its change does not apply: {fault}"),
                    )
                })?;
            }
            if self.value.digest() != event.digest() {
                return Err(self.wrong_state(event, &change, before));
            }
            before = event.digest();
            changes.push(change);
        }
        Ok(())
    }

    /// Applies inverses, from the newest event back, up to one that is wrong.
    fn backwards(&mut self, events: &[PageEvent], changes: &[Changes], start: Digest) -> Option<(usize, DeepFault)> {
        for (index, (event, change)) in events.iter().zip(changes).enumerate().rev() {
            let Some(inverse) = &change.inverse else { continue };
            let earlier = index.checked_sub(1).and_then(|index| events.get(index));
            let before = earlier.map_or(start, PageEvent::digest);
            let what = match self.value.replay(inverse) {
                Err(fault) => format!("its inverse does not apply: {fault}"),
                Ok(()) if self.value.digest() != before => LEADS_ELSEWHERE.to_owned(),
                Ok(()) => continue,
            };
            return Some((index, at(event, FaultClass::InverseWrong, what)));
        }
        None
    }

    /// The event's change leads to another state than it recorded: is it the change, or the record?
    fn wrong_state(&mut self, event: &PageEvent, change: &Changes, before: Digest) -> DeepFault {
        let got = self.value.digest();
        let mut back = self.value.clone();
        let leads_back = change
            .inverse
            .as_ref()
            .is_none_or(|inverse| back.replay(inverse).is_ok());
        if leads_back && back.digest() == before {
            let what = format!(
                "its change and its inverse agree, and lead to the state {got}; it recorded {}",
                event.digest()
            );
            return at(event, FaultClass::DigestWrong, what);
        }
        let what = format!("its change leads to the state {got}; it recorded {}", event.digest());
        at(event, FaultClass::DeltaWrong, what)
    }
}

/// Checks the inverses of events forwards, each by itself: slower, and only needed in front of a fault.
fn earlier(mut value: Value, events: &[PageEvent], changes: &[Changes]) -> Result<(), DeepFault> {
    for (event, change) in events.iter().zip(changes) {
        let before = value.digest();
        drop(change.delta.as_ref().map(|delta| value.replay(delta)));
        let mut back = value.clone();
        let leads = change
            .inverse
            .as_ref()
            .is_none_or(|inverse| back.replay(inverse).is_ok());
        if !leads || back.digest() != before {
            return Err(at(event, FaultClass::InverseWrong, LEADS_ELSEWHERE.to_owned()));
        }
    }
    Ok(())
}

impl Changes {
    fn of(event: &PageEvent) -> Result<Self, DeepFault> {
        event
            .kind()
            .map_err(|fault| at(event, FaultClass::EventUnknown, sentence(fault)))?;
        let delta = event.delta();
        let inverse = event.inverse();
        Ok(Self {
            delta: delta.map_err(|fault| at(event, FaultClass::DeltaUndecodable, sentence(fault)))?,
            inverse: inverse.map_err(|fault| at(event, FaultClass::InverseUndecodable, sentence(fault)))?,
        })
    }
}

fn at(event: &PageEvent, class: FaultClass, what: String) -> DeepFault {
    DeepFault {
        version: event.version(),
        class,
        what,
    }
}

fn sentence(fault: ReadError) -> String {
    match fault {
        ReadError::Corrupt { what, .. } => what,
        other => other.to_string(),
    }
}
