//! The tasks that read while the screen goes on: one for what is looked at, one each for what takes longer.

use std::sync::Arc;

use recto_pages::PageKey;
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinError, JoinSet};

use super::load::{Loader, Snapshots, StackReader, search, try_at};
use super::news::{News, Question, Want};
use crate::failure::Failure;
use crate::source::Source;

/// News that wait to be taken in; a reader that is faster waits.
const NEWS_WAITING: usize = 64;

/// The tasks, and the ways to and from them. They end when it is dropped.
pub struct Work {
    wants: watch::Sender<Want>,
    questions: mpsc::UnboundedSender<Question>,
    news: mpsc::Receiver<News>,
    tasks: JoinSet<()>,
}

impl Work {
    /// Starts reading a page.
    ///
    /// # Errors
    /// [`Failure`], where there is no such page or its record cannot be read.
    pub async fn start(source: &Source, page: &PageKey, want: Want) -> Result<Self, Failure> {
        let loader = Loader::new(source, page).await?;
        let snapshots = Snapshots::new(source, page, loader.kind());
        let stacks = StackReader::new(source, page);
        let (wants, watching) = watch::channel(want);
        let (questions, asked) = mpsc::unbounded_channel();
        let (told, news) = mpsc::channel(NEWS_WAITING);
        let mut tasks = JoinSet::new();
        tasks.spawn(read_wants(loader, watching.clone(), told.clone()));
        tasks.spawn(read_stacks(stacks, watching.clone(), told.clone()));
        tasks.spawn(check_snapshots(snapshots, watching, told.clone()));
        tasks.spawn(answer(source.clone(), page.clone(), asked, told));
        Ok(Self {
            wants,
            questions,
            news,
            tasks,
        })
    }

    /// Says what is wanted now; what was wanted before and is not there yet is forgotten.
    pub fn want(&self, want: Want) {
        self.wants.send_if_modified(|before| {
            let is_new = *before != want;
            *before = want;
            is_new
        });
    }

    /// Asks something that may take long.
    pub fn ask(&self, question: Question) {
        // Where nobody answers any more, the next news say why.
        let _ = self.questions.send(question);
    }

    /// The next thing that was read. It may be dropped while it waits.
    ///
    /// # Errors
    /// [`JoinError`], where a task came to grief.
    pub async fn news(&mut self) -> Result<News, JoinError> {
        tokio::select! {
            biased;
            Some(ended) = self.tasks.join_next() => {
                ended?;
                Ok(News::Failed("reading has ended".to_owned()))
            }
            Some(news) = self.news.recv() => Ok(news),
            else => std::future::pending().await,
        }
    }

    /// News that are there already.
    pub fn more_news(&mut self) -> Option<News> {
        self.news.try_recv().ok()
    }
}

/// Reads the newest want; when another comes, what is being read for an older one is dropped.
async fn read_wants(mut loader: Loader, mut wants: watch::Receiver<Want>, news: mpsc::Sender<News>) {
    loop {
        let want = wants.borrow_and_update().clone();
        tokio::select! {
            biased;
            changed = wants.changed() => {
                if changed.is_err() {
                    return;
                }
                wants.mark_changed();
            }
            read = read(&mut loader, &want, &news) => tell_fault(read, &news).await,
        }
        if wants.changed().await.is_err() {
            return;
        }
    }
}

async fn read(loader: &mut Loader, want: &Want, news: &mpsc::Sender<News>) -> Result<(), Failure> {
    // Events around a version bring its state with them.
    if let Some(rows) = &want.rows {
        let rows = loader.rows(rows.clone()).await?;
        let _ = news.send(News::Rows(rows)).await;
    }
    if want.state {
        let shown = loader.shown(want.version).await?;
        let _ = news.send(News::Shown(Arc::new(shown))).await;
    }
    Ok(())
}

/// Reads the stacks of the version looked at; when it is another one, reading goes on to that.
async fn read_stacks(mut reader: StackReader, mut wants: watch::Receiver<Want>, news: mpsc::Sender<News>) {
    loop {
        let version = wants.borrow_and_update().version;
        tokio::select! {
            biased;
            is_there = left(&mut wants, version) => {
                if !is_there {
                    return;
                }
                continue;
            }
            read = reader.at(version) => tell(read.map(|stacks| News::Stacks(Arc::new(stacks))), &news).await,
        }
        if !left(&mut wants, version).await {
            return;
        }
    }
}

/// Waits until another version is looked at; `false` when nobody looks any more.
async fn left(wants: &mut watch::Receiver<Want>, version: u64) -> bool {
    wants.wait_for(|want| want.version != version).await.is_ok()
}

async fn check_snapshots(mut snapshots: Snapshots, mut wants: watch::Receiver<Want>, news: mpsc::Sender<News>) {
    loop {
        let version = wants.borrow_and_update().version;
        tell(snapshots.near(version).await.map(News::Snapshot), &news).await;
        if !left(&mut wants, version).await {
            return;
        }
    }
}

/// Answers questions; a newer one ends what is being done for an older one.
async fn answer(source: Source, page: PageKey, mut asked: mpsc::UnboundedReceiver<Question>, news: mpsc::Sender<News>) {
    let mut next = asked.recv().await;
    while let Some(question) = next {
        tokio::select! {
            biased;
            newer = asked.recv() => next = newer,
            answered = answer_one(&source, &page, &question, &news) => {
                tell_fault(answered, &news).await;
                next = asked.recv().await;
            }
        }
    }
}

async fn answer_one(
    source: &Source,
    page: &PageKey,
    question: &Question,
    news: &mpsc::Sender<News>,
) -> Result<(), Failure> {
    match question {
        Question::StopSearch => {}
        Question::Search(asked) => {
            let number = asked.number;
            let progress = |at| {
                // Where many news wait already, this one is not missed.
                let _ = news.try_send(News::Searching { number, at });
            };
            let found = search(source, page, asked, progress).await?;
            let _ = news.send(News::Searched { number, found }).await;
        }
        Question::Try(asked) => {
            for at in &asked.at {
                let tried = try_at(source, page, asked, *at).await?;
                let _ = news.send(News::Tried(asked.clone(), tried)).await;
            }
        }
    }
    Ok(())
}

async fn tell(read: Result<News, Failure>, news: &mpsc::Sender<News>) {
    let read = read.unwrap_or_else(|failure| News::Failed(failure.to_string()));
    // Nobody listens any more: the screen is gone.
    let _ = news.send(read).await;
}

async fn tell_fault(read: Result<(), Failure>, news: &mpsc::Sender<News>) {
    if let Err(failure) = read {
        let _ = news.send(News::Failed(failure.to_string())).await;
    }
}
