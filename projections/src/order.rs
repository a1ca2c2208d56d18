//! Order keys: base-62 fractional strings that the reference library (npm `fractional-indexing`) accepts.
//!
//! A key is an integer part and a fraction. The first letter tells how many digits the integer has: `a` one, `b` two, up
//! to `z`; `Z` one below zero, `Y` two, down to `A`. A fraction never ends in `0`. Keys are compared bytewise.

use std::fmt;
use std::sync::{Arc, LazyLock};

use crate::limits::{ORDER_KEY_MAX_BYTES, ORDER_KEY_REBALANCE_BYTES};

const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ZERO: u8 = b'0';
const LAST: u8 = b'z';
/// The integer that the reference library leaves out: no key is below it.
const SMALLEST_INTEGER: &[u8] = b"A00000000000000000000000000";

static LOWEST: LazyLock<OrderKey> = LazyLock::new(|| OrderKey("".into()));
static HIGHEST: LazyLock<OrderKey> = LazyLock::new(|| OrderKey("~".into()));

/// A valid order key. A clone is a reference count.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OrderKey(Arc<str>);

/// A text that is no order key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an order key")]
pub struct OrderKeyInvalid;

impl OrderKey {
    /// Reads a key.
    ///
    /// # Errors
    /// [`OrderKeyInvalid`] for what the reference library refuses, for digits other than base-62, and past
    /// [`ORDER_KEY_MAX_BYTES`].
    pub fn parse(text: &str) -> Result<OrderKey, OrderKeyInvalid> {
        let key = text.as_bytes();
        let integer = integer_part(key).ok_or(OrderKeyInvalid)?;
        let fraction = &key[integer.len()..];
        let digits = key.iter().all(u8::is_ascii_alphanumeric);
        if !digits || key.len() > ORDER_KEY_MAX_BYTES || fraction.last() == Some(&ZERO) || key == SMALLEST_INTEGER {
            return Err(OrderKeyInvalid);
        }
        Ok(OrderKey(text.into()))
    }

    /// Gives the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Says whether the key is so long that its siblings want a rebalance.
    pub fn wants_rebalance(&self) -> bool {
        self.0.len() > ORDER_KEY_REBALANCE_BYTES
    }

    /// Makes a key between two others; `None` stands for the end. Nothing if they are not in order or no key of at most
    /// [`ORDER_KEY_MAX_BYTES`] lies between.
    pub fn between(left: Option<&OrderKey>, right: Option<&OrderKey>) -> Option<OrderKey> {
        let key = match (left, right) {
            (None, None) => b"a0".to_vec(),
            (None, Some(right)) => before(right.bytes())?,
            (Some(left), None) => after(left.bytes())?,
            (Some(left), Some(right)) if left < right => inside(left.bytes(), right.bytes())?,
            _ => return None,
        };
        OrderKey::parse(std::str::from_utf8(&key).ok()?).ok()
    }

    /// Makes `count` evenly spaced keys in order between two others, as [`OrderKey::between`] makes one.
    pub fn spread(left: Option<&OrderKey>, right: Option<&OrderKey>, count: usize) -> Option<Vec<OrderKey>> {
        let mut keys = Vec::with_capacity(count);
        match (left, right) {
            (left, None) => run(left, count, &mut keys, |last| OrderKey::between(last, None))?,
            (None, right) => {
                run(right, count, &mut keys, |first| OrderKey::between(None, first))?;
                keys.reverse();
            }
            (left, right) => halve(left, right, count, &mut keys)?,
        }
        Some(keys)
    }

    /// The bound below every key.
    pub(crate) fn lowest() -> OrderKey {
        LOWEST.clone()
    }

    /// The bound above every key.
    pub(crate) fn highest() -> OrderKey {
        HIGHEST.clone()
    }

    fn bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl fmt::Debug for OrderKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl fmt::Display for OrderKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// Makes keys one after another, each beside the one before.
fn run(
    end: Option<&OrderKey>,
    count: usize,
    keys: &mut Vec<OrderKey>,
    next: impl Fn(Option<&OrderKey>) -> Option<OrderKey>,
) -> Option<()> {
    for _ in 0..count {
        let key = next(keys.last().or(end))?;
        keys.push(key);
    }
    Some(())
}

/// Makes keys by halving the gap: as deep as the logarithm of their number.
fn halve(left: Option<&OrderKey>, right: Option<&OrderKey>, count: usize, keys: &mut Vec<OrderKey>) -> Option<()> {
    if count == 0 {
        return Some(());
    }
    let middle = OrderKey::between(left, right)?;
    let smaller = count / 2;
    halve(left, Some(&middle), smaller, keys)?;
    keys.push(middle.clone());
    halve(Some(&middle), right, count - smaller - 1, keys)
}

fn before(right: &[u8]) -> Option<Vec<u8>> {
    let integer = integer_part(right)?;
    let fraction = &right[integer.len()..];
    if integer == SMALLEST_INTEGER {
        return Some([integer, &midpoint(b"", Some(fraction))].concat());
    }
    if !fraction.is_empty() {
        return Some(integer.to_vec());
    }
    let lower = decrement(integer)?;
    // The smallest integer is no key by itself; whatever follows it is.
    let tail = if lower == SMALLEST_INTEGER {
        midpoint(b"", None)
    } else {
        Vec::new()
    };
    Some([lower, tail].concat())
}

fn after(left: &[u8]) -> Option<Vec<u8>> {
    let integer = integer_part(left)?;
    Some(increment(integer).unwrap_or_else(|| [integer, &midpoint(&left[integer.len()..], None)].concat()))
}

fn inside(left: &[u8], right: &[u8]) -> Option<Vec<u8>> {
    let (low, high) = (integer_part(left)?, integer_part(right)?);
    let fraction = &left[low.len()..];
    if low == high {
        return Some([low, &midpoint(fraction, Some(&right[high.len()..]))].concat());
    }
    match increment(low) {
        Some(next) if next.as_slice() < right => Some(next),
        _ => Some([low, &midpoint(fraction, None)].concat()),
    }
}

/// Makes a fraction between two, of which the second may be missing. Both end in no zero, and are in order.
fn midpoint(left: &[u8], right: Option<&[u8]>) -> Vec<u8> {
    let mut middle = Vec::new();
    let (mut index, mut right) = (0, right);
    loop {
        let low = left.get(index).map_or(0, |digit| value(*digit));
        let high = right.map_or(DIGITS.len(), |right| right.get(index).map_or(0, |digit| value(*digit)));
        if low == high {
            middle.push(DIGITS[low]);
        } else if high.saturating_sub(low) > 1 {
            middle.push(DIGITS[(low + high).div_ceil(2)]);
            return middle;
        } else if right.is_some_and(|right| right.len() > index + 1) {
            middle.push(DIGITS[high]);
            return middle;
        } else {
            middle.push(DIGITS[low]);
            right = None;
        }
        index += 1;
    }
}

fn integer_part(key: &[u8]) -> Option<&[u8]> {
    key.get(..integer_length(*key.first()?)?)
}

fn integer_length(head: u8) -> Option<usize> {
    match head {
        b'a'..=b'z' => Some(usize::from(head - b'a') + 2),
        b'A'..=b'Z' => Some(usize::from(b'Z' - head) + 2),
        _ => None,
    }
}

fn increment(integer: &[u8]) -> Option<Vec<u8>> {
    let mut next = integer.to_vec();
    for digit in next.iter_mut().skip(1).rev() {
        if *digit != LAST {
            *digit = DIGITS[value(*digit) + 1];
            return Some(next);
        }
        *digit = ZERO;
    }
    let head = match integer.first()? {
        b'z' => return None,
        b'Z' => b'a',
        head => head + 1,
    };
    Some(with_head(next, head, ZERO))
}

fn decrement(integer: &[u8]) -> Option<Vec<u8>> {
    let mut next = integer.to_vec();
    for digit in next.iter_mut().skip(1).rev() {
        if *digit != ZERO {
            *digit = DIGITS[value(*digit) - 1];
            return Some(next);
        }
        *digit = LAST;
    }
    let head = match integer.first()? {
        b'A' => return None,
        b'a' => b'Z',
        head => head - 1,
    };
    Some(with_head(next, head, LAST))
}

/// Gives an integer another head, and as many digits as that says; the digits are all the same.
fn with_head(mut integer: Vec<u8>, head: u8, digit: u8) -> Vec<u8> {
    integer.resize(integer_length(head).unwrap_or(0), digit);
    if let Some(first) = integer.first_mut() {
        *first = head;
    }
    integer
}

fn value(digit: u8) -> usize {
    usize::from(match digit {
        b'0'..=b'9' => digit - b'0',
        b'A'..=b'Z' => digit - b'A' + 10,
        b'a'..=b'z' => digit - b'a' + 36,
        _ => 0,
    })
}
