//! The tool in a real terminal, and where there is none.

use std::path::Path;
use std::process::{Command, Output};

use crate::story::Folder;

/// How often a screen is looked at before it is given up: each look is a process.
const LOOKS_MAX: usize = 5_000;

#[tokio::test]
async fn without_a_terminal_other_commands_are_named() {
    let folder = Folder::with_story().await;
    for arguments in [&["replay", "poster"][..], &["replay", "poster", "--json"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_recto"))
            .args(arguments)
            .arg("--data")
            .arg(folder.data())
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains("recto log poster") && output.stdout.is_empty(), "{told}");
    }
}

/// A tmux of its own, whose socket lies in a folder.
struct Tmux<'a> {
    folder: &'a Path,
}

impl Tmux<'_> {
    fn run(&self, arguments: &[&str]) -> Output {
        Command::new("tmux")
            .args(["-f", "/dev/null", "-S"])
            .arg(self.folder.join("tmux"))
            .args(arguments)
            .env_remove("TMUX")
            .output()
            .unwrap()
    }

    fn screen(&self) -> String {
        String::from_utf8_lossy(&self.run(&["capture-pane", "-p"]).stdout).into_owned()
    }

    fn keys(&self, keys: &[&str]) {
        self.run(&[&["send-keys"], keys].concat());
    }

    /// Looks at the screen until it shows something.
    fn see(&self, what: &str) -> String {
        for _ in 0..LOOKS_MAX {
            let screen = self.screen();
            if screen.contains(what) {
                return screen;
            }
        }
        panic!("{what:?} never came:\n{}", self.screen());
    }
}

impl Drop for Tmux<'_> {
    fn drop(&mut self) {
        self.run(&["kill-server"]);
    }
}

#[expect(clippy::print_stderr, reason = "who runs the tests is to know")]
#[tokio::test]
async fn in_a_real_terminal_it_steps_searches_and_gives_the_terminal_back() {
    if Command::new("tmux").arg("-V").output().is_err() {
        eprintln!("passed over: there is no tmux");
        return;
    }
    let folder = Folder::with_story().await;
    let tmux = Tmux { folder: folder.dir() };
    let recto = env!("CARGO_BIN_EXE_recto");
    let data = folder.data();
    let replay = format!("'{recto}' replay poster --data '{}'", data.display());
    let line = format!("{replay}; echo over $?; {replay} --at 5; echo again $?; cat");
    let started = tmux.run(&["new-session", "-d", "-x", "120", "-y", "30", "sh", "-c", &line]);
    assert!(started.status.success(), "{}", String::from_utf8_lossy(&started.stderr));
    tmux.see("version 8 of 8");
    tmux.keys(&["Up", "k"]);
    tmux.see("version 6 of 8");
    tmux.keys(&["g", "2", "Enter"]);
    tmux.see("version 2 of 8");
    tmux.keys(&["/", "b", "e", "n", "Enter"]);
    tmux.see("found at 4");
    tmux.keys(&["3"]);
    tmux.see("to undo");
    tmux.keys(&["u"]);
    tmux.see("would append undo of 4");
    tmux.keys(&["q"]);
    // The screen from before is back, and the next run takes it again. It begins at another version than the first one
    // ended at: keys pressed before it is there would go to the shell.
    tmux.see("version 5 of 8");
    tmux.keys(&["C-c"]);
    let left = tmux.see("again 0");
    assert!(left.contains("over 0") && !left.contains("version"), "{left}");
}
