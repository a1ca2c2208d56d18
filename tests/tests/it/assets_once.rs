//! Exactly once, in process: random schedules of workers, crashes, lost answers and lost commits, against what must be
//! so in the end: one asset for an attachment, one submission for a request, one node for a slot.
//!
//! A life is a runtime of its own over the same engine and the same store of files. A crash freezes whoever reaches a
//! point, and then everything of that life is dropped. `RECTO_SCHEDULES` says how many schedules are tried.

mod service;
mod world;

use recto_tests::seed::Random;

use self::world::{THINGS, World};

/// How many schedules are tried where nothing else is set.
const SCHEDULES: usize = 150;
/// How many lives end in a crash, at the most, before one that ends well.
const LIVES_MAX: usize = 5;

#[test]
fn random_schedules_of_crashes_retries_and_lost_answers_end_with_one_of_each() {
    let mut random = Random::of_test("exactly once", 20_261_130);
    let schedules = std::env::var("RECTO_SCHEDULES").map_or(SCHEDULES, |text| text.parse().expect("a number"));
    let mut crashes = 0;
    for number in 0..schedules {
        let mut random = random.fork();
        let told = format!("schedule {number}: {random:?}");
        let mut world = World::new(random.fork(), told);
        for _ in 0..random.below(LIVES_MAX + 1) {
            crashes += usize::from(world.live(true));
        }
        assert!(!world.live(false), "a life without crash points crashed");
        world.check();
    }
    assert!(
        crashes * 4 > schedules,
        "only {crashes} crashes in {schedules} schedules"
    );
}

/// The service charges once for a key, however often it is asked: so it is counted how often that is.
#[test]
fn without_trouble_every_request_is_submitted_once() {
    let mut random = Random::of_test("submitted once", 20_261_201);
    let told = format!("{random:?}");
    let mut world = World::new(random.fork(), told);
    assert!(!world.live(false), "a life without crash points crashed");
    assert_eq!(world.submits(), THINGS);
    assert!(!world.live(false), "a life without crash points crashed");
    assert_eq!(world.submits(), THINGS);
    world.check();
}
