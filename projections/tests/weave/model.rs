//! The weave against the reference model, history by history.
//!
//! `RECTO_NODE_MODULES` names a `node_modules` folder that holds quill-delta 5.1.0; the model lies beside the corpora.
//! Without node, the package or the model the test says so and passes. `RECTO_MODEL_HISTORIES` sets how many histories.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use recto_projections::text::weave::{EditId, Weave};
use recto_projections::text::{RichText, TextDelta};
use serde_json::Value as Json;

use crate::delta;

#[test]
fn every_step_of_the_reference_model_gives_the_same_document() {
    let Some(model) = model() else { return };
    let histories: usize = std::env::var("RECTO_MODEL_HISTORIES")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(3_000);
    for (seed, share, steps) in [("11", 2, "12"), ("12", 3, "40"), ("13", 50, "150"), ("14", 750, "500")] {
        let runs = histories / share;
        let (mut checked, mut step_count) = (0, 0);
        let mut node = Command::new("node")
            .arg(&model)
            .args(["cases", seed, &runs.to_string(), steps])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        for line in BufReader::new(node.stdout.take().unwrap()).lines() {
            let history: Json = serde_json::from_str(&line.unwrap()).unwrap();
            step_count += check(&history, &format!("seed {seed}, history {checked} of {steps} steps"));
            checked += 1;
        }
        assert!(node.wait().unwrap().success());
        assert_eq!(checked, runs);
        eprintln!("{checked} histories of {steps} and more steps agree, {step_count} steps");
    }
}

/// Goes through a history; returns how many steps it has.
fn check(history: &Json, name: &str) -> usize {
    let mut text = RichText::from_document(&delta(&history["start"])).unwrap();
    let mut weave = Weave::new(&text).unwrap();
    let mut document = Weave::of_document(&text).unwrap();
    let mut next = 0;
    let steps = history["steps"].as_array().unwrap();
    for (index, step) in steps.iter().enumerate() {
        let name = format!("{name}, step {index}: {step}");
        if let Some(edit) = step.get("edit") {
            let edit = delta(edit);
            weave.edit(EditId(next), &edit).unwrap();
            document.edit(EditId(next), &edit).unwrap();
            text.replay(&edit).unwrap();
            next += 1;
        } else {
            let (edit, on) = match (step["undo"].as_u64(), step["redo"].as_u64()) {
                (Some(edit), _) => (edit, false),
                (_, redo) => (redo.unwrap(), true),
            };
            let compensation = weave.toggle(&[EditId(edit)], on).unwrap();
            assert_eq!(document.toggle(&[EditId(edit)], on).unwrap(), compensation, "{name}");
            assert_eq!(*text.effective(&compensation).unwrap(), compensation, "{name}");
            text.replay(&compensation).unwrap();
        }
        let wanted = TextDelta::document_from_json(&step["doc"], "").unwrap();
        assert_eq!(text.to_document(), wanted, "{name}");
        assert_eq!(weave.rendered(), wanted, "{name}");
    }
    steps.len()
}

/// Puts the model beside the package that it imports.
fn model() -> Option<PathBuf> {
    let packages = PathBuf::from(std::env::var_os("RECTO_NODE_MODULES").or_else(|| {
        eprintln!("passed over: RECTO_NODE_MODULES names no folder with quill-delta");
        None
    })?);
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/corpora");
    let corpora = std::env::var_os("RECTO_CORPORA").map_or_else(|| PathBuf::from(beside), PathBuf::from);
    let model = corpora.join("../models/text-undo.mjs");
    let node = Command::new("node").arg("--version").output();
    for (what, there) in [
        ("node", node.is_ok_and(|node| node.status.success())),
        ("quill-delta", packages.join("quill-delta").is_dir()),
        ("the reference model", model.is_file()),
    ] {
        if !there {
            eprintln!("passed over: {what} is not there");
            return None;
        }
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("weave-model-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink(packages.canonicalize().unwrap(), folder.join("node_modules")).unwrap();
    std::fs::copy(model, folder.join("text-undo.mjs")).unwrap();
    Some(folder.join("text-undo.mjs"))
}
