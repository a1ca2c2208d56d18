//! Random texts and deltas, by seed: letters of all widths, boundaries never inside a surrogate pair.

use recto_projections::text::{TextDelta, units};

/// A small generator: the same seed gives the same numbers everywhere.
pub(crate) struct Random(u64);

/// The letters of the starting text. No author types any of their characters.
const BASE: [&str; 8] = ["0", "1", "2", " ", "n\u{303}", "漢", "😀", "👩\u{200d}👧"];

/// The letters that each author types, of one to four bytes, and with combining marks. No two share a character.
const LETTERS: [[&str; 5]; 4] = [
    ["a", "A", "á", "🦀", "a\u{300}"],
    ["b", "B", "ß", "🐝", "b\u{308}"],
    ["c", "C", "ç", "𝒞", "c\u{327}"],
    ["d", "D", "đ", "🐬", "d\u{323}"],
];

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xd1b5_4a32_d192_ed03)
    }

    /// Gives a number below `bound`, which is above zero.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let number = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11;
        usize::try_from(number % u64::try_from(bound).unwrap()).unwrap()
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for index in (1..items.len()).rev() {
            items.swap(index, self.below(index + 1));
        }
    }
}

/// Makes a starting text of `least` to `most` letters, without a newline.
pub(crate) fn base(random: &mut Random, least: usize, most: usize) -> String {
    let count = least + random.below(most - least + 1);
    (0..count).map(|_| *random.pick(&BASE)).collect()
}

/// Makes a run of an author's letters.
pub(crate) fn run(random: &mut Random, author: usize) -> String {
    let count = 1 + random.below(3);
    (0..count).map(|_| *random.pick(&LETTERS[author])).collect()
}

/// Tells which author types a character; none for what the starting text holds.
pub(crate) fn author_of(letter: char) -> Option<usize> {
    LETTERS
        .iter()
        .position(|letters| letters.iter().any(|token| token.contains(letter)))
}

/// Makes a delta of an author that changes some of `letters`, at the end of which nothing stands: inserts, deletes and
/// replacements, between any two characters, also before a combining mark. It changes something.
pub(crate) fn edit(random: &mut Random, author: usize, letters: &[char]) -> TextDelta {
    loop {
        let mut delta = TextDelta::new();
        let mut rest = letters;
        for _ in 0..=random.below(3) {
            let (skipped, left) = rest.split_at(random.below(rest.len() + 1));
            delta = delta.retain(length(skipped), None);
            let (gone, left) = left.split_at(random.below(4).min(left.len()));
            rest = left;
            delta = match random.below(5) {
                0..3 => {
                    rest = &letters[letters.len() - gone.len() - left.len()..];
                    delta.insert(run(random, author), None)
                }
                3 => delta.delete(length(gone)),
                _ => delta.insert(run(random, author), None).delete(length(gone)),
            };
        }
        let delta = delta.chop();
        if !delta.is_empty() {
            return delta;
        }
    }
}

/// Counts UTF-16 units.
pub(crate) fn length(letters: &[char]) -> usize {
    letters.iter().map(|letter| letter.len_utf16()).sum()
}

#[test]
fn authors_share_no_character() {
    let typed = LETTERS.iter().flatten().flat_map(|token| token.chars());
    assert!(
        typed
            .clone()
            .all(|letter| !BASE.iter().any(|token| token.contains(letter)))
    );
    for (author, letters) in LETTERS.iter().enumerate() {
        assert!(
            letters
                .iter()
                .flat_map(|token| token.chars())
                .all(|letter| author_of(letter) == Some(author))
        );
    }
    assert_eq!(
        units("👩\u{200d}👧"),
        length(&"👩\u{200d}👧".chars().collect::<Vec<_>>())
    );
}
