//! The promises of an engine, each as a check that takes an engine and panics where it is broken.
//!
//! Every engine passes all of them; see `tests/conformance.rs`.

#![expect(clippy::unwrap_used, reason = "a check says what is broken by panicking")]

mod commits;
mod derived;
mod feeds;
mod races;
mod reads;
mod tools;

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;

use crate::engine::Engine;

/// One promise.
#[derive(Clone, Copy)]
pub struct Promise {
    /// What is promised; where it is one of the named cases, it begins with its id.
    pub name: &'static str,
    /// Checks it on an engine that is empty and that nobody else uses. Panics if it is broken.
    pub check: fn(Arc<dyn Engine>) -> BoxFuture<'static, ()>,
}

macro_rules! promises {
    ($($module:ident::$name:ident),* $(,)?) => {
        /// All promises.
        pub const PROMISES: &[Promise] = &[
            $(Promise { name: stringify!($name), check: |engine| $module::$name(engine).boxed() }),*
        ];
    };
}

promises![
    commits::revisions_are_dense_from_one,
    commits::a_broken_guard_tells_what_is_there,
    commits::a_guard_holds_for_a_key_that_is_not_written,
    commits::s8_a_refused_commit_leaves_no_trace,
    commits::s4_a_commit_is_all_or_nothing,
    commits::s2_a_receipt_put_twice_is_refused,
    commits::a_commit_sent_again_is_a_conflict,
    commits::s9_a_batch_gets_consecutive_revisions_and_positions,
    commits::what_can_never_be_taken_is_rejected,
    reads::histories_keep_to_their_limits,
    reads::keys_of_a_prefix_are_listed_in_order,
    reads::a_name_that_begins_like_another_is_another,
    reads::the_newest_of_many_revisions_is_found,
    feeds::a_feed_tells_a_scope_in_commit_order,
    feeds::partitions_count_for_themselves,
    feeds::the_live_feed_tells_what_can_be_read,
    feeds::a_large_value_is_left_to_the_log,
    feeds::s17_the_last_event_before_a_pause_is_pushed,
    feeds::s18_who_lags_is_told_and_the_log_has_it_all,
    races::s6_of_twenty_racing_commits_one_wins,
    races::s7_pages_do_not_stand_in_each_others_way,
    races::s10_of_two_conflicting_commits_in_one_group_one_wins,
    races::s13_no_reader_sees_a_position_before_the_one_in_front,
    races::a_racing_command_is_done_once,
    derived::derived_things_are_kept_and_found,
    derived::derived_things_of_pages_are_apart,
    derived::a_closed_engine_says_so,
];

/// Checks all promises, one after another, each on an engine of its own.
pub async fn run(make: impl Fn() -> Arc<dyn Engine>) {
    for promise in PROMISES {
        (promise.check)(make()).await;
    }
}
