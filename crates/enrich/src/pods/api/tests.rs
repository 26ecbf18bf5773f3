//! Pages and events, as the API's documentation has them, and others.

use super::*;

#[track_caller]
fn page(text: &str, want: &str) {
    let shown = match read_page(text.as_bytes()) {
        Ok(page) => {
            let pods: Vec<&str> = page.pods.iter().map(|pod| pod.name.as_str()).collect();
            format!("{} {} {}", page.version, pods.join(","), page.next.as_deref().unwrap_or("-"))
        }
        Err(error) => format!("{error:?}"),
    };
    assert!(shown.contains(want), "{shown}");
}

#[track_caller]
fn event(text: &str, want: &str) {
    let shown = match read_event(text.as_bytes()) {
        Ok((event, version)) => {
            let event = match event {
                Event::Present(pod) => format!("present {}", pod.name),
                Event::Deleted(pod) => format!("deleted {}", pod.name),
                Event::Nothing => "nothing".to_owned(),
            };
            format!("{event} {}", version.as_deref().unwrap_or("-"))
        }
        Err(error) => format!("{error:?}"),
    };
    assert!(shown.contains(want), "{shown}");
}

const POD: &str = r#"{"metadata":{"namespace":"n","name":"a","uid":"u","resourceVersion":"12"}}"#;

#[test]
fn pages_of_a_list() {
    page(
        &format!(r#"{{"metadata":{{"resourceVersion":"10","continue":"x=="}},"items":[{POD},{{}}]}}"#),
        "10 a x==",
    );
    page(r#"{"metadata":{"resourceVersion":"10","continue":""},"items":[]}"#, "10  -");
    page(r#"{"metadata":{"resourceVersion":"10"}}"#, "10  -");
    page(r#"{"metadata":{},"items":[]}"#, "no version");
    page("<html>", "no JSON");
    page(&"[".repeat(10_000), "no JSON");
}

#[test]
fn events_of_a_watch() {
    event(&format!(r#"{{"type":"ADDED","object":{POD}}}"#), "present a 12");
    event(&format!(r#"{{"type":"MODIFIED","object":{POD}}}"#), "present a 12");
    event(&format!(r#"{{"type":"DELETED","object":{POD}}}"#), "deleted a 12");
    event(r#"{"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"13"}}}"#, "nothing 13");
    event(r#"{"type":"ERROR","object":{"kind":"Status","code":410,"message":"too old"}}"#, "Expired");
    event(r#"{"type":"ERROR","object":{"kind":"Status","code":500,"message":"broken"}}"#, "broken");
    event(r#"{"type":"OTHER","object":{}}"#, "no known type");
    event(r#"{"type":"ADDED","object":{}}"#, "nothing -");
    event("{", "no JSON");
}
