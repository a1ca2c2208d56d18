//! The two maps, letter by letter.

use std::collections::HashMap;
use std::sync::OnceLock;

use uuid::Uuid;

/// What the key is drawn for.
const KEY_CONTEXT: &str = "recto 2026 stand-ins v1";
/// What a letter that is not of ASCII becomes in the text map, by its bytes in UTF-8. All are letters.
const WIDE: [char; 3] = ['ø', '字', '\u{20000}'];

/// The maps of one file. Its key is random and kept nowhere.
pub(super) struct Cipher {
    key: [u8; 32],
    lower: Cycle,
    upper: Cycle,
    digits: Cycle,
    /// Letters that are not of ASCII, by their bytes in UTF-8: 2, 3, 4.
    wide: [OnceLock<Cycle>; 3],
}

/// A permutation in one cycle: no letter stays what it is.
struct Cycle(HashMap<char, char>);

impl Cipher {
    /// Draws a key.
    pub(super) fn new() -> Self {
        // Each of the two holds 74 random bits.
        let material = [Uuid::now_v7().into_bytes(), Uuid::now_v7().into_bytes()].concat();
        Self::with_key(blake3::derive_key(KEY_CONTEXT, &material))
    }

    fn with_key(key: [u8; 32]) -> Self {
        Self {
            lower: Cycle::new(&key, 'a'..='z'),
            upper: Cycle::new(&key, 'A'..='Z'),
            digits: Cycle::new(&key, '0'..='9'),
            wide: [const { OnceLock::new() }; 3],
            key,
        }
    }

    /// The text map: of every letter only its class stays.
    pub(super) fn text(&self, text: &str) -> String {
        text.chars().map(class).collect()
    }

    /// The id map: different strings stay different.
    pub(super) fn id(&self, text: &str) -> String {
        text.chars().map(|letter| self.letter(letter)).collect()
    }

    /// An actor: its kind stays, and the system's name.
    pub(super) fn actor(&self, actor: &str) -> String {
        match actor.split_once(':') {
            Some(("system", _)) => actor.to_owned(),
            Some((kind @ ("user" | "agent"), name)) => format!("{kind}:{}", self.id(name)),
            _ => self.id(actor),
        }
    }

    /// A fingerprint of what was asked: its own would let a guess be tried.
    pub(super) fn fingerprint(&self, fingerprint: &[u8; 32]) -> [u8; 32] {
        *blake3::keyed_hash(&self.key, fingerprint).as_bytes()
    }

    fn letter(&self, letter: char) -> char {
        let cycle = match letter {
            'a'..='z' => &self.lower,
            'A'..='Z' => &self.upper,
            '0'..='9' => &self.digits,
            _ => match wide(letter).and_then(|index| self.wide.get(index)) {
                Some(cycle) => cycle.get_or_init(|| Cycle::of_wide(&self.key, letter.len_utf8())),
                None => return letter,
            },
        };
        cycle.0.get(&letter).copied().unwrap_or(letter)
    }
}

impl Cycle {
    fn new(key: &[u8; 32], letters: impl Iterator<Item = char>) -> Self {
        let mut shuffled: Vec<(u64, char)> = letters.map(|letter| (rank(key, letter), letter)).collect();
        shuffled.sort_unstable();
        let next = shuffled.iter().cycle().skip(1);
        Self(
            shuffled
                .iter()
                .zip(next)
                .map(|((_, from), (_, to))| (*from, *to))
                .collect(),
        )
    }

    fn of_wide(key: &[u8; 32], bytes: usize) -> Self {
        let letters = ('\u{80}'..=char::MAX).filter(|letter| letter.len_utf8() == bytes && wide(*letter).is_some());
        Self::new(key, letters)
    }
}

fn rank(key: &[u8; 32], letter: char) -> u64 {
    let hash = blake3::keyed_hash(key, &u32::from(letter).to_le_bytes());
    hash.as_bytes()
        .iter()
        .take(8)
        .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

/// What a letter becomes in the text map. Spaces, line ends, punctuation and signs stay.
fn class(letter: char) -> char {
    match letter {
        'a'..='z' => 'x',
        'A'..='Z' => 'X',
        '0'..='9' => '0',
        _ => wide(letter)
            .and_then(|index| WIDE.get(index))
            .copied()
            .unwrap_or(letter),
    }
}

/// Which of the wide letters it is, if it is one: by its bytes in UTF-8, and so by its units in UTF-16 too.
fn wide(letter: char) -> Option<usize> {
    let is_letter = !letter.is_ascii() && letter.is_alphanumeric();
    is_letter.then(|| letter.len_utf8() - 2)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sizes(text: &str) -> (usize, usize, Vec<usize>) {
        let units = text.chars().map(char::len_utf16).collect();
        (text.len(), text.encode_utf16().count(), units)
    }

    #[test]
    fn classes_are_all_that_is_left_of_a_text() {
        let cipher = Cipher::with_key([7; 32]);
        assert_eq!(
            cipher.text("Größe 42: 日本 🎉\r\n𠮷!"),
            "Xxøøx 00: 字字 🎉\r\n\u{20000}!"
        );
    }

    proptest! {
        #[test]
        fn both_maps_keep_lengths(text in "\\PC{0,40}|[a-zA-Z0-9 /._-]{0,40}") {
            let cipher = Cipher::with_key([3; 32]);
            prop_assert_eq!(sizes(&cipher.text(&text)), sizes(&text));
            prop_assert_eq!(sizes(&cipher.id(&text)), sizes(&text));
        }

        #[test]
        fn different_ids_stay_different_and_no_letter_stays(a in "\\PC{1,12}", b in "\\PC{1,12}") {
            let cipher = Cipher::with_key([5; 32]);
            prop_assert_eq!(a == b, cipher.id(&a) == cipher.id(&b));
            for (from, to) in a.chars().zip(cipher.id(&a).chars()) {
                prop_assert_eq!(from == to, !from.is_alphanumeric());
            }
        }

        #[test]
        fn maps_go_letter_by_letter(a in "\\PC{0,12}", b in "\\PC{0,12}") {
            let cipher = Cipher::with_key([9; 32]);
            let both = format!("{a}{b}");
            prop_assert_eq!(cipher.text(&both), cipher.text(&a) + &cipher.text(&b));
            prop_assert_eq!(cipher.id(&both), cipher.id(&a) + &cipher.id(&b));
        }
    }
}
