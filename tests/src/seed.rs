//! Random numbers that come again: every test prints its seed, and takes another one from
//! the environment.

/// Names the variable that sets the seed of every test: a number, or `random`.
pub const SEED_VARIABLE: &str = "RECTO_SEED";

/// A small generator (splitmix64). Equal seeds give equal numbers on every machine.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The generator of a test: from [`SEED_VARIABLE`], else from the seed given. Prints which.
    #[expect(clippy::print_stderr, reason = "a failed test is repeated by its seed")]
    pub fn of_test(test: &str, seed: u64) -> Self {
        let seed = match std::env::var(SEED_VARIABLE) {
            Err(_) => seed,
            Ok(text) if text == "random" => clock_seed(),
            Ok(text) => text
                .parse()
                .unwrap_or_else(|_| panic!("{SEED_VARIABLE} is a number or `random`, not {text:?}")),
        };
        eprintln!("{test}: {SEED_VARIABLE}={seed}");
        Self::new(seed)
    }

    /// A generator with a seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Another generator, whose numbers have nothing to do with what this one gives next.
    pub fn fork(&mut self) -> Self {
        Self::new(self.next())
    }

    /// The next number.
    #[expect(clippy::should_implement_trait, reason = "no iterator: it never ends")]
    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is above zero.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end).unwrap()).unwrap()
    }

    /// A number of an inclusive range.
    pub fn within(&mut self, first: usize, last: usize) -> usize {
        first + self.below(last - first + 1)
    }

    /// True `part` times out of `of`.
    pub fn chance(&mut self, part: usize, of: usize) -> bool {
        self.below(of) < part
    }

    /// One of several.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// One of several words.
    pub fn word(&mut self, words: &[&'static str]) -> &'static str {
        words[self.below(words.len())]
    }

    /// Bytes of any value.
    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.next().to_le_bytes()[0]).collect()
    }
}

fn clock_seed() -> u64 {
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap();
    now.as_secs().wrapping_mul(1_000_000_007) ^ u64::from(now.subsec_nanos()) ^ u64::from(std::process::id())
}
