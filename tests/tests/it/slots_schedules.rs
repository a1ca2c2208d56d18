//! Slots and tasks, in process: random schedules of holds, drops, placements, cancellations, retries, undos, collections
//! and crashes, against a model of what each slot can have become.
//!
//! A life is a runtime of its own over the same engine, as in `assets_once`. `RECTO_SCHEDULES` says how many are tried.

mod life;
mod service;
mod told;
mod world;

use recto_tests::seed::Random;

use self::world::World;

/// How many schedules are tried where nothing else is set.
const SCHEDULES: usize = 100;
/// How many lives end in a crash, at the most, before one that ends well.
const LIVES_MAX: usize = 4;

#[test]
fn random_schedules_of_slots_and_tasks_end_with_one_node_a_slot() {
    let mut random = Random::of_test("slots and tasks", 20_261_201);
    let schedules = std::env::var("RECTO_SCHEDULES").map_or(SCHEDULES, |text| text.parse().expect("a number"));
    let mut sums = [0; world::WATCHED.len()];
    for number in 0..schedules {
        let mut random = random.fork();
        let told = format!("schedule {number}: {random:?}");
        let mut world = World::new(random.fork(), told);
        for _ in 0..random.below(LIVES_MAX + 1) {
            world.live(true);
        }
        world.live(false);
        world.check();
        for (sum, seen) in sums.iter_mut().zip(world.watched()) {
            *sum += seen;
        }
    }
    // A schedule in which nothing of the kind happens shows nothing.
    for (sum, name) in sums.into_iter().zip(world::WATCHED) {
        assert!(sum * 10 >= schedules, "{name}: only {sum} in {schedules} schedules");
    }
}
