//! The queue in front of the writer: bounded in bytes, and quick to wake it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::Thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::batch::Prepared;
use crate::engine::{CommitError, Committed, Unavailable};

/// All commits that wait or are being written take at most this much; who comes then waits.
const QUEUE_MAX_BYTES: usize = 64 * 1024 * 1024;
/// Room is given in pieces of this size.
const ROOM_BYTES: usize = 1024;
/// How long the writer looks for the next commit after a group before it sleeps. A lone client
/// answers its acknowledgement sooner than a sleeping thread wakes up; an idle store does not
/// spin at all.
const SPIN: Duration = Duration::from_micros(50);
/// Between looks the processor is offered to others.
const SPIN_LOOKS: u32 = 32;

/// A commit that waits for its turn.
pub(super) struct Request {
    pub(super) prepared: Prepared,
    answer: oneshot::Sender<Result<Committed, CommitError>>,
    /// Given back when the commit is answered.
    _room: OwnedSemaphorePermit,
}

/// The queue; one thread takes from it.
pub(super) struct Queue {
    waiting: Mutex<Waiting>,
    length: AtomicUsize,
    room: Arc<Semaphore>,
    writer: OnceLock<Thread>,
    sleeping: AtomicBool,
}

struct Waiting {
    requests: VecDeque<Request>,
    closed: bool,
}

/// What the writer finds when it looks.
pub(super) enum Taken {
    Group(Vec<Request>),
    Nothing,
    /// Nothing, and there will be nothing more.
    Closed,
}

impl Request {
    pub(super) fn new(
        prepared: Prepared,
        room: OwnedSemaphorePermit,
    ) -> (Self, oneshot::Receiver<Result<Committed, CommitError>>) {
        let (answer, answered) = oneshot::channel();
        (
            Self {
                prepared,
                answer,
                _room: room,
            },
            answered,
        )
    }

    /// Answers. Whoever has gone away is not told.
    pub(super) fn answer(self, answer: Result<Committed, CommitError>) {
        drop(self.answer.send(answer));
    }
}

impl Queue {
    pub(super) fn new() -> Self {
        Self {
            waiting: Mutex::new(Waiting {
                requests: VecDeque::new(),
                closed: false,
            }),
            length: AtomicUsize::new(0),
            room: Arc::new(Semaphore::new(QUEUE_MAX_BYTES / ROOM_BYTES)),
            writer: OnceLock::new(),
            sleeping: AtomicBool::new(false),
        }
    }

    /// Waits for room for a commit of this size.
    pub(super) async fn room(&self, bytes: usize) -> Result<OwnedSemaphorePermit, CommitError> {
        let pieces = bytes.div_ceil(ROOM_BYTES).clamp(1, QUEUE_MAX_BYTES / ROOM_BYTES);
        let pieces = u32::try_from(pieces).unwrap_or(u32::MAX);
        Arc::clone(&self.room)
            .acquire_many_owned(pieces)
            .await
            .map_err(|_| closed())
    }

    pub(super) fn push(&self, request: Request) -> Result<(), CommitError> {
        {
            let mut waiting = self.waiting.lock();
            if waiting.closed {
                return Err(closed());
            }
            waiting.requests.push_back(request);
            self.length.store(waiting.requests.len(), Ordering::SeqCst);
        }
        self.wake();
        Ok(())
    }

    /// Takes all that waits.
    pub(super) fn drain(&self) -> VecDeque<Request> {
        std::mem::take(&mut self.waiting.lock().requests)
    }

    /// Takes no more commits; those taken are still written.
    pub(super) fn close(&self) {
        self.waiting.lock().closed = true;
        self.room.close();
        // As good as a commit: the writer has to look.
        self.length.fetch_max(1, Ordering::SeqCst);
        self.wake();
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.lock().requests.len()
    }

    /// Takes what waits, up to about `bytes`, one commit at least.
    pub(super) fn take(&self, bytes: usize) -> Taken {
        let mut waiting = self.waiting.lock();
        if waiting.requests.is_empty() {
            return if waiting.closed { Taken::Closed } else { Taken::Nothing };
        }
        let mut total = 0;
        let fitting = waiting.requests.iter().take_while(|request| {
            let fits = total == 0 || total + request.prepared.bytes <= bytes;
            total += request.prepared.bytes;
            fits
        });
        let count = fitting.count();
        let group = waiting.requests.drain(..count).collect();
        if !waiting.closed {
            self.length.store(waiting.requests.len(), Ordering::SeqCst);
        }
        Taken::Group(group)
    }

    /// Makes the calling thread the one that is woken.
    pub(super) fn attach(&self) {
        // A queue has one writer, which attaches once.
        drop(self.writer.set(std::thread::current()));
    }

    /// Waits until there may be something to take, at most until `deadline`. After work it looks
    /// for a moment before it sleeps.
    pub(super) fn wait(&self, worked: bool, deadline: Option<Instant>) {
        if worked && self.spin() {
            return;
        }
        self.sleeping.store(true, Ordering::SeqCst);
        if self.length.load(Ordering::SeqCst) == 0 {
            match deadline {
                Some(deadline) => std::thread::park_timeout(deadline.saturating_duration_since(Instant::now())),
                None => std::thread::park(),
            }
        }
        self.sleeping.store(false, Ordering::SeqCst);
    }

    fn spin(&self) -> bool {
        let until = Instant::now() + SPIN;
        loop {
            for _ in 0..SPIN_LOOKS {
                if self.length.load(Ordering::SeqCst) > 0 {
                    return true;
                }
                std::hint::spin_loop();
            }
            if Instant::now() >= until {
                return false;
            }
            std::thread::yield_now();
        }
    }

    fn wake(&self) {
        if self.sleeping.swap(false, Ordering::SeqCst)
            && let Some(writer) = self.writer.get()
        {
            writer.unpark();
        }
    }
}

fn closed() -> CommitError {
    CommitError::Unavailable(Unavailable::Closed)
}
