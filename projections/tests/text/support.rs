//! What several tests need: the corpora, SHA-256, the configuration of property tests.

use std::fs::File;
use std::io::Read as _;
use std::path::PathBuf;

use flate2::read::GzDecoder;
use proptest::test_runner::Config;
use recto_projections::text::{RichText, TextDelta};
use serde_json::Value as Json;

/// Configures a property test: `cases`, or as many as the variable `PROPTEST_CASES` says.
pub(crate) fn config(cases: u32) -> Config {
    Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    }
}

/// Reads a file of the corpora, unpacked. `None`, and a word about it, where there are none.
pub(crate) fn corpus(path: &str) -> Option<String> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/corpora");
    let folder = std::env::var_os("RECTO_CORPORA").map_or_else(|| beside.into(), PathBuf::from);
    let Ok(mut file) = File::open(folder.join(path)) else {
        eprintln!("passed over: no {path} in {}", folder.display());
        return None;
    };
    let mut text = String::new();
    if path.ends_with(".gz") {
        GzDecoder::new(file).read_to_string(&mut text).unwrap();
    } else {
        file.read_to_string(&mut text).unwrap();
    }
    Some(text)
}

/// Reads a file of the corpora that holds a JSON object on each line.
pub(crate) fn corpus_lines(path: &str) -> Option<Vec<Json>> {
    let text = corpus(path)?;
    Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// Reads operations that are known to be good.
pub(crate) fn delta(json: &Json) -> TextDelta {
    TextDelta::from_json(json, "").unwrap_or_else(|fault| panic!("{fault}: {json}"))
}

/// Reads a document that is known to be good.
pub(crate) fn text(json: &Json) -> RichText {
    RichText::from_document(&delta(json)).unwrap()
}

/// Returns the SHA-256 of some bytes, in hex.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    let mut state = fractions(8, 2);
    let constants = fractions(64, 3);
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    padded.resize(padded.len().next_multiple_of(64), 0);
    if padded.len() < bytes.len() + 9 {
        padded.resize(padded.len() + 64, 0);
    }
    let bits = u64::try_from(bytes.len()).unwrap() * 8;
    let end = padded.len() - 8;
    padded[end..].copy_from_slice(&bits.to_be_bytes());
    for block in padded.chunks_exact(64) {
        compress(&mut state, block, &constants);
    }
    state.iter().map(|word| format!("{word:08x}")).collect()
}

fn compress(state: &mut [u32], block: &[u8], constants: &[u32]) {
    let mut words: Vec<u32> = block
        .chunks_exact(4)
        .map(|word| u32::from_be_bytes(word.try_into().unwrap()))
        .collect();
    for i in 16..64 {
        let (a, b) = (words[i - 15], words[i - 2]);
        let s0 = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
        let s1 = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
        let sum = words[i - 16].wrapping_add(s0).wrapping_add(words[i - 7]);
        words.push(sum.wrapping_add(s1));
    }
    let mut v: [u32; 8] = state.try_into().unwrap();
    for i in 0..64 {
        let s1 = v[4].rotate_right(6) ^ v[4].rotate_right(11) ^ v[4].rotate_right(25);
        let choice = (v[4] & v[5]) ^ (!v[4] & v[6]);
        let t1 = v[7].wrapping_add(s1).wrapping_add(choice).wrapping_add(constants[i]);
        let t1 = t1.wrapping_add(words[i]);
        let s0 = v[0].rotate_right(2) ^ v[0].rotate_right(13) ^ v[0].rotate_right(22);
        let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        v.rotate_right(1);
        v[4] = v[4].wrapping_add(t1);
        v[0] = t1.wrapping_add(s0).wrapping_add(majority);
    }
    state
        .iter_mut()
        .zip(v)
        .for_each(|(word, more)| *word = word.wrapping_add(more));
}

/// The first 32 bits of the fractional parts of the roots of the first primes.
fn fractions(count: usize, root: u32) -> Vec<u32> {
    let prime = |n: &u128| (2..*n).all(|divisor| !n.is_multiple_of(divisor));
    let fraction = |prime: u128| {
        // The largest x with x^root <= prime · 2^(32·root), by bisection.
        let target = prime << (32 * root);
        let (mut low, mut high) = (0_u128, 1 << 37);
        while low + 1 < high {
            let middle = (low + high) / 2;
            if middle.pow(root) <= target {
                low = middle
            } else {
                high = middle
            }
        }
        u32::try_from(low & 0xffff_ffff).unwrap()
    };
    (2..).filter(prime).take(count).map(fraction).collect()
}

#[test]
fn sha256_answers_as_the_standard_says() {
    let check = |text: &str, hash: &str| assert_eq!(sha256(text.as_bytes()), hash);
    check("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check(
        "abc",
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
    check(
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    );
}
