//! What the tool tells of the story.

use crate::support::{Folder, recto};

#[tokio::test]
async fn pages_are_listed() {
    let folder = Folder::with_story().await;
    let ran = recto(&folder.data(), &["pages"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let told = ran.out.replace(&folder.data().display().to_string(), "DATA");
    insta::assert_snapshot!("pages", told);
}

#[tokio::test]
async fn a_log_is_told_from_the_newest() {
    let folder = Folder::with_story().await;
    for page in ["poster", "notes", "app", "table"] {
        let ran = recto(&folder.data(), &["log", page]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        insta::assert_snapshot!(format!("log_{page}"), ran.out);
    }
}
