//! The idempotency key of a task: the same request has the same key, whoever sends it and however it is written.

use std::fmt;
use std::str::FromStr;

use recto_projections::Json;
use recto_store::{Id, RecordKey};

const KEY_DOMAIN: &str = "recto 2026 image task v1";
const SERVICE_DOMAIN: &str = "recto 2026 image service key v1";

/// The key of a task: BLAKE3 of the canonical JSON of its type and payload, files named by their asset ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskKey([u8; 32]);

/// The text is no key of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the key of a task is 64 hexadecimal digits")]
pub struct BadTaskKey;

impl TaskKey {
    pub(crate) fn of(task_type: &str, payload: &Json) -> Self {
        let mut text = String::new();
        canonical(
            &serde_json::json!({ "taskType": task_type, "payload": payload }),
            &mut text,
        );
        let mut hasher = blake3::Hasher::new_derive_key(KEY_DOMAIN);
        Self(*hasher.update(text.as_bytes()).finalize().as_bytes())
    }

    /// The key that the image service gets: another one in each workspace, and for each attempt.
    pub(crate) fn for_service(&self, scope: &Id, attempt: u32) -> String {
        let mut hasher = blake3::Hasher::new_derive_key(SERVICE_DOMAIN);
        hasher
            .update(&self.0)
            .update(&attempt.to_le_bytes())
            .update(scope.as_str().as_bytes());
        hasher.finalize().to_hex().to_string()
    }

    pub(crate) fn record_key(&self) -> RecordKey {
        RecordKey::new(&self.to_string()).unwrap_or_else(|fault| unreachable!("a hash is a key: {fault}"))
    }
}

impl fmt::Display for TaskKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl FromStr for TaskKey {
    type Err = BadTaskKey;

    fn from_str(text: &str) -> Result<Self, BadTaskKey> {
        let hash = blake3::Hash::from_hex(text).map_err(|_| BadTaskKey)?;
        // One key has one name.
        if hash.to_hex().as_str() == text {
            Ok(Self(*hash.as_bytes()))
        } else {
            Err(BadTaskKey)
        }
    }
}

/// JSON with sorted keys, no space, and each number in one form of its own.
pub(crate) fn canonical(json: &Json, out: &mut String) {
    match json {
        Json::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| *key);
            for (index, (key, value)) in entries.into_iter().enumerate() {
                out.push(if index == 0 { '{' } else { ',' });
                out.push_str(&Json::from(key.as_str()).to_string());
                out.push(':');
                canonical(value, out);
            }
            out.push_str(if map.is_empty() { "{}" } else { "}" });
        }
        Json::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                out.push(if index == 0 { '[' } else { ',' });
                canonical(item, out);
            }
            out.push_str(if items.is_empty() { "[]" } else { "]" });
        }
        Json::Number(number) => out.push_str(&number_text(number)),
        other => out.push_str(&other.to_string()),
    }
}

/// `1`, `1.0` and `1e0` are one number. It is taken as it is written, digit by digit: two numbers that a float cannot
/// tell apart are two.
fn number_text(number: &serde_json::Number) -> String {
    let text = number.to_string();
    let (sign, plain) = text.strip_prefix('-').map_or(("", text.as_str()), |plain| ("-", plain));
    let (mantissa, exponent) = plain.split_once(['e', 'E']).unwrap_or((plain, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let digits = all.trim_start_matches('0').trim_end_matches('0');
    if digits.is_empty() {
        return "0".to_owned();
    }
    let zeros = all.len() - all.trim_end_matches('0').len();
    let shift = i128::try_from(zeros)
        .ok()
        .zip(i128::try_from(fraction.len()).ok())
        .map(|(zeros, places)| zeros - places);
    let exponent = exponent.strip_prefix('+').unwrap_or(exponent).parse::<i128>().ok();
    match exponent
        .zip(shift)
        .and_then(|(exponent, shift)| exponent.checked_add(shift))
    {
        Some(exponent) => format!("{sign}{digits}e{exponent}"),
        // Nobody means such a number; it stands for itself.
        None => text,
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    fn key(text: &str) -> TaskKey {
        TaskKey::of("generate", &serde_json::from_str(text).unwrap())
    }

    #[test]
    fn how_a_request_is_written_makes_no_difference() {
        let one = key(r#"{"prompt":"a cat","size":{"width":512,"height":512.0},"n":[1,{}]}"#);
        let other = key(r#"{ "n": [1e0, {}], "size": {"height": 512, "width": 5.12e2}, "prompt": "a \u0063at" }"#);
        assert_eq!(one, other);
        assert_ne!(
            one,
            key(r#"{"prompt":"a cat","size":{"width":512,"height":513},"n":[1,{}]}"#)
        );
        assert_ne!(key("[1,2]"), key("[12]"));
        assert_ne!(key(r#""1""#), key("1"));
        assert_ne!(TaskKey::of("edit", &Json::Null), TaskKey::of("generate", &Json::Null));
    }

    #[test]
    fn numbers_that_a_float_cannot_tell_apart_are_two() {
        for (one, other) in [
            ("9007199254740993", "9007199254740992"),
            ("18446744073709551615", "18446744073709551614"),
            ("123456789012345678901234567890", "123456789012345678901234567891"),
            ("0.1", "0.1000000000000000000000001"),
            ("1e400", "1e401"),
            ("1e-400", "0"),
            ("5", "-5"),
            (
                "1e99999999999999999999999999999999999999999",
                "1e99999999999999999999999999999999999999998",
            ),
        ] {
            assert_ne!(key(one), key(other), "{one} {other}");
        }
        for (one, other) in [
            ("100", "1.00e2"),
            ("0.5", "5E-1"),
            ("-0.0", "0"),
            ("12.50", "125e-1"),
            ("1e+3", "1000"),
            ("1e400", "10e399"),
        ] {
            assert_eq!(key(one), key(other), "{one} {other}");
        }
    }

    #[test]
    fn a_key_reads_back_and_has_one_name() {
        let one = key("{}");
        assert_eq!(one.to_string().parse(), Ok(one));
        assert!(one.to_string().to_uppercase().parse::<TaskKey>().is_err());
        assert!("12".parse::<TaskKey>().is_err());
    }

    #[test]
    fn the_service_sees_other_keys_in_other_workspaces_and_attempts() {
        let (a, b) = (Id::new("a").unwrap(), Id::new("b").unwrap());
        let one = key("{}");
        assert_ne!(one.for_service(&a, 1), one.for_service(&b, 1));
        assert_ne!(one.for_service(&a, 1), one.for_service(&a, 2));
        assert_eq!(one.for_service(&a, 1), one.for_service(&a, 1));
    }
}
