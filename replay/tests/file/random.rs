//! Random pages of all kinds, made through the page service: edits that are refused are passed over.

use recto_pages::{At, Base, Caller, SubmitDeltas, SubmitOptions, UndoPage, UndoTarget};
use recto_projections::{Delta, Kind};
use serde_json::{Value as Json, json};

use crate::support::{Writer, id};

/// Words that stand nowhere but in texts and names. None is shorter than a guess.
pub(crate) const SECRETS: [&str; 10] = [
    "Zürichsee",
    "quarterly",
    "Merger",
    "passwort",
    "сделка",
    "機密事項",
    "Anneliese",
    "hunter2024",
    "𝔊𝔢𝔥𝔢𝔦𝔪",
    "naïveté",
];

/// A generator of numbers: splitmix.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % end as u64).unwrap()
    }

    fn secret(&mut self) -> &'static str {
        SECRETS[self.below(SECRETS.len())]
    }

    fn text(&mut self) -> String {
        let words: Vec<_> = (0..=self.below(3)).map(|_| self.secret()).collect();
        words.join([" ", ", ", "\n"][self.below(3)])
    }
}

/// Makes a page with a history of so many tries.
pub(crate) async fn page(writer: &Writer, name: &str, kind: Kind, seed: u64, tries: usize) {
    let mut random = Random(seed);
    let value = match kind {
        Kind::Design => json!({ "attributes": { "presetId": "poster", "owner": random.text() } }),
        Kind::Doc => json!([{ "insert": format!("{}\n", random.text()) }]),
        Kind::Code => json!({ "files": { "main.rs": random.text(), "lib.rs": "" }, "entry": "main.rs" }),
        Kind::Sheet => json!({ "rows": [[random.text(), 1]], random.secret(): null }),
    };
    // No agent makes a sheet.
    let maker = actor(&mut random).replace("agent:", "user:");
    writer.create(&maker, name, kind, &value).await;
    for number in 0..tries {
        let command = id(&format!("{name}-{number}"));
        let (caller, head) = (caller(&mut random), writer.head(name).await);
        let base = Base {
            version: head,
            epoch: 0,
        };
        if random.below(5) == 0 {
            let undo = UndoPage {
                caller,
                page: id(name),
                base,
                redo: random.below(3) == 0,
                target: UndoTarget::Newest { actor: None },
                policy: None,
                force: false,
                command,
            };
            drop(writer.pages.undo(undo).await);
            continue;
        }
        let now = writer
            .pages
            .read(&id("default"), &id(name), At::Head)
            .await
            .unwrap()
            .value
            .to_json();
        let ops = match kind {
            Kind::Design => design(&mut random, &now),
            Kind::Doc => doc(&mut random),
            Kind::Code => code(&mut random, &now),
            Kind::Sheet => {
                json!([{ "op": "replaceSheet", "value": { "rows": [[random.text(), number]], random.secret(): random.text() } }])
            }
        };
        let Ok(delta) = Delta::from_json(kind, &ops) else {
            continue;
        };
        let submit = SubmitDeltas {
            caller,
            page: id(name),
            // Some writes are stale, so that receipts have something to tell.
            base: Base {
                version: head.saturating_sub(random.below(3) as u64).max(1),
                epoch: 0,
            },
            deltas: vec![delta],
            options: SubmitOptions::default(),
            command,
        };
        drop(writer.pages.submit(submit).await);
    }
}

fn actor(random: &mut Random) -> String {
    format!("{}:{}", ["user", "agent"][random.below(2)], random.secret())
}

fn caller(random: &mut Random) -> Caller {
    Caller {
        scope: id("default"),
        actor: actor(random).parse().unwrap(),
        turn: (random.below(3) == 0).then(|| id(["t1", "t2"][random.below(2)])),
    }
}

fn design(random: &mut Random, now: &Json) -> Json {
    let nodes: Vec<String> = now["nodes"].as_object().unwrap().keys().cloned().collect();
    let node = nodes.get(random.below(nodes.len().max(1))).cloned().unwrap_or_default();
    let names = ["text", "name", "src", "tagline", "note"];
    let name = names[random.below(names.len())];
    json!([match random.below(9) {
        0 | 1 => json!({ "op": "addNode", "node": { "id": format!("n{}", random.below(12)), "type": "text",
            "parentId": null, "props": { "text": random.text(), "name": random.text(), "fill": "#f00",
            "tags": [random.secret()], "more": { "assetId": random.secret(), random.secret(): [{ "text": random.text() }] } } } }),
        2 => json!({ "op": "setNode", "id": node, "set": { format!("/props/{name}"): random.text() } }),
        3 => json!({ "op": "setNode", "id": node, "unset": [format!("/props/{name}")] }),
        4 => json!({ "op": "editText", "id": node, "pointer": "/props/text",
            "delta": [{ "insert": random.text() }, { "delete": 1 }] }),
        5 =>
            json!({ "op": "addToSet", "id": node, "pointer": "/props/tags", "values": [random.secret(), random.secret()] }),
        6 => json!({ "op": "removeFromSet", "id": node, "pointer": "/props/tags", "values": [random.secret()] }),
        7 => json!({ "op": "addBackground", "background": { "id": format!("b{}", random.below(3)), "type": "image",
            "url": random.secret(), "credit": random.text() } }),
        _ =>
            json!({ "op": "setAttributes", "set": { format!("/{}", random.secret()): random.text(), "/title": random.text() } }),
    }])
}

fn doc(random: &mut Random) -> Json {
    json!([
        match random.below(4) {
            0 => json!({ "retain": 1, "attributes": { "link": random.secret(), "bold": true } }),
            1 => json!({ "insert": { "image": random.secret(), "alt": random.text() } }),
            2 => json!({ "insert": random.text(), "attributes": { "author": random.secret(), random.secret(): 1 } }),
            _ => json!({ "insert": random.text() }),
        },
        { "delete": 1 + random.below(2) },
    ])
}

fn code(random: &mut Random, now: &Json) -> Json {
    let paths: Vec<String> = now["files"].as_object().unwrap().keys().cloned().collect();
    let path = paths.get(random.below(paths.len().max(1))).cloned().unwrap_or_default();
    json!([match random.below(6) {
        0 =>
            json!({ "op": "addFile", "path": format!("{}/{}.rs", random.secret(), random.secret()), "text": random.text() }),
        1 => json!({ "op": "renameFile", "path": path, "to": format!("{}.txt", random.secret()) }),
        2 => json!({ "op": "setEntry", "path": path }),
        3 => json!({ "op": "setAttributes", "set": { "/client": random.text() } }),
        _ => json!({ "op": "editFile", "path": path, "delta": [{ "insert": random.text() }, { "delete": 1 }] }),
    }])
}
