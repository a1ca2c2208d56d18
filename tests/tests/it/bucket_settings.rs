//! Files in a bucket: wrong settings are told at the start, with what to set, and no secret is ever told.

use std::net::TcpListener;

use recto_tests::bucket::{Bucket, Fault};
use recto_tests::images::Files;
use recto_tests::png::png;
use recto_tests::server::{Place, started};

const PNG: &str = "image/png";

/// What a start that is refused says at last.
fn refused(place: &Place, url: &str) -> String {
    let refused = place.start(&["--files", url]).expect_err("it starts");
    assert!(!refused.status.success());
    for secret in [Bucket::SECRET, Bucket::REPEATED] {
        assert!(!refused.log.contains(secret), "a secret is told:\n{}", refused.log);
    }
    refused.log.lines().last().unwrap_or_default().to_owned()
}

#[test]
fn a_wrong_setting_is_refused_at_the_start_with_what_to_set() {
    let bucket = Bucket::new();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let nobody = || format!("http://{free}");
    let cases: [(&str, &str, String, &[&str]); 5] = [
        (
            "another secret",
            "AWS_SECRET_ACCESS_KEY",
            "wrong".to_owned(),
            &["refuses the key", "AWS_SECRET_ACCESS_KEY"],
        ),
        (
            "another key",
            "AWS_ACCESS_KEY_ID",
            "nobody".to_owned(),
            &["refuses the key", "AWS_ACCESS_KEY_ID"],
        ),
        (
            "nobody there",
            "AWS_ENDPOINT_URL",
            nobody(),
            &["Connection refused", "set AWS_ENDPOINT_URL"],
        ),
        (
            "no TLS",
            "AWS_ALLOW_HTTP",
            "false".to_owned(),
            &["set AWS_ALLOW_HTTP=true"],
        ),
        (
            "no number",
            "AWS_CONNECT_TIMEOUT",
            "soon".to_owned(),
            &["soon", "AWS_ variables"],
        ),
    ];
    for (what, name, value, words) in cases {
        let place = Place::new()
            .with_variables(bucket.variables())
            .with_variables([(name, value)]);
        let told = refused(&place, &Bucket::url());
        for word in words {
            assert!(told.contains(word), "{what}: {told}");
        }
    }
    let place = Place::new().with_variables(bucket.variables());
    let told = refused(&place, "s3://nobodys-files/recto");
    assert!(
        told.contains("no bucket \"nobodys-files\"") && told.contains("AWS_ENDPOINT_URL"),
        "{told}"
    );
    // Nothing was wrong with the rest.
    started(place.start(&["--files", &Bucket::url()]));
}

#[test]
fn a_start_without_a_key_or_with_one_in_the_url_says_where_it_belongs() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let place = Place::new().with_variables([("AWS_METADATA_ENDPOINT", format!("http://{free}"))]);
    let told = refused(&place, &Bucket::url());
    assert!(told.contains("no key is set: set AWS_ACCESS_KEY_ID"), "{told}");

    let url = format!("s3://recto-key:{}@{}/recto", Bucket::SECRET, Bucket::NAME);
    let told = refused(&Place::new(), &url);
    assert!(told.contains("keys are set by AWS_ACCESS_KEY_ID"), "{told}");
    let told = refused(&Place::new(), "ftp://somewhere");
    assert!(told.contains("begins with file:// or s3://"), "{told}");
}

#[test]
fn a_bucket_in_another_region_or_out_of_order_is_told_at_the_start() {
    let bucket = Bucket::new();
    let place = Place::new().with_variables(bucket.variables());
    for (status, code, word) in [
        (301, "PermanentRedirect", "set AWS_REGION"),
        (400, "AuthorizationHeaderMalformed", "set AWS_REGION"),
        (503, "SlowDown", "answers 503 SlowDown"),
    ] {
        bucket.plan("GET", "list-type=2", Fault::Refused(status, code), 1000);
        let told = refused(&place, &Bucket::url());
        assert!(told.contains(word), "{code}: {told}");
        bucket.heal();
    }
}

#[test]
fn no_secret_is_logged_or_answered_however_much_is_logged() {
    let bucket = Bucket::new();
    let token = ("AWS_SESSION_TOKEN", Bucket::REPEATED.to_owned());
    let place = Place::new().with_variables(bucket.variables()).with_variables([token]);
    let server = started(place.start(&["--files", &Bucket::url(), "--log", "trace"]));
    let files = Files(server.client());
    files.upload("cat", PNG, &png(20, 10, 1)).expect(201);
    bucket.plan("", "", Fault::Refused(403, "SignatureDoesNotMatch"), 1000);
    let answer = files.promote("cat").expect(503);
    assert_eq!(answer.code(), "unavailable");
    let answer = String::from_utf8(answer.body.clone()).unwrap();
    assert!(answer.contains("SignatureDoesNotMatch"), "{answer}");
    let log = server.place().log();
    assert!(log.contains("TRACE"), "it is not logged in full");
    for secret in [Bucket::SECRET, Bucket::REPEATED] {
        assert!(!answer.contains(secret), "{answer}");
        assert!(!log.contains(secret), "{secret} is logged");
    }
}
