//! The loop: keys, news and the clock in; drawings out. The terminal is given back as it was, whatever happens.

use std::io;
use std::pin::pin;
use std::time::Duration;

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event};
use ratatui::layout::Size;
use recto_pages::PageKey;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::app::{App, Effect, Subject};
use super::draw::draw;
use super::key::Key;
use super::work::Work;
use crate::failure::Failure;
use crate::source::Source;

/// How often whoever waits for keys looks whether the screen is still there.
const KEY_WAIT: Duration = Duration::from_millis(100);
/// Keys that wait to be taken in.
const KEYS_WAITING: usize = 256;

/// Steps through the history of a page in the terminal, from a version on, until the user has seen enough.
///
/// # Errors
/// [`Failure`], where there is no such page or the terminal cannot be used.
pub async fn run(source: &Source, page: &PageKey, version: u64) -> Result<(), Failure> {
    let subject = Subject {
        page: page.page.to_string(),
        kind: source.pages.kind_of(&page.scope, &page.page).await?,
        head: source.head(page).await?,
        opened: source.what.words(),
    };
    let app = App::new(subject, version, Size::new(0, 0));
    let work = Work::start(source, page, app.want()).await?;
    // Sets a hook that gives the terminal back when something panics.
    let terminal = ratatui::try_init()?;
    let _back = GiveBack;
    let mut screen = Screen {
        app,
        work,
        terminal,
        keys: listen(),
        signals: [
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
            signal(SignalKind::hangup())?,
        ],
    };
    screen.run().await
}

/// Gives the terminal back when it goes.
struct GiveBack;

impl Drop for GiveBack {
    fn drop(&mut self) {
        // There is nobody left to tell that it did not work.
        let _ = ratatui::try_restore();
    }
}

struct Screen {
    app: App,
    work: Work,
    terminal: DefaultTerminal,
    keys: mpsc::Receiver<io::Result<Event>>,
    signals: [Signal; 3],
}

impl Screen {
    async fn run(&mut self) -> Result<(), Failure> {
        let size = self.terminal.size()?;
        self.app.resize(size);
        let mut due = None;
        loop {
            self.work.want(self.app.want());
            let app = &self.app;
            self.terminal.draw(|frame| draw(frame, app))?;
            due = match (self.app.pace(), due) {
                (Some(pace), None) => Some(Instant::now() + pace),
                (Some(_), due) => due,
                (None, _) => None,
            };
            if self.wait(&mut due).await? == Effect::Quit {
                return Ok(());
            }
        }
    }

    /// Waits until something happens, and takes it in.
    async fn wait(&mut self, due: &mut Option<Instant>) -> Result<Effect, Failure> {
        let [interrupt, terminate, hangup] = &mut self.signals;
        let end = *due;
        let mut clock = pin!(async move {
            match end {
                Some(end) => tokio::time::sleep_until(end).await,
                None => std::future::pending().await,
            }
        });
        let effect = tokio::select! {
            _ = interrupt.recv() => return Ok(Effect::Quit),
            _ = terminate.recv() => return Ok(Effect::Quit),
            _ = hangup.recv() => return Ok(Effect::Quit),
            event = self.keys.recv() => match event {
                Some(event) => take_event(&mut self.app, &event?),
                None => Effect::Quit,
            },
            news = self.work.news() => {
                match news {
                    Ok(news) => self.app.take(news),
                    Err(ended) => resume(ended),
                }
                while let Some(news) = self.work.more_news() {
                    self.app.take(news);
                }
                Effect::Stay
            },
            () = &mut clock => {
                self.app.tick();
                *due = None;
                Effect::Stay
            },
        };
        self.carry_out(effect)
    }

    /// Asks what is to be asked, and takes in the keys that wait already: a key that repeats must not fall behind.
    fn carry_out(&mut self, mut effect: Effect) -> Result<Effect, Failure> {
        loop {
            match effect {
                Effect::Quit => return Ok(Effect::Quit),
                Effect::Ask(question) => self.work.ask(question),
                Effect::Stay => {}
            }
            match self.keys.try_recv() {
                Ok(event) => effect = take_event(&mut self.app, &event?),
                Err(_) => return Ok(Effect::Stay),
            }
        }
    }
}

fn take_event(app: &mut App, event: &Event) -> Effect {
    match event {
        Event::Key(key) => Key::of(key).map_or(Effect::Stay, |key| app.handle(key)),
        Event::Resize(width, height) => {
            app.resize(Size::new(*width, *height));
            Effect::Stay
        }
        _ => Effect::Stay,
    }
}

/// A task that panicked takes the screen with it.
fn resume(ended: tokio::task::JoinError) {
    if let Ok(panic) = ended.try_into_panic() {
        std::panic::resume_unwind(panic);
    }
}

/// Reads keys on a thread of its own, for the terminal has no other way to wait; it ends when nobody listens.
fn listen() -> mpsc::Receiver<io::Result<Event>> {
    let (keys, receiver) = mpsc::channel(KEYS_WAITING);
    std::thread::spawn(move || {
        while !keys.is_closed() {
            let read = match event::poll(KEY_WAIT) {
                Ok(false) => continue,
                Ok(true) => event::read(),
                Err(fault) => Err(fault),
            };
            let failed = read.is_err();
            if keys.blocking_send(read).is_err() || failed {
                return;
            }
        }
    });
    receiver
}
