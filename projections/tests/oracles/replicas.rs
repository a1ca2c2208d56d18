//! Replicas with edits of their own that the server has not got yet: each brings what it hears over them, and its own over
//! that. Who is behind how far does not matter: all meet in the server's text.

use recto_projections::{Applied, Delta, Value};

use crate::convergence::with_seed;
use crate::random::{Random, base, edit};
use crate::server::{commit, document, read};

/// An event of the server, and the replica that it is from.
struct Event {
    from: usize,
    applied: Applied,
}

struct Replica {
    /// The text at the newest event that it has heard of.
    heard: Value,
    /// How many events that is.
    version: usize,
    /// The text as its author sees it: with the pending edits.
    shown: Value,
    pending: Vec<Applied>,
    /// Whether the first pending edit has been committed, of which the replica has not heard yet.
    sent: bool,
}

#[derive(Default, Debug)]
struct Counts {
    /// Events that a replica brought over pending edits of its own.
    crossed: usize,
    committed: usize,
}

impl Replica {
    fn new(start: &Value) -> Self {
        Self {
            heard: start.clone(),
            version: 0,
            shown: start.clone(),
            pending: Vec::new(),
            sent: false,
        }
    }

    fn edit(&mut self, random: &mut Random, author: usize) {
        let letters: Vec<char> = read(&self.shown).chars().collect();
        let delta = edit(random, author, &letters[..letters.len() - 1]);
        self.pending.push(self.shown.apply(&Delta::Doc(delta)).unwrap());
    }

    fn send(&mut self, from: usize, head: &mut Value, log: &mut Vec<Event>) {
        let Some(first) = self.pending.first().filter(|_| !self.sent) else {
            return;
        };
        let over: Vec<Applied> = log[self.version..].iter().map(|event| event.applied.clone()).collect();
        let applied = commit(head, std::slice::from_ref(&first.delta), &over, true);
        log.extend(applied.into_iter().map(|applied| Event { from, applied }));
        self.sent = true;
    }

    fn hear(&mut self, number: usize, log: &[Event], counts: &mut Counts) {
        let Some(event) = log.get(self.version) else { return };
        self.version += 1;
        self.heard.apply(&event.applied.delta).unwrap();
        if event.from == number {
            let first = self.pending.remove(0);
            assert_eq!(
                first.delta, event.applied.delta,
                "it has become what the server made of it"
            );
            self.sent = false;
            return;
        }
        counts.crossed += usize::from(!self.pending.is_empty());
        let theirs = std::slice::from_ref(&event.applied);
        commit(
            &mut self.shown,
            std::slice::from_ref(&event.applied.delta),
            &self.pending,
            false,
        );
        let mine: Vec<Delta> = self.pending.iter().map(|applied| applied.delta.clone()).collect();
        let mut shown = self.heard.clone();
        self.pending = commit(&mut shown, &mine, theirs, true);
        assert_eq!(read(&shown), read(&self.shown), "both ways round meet");
    }
}

fn history(random: &mut Random, counts: &mut Counts) {
    let mut head = document(&(base(random, 2, 12) + "\n"));
    let mut replicas: Vec<Replica> = (0..2 + random.below(3)).map(|_| Replica::new(&head)).collect();
    let mut log = Vec::new();
    for _ in 0..10 + random.below(30) {
        let number = random.below(replicas.len());
        let replica = &mut replicas[number];
        match random.below(4) {
            0 => replica.edit(random, number),
            1 => replica.send(number, &mut head, &mut log),
            _ => replica.hear(number, &log, counts),
        }
    }
    while replicas
        .iter()
        .any(|replica| !replica.pending.is_empty() || replica.version < log.len())
    {
        for (number, replica) in replicas.iter_mut().enumerate() {
            replica.send(number, &mut head, &mut log);
            replica.hear(number, &log, counts);
        }
    }
    for replica in &replicas {
        assert_eq!(read(&replica.shown), read(&head));
    }
    counts.committed += log.len();
}

#[test]
fn replicas_meet_in_the_text_of_the_server() {
    let mut counts = Counts::default();
    for seed in 0..3000 {
        with_seed(seed, |random| history(random, &mut counts));
    }
    assert!(counts.crossed > 10_000 && counts.committed > 10_000, "{counts:?}");
}
