//! Completions and the manual: whatever can be asked stands in them.

use clap::CommandFactory;
use recto_replay::args::Args;

use crate::support::{Folder, recto};

/// Every command with its own long options; those that every command has are told once.
fn all() -> Vec<(String, Vec<String>)> {
    let mut command = Args::command();
    command.build();
    let commands = command.get_subcommands().filter(|command| command.get_name() != "help");
    commands
        .map(|command| {
            let own = command.get_arguments().filter(|option| !option.is_global_set());
            let options = own.filter_map(|option| option.get_long().map(str::to_owned));
            (command.get_name().to_owned(), options.collect())
        })
        .collect()
}

#[test]
fn completions_name_every_command_and_option() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = recto(&folder.data(), &["completions", shell]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        for (command, options) in all() {
            assert!(ran.out.contains(&command), "{shell}: {command}");
            for option in options {
                assert!(ran.out.contains(&option), "{shell}: {command} --{option}");
            }
        }
    }
    assert_eq!(recto(&folder.data(), &["completions", "cmd"]).code, 2);
}

#[test]
fn the_manual_tells_every_command_and_option_and_the_exit_codes() {
    let folder = Folder::new();
    let one = recto(&folder.data(), &["manual"]);
    assert_eq!(one.code, 0, "{}", one.err);
    assert!(one.out.contains(".TH recto 1"), "{}", &one.out[..200]);
    assert!(one.out.contains("Exit codes:"));
    assert_eq!(one.out.matches("\\-\\-salvage\\fR\n").count(), 1);
    // Roff writes a hyphen that stays one as \-.
    let roff = |option: &str| format!("\\-\\-{}", option.replace('-', "\\-"));
    for (command, options) in all() {
        let title = format!(".SH \"RECTO {}\"", command.to_uppercase());
        let (_, chapter) = one.out.split_once(&title).unwrap_or_else(|| panic!("{title}"));
        let chapter = chapter.split(".SH ").next().unwrap();
        for option in options {
            assert!(chapter.contains(&roff(&option)), "{command} --{option}: {chapter}");
        }
    }
}

#[test]
fn the_manual_goes_into_a_folder_a_page_a_command() {
    let folder = Folder::new();
    let pages = folder.dir().join("man/man1");
    let ran = recto(&folder.data(), &["manual", "--folder", pages.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for (command, _) in all() {
        let page = std::fs::read_to_string(pages.join(format!("recto-{command}.1"))).unwrap();
        let title = format!(".TH recto-{command} 1");
        assert!(page.contains(&title), "{page}");
    }
    assert!(pages.join("recto.1").exists());
    assert_eq!(ran.out.lines().count(), all().len() + 1);
    // A file in its place is a fault of the system.
    let file = folder.dir().join("file");
    std::fs::write(&file, "").unwrap();
    assert_eq!(
        recto(&folder.data(), &["manual", "--folder", file.to_str().unwrap()]).code,
        4
    );
}
