//! Requests that shippers make before they send.

use super::*;
use http_body_util::BodyExt;

#[track_caller]
fn check(method: &Method, path: &str, want: u16, part: &str) {
    let answer = question(method, path);
    assert_eq!(answer.headers()["x-elastic-product"], "Elasticsearch");
    let status = answer.status().as_u16();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let body = runtime.block_on(answer.into_body().collect()).unwrap().to_bytes();
    let text = String::from_utf8_lossy(&body);
    assert!(status == want && text.contains(part), "{method} {path}: {status} {text}");
}

#[test]
fn questions_have_answers() {
    for (path, part) in [
        ("/", "\"number\":\"8."),
        ("/_cluster/health", "\"status\":\"green\""),
        ("/_cluster/health/", "\"status\":\"green\""),
        ("/_license", "\"type\":\"basic\""),
        ("/_xpack", "\"features\""),
        ("/_nodes", "\"_nodes\""),
        ("/_nodes/http", "\"_nodes\""),
        ("/_nodes/_all/http", "\"_nodes\""),
    ] {
        check(&Method::GET, path, 200, part);
        check(&Method::HEAD, path, 200, part);
        check(&Method::PUT, path, 405, "not with this method");
    }
    check(&Method::GET, "/_cat/health", 200, "green");
    check(&Method::GET, "/_ilm/policy/x", 404, "it is not kept here");
    check(&Method::HEAD, "/_ilm/policy/x", 404, "it is not kept here");
    check(&Method::PUT, "/_ilm/policy/x", 200, "{\"acknowledged\":true}");
}
