//! Answers as the servers give them, and as they must not be taken.

use super::{BulkAnswerError, results};

/// Shows the results: `200 400(reason)`.
#[track_caller]
fn check(body: &str, items: usize, want: Result<&str, BulkAnswerError>) {
    let got = results(body.as_bytes(), items).map(|results| {
        let shown = results.iter().map(|result| match result.reason.as_str() {
            "" => result.status.to_string(),
            reason => format!("{}({reason})", result.status),
        });
        shown.collect::<Vec<_>>().join(" ")
    });
    assert_eq!(got, want.map(str::to_owned), "{body}");
}

#[test]
fn l1_every_item_has_its_result() {
    let mixed = r#"{"took":3,"errors":true,"items":[
        {"index":{"_index":"logs","_id":"a","status":201}},
        {"index":{"_index":"logs","_id":"b","status":400,"error":{"type":"mapper_parsing_exception",
            "reason":"failed to parse field [n] of type [long] in document with id 'b'. Preview of field's value: 'secret'"}}},
        {"create":{"status":429,"error":{"type":"es_rejected_execution_exception","reason":"queue\nfull"}}}]}"#;
    let want = "201 400(mapper_parsing_exception: failed to parse field [n] of type [long] in document with id 'b'.) \
                429(es_rejected_execution_exception: queue full)";
    check(mixed, 3, Ok(want));
    check(r#"{"errors":false,"items":[{"index":{"status":200}}]}"#, 1, Ok("200"));
    // Elasticsearch before 2.0 gives the error as text; `errors` may lie or be filtered away.
    check(
        r#"{"items":[{"index":{"status":503,"error":"UnavailableShards[x]"}}]}"#,
        1,
        Ok("503(UnavailableShards[x])"),
    );
    check(
        r#"{"errors":false,"items":[{"index":{"status":400,"error":{"type":"a","reason":"b"}}}]}"#,
        1,
        Ok("400(a: b)"),
    );
    check(r#"{"errors":true,"items":[{"index":{"error":{"type":"a","reason":"b"}}}]}"#, 1, Ok("500(a: b)"));
    check(
        r#"{"errors":true,"items":[{"index":{"status":200,"error":{"type":"a","reason":"b"}}}]}"#,
        1,
        Ok("500(a: b)"),
    );
    // A result that says nothing is good only in an answer that says so.
    check(r#"{"errors":false,"items":[{"index":{}}]}"#, 1, Ok("200"));
    check(r#"{"items":[{"index":{}}]}"#, 1, Err(BulkAnswerError::Item));
    check(r#"{"errors":true,"items":[{"index":{"status":300,"error":{"type":"a"}}}]}"#, 1, Ok("300(a:)"));
    // A status of success that does not stand for every item, parts that are elsewhere, parts more than once.
    check(r#"{"items":[{"index":{"status":200,"_id":"a"}}],"errors":false,"took":1}"#, 1, Ok("200"));
    check(r#"{"errors":false,"items":[{"delete":{"status":404,"result":"not_found"}}]}"#, 1, Ok("404"));
    check(r#"{"errors":false,"items":[{"index":{"status":201},"more":{"status":400}}]}"#, 1, Ok("201"));
    check(r#"{"errors":false,"items":[{"index":{"status":201,"error":null}}]}"#, 1, Ok("201"));
    check(r#"{"errors":false,"items":[{"index":{"st\u0061tus":201}}]}"#, 1, Ok("201"));
    check(r#"{"errors":false,"items":[{"index":{"status":201}}]} "#, 1, Ok("201"));
    // filter_path in the address.
    check(r#"{"errors":false}"#, 2, Ok("200 200"));
    // Two actions in each message.
    let two = r#"{"items":[{"index":{"status":200}},{"index":{"status":201}}]}"#;
    check(two, 1, Ok("200"));
    let bad =
        r#"{"items":[{"index":{"status":200}},{"index":{"status":400,"error":{"type":"a","reason":"b"}}}]}"#;
    check(bad, 1, Ok("400(a: b)"));
}

#[test]
fn l1_an_answer_that_leaves_items_out_is_an_error() {
    let none = Err(BulkAnswerError::NoResults);
    for body in ["{}", "[]", r#"{"errors":true}"#, r#"{"message":"bulk data inserted"}"#, "null"] {
        check(body, 1, none.clone());
    }
    check(r#"{"errors":false,"items":[{"index":{"status":200}}]}x"#, 1, Err(BulkAnswerError::NotJson));
    for body in ["", "ok", r#"{"errors":false,"items":[{"index":{"status":200}}"#, "<html>"] {
        check(body, 1, Err(BulkAnswerError::NotJson));
    }
    let one = r#"{"errors":false,"items":[{"index":{"status":200}}]}"#;
    check(one, 2, Err(BulkAnswerError::Count { results: 1, items: 2 }));
    let four = r#"{"items":[{"index":{"status":200}},{"index":{"status":400}},{"index":{"status":200}},{"index":{"status":200}}]}"#;
    check(four, 2, Err(BulkAnswerError::Count { results: 4, items: 2 }));
    check(r#"{"errors":true,"items":[{"index":{}}]}"#, 1, Err(BulkAnswerError::Item));
    check(r#"{"errors":true,"items":["x"]}"#, 1, Err(BulkAnswerError::Item));
}

#[test]
fn l1_the_words_of_a_server_do_not_quote_messages_in_the_log() {
    let error = r#"{"error":{"type":"t","reason":"bad value","caused_by":{"reason":"For input string: \"secret\""}}}"#;
    for (body, want) in [
        (error, "t: bad value"),
        (r#"{"error":"no such\nindex"}"#, "no such index"),
        (r#"{"text":"Invalid token","code":4}"#, "Invalid token"),
        (r#"{"message":"not now"}"#, "not now"),
        ("<html>secret", ""),
        ("", ""),
    ] {
        assert_eq!(super::words(body.as_bytes()), want, "{body}");
    }
    let item = format!(r#"{{"items":[{{"index":{{"status":400,{}}}]}}"#, &error[1..]);
    let results = results(item.as_bytes(), 1).unwrap();
    assert_eq!(results[0].answer(), "400 t: bad value\n(cause: For input string: \"secret\")");
}
