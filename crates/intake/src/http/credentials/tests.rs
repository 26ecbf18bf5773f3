//! Rows for headers and whether they authorise the sender.

use super::*;
use hyper::header::{HeaderName, HeaderValue};

/// Checks a header against two tokens and two users: `secret`, `other`; `ship` with `pass`, `x` with `y`.
#[track_caller]
fn check_header(header: Option<(&'static str, &str)>, want: Standing) {
    let mut options = HttpOptions::new(1 << 20);
    // A header that occurs twice does not match.
    options.tokens = ["secret", "other", "secret"].map(str::to_owned).into();
    let user = |name: &str, password: &str| (name.to_owned(), password.to_owned());
    options.users = vec![user("ship", "pass"), user("x", "y"), user("ship", "pass")];
    let pair = |(name, value): (&'static str, &str)| {
        (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())
    };
    assert_eq!(check(&HeaderMap::from_iter(header.map(pair)), &options), want, "{header:?}");
}

fn basic(pair: &str) -> String {
    STANDARD.encode(pair)
}

#[test]
fn tokens_and_passwords() {
    check_header(None, Standing::Unknown);
    for value in ["Bearer secret", "Splunk other", "ApiKey  secret", "secret"] {
        check_header(Some(("authorization", value)), Standing::Allowed);
    }
    for value in ["Bearer secre", "Bearer secrets", "Bearer", "", "Basic secret", "Basic"] {
        check_header(Some(("authorization", value)), Standing::Refused);
    }
    check_header(Some(("x-api-key", "other")), Standing::Allowed);
    check_header(Some(("x-api-key", "another")), Standing::Refused);
    for (pair, want) in [
        ("ship:pass", Standing::Allowed),
        ("x:y", Standing::Allowed),
        ("anybody:secret", Standing::Allowed),
        ("ship:y", Standing::Refused),
        ("x:pass", Standing::Refused),
        ("ship:", Standing::Refused),
        ("nobody:nothing", Standing::Refused),
        ("ship", Standing::Refused),
    ] {
        for scheme in ["Basic", "basic", "ApiKey"] {
            check_header(Some(("authorization", &format!("{scheme} {}", basic(pair)))), want);
        }
        check_header(Some(("authorization", &format!("Bearer {}", basic(pair)))), Standing::Refused);
    }
}

#[test]
fn one_kind_of_secret_is_enough_to_need_one() {
    let plain = HttpOptions::new(1 << 20);
    let tokens = HttpOptions { tokens: vec!["t".to_owned()], ..plain.clone() };
    let users = HttpOptions { users: vec![("u".to_owned(), "p".to_owned())], ..plain.clone() };
    for (options, want) in
        [(plain, Standing::Allowed), (tokens, Standing::Unknown), (users, Standing::Unknown)]
    {
        assert_eq!(check(&HeaderMap::new(), &options), want);
    }
}
