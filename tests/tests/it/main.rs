//! Everything that needs more than one crate, as one program.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod asset_cases;
mod assets_access;
mod assets_crash;
mod assets_formats;
mod assets_http;
mod assets_once;
mod assets_races;
mod assets_unread;
mod bad_bytes;
mod bad_json;
mod bases;
mod blame_http;
mod bucket_http;
mod bucket_settings;
mod chats_http;
mod chats_rules;
mod contract_agent;
mod contract_backgrounds;
mod contract_fuzz;
mod contract_images;
mod contract_loop;
mod contract_lost;
mod contract_merges;
mod contract_reads;
mod contract_refusals;
mod contract_replaces;
mod contract_usage;
mod damage;
mod faults;
mod feed;
mod feed_breaks;
mod feed_slow;
mod formats;
mod histories;
mod image_tasks_cancel;
mod image_tasks_crash;
mod image_tasks_ends;
mod image_tasks_http;
mod image_tasks_trouble;
mod images_story;
mod kill;
mod lifecycle;
mod lives;
mod model;
mod naughty;
mod order_rules;
mod races;
mod raw_http;
mod rebase_http;
mod replay_tool;
mod retries;
mod revisions_http;
mod slots_http;
mod slots_middle;
mod slots_news;
mod slots_once;
mod slots_places;
mod slots_schedules;
mod slots_studio;
mod slots_tasks;
mod states;
mod story;
mod subscribers;
mod text_inverses;
mod text_rules;
mod told;
mod undo_http;
mod undo_large_http;
mod undo_refusals_http;
mod undo_text_http;
mod value_rules;

/// Every file beside this one belongs to the program.
#[test]
fn no_file_is_forgotten() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let listed = include_str!("main.rs");
    for entry in std::fs::read_dir(folder).expect("the folder of the tests") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        assert!(
            name == "main" || listed.contains(&format!("\nmod {name};\n")),
            "{name} is in no list of modules"
        );
    }
}
