//! An app with its readers, but without their tasks: after a key, everything that is wanted is read.

use std::path::Path;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::Size;
use recto_pages::PageKey;
use recto_replay::args::{Common, When};
use recto_replay::screen::load::{Loader, Snapshots, StackReader, search, try_at};
use recto_replay::screen::news::{News, Question};
use recto_replay::screen::{App, Effect, Key, Subject, Work, draw};
use recto_replay::source::Source;

use crate::story::id;

pub(crate) struct Desk {
    pub(crate) app: App,
    size: Size,
    source: Source,
    page: PageKey,
    loader: Loader,
    stacks: StackReader,
    snapshots: Snapshots,
}

impl Desk {
    /// Opens a page of a data folder, looks at a version, and reads what that needs.
    pub(crate) async fn open(data: &Path, page: &str, version: u64, (width, height): (u16, u16)) -> Self {
        let common = Common {
            data: data.to_owned(),
            workspace: None,
            json: false,
            color: When::Never,
            cache_bytes: 1 << 30,
            salvage: false,
        };
        let source = Source::open(&common).await.unwrap();
        let page = source.key(&id(page));
        let loader = Loader::new(&source, &page).await.unwrap();
        let subject = Subject {
            page: page.page.to_string(),
            kind: loader.kind(),
            head: loader.head(),
            opened: "DATA".to_owned(),
        };
        let size = Size::new(width, height);
        let mut desk = Self {
            app: App::new(subject, version, size),
            size,
            stacks: StackReader::new(&source, &page),
            snapshots: Snapshots::new(&source, &page, loader.kind()),
            source,
            page,
            loader,
        };
        desk.settle().await;
        desk
    }

    /// The tasks that read what an app wants.
    pub(crate) async fn work(&self, app: &App) -> Work {
        Work::start(&self.source, &self.page, app.want()).await.unwrap()
    }

    /// Presses keys, one for each letter.
    pub(crate) async fn type_keys(&mut self, text: &str) {
        for letter in text.chars() {
            self.press(Key::Char(letter)).await;
        }
    }

    pub(crate) async fn press(&mut self, key: Key) {
        match self.app.handle(key) {
            Effect::Stay => {}
            Effect::Quit => panic!("{key:?} quits"),
            Effect::Ask(question) => self.answer(question).await,
        }
        self.settle().await;
    }

    pub(crate) fn resize(&mut self, width: u16, height: u16) {
        self.size = Size::new(width, height);
        self.app.resize(self.size);
    }

    /// The screen as lines of text.
    pub(crate) fn screen(&self) -> String {
        lines(&self.buffer())
    }

    pub(crate) fn buffer(&self) -> Buffer {
        drawn(&self.app, self.size)
    }

    /// Reads what is wanted until nothing is.
    pub(crate) async fn settle(&mut self) {
        loop {
            let want = self.app.want();
            if let Some(rows) = want.rows.clone() {
                self.app.take(News::Rows(self.loader.rows(rows).await.unwrap()));
            }
            if want.state {
                let shown = self.loader.shown(want.version).await.unwrap();
                self.app.take(News::Shown(shown.into()));
            }
            if want.rows.is_none() && !want.state {
                break;
            }
        }
        let version = self.app.version();
        let stacks = self.stacks.at(version).await.unwrap();
        self.app.take(News::Stacks(stacks.into()));
        self.app
            .take(News::Snapshot(self.snapshots.near(version).await.unwrap()));
    }

    async fn answer(&mut self, question: Question) {
        match question {
            Question::StopSearch => {}
            Question::Search(asked) => {
                let number = asked.number;
                let found = search(&self.source, &self.page, &asked, |_| ()).await.unwrap();
                self.app.take(News::Searched { number, found });
            }
            Question::Try(asked) => {
                for at in &asked.at {
                    let tried = try_at(&self.source, &self.page, &asked, *at).await.unwrap();
                    self.app.take(News::Tried(asked.clone(), tried));
                }
            }
        }
    }
}

/// An app as it is drawn on a screen of a size.
pub(crate) fn drawn(app: &App, size: Size) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(size.width, size.height)).unwrap();
    terminal.draw(|frame| draw(frame, app)).unwrap();
    terminal.backend().buffer().clone()
}

fn lines(buffer: &Buffer) -> String {
    let mut text = String::new();
    for y in buffer.area.top()..buffer.area.bottom() {
        let line: String = (buffer.area.left()..buffer.area.right())
            .map(|x| buffer[(x, y)].symbol())
            .collect();
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
