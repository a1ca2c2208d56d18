//! The search against looking at every version.

use proptest::prelude::*;
use recto_replay::probe::Verdict;
use recto_replay::search::{Ends, Search, Turned};

/// Searches, and counts how often it asked.
fn search(ends: Ends, verdict: impl Fn(u64) -> Verdict) -> (Turned, u64) {
    let (mut search, mut asked) = (Search::new(ends), 0);
    while let Some(version) = search.next() {
        assert!(ends.good < version && version < ends.bad);
        search.answer(version, verdict(version));
        asked += 1;
        assert!(asked <= ends.bad - ends.good, "it asks for ever");
    }
    (search.turned(), asked)
}

fn log2_up(count: u64) -> u64 {
    u64::from(count.next_power_of_two().trailing_zeros())
}

proptest! {
    #[test]
    fn it_finds_the_version_in_so_many_reads(good in 1_u64..1000, len in 1_u64..300_000, at in any::<prop::sample::Index>()) {
        let ends = Ends::new(good, good + len).unwrap();
        let first = good + 1 + at.index(usize::try_from(len).unwrap()) as u64;
        let (turned, asked) = search(ends, |version| if version < first { Verdict::Pass } else { Verdict::Fail });
        prop_assert_eq!(turned, Turned { last_good: first - 1, first_failing: first });
        prop_assert!(asked <= log2_up(len));
    }

    #[test]
    fn what_cannot_be_told_is_passed_over(len in 2_u64..60, at in any::<prop::sample::Index>(), skips in prop::collection::vec(any::<bool>(), 60)) {
        let ends = Ends::new(1, 1 + len).unwrap();
        let first = 2 + at.index(usize::try_from(len).unwrap()) as u64;
        let is_skipped = |version: u64| version != 1 && version != ends.bad && skips[usize::try_from(version).unwrap() - 2];
        let verdict = |version| match is_skipped(version) {
            true => Verdict::Skip,
            false if version < first => Verdict::Pass,
            false => Verdict::Fail,
        };
        let (turned, _) = search(ends, verdict);
        // What every version says, one by one.
        let told = |wanted| (1..=ends.bad).filter(move |version| verdict(*version) == wanted);
        let last_good = told(Verdict::Pass).max().unwrap();
        let first_failing = told(Verdict::Fail).min().unwrap();
        prop_assert_eq!(turned, Turned { last_good, first_failing });
    }
}

#[test]
fn ends_that_are_no_stretch_are_none() {
    assert!(Ends::new(3, 3).is_none());
    assert!(Ends::new(4, 3).is_none());
}
