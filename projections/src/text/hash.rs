//! The digest of a text: a polynomial over its units, independent of how the text is stored and of how it came about.
//!
//! Unit `i` of a text contributes `value · base^i` modulo the prime 2^61 − 1, in two lanes with a base each. Its value is
//! the code unit, plus the lane of its attributes, plus the lane of its embed (which stands on the code unit U+FFFC). A
//! lane of attributes or of an embed is taken from the BLAKE3 hash of its canonical JSON. The hash of two parts together
//! follows from theirs, so a tree keeps it up to date in the time of an edit.

/// One value per lane.
pub(super) type Lanes = [u64; 2];

/// The most units that [`of_units`] and [`of_span`] take at once.
pub(super) const UNITS_MAX: usize = 512;

/// The prime 2^61 − 1.
const P: u64 = (1 << 61) - 1;

/// The bases: the first eight bytes, little-endian, modulo the prime, of the BLAKE3 key derived in the context
/// "recto text base v1" from the lane's number as one byte.
const BASES: Lanes = [0x08c0_946b_2ce5_ad15, 0x1172_c9ee_4bd5_5303];

static POWERS: [Powers; 2] = [Powers::of(BASES[0]), Powers::of(BASES[1])];

/// What a text is known by: its length and two hash lanes. Equal texts have equal digests however they came about.
///
/// It finds faults. It does not stop a forger, who could search for collisions: the hash chain of the events does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TextDigest {
    pub(super) len: u64,
    pub(super) lanes: Lanes,
}

impl TextDigest {
    /// Returns the digest as bytes: length and lanes, little-endian.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 24] {
        let mut bytes = [0; 24];
        let words = [self.len, self.lanes[0], self.lanes[1]];
        for (chunk, word) in bytes.chunks_exact_mut(8).zip(words) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }
}

/// The hash of a stretch of text, ready to be joined to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Poly {
    /// The polynomial.
    pub(super) value: Lanes,
    /// The bases to the power of the stretch's length.
    power: Lanes,
}

impl Poly {
    pub(super) const EMPTY: Self = Self {
        value: [0; 2],
        power: [1; 2],
    };

    /// Makes the hash of a stretch of at most [`UNITS_MAX`] units.
    pub(super) fn new(value: Lanes, units: usize) -> Self {
        Self {
            value,
            power: powers(units),
        }
    }

    /// The hash after a part of the stretch changed from `old` to `new`, with `before` in front of it. The part's length
    /// changed by at most [`UNITS_MAX`] units.
    pub(super) fn with_part(self, before: &Self, old: (&Self, usize), new: (&Self, usize)) -> Self {
        let ((old, old_len), (new, new_len)) = (old, new);
        // What lies behind the part is what the old value has beyond it; it moves as the part grows.
        let known = sum(before.value, product(before.power, old.value));
        let shift = shift(old_len, new_len);
        let behind = product(difference(self.value, known), shift);
        let part = product(before.power, new.value);
        Self {
            value: sum(sum(before.value, part), behind),
            power: product(self.power, shift),
        }
    }

    /// Joins the stretch that comes before this one.
    #[inline]
    pub(super) fn after(self, before: &Self) -> Self {
        Self {
            value: [
                add(before.value[0], multiply(before.power[0], self.value[0])),
                add(before.value[1], multiply(before.power[1], self.value[1])),
            ],
            power: product(before.power, self.power),
        }
    }
}

/// The value of a leaf after its units from `start` to `end` gave way to others; see [`Change`].
pub(super) fn changed(old: Lanes, change: &Change) -> Lanes {
    let Change {
        start,
        end,
        removed,
        by,
        inserted,
        ..
    } = *change;
    let new_end = start + by;
    match change.rest {
        Rest::Before(before) => {
            // What lies behind is what the old value has beyond the rest; it moves.
            let behind = difference(difference(old, before), product(powers(start), removed));
            let moved = product(behind, shift(end, new_end));
            sum(sum(before, product(powers(start), inserted)), moved)
        }
        Rest::Behind(behind) => {
            let old_part = sum(product(powers(start), removed), product(powers(end), behind));
            let new_part = sum(product(powers(start), inserted), product(powers(new_end), behind));
            sum(difference(old, old_part), new_part)
        }
    }
}

/// A change of a leaf's units: those from `start` to `end`, worth `removed`, give way to `by` units worth `inserted`.
pub(super) struct Change {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) removed: Lanes,
    pub(super) by: usize,
    pub(super) inserted: Lanes,
    pub(super) rest: Rest,
}

/// The value of what stays on one side of a change; one side suffices.
pub(super) enum Rest {
    Before(Lanes),
    Behind(Lanes),
}

/// Adds lane by lane.
pub(super) fn sum(a: Lanes, b: Lanes) -> Lanes {
    [add(a[0], b[0]), add(a[1], b[1])]
}

/// The value of the code units of a text alone.
pub(super) fn of_units(text: &str, units: usize) -> Lanes {
    if text.len() == units {
        // Every byte is a unit: ASCII.
        [POWERS[0].dot(text.bytes()), POWERS[1].dot(text.bytes())]
    } else {
        [POWERS[0].dot(text.encode_utf16()), POWERS[1].dot(text.encode_utf16())]
    }
}

/// The value of a lane that is added to each unit from `start` to `end`.
pub(super) fn of_span(lanes: Lanes, start: usize, end: usize) -> Lanes {
    product(lanes, [POWERS[0].between(start, end), POWERS[1].between(start, end)])
}

fn difference(a: Lanes, b: Lanes) -> Lanes {
    [add(a[0], P - b[0]), add(a[1], P - b[1])]
}

fn product(a: Lanes, b: Lanes) -> Lanes {
    [multiply(a[0], b[0]), multiply(a[1], b[1])]
}

fn powers(exponent: usize) -> Lanes {
    [POWERS[0].power(exponent), POWERS[1].power(exponent)]
}

/// What moves units from one place to another when their value is multiplied with it.
fn shift(from: usize, to: usize) -> Lanes {
    if to >= from {
        powers(to - from)
    } else {
        [POWERS[0].inverses[from - to], POWERS[1].inverses[from - to]]
    }
}

pub(super) fn attribute_lanes(canonical: &str) -> Lanes {
    lanes_of("recto text attributes v1", canonical.as_bytes())
}

pub(super) fn embed_lanes(canonical: &str) -> Lanes {
    lanes_of("recto text embed v1", canonical.as_bytes())
}

fn lanes_of(context: &str, bytes: &[u8]) -> Lanes {
    let hash = blake3::derive_key(context, bytes);
    let word = |at: usize| {
        let mut word = [0; 8];
        word.copy_from_slice(&hash[at..at + 8]);
        u64::from_le_bytes(word) % P
    };
    [word(0), word(8)]
}

/// The powers of a base: apart in halves, so that a dot product with code units needs no reduction on its way and can be
/// made several units at a time; their running sums; and their inverses.
struct Powers {
    low: [u32; UNITS_MAX + 1],
    high: [u32; UNITS_MAX + 1],
    /// The sum of the powers below each.
    sums: [u64; UNITS_MAX + 1],
    inverses: [u64; UNITS_MAX + 1],
}

impl Powers {
    const fn of(base: u64) -> Self {
        const NONE: [u64; UNITS_MAX + 1] = [0; UNITS_MAX + 1];
        let mut powers = Self {
            low: [0; UNITS_MAX + 1],
            high: [0; UNITS_MAX + 1],
            sums: NONE,
            inverses: NONE,
        };
        // By Fermat, the inverse of the base is its power of P - 2.
        let step = power_of(base, P - 2);
        let (mut power, mut inverse, mut sum, mut i) = (1, 1, 0, 0);
        while i <= UNITS_MAX {
            powers.low[i] = (power & 0xffff_ffff) as u32;
            powers.high[i] = (power >> 32 & 0xffff_ffff) as u32;
            powers.sums[i] = sum;
            powers.inverses[i] = inverse;
            sum = add(sum, power);
            power = multiply(power, base);
            inverse = multiply(inverse, step);
            i += 1;
        }
        powers
    }

    fn power(&self, exponent: usize) -> u64 {
        u64::from(self.high[exponent]) << 32 | u64::from(self.low[exponent])
    }

    fn between(&self, start: usize, end: usize) -> u64 {
        add(self.sums[end], P - self.sums[start])
    }

    /// Multiplies each unit with the power of its place and adds. A unit has at most 16 bits, so that neither sum
    /// can overflow within [`UNITS_MAX`] units.
    fn dot(&self, units: impl Iterator<Item = impl Into<u64>>) -> u64 {
        let (mut low, mut high) = (0_u64, 0_u64);
        for (unit, (&l, &h)) in units.zip(self.low.iter().zip(&self.high)) {
            let unit = unit.into();
            low = low.wrapping_add(unit.wrapping_mul(u64::from(l)));
            high = high.wrapping_add(unit.wrapping_mul(u64::from(h)));
        }
        reduce((u128::from(high) << 32) + u128::from(low))
    }
}

const fn power_of(base: u64, mut exponent: u64) -> u64 {
    let (mut power, mut square) = (1, base);
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = multiply(power, square);
        }
        square = multiply(square, square);
        exponent >>= 1;
    }
    power
}

/// Adds two numbers of which at most one is the prime itself, the others below it.
const fn add(a: u64, b: u64) -> u64 {
    let sum = a + b;
    if sum >= P { sum - P } else { sum }
}

const fn multiply(a: u64, b: u64) -> u64 {
    reduce(a as u128 * b as u128)
}

/// Takes a number below 2^122 modulo the prime.
#[expect(clippy::cast_possible_truncation, reason = "both halves are masked to 61 bits")]
const fn reduce(x: u128) -> u64 {
    let low = (x & P as u128) as u64;
    let high = (x >> 61 & P as u128) as u64;
    add(low, high)
}
