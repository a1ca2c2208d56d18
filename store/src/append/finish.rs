//! Work that is finished even if nobody waits for it any more.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::runtime::Handle;

/// A future that, once begun, runs to its end: dropped before that, it goes on as a task.
///
/// A commit that was handed to the engine is done whether or not its caller is still there, and
/// what the log keeps in memory must learn of it.
pub(super) struct Finish<T: 'static> {
    work: Option<BoxFuture<'static, T>>,
    begun: bool,
}

impl<T: 'static> Finish<T> {
    pub(super) fn new(work: impl Future<Output = T> + Send + 'static) -> Self {
        Self {
            work: Some(work.boxed()),
            begun: false,
        }
    }
}

impl<T: 'static> Future for Finish<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        self.begun = true;
        let Some(work) = &mut self.work else {
            // Polled after its end, which no caller may do.
            return Poll::Pending;
        };
        let polled = work.poll_unpin(context);
        if polled.is_ready() {
            self.work = None;
        }
        polled
    }
}

impl<T: 'static> Drop for Finish<T> {
    fn drop(&mut self) {
        let Some(work) = self.work.take().filter(|_| self.begun) else {
            return;
        };
        // Without a runtime the process is about to end.
        if let Ok(runtime) = Handle::try_current() {
            drop(runtime.spawn(work.map(drop)));
        }
    }
}
