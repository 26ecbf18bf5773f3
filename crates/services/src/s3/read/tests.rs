//! Lists as servers write them, faults, and the requests that are made.

use super::{
    bucket::{BucketReader, ListFrom, S3Bucket},
    fault::{FaultKind, ReadFault, Subject},
    list::{ListedObject, ObjectList},
};
use crate::{
    http::Reply,
    s3::options::S3Login,
    testing::{requests::answer, runtime},
};
use hyper::HeaderMap;
use std::{sync::Arc, time::Duration};
use tokio::net::TcpListener;
use transport::tls::{SenderTls, TlsOptions};

/// Shows a list: names, sizes, archives, the next token.
fn shown(text: &str) -> String {
    match ObjectList::read(text.as_bytes()) {
        Err(error) => error.to_string(),
        Ok(list) => {
            let object = |object: &ListedObject| {
                format!(
                    "{:?} {} {}{}",
                    object.key,
                    object.etag,
                    object.size,
                    if object.is_archived { " archived" } else { "" }
                )
            };
            let objects: Vec<String> = list.objects.iter().map(object).collect();
            format!("[{}] {:?}", objects.join(", "), list.next)
        }
    }
}

/// The example of the reference of Amazon S3, and what others write.
#[test]
fn a_list_is_read() {
    let list = |inside: &str| {
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">{inside}</ListBucketResult>"
        )
    };
    let object = "<Contents>
      <Key>my-image.jpg</Key><LastModified>2009-10-12T17:50:30.000Z</LastModified>
      <ETag>\"fba9dede5f27731c9771645a39863328\"</ETag><Size>434234</Size><StorageClass>STANDARD</StorageClass>
      <Owner><ID>x</ID><DisplayName>Key</DisplayName></Owner></Contents>";
    let rows = [
        (
            list(&format!(
                "<Name>bucket</Name><Prefix/><KeyCount>1</KeyCount><IsTruncated>false</IsTruncated>{object}"
            )),
            "[\"my-image.jpg\" \"fba9dede5f27731c9771645a39863328\" 434234] None",
        ),
        (
            list("<IsTruncated>true</IsTruncated><NextContinuationToken>1ueGc/x+y=</NextContinuationToken>"),
            "[] Some(\"1ueGc/x+y=\")",
        ),
        (
            list("<IsTruncated>true</IsTruncated>"),
            "the list of objects is cut, and there is no token for the rest",
        ),
        (
            list(
                "<EncodingType>url</EncodingType><Contents><Key>a+b%2Bc%0A%C3%A4%zz%4</Key><ETag>&quot;1&#45;2&quot;</ETag><Size>7</Size></Contents>",
            ),
            "[\"a b+c\\nä%zz%4\" \"1-2\" 7] None",
        ),
        (
            list(
                "<Contents><Key>a+b%2B &amp;&lt;<![CDATA[<c>]]></Key><StorageClass>DEEP_ARCHIVE</StorageClass></Contents>",
            ),
            "[\"a+b%2B &<<c>\"  0 archived] None",
        ),
        (
            list("<Contents><Key></Key></Contents><CommonPrefixes><Prefix>p/</Prefix></CommonPrefixes>"),
            "[] None",
        ),
        (list(&format!("<Contents><Key>{}</Key></Contents>", "x".repeat(1025))), "[] None"),
        ("<Error><Code>x</Code></Error>".to_owned(), "the server answered with what is no list of objects"),
        ("<html>".to_owned(), "the list of objects cannot be read: it is cut off"),
        (String::new(), "the server answered with what is no list of objects"),
    ];
    for (text, want) in rows {
        assert_eq!(shown(&text), want, "{text}");
    }
    assert!(shown("<a></b>").starts_with("the list of objects cannot be read: "));
}

#[track_caller]
fn check(subject: Subject, status: u16, code: &str, want: FaultKind) {
    let body = match code {
        "" => Vec::new(),
        code => format!("<Error><Code>{code}</Code></Error>").into_bytes(),
    };
    let wait = (code == "SlowDown").then_some(Duration::from_secs(9));
    let fault = ReadFault::of(Reply::Status { status, wait, headers: HeaderMap::new(), body }, subject);
    assert_eq!(fault.kind, want, "{subject:?} {status} {code}: {fault}");
}

#[test]
fn a_fault_says_what_can_still_be_read() {
    for subject in [Subject::List, Subject::Object] {
        check(subject, 403, "SignatureDoesNotMatch", FaultKind::Refused);
        check(subject, 400, "ExpiredToken", FaultKind::Refused);
        check(subject, 404, "NoSuchBucket", FaultKind::Refused);
        check(subject, 301, "PermanentRedirect", FaultKind::Refused);
        check(subject, 401, "", FaultKind::Refused);
        check(subject, 503, "SlowDown", FaultKind::Away(Some(Duration::from_secs(9))));
        check(subject, 403, "RequestTimeTooSkewed", FaultKind::Away(None));
        check(subject, 500, "InternalError", FaultKind::Away(None));
        check(subject, 502, "", FaultKind::Away(None));
    }
    check(Subject::List, 403, "AccessDenied", FaultKind::Refused);
    check(Subject::List, 400, "InvalidArgument", FaultKind::Place);
    check(Subject::List, 404, "", FaultKind::Refused);
    check(Subject::Object, 403, "AccessDenied", FaultKind::Object);
    check(Subject::Object, 403, "InvalidObjectState", FaultKind::Object);
    check(Subject::Object, 404, "NoSuchKey", FaultKind::Missing);
    check(Subject::Object, 404, "", FaultKind::Missing);
    check(Subject::Object, 412, "PreconditionFailed", FaultKind::Changed);
    check(Subject::Object, 416, "InvalidRange", FaultKind::Object);
    assert_eq!(ReadFault::of(Reply::Silent, Subject::List).kind, FaultKind::Away(None));
    assert_eq!(ReadFault::of(Reply::Unreachable("x".to_owned()), Subject::List).to_string(), "x");
}

fn bucket(address: String) -> Arc<S3Bucket> {
    let login = S3Login { access_key: "id".to_owned(), secret_key: "hidden".to_owned(), session_token: None };
    let (region, timeout) = ("us-east-1".to_owned(), Duration::from_secs(2));
    Arc::new(S3Bucket { address, region, login, timeout, tls: SenderTls::new(TlsOptions::default()) })
}

/// Makes requests to a server with these answers, and returns the heads that it heard.
fn exchanged<T>(says: &[&str], ask: impl AsyncFnOnce(&mut BucketReader) -> T) -> (T, Vec<String>) {
    runtime().block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/logs", listener.local_addr().unwrap());
        let mut reader = BucketReader::new(bucket(address));
        let (mut says, mut heard) = (says.to_vec(), Vec::new());
        let serve = async {
            while !says.is_empty() {
                let (peer, _) = listener.accept().await.unwrap();
                answer(peer, &mut says, &mut heard).await;
            }
        };
        let (subject, ()) = tokio::join!(ask(&mut reader), serve);
        (subject, heard.into_iter().map(|(head, _)| head).collect())
    })
}

#[test]
fn pages_are_asked_for_by_their_place() {
    let empty = "200 <ListBucketResult/>";
    let places =
        [ListFrom::Start, ListFrom::Behind("a b/\u{e4}".to_owned()), ListFrom::Token("1/+=".to_owned())];
    let (lists, heard) = exchanged(&[empty, "", empty, empty], async |reader| {
        let mut lists = Vec::new();
        for place in &places {
            lists.push(reader.list("p&q/", place).await.map(|list| list.objects.len()));
        }
        lists
    });
    assert_eq!(lists, [Ok(0), Ok(0), Ok(0)]);
    let common = "encoding-type=url&list-type=2&max-keys=1000&prefix=p%26q%2F";
    let lines: Vec<&str> = heard.iter().map(|head| head.lines().next().unwrap()).collect();
    let behind = format!("GET /logs?{common}&start-after=a%20b%2F%C3%A4 HTTP/1.1");
    assert_eq!(lines[0], format!("GET /logs?{common} HTTP/1.1"));
    assert_eq!((lines[1], lines[2]), (behind.as_str(), behind.as_str()), "a broken connection is made again");
    assert_eq!(lines[3], format!("GET /logs?continuation-token=1%2F%2B%3D&{common} HTTP/1.1"));
    let signed = "signedheaders=host;x-amz-content-sha256;x-amz-date,";
    assert!(heard.iter().all(|head| head.contains(signed) && !head.contains("content-type")), "{heard:?}");
}

#[test]
fn an_object_is_read_from_an_offset_on_if_it_is_the_same() {
    let object =
        ListedObject { key: "a b".to_owned(), etag: "\"e\"".to_owned(), size: 9, is_archived: false };
    let part = "206 part";
    let (found, heard) = exchanged(&["200 whole", part, "412 "], async |reader| {
        let mut found = Vec::new();
        for offset in [0, 5, 0] {
            match reader.open(&object, offset).await {
                Err(fault) => found.push(format!("{:?}", fault.kind)),
                Ok(mut body) => {
                    let bytes = body.piece().await.unwrap().unwrap();
                    assert_eq!(body.piece().await.unwrap(), None);
                    found.push(String::from_utf8(bytes.to_vec()).unwrap());
                }
            }
        }
        found
    });
    // The second answer does not say which part it is.
    assert_eq!(found, ["whole", "Object", "Changed"]);
    assert!(
        heard[0].starts_with("GET /logs/a%20b HTTP/1.1\r\n") && heard[0].contains("\r\nif-match: \"e\"\r\n")
    );
    assert!(!heard[0].contains("\r\nrange:") && heard[1].contains("\r\nrange: bytes=5-\r\n"));
    assert!(heard[1].contains("signedheaders=host;if-match;range;x-amz-content-sha256;x-amz-date,"));
}
