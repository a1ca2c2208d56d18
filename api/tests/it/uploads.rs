//! Uploads whose caller goes away at the last moment.

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use axum::body::Body;
use axum::http::Request;
use recto_api::{App, Limits, Tokens};
use recto_pages::{
    Assets, AttachmentId, Blobs, Clock, Crash, FileSettings, Id, NoService, Pages, Point, Settings, SlotSettings,
    Slots, TaskSettings, Tasks,
};
use recto_store::{MemoryEngine, Store};
use tower::ServiceExt;

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_caller_who_leaves_at_the_end_of_an_upload_leaves_an_attachment_and_no_stray_file() {
    let (tell, reached) = channel();
    let (go_on, wait) = channel::<()>();
    let once = Mutex::new(Some((tell, wait)));
    // The file is stored, and not noted yet.
    let crash = Crash::freezing(move |point| {
        let mine = if point == Point::AttachStored {
            once.lock().unwrap().take()
        } else {
            None
        };
        if let Some((tell, wait)) = mine {
            tell.send(()).unwrap();
            wait.recv().unwrap();
        }
        false
    });
    let (app, assets) = app(crash).await;
    let request = Request::put("/v1/attachments/cat").header("content-type", "image/png");
    let request = request.body(Body::from("the bytes of a cat")).unwrap();
    let asking = tokio::spawn(recto_api::router(app.clone()).oneshot(request));
    tokio::task::spawn_blocking(move || reached.recv().unwrap())
        .await
        .unwrap();
    asking.abort();
    go_on.send(()).unwrap();
    assert!(asking.await.unwrap_err().is_cancelled());
    app.writes_done().await;
    let scope = Id::new(recto_api::DEFAULT_WORKSPACE).unwrap();
    let same = futures::stream::iter([Ok::<_, String>("the bytes of a cat".into())]);
    let attachment = AttachmentId::new("cat").unwrap();
    let kept = assets.attach(&scope, &attachment, None, same).await.unwrap();
    assert!(kept.replayed, "the upload left no attachment");
}

async fn app(crash: Crash) -> (App, Assets) {
    let store = Store::open(Arc::new(MemoryEngine::new())).await.unwrap();
    let pages = Pages::new(store, Settings::default(), Clock::system());
    let settings = FileSettings {
        crash,
        ..FileSettings::default()
    };
    let assets = Assets::new(pages.clone(), Blobs::memory(), settings);
    let tasks = Tasks::new(assets.clone(), Arc::new(NoService), TaskSettings::default());
    let slots = Slots::new(tasks.clone(), SlotSettings::default());
    let app = App::with_images(pages, assets.clone(), tasks, slots, Tokens::open(), Limits::default());
    (app, assets)
}
