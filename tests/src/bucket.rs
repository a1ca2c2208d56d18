//! A bucket on this machine: a real S3 service over a directory, spoken to over HTTP, whose answers can be planned to
//! go wrong.

use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use s3s::Body;
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s_fs::FileSystem;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

const KEY: &str = "recto-key";

/// A service with one bucket; it ends when it is dropped.
#[derive(Debug)]
pub struct Bucket {
    folder: TempDir,
    address: SocketAddr,
    books: Arc<Mutex<Books>>,
    _runtime: Runtime,
}

/// What happens to a request instead of being answered.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    /// It is not carried out, and answered with a status and a code.
    Refused(u16, &'static str),
    /// It is carried out, and the connection breaks before the answer.
    Lost,
}

#[derive(Debug, Default)]
struct Books {
    asked: Vec<String>,
    plan: Vec<Planned>,
}

#[derive(Debug)]
struct Planned {
    method: &'static str,
    part: &'static str,
    fault: Fault,
    times: usize,
}

impl Bucket {
    /// Its name.
    pub const NAME: &str = "studio-files";
    /// The secret of its key.
    pub const SECRET: &str = "recto-secret";
    /// What a refusal repeats of the request, as a service may.
    pub const REPEATED: &str = "recto-session-token";

    /// An empty bucket.
    ///
    /// # Panics
    /// Where the service does not start.
    #[expect(clippy::new_without_default, reason = "it starts a service")]
    pub fn new() -> Self {
        let folder = TempDir::with_prefix("recto-bucket-").expect("a folder");
        std::fs::create_dir(folder.path().join(Self::NAME)).expect("the bucket");
        let mut service = S3ServiceBuilder::new(FileSystem::new(folder.path()).expect("the service"));
        service.set_auth(SimpleAuth::from_single(KEY, Self::SECRET));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port");
        let address = listener.local_addr().expect("the address");
        let books = Arc::default();
        runtime.spawn(serve(listener, service.build(), Arc::clone(&books)));
        Self {
            folder,
            address,
            books,
            _runtime: runtime,
        }
    }

    /// Where files lie in it, as a setting.
    pub fn url() -> String {
        format!("s3://{}/recto", Self::NAME)
    }

    /// What a server needs in its environment to use it.
    pub fn variables(&self) -> [(&'static str, String); 5] {
        [
            ("AWS_ACCESS_KEY_ID", KEY.to_owned()),
            ("AWS_SECRET_ACCESS_KEY", Self::SECRET.to_owned()),
            ("AWS_REGION", "eu-central-1".to_owned()),
            ("AWS_ENDPOINT_URL", format!("http://{}", self.address)),
            ("AWS_ALLOW_HTTP", "true".to_owned()),
        ]
    }

    /// Where the objects of [`Bucket::url`] lie.
    pub fn objects(&self) -> PathBuf {
        self.folder.path().join(Self::NAME).join("recto")
    }

    /// How many files there are of uploads in parts that were neither completed nor aborted.
    ///
    /// # Panics
    /// Where the folder cannot be read.
    pub fn left_over(&self) -> usize {
        let entries = std::fs::read_dir(self.folder.path()).expect("the folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        names
            .filter(|name| name.as_encoded_bytes().starts_with(b".upload"))
            .count()
    }

    /// The next requests of a method (or of any) with this in their path or query go wrong.
    pub fn plan(&self, method: &'static str, part: &'static str, fault: Fault, times: usize) {
        self.books().plan.push(Planned {
            method,
            part,
            fault,
            times,
        });
    }

    /// Nothing goes wrong any more.
    pub fn heal(&self) {
        self.books().plan.clear();
    }

    /// How often it was asked so, whatever came of it.
    pub fn asked(&self, method: &str, part: &str) -> usize {
        let begin = format!("{method} ");
        let books = self.books();
        let asked = books.asked.iter();
        asked
            .filter(|one| one.starts_with(&begin) && one.contains(part))
            .count()
    }

    fn books(&self) -> std::sync::MutexGuard<'_, Books> {
        self.books.lock().expect("the books")
    }
}

impl Books {
    /// Notes a request, and says what is to go wrong with it.
    fn note(&mut self, asked: String) -> Option<Fault> {
        let met = |one: &&mut Planned| {
            let method = one.method.is_empty() || asked.starts_with(&format!("{} ", one.method));
            method && asked.contains(one.part) && one.times > 0
        };
        let fault = self.plan.iter_mut().find(met).map(|one| {
            one.times -= 1;
            one.fault
        });
        self.asked.push(asked);
        fault
    }
}

async fn serve(listener: TcpListener, service: S3Service, books: Arc<Mutex<Books>>) {
    while let Ok((socket, _)) = listener.accept().await {
        let (service, books) = (service.clone(), Arc::clone(&books));
        let answers = service_fn(move |request| answer(service.clone(), Arc::clone(&books), request));
        tokio::spawn(async move {
            // A client that goes away is no fault.
            let _ = http1::Builder::new()
                .serve_connection(TokioIo::new(socket), answers)
                .await;
        });
    }
}

/// An error breaks the connection.
async fn answer(
    service: S3Service,
    books: Arc<Mutex<Books>>,
    request: Request<Incoming>,
) -> Result<Response<Body>, io::Error> {
    let asked = format!("{} {}", request.method(), request.uri());
    let fault = books.lock().expect("the books").note(asked);
    if let Some(Fault::Refused(status, code)) = fault {
        read_to_end(request.into_body()).await;
        return Ok(refusal(status, code));
    }
    let answered = service.call(request.map(Body::from)).await.map_err(io::Error::other)?;
    match fault {
        None => Ok(answered),
        Some(_) => Err(io::Error::other("the answer is lost")),
    }
}

fn refusal(status: u16, code: &str) -> Response<Body> {
    let repeated = Bucket::REPEATED;
    let body = format!("<Error><Code>{code}</Code><CanonicalRequest>{repeated}</CanonicalRequest></Error>");
    let answer = Response::builder().status(status).body(Body::from(body));
    answer.expect("a status")
}

async fn read_to_end(mut body: Incoming) {
    while let Some(Ok(_)) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {}
}
