//! Files in a bucket that speaks S3: how it is opened, and what a start that finds it wrong says.
//!
//! Everything about the service comes from the variables that other programs take it from: `AWS_ACCESS_KEY_ID`,
//! `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_REGION`, `AWS_ENDPOINT_URL`, and for an endpoint without TLS
//! `AWS_ALLOW_HTTP=true`. No key is ever part of a URL, of a message or of a log line.

use std::sync::Arc;

use object_store::ObjectStore;
use object_store::path::Path;

pub(super) const SCHEME: &str = "s3://";

/// A store, and where in it the files lie.
pub(super) type Bucket = (Arc<dyn ObjectStore>, Path);

/// Opens `s3://BUCKET` or `s3://BUCKET/FOLDER`, and asks it once, so that a wrong setting is told at the start and not
/// at the first upload.
///
/// # Errors
/// A sentence that says what is wrong and what to set.
#[cfg(feature = "s3")]
pub(super) async fn open(url: &str) -> Result<Bucket, String> {
    let (name, folder) = parts(url)?;
    let folder = Path::parse(folder).map_err(|fault| fault.to_string())?;
    let store = Arc::new(service::connect(name)?);
    service::probe(store.as_ref(), name, &folder).await?;
    Ok((store, folder))
}

/// Says that this program cannot.
#[cfg(not(feature = "s3"))]
#[expect(clippy::unused_async, reason = "the same as with buckets")]
pub(super) async fn open(url: &str) -> Result<Bucket, String> {
    parts(url)?;
    Err("this program was built without buckets; build it with the feature s3, which is a default".to_owned())
}

/// A bucket and a folder. What is no name of a bucket is refused before anything repeats it: it may hold a key.
fn parts(url: &str) -> Result<(&str, &str), String> {
    let place = url.strip_prefix(SCHEME).unwrap_or_default();
    let (name, folder) = place.split_once('/').unwrap_or((place, ""));
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    if name.is_empty() || !name.bytes().all(allowed) {
        return Err(
            "after s3:// comes the name of a bucket and nothing else; keys are set by \
                    AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, the service by AWS_ENDPOINT_URL"
                .to_owned(),
        );
    }
    Ok((name, folder.trim_matches('/')))
}

/// The URL as it may be shown: whatever stands where keys do not belong is left out.
pub(super) fn shown(url: &str) -> String {
    match parts(url) {
        Ok(_) => url.to_owned(),
        Err(_) => format!("{SCHEME}…"),
    }
}

#[cfg(feature = "s3")]
mod service {
    use std::time::Duration;

    use futures::StreamExt;
    use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
    use object_store::path::Path;
    use object_store::{ClientConfigKey, ClientOptions, ObjectStore, RetryConfig};

    use crate::assets::trouble::Trouble;

    /// A request waits for its answer: who sent it can try again too.
    const RETRIES_MAX: usize = 3;
    /// Nothing is tried again after this.
    const RETRY_TIMEOUT: Duration = Duration::from_secs(10);
    const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
    /// From a request to the head of its answer, and between two pieces of that. The whole answer has no limit: a slow
    /// reader of a large file is no fault.
    const READ_TIMEOUT: Duration = Duration::from_secs(30);
    /// How long a start waits for the bucket.
    const PROBE_TIMEOUT: Duration = Duration::from_secs(20);

    /// Asks nothing yet. A variable overrides what is set here.
    pub(super) fn connect(bucket: &str) -> Result<AmazonS3, String> {
        let client = ClientOptions::new()
            .with_timeout_disabled()
            .with_connect_timeout(CONNECT_TIMEOUT)
            .with_read_timeout(READ_TIMEOUT);
        // Not every service knows how to delete in bulk, and files are dropped one by one.
        let defaults = AmazonS3Builder::new()
            .with_client_options(client)
            .with_disable_bulk_delete(true);
        let builder = variables()
            .fold(defaults, |builder, (key, value)| builder.with_config(key, value))
            .with_bucket_name(bucket)
            .with_retry(RetryConfig {
                max_retries: RETRIES_MAX,
                retry_timeout: RETRY_TIMEOUT,
                ..RetryConfig::default()
            });
        refuse_open_endpoint(&builder)?;
        let built = builder.build();
        built.map_err(|fault| format!("{}; look at the AWS_ variables", Trouble::of(&fault)))
    }

    /// One page of what lies in the folder.
    pub(super) async fn probe(store: &AmazonS3, bucket: &str, folder: &Path) -> Result<(), String> {
        let mut found = store.list(Some(folder));
        match tokio::time::timeout(PROBE_TIMEOUT, found.next()).await {
            Ok(None | Some(Ok(_))) => Ok(()),
            Ok(Some(Err(fault))) => Err(advice(&Trouble::of(&fault), bucket)),
            Err(_) => Err(advice(&Trouble::silence(PROBE_TIMEOUT), bucket)),
        }
    }

    fn variables() -> impl Iterator<Item = (AmazonS3ConfigKey, String)> {
        std::env::vars_os().filter_map(|(name, value)| {
            let name = name.to_str().filter(|name| name.starts_with("AWS_"))?;
            Some((name.to_ascii_lowercase().parse().ok()?, value.into_string().ok()?))
        })
    }

    fn refuse_open_endpoint(builder: &AmazonS3Builder) -> Result<(), String> {
        let set = |key: AmazonS3ConfigKey| builder.get_config_value(&key).unwrap_or_default();
        let endpoint = set(AmazonS3ConfigKey::S3Endpoint) + &set(AmazonS3ConfigKey::Endpoint);
        let allowed = set(AmazonS3ConfigKey::Client(ClientConfigKey::AllowHttp));
        let allowed = ["1", "on", "true", "y", "yes"].contains(&allowed.to_ascii_lowercase().as_str());
        if endpoint.starts_with("http://") && !allowed {
            return Err("AWS_ENDPOINT_URL is without TLS; where that is meant, set AWS_ALLOW_HTTP=true".to_owned());
        }
        Ok(())
    }

    fn advice(trouble: &Trouble, bucket: &str) -> String {
        match (trouble.status, trouble.code.as_deref()) {
            (_, Some("NoSuchBucket")) | (Some(404), _) => format!(
                "the service has no bucket {bucket:?} ({trouble}); make it there, or name another; \
                 the service is set by AWS_ENDPOINT_URL and AWS_REGION"
            ),
            (_, Some("AuthorizationHeaderMalformed" | "PermanentRedirect" | "IllegalLocationConstraintException"))
            | (Some(300..=399), _) => {
                format!("the bucket is in another region ({trouble}); set AWS_REGION to its region")
            }
            (Some(401 | 403), _) => format!(
                "the service refuses the key ({trouble}); set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to one \
                 that may list, read, write and delete in this bucket"
            ),
            _ if !has_key() => format!(
                "{trouble}; no key is set: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or run where the \
                 machine's own service gives one"
            ),
            _ => format!(
                "{trouble}; check that the service runs, and set AWS_ENDPOINT_URL (without it: Amazon's) and AWS_REGION"
            ),
        }
    }

    fn has_key() -> bool {
        std::env::var_os("AWS_ACCESS_KEY_ID").is_some()
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::expect_used, reason = "a test may panic")]

    use super::{parts, shown};

    #[test]
    fn a_url_names_a_bucket_and_a_folder() {
        assert_eq!(parts("s3://studio"), Ok(("studio", "")));
        assert_eq!(parts("s3://studio/"), Ok(("studio", "")));
        assert_eq!(parts("s3://studio.eu-1/a/b/"), Ok(("studio.eu-1", "a/b")));
    }

    #[test]
    fn what_is_no_bucket_is_refused_and_never_shown() {
        for url in ["s3://", "s3:///a", "s3://key:secret@studio/a", "s3://studio?key=secret"] {
            let refused = parts(url).expect_err(url);
            assert!(refused.contains("AWS_ACCESS_KEY_ID") && !refused.contains("secret"));
            assert_eq!(shown(url), "s3://…");
        }
        assert_eq!(shown("s3://studio/a"), "s3://studio/a");
    }
}
