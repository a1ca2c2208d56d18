//! SIGKILL of the real server in the middle of a load, many times on the same data. After every
//! start: each acknowledged event is there once, as it was acknowledged; each command whose
//! answer was lost is done once; versions and positions are dense; the server opened.
//!
//! `RECTO_KILLS` sets how often.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use recto_tests::Json;
use recto_tests::api::{self, Api, Write, number, page_path, text};
use recto_tests::http::percent;
use recto_tests::seed::Random;
use recto_tests::server::{Place, Server, started};
use recto_tests::wait;
use serde_json::json;

const KILLS: usize = 100;
const KILLS_VARIABLE: &str = "RECTO_KILLS";
/// Two writers share each page, so that conflicts are among what is cut off.
const PAGES: [(&str, &str); 4] = [
    ("sheet", "SHEET"),
    ("code", "CODE"),
    ("doc", "DOC"),
    ("design", "DESIGN"),
];
const WRITERS: usize = 2 * PAGES.len();
/// A kill comes after at most so many acknowledgements.
const ACKNOWLEDGED_MAX: usize = 60;
/// One kill of so many hits a server that only just starts.
const EARLY_ONE_OF: usize = 8;

/// What the clients were told, and how far it was compared with the log.
#[derive(Default)]
struct Ledger {
    /// The acknowledged events that the log was not asked for yet, by page and version.
    acknowledged: BTreeMap<(String, u64), Json>,
    /// Of each page: its newest version that was checked, and the hash of that event.
    checked: BTreeMap<String, (u64, String)>,
    /// How many events each command made.
    commands: BTreeMap<String, usize>,
}

/// What one writer saw until its server was gone.
struct Seen {
    answers: Vec<Json>,
    cut_off: Option<(Write, String)>,
}

#[test]
fn s29_s31_after_every_kill_each_acknowledged_event_is_there_once() {
    let mut random = Random::of_test("kill", 14);
    let kills = std::env::var(KILLS_VARIABLE).map_or(KILLS, |kills| kills.parse().expect("a number of kills"));
    let place = Place::new();
    let mut server = started(place.start(&[]));
    let mut ledger = Ledger::default();
    for (page, kind) in PAGES {
        ledger.note(&Api::of(&server).write(&api::create(page, kind, &first_value(kind))));
    }
    for kill in 0..kills {
        if random.chance(1, EARLY_ONE_OF) {
            place.start_and_kill(&[], &mut random, server);
            server = started(place.start(&[]));
        }
        let after = random.within(1, ACKNOWLEDGED_MAX);
        let seen = load_and_kill(server, &format!("k{kill}"), after, &mut random);
        server = started(place.start(&[]));
        let api = Api::of(&server);
        for one in &seen {
            one.answers.iter().for_each(|answer| ledger.note(answer));
        }
        for (write, page) in seen.iter().filter_map(|one| one.cut_off.as_ref()) {
            ledger.settle(&api, write, page);
        }
        ledger.check(&api);
    }
    let server = server.restart();
    ledger.check_all(&Api::of(&server));
    server.assert_calm();
}

/// Lets all writers write, and kills the server after so many acknowledgements.
fn load_and_kill(server: Server, round: &str, after: usize, random: &mut Random) -> Vec<Seen> {
    let acknowledged = AtomicUsize::new(0);
    let api = Api::of(&server);
    thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (api, acknowledged, random) = (api.clone(), &acknowledged, random.fork());
                let (page, kind) = PAGES[writer % PAGES.len()];
                let name = format!("{round}-{writer}");
                scope.spawn(move || write_until_cut_off(&api, page, kind, &name, acknowledged, random))
            })
            .collect();
        wait::until("acknowledgements", || {
            (acknowledged.load(Ordering::Relaxed) >= after).then_some(())
        });
        drop(server.kill());
        writers
            .into_iter()
            .map(|writer| writer.join().expect("a writer ends"))
            .collect()
    })
}

fn write_until_cut_off(
    api: &Api,
    page: &str,
    kind: &str,
    name: &str,
    acknowledged: &AtomicUsize,
    mut random: Random,
) -> Seen {
    let mut seen = Seen {
        answers: Vec::new(),
        cut_off: None,
    };
    let mut base = 1;
    for command in 0.. {
        let key = format!("{name}-{command}");
        let deltas: Json = (0..random.within(1, 3))
            .map(|part| delta(kind, &format!("{key}.{part}")))
            .collect();
        let mut write = api::deltas(page, base, &deltas).key(&key);
        loop {
            let Ok(answer) = api.try_send(&write) else {
                seen.cut_off = Some((write, page.to_owned()));
                return seen;
            };
            answer.assert_sound();
            if answer.status == 200 {
                acknowledged.fetch_add(1, Ordering::Relaxed);
                base = number(&answer.json()["version"]);
                seen.answers.push(answer.json());
                break;
            }
            base = number(&answer.expect_problem(409, "version_conflict").json()["actual"]);
            write = write.on(base);
        }
    }
    unreachable!("the server is killed")
}

fn first_value(kind: &str) -> Json {
    match kind {
        "CODE" => json!({ "files": { "f": "" }, "entry": null }),
        "DOC" => json!([{ "insert": "\n" }]),
        "DESIGN" => json!({ "nodes": {} }),
        _ => json!(null),
    }
}

/// A change that says whose it is.
fn delta(kind: &str, name: &str) -> Json {
    match kind {
        "CODE" => {
            json!([{ "op": "editFile", "path": "f", "delta": [{ "insert": format!("{name}\n") }] }])
        }
        "DOC" => json!([{ "insert": name, "attributes": { "bold": true } }]),
        "DESIGN" => {
            json!([{ "op": "addNode", "placement": "first", "node": { "id": name, "type": "t", "parentId": null } }])
        }
        _ => json!([{ "op": "replaceSheet", "value": { "by": name } }]),
    }
}

impl Ledger {
    /// Writes down an answer: its events are promised.
    fn note(&mut self, answer: &Json) {
        let events = answer["events"].as_array().expect("events");
        self.commands.insert(text(&answer["command"]).to_owned(), events.len());
        for event in events {
            let place = (text(&event["page"]).to_owned(), number(&event["version"]));
            let doubled = self.acknowledged.insert(place, event.clone());
            assert!(doubled.is_none(), "two answers for {event}");
        }
    }

    /// A command whose answer was lost: its id tells what became of it, and sent again it has
    /// its answer, or is done now.
    fn settle(&mut self, api: &Api, write: &Write, page: &str) {
        let key = write.key.as_deref().expect("a key");
        let told = api.get(&format!("/v1/commands/{}?page={}", percent(key), percent(page)));
        let mut again = api.send(write);
        match told.status {
            200 => {
                assert_eq!(again.header("idempotency-replayed"), Some("true"), "{again}");
                assert_eq!((again.status, &again.body), (200, &told.body));
            }
            404 => {
                let mut write = write.clone();
                while again.status == 409 {
                    write = write.on(number(&again.json()["actual"]));
                    again = api.send(&write);
                }
                assert_eq!(
                    (again.status, again.header("idempotency-replayed")),
                    (200, None),
                    "{again}"
                );
            }
            _ => panic!("{told}"),
        }
        self.note(&again.json());
    }

    /// Compares what is new in the log with what was promised: the same, and nothing else.
    fn check(&mut self, api: &Api) {
        for (page, _) in PAGES {
            let (mut version, mut hash) = self.checked.get(page).cloned().unwrap_or_else(|| (0, "0".repeat(64)));
            let mut next = Some(format!("{}/events?after={version}&limit=1000", page_path(page)));
            while let Some(path) = next {
                let list = api.read(&path);
                for event in list["events"].as_array().expect("events") {
                    version += 1;
                    assert_eq!(
                        (number(&event["version"]), text(&event["prevHash"])),
                        (version, hash.as_str()),
                        "{event}"
                    );
                    text(&event["hash"]).clone_into(&mut hash);
                    let promised = self.acknowledged.remove(&(page.to_owned(), version));
                    assert_eq!(
                        promised.as_ref(),
                        Some(event),
                        "an event that nobody was promised, or another one"
                    );
                }
                next = list["next"].as_str().map(str::to_owned);
            }
            let read = api.page(page);
            assert_eq!(
                (number(&read["version"]), text(&read["hash"])),
                (version, hash.as_str())
            );
            self.checked.insert(page.to_owned(), (version, hash));
        }
        // The list is made of records, the heads of events: they never disagree.
        let listed = api.read("/v1/pages?deleted=true");
        let listed = listed["pages"].as_array().expect("pages").iter();
        let listed: BTreeMap<_, _> = listed
            .map(|page| (text(&page["id"]), (number(&page["version"]), text(&page["hash"]))))
            .collect();
        assert!(listed.iter().all(|(page, at)| {
            self.checked
                .get(*page)
                .is_some_and(|checked| (checked.0, checked.1.as_str()) == *at)
        }));
        assert_eq!(listed.len(), PAGES.len());
        assert!(
            self.acknowledged.is_empty(),
            "acknowledged and lost: {:?}",
            self.acknowledged.keys()
        );
    }

    /// The whole history once more: every command as often as it was answered, the feed dense,
    /// the values made of what was written.
    fn check_all(&self, api: &Api) {
        let mut commands: BTreeMap<String, usize> = BTreeMap::new();
        let mut positions = Vec::new();
        for (page, _) in PAGES {
            for event in api.events(page) {
                *commands.entry(text(&event["command"]).to_owned()).or_default() += 1;
                positions.push(number(&event["position"]));
            }
        }
        assert_eq!(commands, self.commands);
        positions.sort_unstable();
        assert_eq!(positions, (1..=positions.len() as u64).collect::<Vec<_>>());
        let code = api.page("code");
        let lines = text(&code["value"]["files"]["f"]).lines().count() as u64;
        assert_eq!(lines + 1, number(&code["version"]), "every event left its line once");
        let design = api.page("design");
        let nodes = design["value"]["nodes"].as_object().map_or(0, serde_json::Map::len) as u64;
        assert_eq!(nodes + 1, number(&design["version"]), "every event left its node");
        let mut feed = api.follow("/v1/feed", Some(0)).expect("a feed");
        for position in 1..=positions.len() as u64 {
            assert_eq!(feed.next_event().expect("the feed goes on").number(), position);
        }
    }
}
